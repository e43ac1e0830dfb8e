"""The manifest of a release that a release file describes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import version
from typing import Any

from ontomask.errors import many
from ontomask.pipeline.facts import facts
from ontomask.pipeline.mask import Release
from ontomask.releasefile.model import Spec
from ontomask.report.manifest import FORMAT, FileFacts
from ontomask.report.plain_values import file_name, plain

__all__ = ["manifest"]


def manifest(
    release: Release,
    spec: Spec,
    source: FileFacts | None,
    output: FileFacts | None,
    *,
    private: Collection[str] = (),
    when: datetime | None = None,
) -> dict[str, Any]:
    """Everything that may be known of a release, ready for JSON.

    ``private`` names files with original values that were written as well.
    """
    notes: list[str] = []
    given = _as_given(spec, notes)
    known = facts(release, spec.threshold, when=when)
    for word, it in (("input", source), ("output", output)):
        if it is not None and it.sha256 is None:
            notes.append(f"the {word} is not on the machine that made this, and was not hashed")
    if spec.by_spark:
        known["versions"]["pyspark"] = version("pyspark")
    if private:
        known["notes"].append("the private files hold original values and must not be published")
    made = {
        "format": FORMAT,
        **known,
        "input": asdict(source) if source else None,
        "output": asdict(output) if output else None,
        "release": given,
        "columns": {
            **{name: {"role": it.role, "type": it.kind} for name, it in spec.columns.items()},
            **{name: it for name, it in known["columns"].items() if name not in spec.columns},
        },
        "private_files": [file_name(it) for it in private],
        "notes": [*notes, *known["notes"]],
    }
    return dict(plain(made))


def _as_given(spec: Spec, notes: list[str]) -> dict[str, Any]:
    """The release file without folders, and without the values that it names."""
    given = spec.as_dict()
    for field in ("data", "output"):
        given[field] = file_name(given[field])
    if given.get("engine"):
        # Where it ran, and how, is nobody's business.
        given["engine"] = {"name": given["engine"]["name"]}
    for column in given["columns"].values():
        if column.get("taxonomy"):
            column["taxonomy"] = file_name(column["taxonomy"])
        if isinstance(column.get("mapping"), str):
            column["mapping"] = file_name(column["mapping"])
        for field in ("mapping", "levels"):
            if isinstance(column.get(field), dict | list):
                column[field] = many(len(column[field]), "value")
                notes.append(
                    "values that the release file names are counted, not named, in the manifest's "
                    "copy of it"
                )
    notes[:] = dict.fromkeys(notes)
    return given

"""The manifest of a release that a release file describes, and those of earlier releases."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ontomask.errors import FileFormatError, format_count, quote_names
from ontomask.pipeline import Release
from ontomask.pipeline.facts import publishable_facts
from ontomask.releasefile.fields import map_file_names
from ontomask.releasefile.model import ReleaseFile
from ontomask.report.manifest import FORMAT, FileFacts
from ontomask.report.plain_values import file_name, to_plain_values

__all__ = ["make_manifest", "previous_cautions"]


def make_manifest(
    release: Release,
    spec: ReleaseFile,
    source: str | None,
    output: FileFacts | None,
    *,
    private: Collection[str] = (),
    when: datetime | None = None,
) -> dict[str, Any]:
    """Make the manifest of a release: all that may be published, ready for JSON.

    ``private`` names files with original values that were written as well.
    """
    notes: list[str] = []
    release_fields = _publishable_fields(spec, notes)
    release_facts = publishable_facts(release, spec.threshold, when=when)
    if output is not None and output.sha256 is None:
        notes.append("the output was not hashed, because it is not on this machine")
    if spec.uses_spark:
        release_facts["versions"]["pyspark"] = version("pyspark")
    if private:
        release_facts["notes"].append(
            "the private files contain original values: do not publish them"
        )
    content = {
        "format": FORMAT,
        **release_facts,
        # Its size or hash would let readers test guesses about what was removed.
        "input": {"name": file_name(source)} if source else None,
        "output": asdict(output) if output else None,
        "release": release_fields,
        "columns": {
            **{
                name: {"role": column.role, "type": column.kind}
                | ({"columns": list(column.columns)} if column.columns else {})
                for name, column in spec.columns.items()
            },
            **{
                name: column
                for name, column in release_facts["columns"].items()
                if name not in spec.columns or column["role"] == "pseudonym"
            },
        },
        "private_files": [file_name(path) for path in private],
        "notes": [*notes, *release_facts["notes"]],
    }
    return dict(to_plain_values(content))


def _publishable_fields(spec: ReleaseFile, notes: list[str]) -> dict[str, Any]:
    """The release file without folders, and without the values that it names."""
    fields = spec.as_dict()
    for field in ("data", "output"):
        fields[field] = file_name(fields[field])
    if fields.get("previous"):
        fields["previous"] = [file_name(name) for name in fields["previous"]]
    if (fields.get("population") or {}).get("table"):
        fields["population"]["table"] = file_name(fields["population"]["table"])
    if fields.get("engine"):
        # Where and how it ran is not published.
        fields["engine"] = {"name": fields["engine"]["name"]}
    for column in fields["columns"].values():
        column |= map_file_names(column, file_name)
        for field in ("mapping", "levels"):
            if isinstance(column.get(field), dict | list):
                column[field] = format_count(len(column[field]), "value")
                notes.append(
                    "the manifest contains the release file, but only the number of values in its "
                    "mappings and levels, not the values"
                )
    notes[:] = dict.fromkeys(notes)
    return fields


# ---------------------------------------------------------------------- earlier releases


def previous_cautions(spec: ReleaseFile) -> tuple[str, ...]:
    """The caution about the earlier releases that the file names, if any."""
    if not spec.previous:
        return ()
    manifests = {name: _read_manifest(spec.path(name)) for name in spec.previous}
    outputs = [(manifest.get("output") or {}).get("name") for manifest in manifests.values()]
    names = [output or Path(name).name for output, name in zip(outputs, manifests, strict=True)]
    return (
        f"the table was released before, in {format_count(len(names), 'release')} "
        f"({quote_names(names)}). Guarantees do not hold for several releases together: an "
        "attacker can intersect the equivalence classes of a person. To count the records that "
        "this singles out, use ontomask evaluate with the option --with",
    )


def _read_manifest(path: Path) -> dict[str, Any]:
    hint = "name the .manifest.json file that was written with an earlier release"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror or error}", hint) from None
    except ValueError:  # not JSON, or not text
        manifest = None
    if not isinstance(manifest, dict) or not {"format", "guarantee", "records"} <= manifest.keys():
        raise FileFormatError(f"{path} must be the manifest of a release", hint)
    if manifest["format"] != FORMAT:
        raise FileFormatError(
            f"{path} must be a manifest of format {FORMAT}, got format {manifest['format']}",
            "write the earlier release again with this version of ontomask",
        )
    return manifest

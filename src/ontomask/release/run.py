"""From a release file to a released table: one function, behind the command line and the web."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from ontomask.errors import FileFormatError, ParameterError
from ontomask.files import made_together, written_beside
from ontomask.release.evaluation import Evaluation, evaluate
from ontomask.release.manifest import facts_of, manifest, write_manifest
from ontomask.release.mask import Release, mask
from ontomask.release.problems import hints_in_yaml
from ontomask.release.requirements import require
from ontomask.release.spec import Spec, load_spec
from ontomask.release.transitions_file import private_transitions

__all__ = [
    "Outcome",
    "evaluate_files",
    "file_settings",
    "files_of",
    "masked_file",
    "refuse_targets",
    "release_file",
]

Progress = Callable[[str], None]

#: The figures that are looked at first.
CHIEF_UTILITY = ("sse", "kl", "semantic_quality")
CHIEF_RISK = ("k", "uniques", "marketer", "linkage_nearest")


@dataclass(frozen=True)
class Outcome:
    """What was released, and the files that were written."""

    release: Release
    files: tuple[Path, ...]
    manifest: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """The files, what holds, and the chief figures; all of it may be published."""
        worth = {name: it["value"] for name, it in self.manifest["utility"].items()}
        risk = {name: it["value"] for name, it in self.manifest["risk"].items()}
        return {
            "files": [str(path) for path in self.files],
            "columns": [it.name for it in self.release.transitions.tuples.attributes],
            "records": self.manifest["records"],
            "tuples": {
                "before": len(self.release.transitions.tuples),
                "after": self.release.guarantee.classes,
            },
            "guarantee": self.manifest["guarantee"],
            "utility": {name: worth[name] for name in CHIEF_UTILITY},
            "risk": {name: risk[name] for name in (*CHIEF_RISK, "l_distinct")},
            "risk_before": {name: risk["before"][name] for name in CHIEF_RISK},
        }


def release_file(
    spec: str | PathLike[str] | Spec,
    seed: int | None = None,
    *,
    force: bool = False,
    private: bool = False,
    progress: Progress = lambda _: None,
) -> Outcome:
    """Mask the table that a release file names, and write it with its manifest and its report.

    Nothing is written unless all that the file requires holds. ``force`` overwrites what is there;
    ``private`` writes the transitions, too, which must not be published. ``progress`` is told what
    is being done.
    """
    from ontomask.release.report import report  # takes time to load

    own = [] if isinstance(spec, Spec) else [Path(spec)]
    if not isinstance(spec, Spec):
        spec = load_spec(spec)
    files = files_of(spec, private)
    refuse_targets(files, [*spec.inputs(), *own])
    if not force:
        _refuse_existing(files)
    release = masked_file(spec, seed, progress)
    progress("measuring utility and risk")
    require(spec.require, release.evaluation, release.guarantee)
    with made_together(files, force=force) as folder:
        table, its_manifest, its_report, *its_transitions = (folder / it.name for it in files)
        progress("writing the table")
        release.write(table)
        for path in its_transitions:
            private_transitions(release, path, release.schema)
        private_files = [path.name for path in its_transitions]
        made = manifest(
            release, spec, facts_of(spec.data_path), facts_of(table), private=private_files
        )
        write_manifest(its_manifest, made)
        progress("writing the report")
        with written_beside(its_report) as file:
            file.write(report(release, made))
    return Outcome(release, files, made)


def masked_file(spec: Spec, seed: int | None, progress: Progress = lambda _: None) -> Release:
    """The table that a release file names, masked; nothing is written."""
    progress("reading the taxonomies")
    schema = spec.schema()
    with hints_in_yaml():
        return mask(
            spec.data_path,
            schema,
            spec.method_object(),
            seed,
            progress=progress,
            **file_settings(spec),
        )


def evaluate_files(
    original: str | PathLike[str],
    masked: str | PathLike[str],
    spec: str | PathLike[str] | Spec,
    *,
    semantic_closeness: bool = False,
) -> Evaluation:
    """What a masked file is worth and what it risks; a release file says what the columns are."""
    if not isinstance(spec, Spec):
        spec = load_spec(spec)
    return evaluate(
        original,
        masked,
        spec.schema(),
        getattr(spec.method_object(), "k", None),
        semantic_closeness=semantic_closeness,
        **file_settings(spec),
    )


def file_settings(spec: Spec) -> dict[str, Any]:
    """How the table is read, as far as the release file says."""
    given: dict[str, Any] = {"table": spec.table, "memory": spec.memory}
    if spec.csv is not None:
        given |= {
            "delimiter": spec.csv.delimiter,
            "quote": spec.csv.quote,
            "encoding": spec.csv.encoding,
        }
    return {name: value for name, value in given.items() if value is not None}


def files_of(spec: Spec, private: bool = False) -> tuple[Path, ...]:
    """The table, its manifest, its report and, where asked for, the transitions."""
    files = [spec.output_path, spec.beside("manifest.json"), spec.beside("report.html")]
    return (*files, spec.beside("transitions.private.csv")) if private else tuple(files)


def refuse_targets(files: Sequence[Path], inputs: Sequence[Path]) -> None:
    """Refuse to write where nothing can be written, and over what is read; before any work."""
    for path in files:
        if not path.parent.is_dir():
            raise FileFormatError(
                f"there is no folder {path.parent}", "create it, or name another output"
            )
        if path.is_dir():
            raise FileFormatError(f"{path} is a folder, not a file", "name another output")
    for path in inputs:
        for target in files:
            if path.exists() and target.exists() and target.samefile(path):
                raise ParameterError(
                    f"{target} is read for this release, and is never touched",
                    "name another output",
                )


def _refuse_existing(files: tuple[Path, ...]) -> None:
    """Before any work is done; checked again when the files are written."""
    for path in files:
        if path.exists():
            raise ParameterError(
                f"{path} exists already", "choose another output, or have it overwritten: --force"
            )

"""From a release file with several tables to released tables, with one manifest and one report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from ontomask._runtime.files.atomic_files import (
    atomic_write,
    refuse_targets,
    write_files_atomically,
)
from ontomask._runtime.files.file_stamps import refuse_changed, stamp_file
from ontomask._runtime.files.work_folders import sweep_abandoned
from ontomask.errors import ParameterError, RequirementNotMet
from ontomask.pipeline import TablesRelease, mask_tables
from ontomask.pipeline.guarantees.requirements import check_requirements, refuse_unchanged
from ontomask.pipeline.randomness import refuse_short_seed
from ontomask.pipeline.tables.facts import join_table_facts
from ontomask.releasefile.manifest import make_manifest
from ontomask.releasefile.problems import translate_hints
from ontomask.releasefile.run import MAIN_RISK, MAIN_UTILITY, file_settings
from ontomask.releasefile.tables.model import TablesFile, load_tables_file
from ontomask.report.manifest import FORMAT, FileFacts, read_file_facts, write_manifest
from ontomask.report.transitions_file import write_private_transitions

__all__ = ["TablesOutcome", "mask_tables_file", "write_tables"]

Progress = Callable[[str], None]


@dataclass(frozen=True)
class TablesOutcome:
    """What was released of several tables, and the files that were written."""

    release: TablesRelease
    files: tuple[Path, ...]
    manifest: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """The files, what holds, and the chief figures; all of it may be published."""
        return {
            "files": [str(path) for path in self.files],
            "guarantee": self.manifest["guarantee"],
            "links": self.manifest["links"],
            "tables": {
                name: {
                    "columns": [
                        a.name for a in self.release.releases[name].transitions.tuples.attributes
                    ],
                    "records": manifest["records"],
                    "utility": {f: manifest["utility"][f]["value"] for f in MAIN_UTILITY},
                    "risk": {f: manifest["risk"][f]["value"] for f in MAIN_RISK},
                }
                for name, manifest in self.manifest["tables"].items()
            },
        }


def write_tables(
    spec: str | PathLike[str] | TablesFile,
    seed: int | None = None,
    *,
    force: bool = False,
    private: bool = False,
    allow_unchanged: bool = False,
    progress: Progress = lambda _: None,
) -> TablesOutcome:
    """Mask the tables that a release file names, and write them with their manifest and report.

    All files take their names together, or none does. The arguments are those of
    :func:`~ontomask.releasefile.run.write_release`.
    """
    refuse_short_seed(seed)
    own_path = [] if isinstance(spec, TablesFile) else [Path(spec)]
    if not isinstance(spec, TablesFile):
        spec = load_tables_file(spec)
    files = spec.output_files(private)
    refuse_targets(files, [*spec.inputs(), *own_path])
    for path in files if not force else ():
        if path.exists():
            raise ParameterError(
                f"{path} already exists", "choose another output, or use --force to overwrite"
            )
    sweep_abandoned(files[0].parent)
    stamps = {t.data_path: stamp_file(t.data_path) for t in spec.tables.values()}
    release = mask_tables_file(spec, seed, progress)
    progress("measuring utility and disclosure risk")
    if not allow_unchanged:
        _refuse_unchanged_tables(release)
    _check_requirements(spec, release)
    progress("writing the tables")
    with write_files_atomically(list(files), force=force) as folder:
        outputs = {}
        for name, table in spec.tables.items():
            path = folder / table.output_path.name
            release.releases[name].write(
                path,
                order="shuffle" if table.is_shuffled else "keep",
                escape_formulas=bool(table.csv and table.csv.escape_formulas),
            )
            outputs[name] = read_file_facts(path)
        if private:
            for name, table in spec.tables.items():
                one = release.releases[name]
                path = folder / table.beside("transitions.private.csv").name
                write_private_transitions(one.transitions, path, one.schema)
        manifest = _make_manifest(release, spec, outputs, private)
        write_manifest(folder / spec.beside("manifest.json").name, manifest)
        progress("writing the report")
        with atomic_write(folder / spec.beside("report.html").name) as file:
            file.write(release.report(spec.name, manifest))
        for path, stamp in stamps.items():
            refuse_changed(path, stamp)
    return TablesOutcome(release, files, manifest)


def mask_tables_file(
    spec: TablesFile, seed: int | None, progress: Progress = lambda _: None
) -> TablesRelease:
    """Mask the tables that a release file names; nothing is written."""
    progress("reading the taxonomies")
    schemas = spec.schemas()
    with translate_hints():
        return mask_tables(
            {name: table.data_path for name, table in spec.tables.items()},
            schemas,
            spec.method_object(),
            seed,
            person=spec.person,
            linked=spec.linked,
            link_price=spec.link_price,
            shuffle=spec.is_shuffled,
            progress=progress,
            files={name: file_settings(table) for name, table in spec.tables.items()},
        )


def _refuse_unchanged_tables(release: TablesRelease) -> None:
    """Refuse a release in which masking changed nothing in any table."""
    error = None
    for one in release.releases.values():
        try:
            refuse_unchanged(one)
            return
        except RequirementNotMet as unchanged:
            error = unchanged
    if error is not None:
        raise error


def _check_requirements(spec: TablesFile, release: TablesRelease) -> None:
    """Refuse a release that does not meet its requirements; k is that of all tables together."""
    for name, table in spec.tables.items():
        try:
            check_requirements(table.limits, release.releases[name].evaluation, release.guarantee)
        except RequirementNotMet as error:
            raise error.with_message(f"table {name!r}: {error.message}") from None


def _make_manifest(
    release: TablesRelease,
    spec: TablesFile,
    outputs: Mapping[str, FileFacts],
    private: bool,
) -> dict[str, Any]:
    """The manifest of all tables: what holds for them together, and what is known of each."""
    tables = {
        name: make_manifest(
            release.releases[name],
            table,
            table.data,
            outputs[name],
            private=[table.beside("transitions.private.csv").name] if private else [],
        )
        for name, table in spec.tables.items()
    }
    return {"format": FORMAT, **join_table_facts(release, tables)}

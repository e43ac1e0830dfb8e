"""From a release file to a released table: one function, behind the command line and the web."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask._runtime.files.atomic_files import (
    atomic_write,
    refuse_targets,
    write_files_atomically,
)
from ontomask._runtime.files.file_stamps import refuse_changed, stamp_file
from ontomask._runtime.files.work_folders import sweep_abandoned
from ontomask._runtime.progress import listen_to_progress
from ontomask.errors import ParameterError
from ontomask.pipeline import (
    Evaluation,
    Intersection,
    Release,
    TablesRelease,
    evaluate,
    intersect_releases,
    mask,
)
from ontomask.pipeline.guarantees.requirements import check_requirements, refuse_unchanged
from ontomask.pipeline.randomness import refuse_short_seed
from ontomask.releasefile.manifest import make_manifest, previous_cautions
from ontomask.releasefile.model import ReleaseFile, load_release_file
from ontomask.releasefile.problems import translate_hints
from ontomask.releasefile.validation import is_remote
from ontomask.report.manifest import FileFacts, read_file_facts, write_manifest
from ontomask.report.transitions_file import write_private_transitions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "Outcome",
    "evaluate_files",
    "file_settings",
    "intersect_files",
    "output_files",
    "output_folders",
    "mask_file",
    "write_release",
    "run_release_file",
]

Progress = Callable[[str], None]

#: The main figures of a release.
MAIN_UTILITY = ("sse", "kl", "semantic_quality")
MAIN_POPULATION = ("k_map", "presence_max", "global_risk", "population_uniques")
MAIN_RISK = ("k", "uniques", "marketer", "linkage_nearest", "linkage_people")


@dataclass(frozen=True)
class Outcome:
    """What was released, and the files that were written.

    A table that was written elsewhere is the first of them, by its address. Of a table that was
    masked by Spark, ``release.data`` is there as long as the session is, and a session that was
    started for it ends with it.
    """

    release: Release
    files: tuple[Path | str, ...]
    manifest: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """The files, what holds, and the chief figures; all of it may be published."""
        utility = {name: figure["value"] for name, figure in self.manifest["utility"].items()}
        risk = {name: figure["value"] for name, figure in self.manifest["risk"].items()}
        population = self.manifest["population"] or {}
        return {
            "files": [str(path) for path in self.files],
            "columns": [attribute.name for attribute in self.release.transitions.tuples.attributes],
            "records": self.manifest["records"],
            "tuples": {
                "before": len(self.release.transitions.tuples),
                "after": self.release.combinations,
            },
            "guarantee": self.manifest["guarantee"],
            "utility": {name: utility[name] for name in MAIN_UTILITY},
            "risk": {name: risk[name] for name in (*MAIN_RISK, "l_distinct")},
            "risk_before": {name: risk["before"][name] for name in MAIN_RISK},
            "population": {name: population[name]["value"] for name in MAIN_POPULATION}
            if population
            else None,
        }


def run_release_file(
    release_file: str | PathLike[str] | ReleaseFile,
    seed: int | None = None,
    *,
    force: bool = False,
    private: bool = False,
    allow_unchanged: bool = False,
) -> Release | TablesRelease:
    """Mask the table that a release file names; write it with its manifest and report.

    Args:
        release_file: The path of a release file, or a loaded one. It may have several ``tables``.
        seed: Seed of all random draws, of at least 64 bits. Without it, a new seed is drawn.
        force: Whether to overwrite existing files.
        private: Whether to write the transitions as well. Do not publish them.
        allow_unchanged: Whether to release a table in which masking changed nothing.

    Returns:
        The release. Its files are written.
    """
    if not isinstance(release_file, ReleaseFile):
        from ontomask.releasefile.tables import has_tables
        from ontomask.releasefile.tables.run import write_tables

        if has_tables(release_file):
            return write_tables(
                release_file, seed, force=force, private=private, allow_unchanged=allow_unchanged
            ).release
    return write_release(
        release_file, seed, force=force, private=private, allow_unchanged=allow_unchanged
    ).release


def write_release(
    spec: str | PathLike[str] | ReleaseFile,
    seed: int | None = None,
    *,
    force: bool = False,
    private: bool = False,
    allow_unchanged: bool = False,
    progress: Progress = lambda _: None,
) -> Outcome:
    """Mask the table that a release file names, and write it with its manifest and its report.

    Nothing is written unless all that the file requires holds. ``force`` overwrites what is there;
    ``private`` writes the transitions, too, which must not be published. A release in which nothing
    changed is refused unless ``allow_unchanged``. ``progress`` is told what is being done.
    """
    refuse_short_seed(seed)
    own_path = [] if isinstance(spec, ReleaseFile) else [Path(spec)]
    if not isinstance(spec, ReleaseFile):
        spec = load_release_file(spec)
    files, folders = output_files(spec, private), output_folders(spec)
    refuse_targets(files, [*spec.inputs(), *own_path], folders)
    if not force and (
        is_remote(spec.data) or spec.data_path.exists()
    ):  # a missing table is reported first
        _refuse_existing(files)
    sweep_abandoned(files[0].parent)
    local_data = None if is_remote(spec.data) else spec.data_path
    stamp = local_data and stamp_file(local_data)
    with _spark_session(spec, force, progress) as session:
        release = _mask_table(spec, seed, progress, session)
        progress("measuring utility and disclosure risk")
        with listen_to_progress(progress):
            evaluation = release.evaluation
        if not allow_unchanged:
            refuse_unchanged(release)
        check_requirements(spec.limits, evaluation, release.guarantee)
        progress("writing the table")
        with (
            write_files_atomically(files, force=force, folders=folders) as folder,
            _write_table(release, spec, folder, session, force) as output,
        ):
            beside = [folder / path.name for path in files if path != spec.output_path]
            manifest_path, report_path, *transitions_paths = beside
            for path in transitions_paths:
                write_private_transitions(release.transitions, path, release.schema)
            private_files = [path.name for path in transitions_paths]
            manifest_content = make_manifest(
                release, spec, spec.data, output, private=private_files
            )
            write_manifest(manifest_path, manifest_content)
            progress("writing the report")
            # The report names the file that it is about by its hash.
            report_content = (
                manifest_content if output.sha256 else {**manifest_content, "output": None}
            )
            with atomic_write(report_path) as file:
                file.write(release.report(report_content))
            if local_data is not None:
                refuse_changed(local_data, stamp)
    elsewhere = (spec.output,) if is_remote(spec.output) else ()
    return Outcome(release, (*elsewhere, *files), manifest_content)


@contextmanager
def _spark_session(
    spec: ReleaseFile, force: bool, progress: Progress
) -> Iterator[SparkSession | None]:
    """Open a Spark session if the release file asks for Spark; otherwise yield None."""
    if not spec.uses_spark:
        yield None
        return
    from ontomask.releasefile.spark_tables import open_spark_session, refuse_existing_output

    with open_spark_session(spec, progress) as session:
        if is_remote(spec.output):
            refuse_existing_output(session, spec, force)
        yield session


def _mask_table(
    spec: ReleaseFile, seed: int | None, progress: Progress, session: SparkSession | None
) -> Release:
    if session is None:
        return mask_file(spec, seed, progress)
    from ontomask.releasefile.spark_tables import mask_with_spark

    return mask_with_spark(session, spec, seed, progress)


def _write_table(
    release: Release, spec: ReleaseFile, folder: Path, session: SparkSession | None, force: bool
) -> AbstractContextManager[FileFacts]:
    """Write the table, to a folder or remotely; the context yields the facts of its file."""
    if session is not None and is_remote(spec.output):
        from ontomask.releasefile.spark_tables import write_remote_table

        return write_remote_table(session, release, spec, force)
    table = folder / spec.output_path.name
    release.write(
        table,
        order="shuffle" if spec.is_shuffled else "keep",
        escape_formulas=bool(spec.csv and spec.csv.escape_formulas),
    )
    return nullcontext(read_file_facts(table))


def mask_file(spec: ReleaseFile, seed: int | None, progress: Progress = lambda _: None) -> Release:
    """Mask the table that a release file names; nothing is written.

    DuckDB reads it, whatever the engine: the plan is the same.
    """
    cautions = previous_cautions(spec)
    progress("reading the taxonomies")
    schema = spec.schema()
    with translate_hints():
        release = mask(
            spec.data_path,
            schema,
            spec.method_object(),
            seed,
            shuffle=spec.is_shuffled,
            population=spec.population_object(),
            progress=progress,
            **file_settings(spec),
        )
    return replace(release, more_cautions=cautions)


def evaluate_files(
    original: str | PathLike[str],
    masked: str | PathLike[str],
    spec: str | PathLike[str] | ReleaseFile,
    *,
    match_by: str | None = None,
    semantic_closeness: bool = False,
) -> Evaluation:
    """Measure the utility and risk of a masked file; a release file gives the roles of columns."""
    if not isinstance(spec, ReleaseFile):
        spec = load_release_file(spec)
    return evaluate(
        original,
        masked,
        spec.schema(),
        spec.method_object().target_k,
        match_by=match_by,
        semantic_closeness=semantic_closeness,
        population=spec.population_object(),
        **file_settings(spec),
    )


def intersect_files(
    original: str | PathLike[str],
    releases: Sequence[str | PathLike[str]],
    spec: str | PathLike[str] | ReleaseFile,
    *,
    match_by: str | None = None,
) -> Intersection:
    """Count the records that several masked files single out together."""
    if not isinstance(spec, ReleaseFile):
        spec = load_release_file(spec)
    return intersect_releases(
        original, releases, spec.schema(), match_by=match_by, **file_settings(spec)
    )


def file_settings(spec: ReleaseFile) -> dict[str, Any]:
    """How the table is read, as far as the release file says."""
    settings: dict[str, Any] = {"table": spec.table, "memory": spec.memory}
    if spec.csv is not None:
        settings |= {
            "delimiter": spec.csv.delimiter,
            "quote": spec.csv.quote,
            "encoding": spec.csv.encoding,
        }
    return {name: value for name, value in settings.items() if value is not None}


def output_files(spec: ReleaseFile, private: bool = False) -> tuple[Path, ...]:
    """Paths to write: the table, its manifest, its report and, if private, the transitions.

    A table that is written elsewhere is not among them.
    """
    files = [] if is_remote(spec.output) else [spec.output_path]
    files += [spec.beside("manifest.json"), spec.beside("report.html")]
    return (*files, spec.beside("transitions.private.csv")) if private else tuple(files)


def output_folders(spec: ReleaseFile) -> tuple[Path, ...]:
    """Outputs that are folders: a table that Spark writes."""
    return (spec.output_path,) if spec.uses_spark and not is_remote(spec.output) else ()


def _refuse_existing(files: tuple[Path, ...]) -> None:
    """Refuse to overwrite files before any work; checked again when they are written."""
    for path in files:
        if path.exists():
            raise ParameterError(
                f"{path} already exists", "choose another output, or use --force to overwrite"
            )

"""Compare methods on the table that a release file names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from os import PathLike
from pathlib import Path

from ontomask._runtime.files.atomic_files import atomic_path, refuse_targets
from ontomask.errors import ParameterError, format_count
from ontomask.pipeline import Comparison, compare
from ontomask.releasefile import compared_methods
from ontomask.releasefile.model import ReleaseFile, load_release_file
from ontomask.releasefile.problems import translate_hints
from ontomask.releasefile.run import file_settings

__all__ = ["compare_file"]

Progress = Callable[[str], None]


def compare_file(
    spec: str | PathLike[str] | ReleaseFile,
    methods: Sequence[str] | None = None,
    seed: int | None = None,
    *,
    values: Mapping[str, Sequence[float]] | None = None,
    workers: int | None = None,
    sample: int | None = None,
    page: Path | None = None,
    table: Path | None = None,
    folder: Path | None = None,
    force: bool = False,
    progress: Progress = lambda _: None,
) -> tuple[Comparison, list[Path]]:
    """Compare methods on the table that a release file names; and the files that were written.

    ``methods`` are named as in a release file, and may carry settings; the release file's own
    method keeps the settings it has there. Without them it is every method that needs no further
    settings. ``values`` are those to vary a setting by, as ``{"k": [2, 5]}``. ``page``,
    ``table`` and ``folder`` are what to write: the page, the table as CSV, and the release
    files. Existing files are refused before any work, unless ``force`` is set.
    """
    own_path = [] if isinstance(spec, ReleaseFile) else [Path(spec)]
    if not isinstance(spec, ReleaseFile):
        spec = load_release_file(spec)
    own_method = spec.method.name, spec.method.settings
    candidates = compared_methods.parse_methods(
        compared_methods.comparable_methods(spec.method.name) if methods is None else methods,
        values,
        own_method,
    )
    targets = [path for path in (page, table) if path is not None]
    release_files = (
        [] if folder is None else compared_methods.release_file_paths(candidates, folder)
    )
    if folder is not None:
        _check_folder(folder)
    refuse_targets(
        [*targets, *(path for path in release_files if folder and folder.is_dir())],
        [
            *spec.inputs(),
            *own_path,
        ],
    )
    _refuse_existing([*targets, *release_files], force)
    progress("reading the taxonomies")
    schema = spec.schema()
    with translate_hints():
        comparison = compare(
            spec.data_path,
            schema,
            candidates,
            seed,
            require=spec.limits,
            workers=workers,
            sample=sample,
            population=spec.population_object(),
            progress=progress,
            **file_settings(spec),
        )
    comparison = replace(
        comparison,
        complete=not compared_methods.contains_table_values(spec),
        _file_of=lambda method: compared_methods.release_file_text(spec, method),
    )
    progress("writing")
    with ExitStack() as unfinished:  # what is replaced is kept until everything is written
        if page is not None:
            comparison.save_page(unfinished.enter_context(atomic_path(page, force=force)))
        if table is not None:
            comparison.write_csv(unfinished.enter_context(atomic_path(table, force=force)))
        if folder is not None:
            compared_methods.write_release_files(spec, comparison.points, folder, force=force)
    return comparison, [path for path in (page, table, folder) if path is not None]


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"{folder} must be a folder, got a file", "name another folder")
    if not folder.parent.is_dir():
        raise ParameterError(
            f"the folder {folder.parent} does not exist", "create it, or name another folder"
        )


def _refuse_existing(files: Sequence[Path], force: bool) -> None:
    existing = [path for path in files if path.exists()]
    if existing and not force:
        others = f" and {format_count(len(existing) - 1, 'other file')}" if existing[1:] else ""
        raise ParameterError(
            f"{existing[0]}{others} already exist{'' if others else 's'}",
            "choose another name, or use --force to overwrite",
        )

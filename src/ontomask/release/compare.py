"""Compare methods on the same table: count once, then plan and measure each."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.engines.engine import Engine
from ontomask.engines.framed import FrameEngine
from ontomask.engines.stored import StoredEngine
from ontomask.errors import ParameterError, many
from ontomask.methods.method import Method
from ontomask.release.comparing.comparison import Comparison
from ontomask.release.comparing.points import Point, Task, judged
from ontomask.release.comparing.workers import points_of
from ontomask.release.counting import count_table, open_engine, reported
from ontomask.release.evaluation import watched
from ontomask.release.mask import check_arguments, randomness
from ontomask.release.schema import Schema

if TYPE_CHECKING:
    from ontomask.release.spec import Requirements, Spec

__all__ = ["Comparison", "Point", "compare", "compare_file"]

Progress = Callable[[str], None]


def compare(
    table: Any,
    /,
    schema: Schema,
    methods: Sequence[Method],
    seed: int | None = None,
    *,
    require: Requirements | None = None,
    workers: int | None = None,
    sample: int | None = None,
    progress: Progress = lambda _: None,
    **file: Any,
) -> Comparison:
    """What several methods would make of a table: what each risks and what it costs.

    ``table`` and ``file`` are those of :func:`~ontomask.mask`. The records are counted once; each
    method is planned and measured on the same tuples, and nothing is written. The figures are those
    of ``mask`` with the same ``seed``, whatever ``workers`` and however many. What a class tells of
    the confidential columns (l, t) is known where all records of a tuple become the same; where
    they go apart, as in swapping and noise, only the table itself tells. A method that cannot be
    run says why in its point, and the others go on.

    ``workers`` are the processes to use: as many as cores and free memory allow, unless given; with
    one, and for small tables, for which starting a process takes longer than the work, it is this
    one. ``require`` are requirements to hold each point to. ``sample`` takes so many records at
    random for a quick look: rare combinations are rarer in it, so the losses come out too high.

    >>> import pandas as pd
    >>> from ontomask import datasets
    >>> from ontomask.methods import Microaggregation, Suppression
    >>> from ontomask.release import Nominal, Schema
    >>> patients = pd.DataFrame({"diagnosis": ["flu", "flu", "hepatitis B", "hepatitis C"]})
    >>> schema = Schema([Nominal("diagnosis", datasets.diagnoses())])
    >>> compare(patients, schema, [Microaggregation(k=2), Suppression(k=2)])
    Comparison(2 points, 4 records, 3 tuples)
      Suppression(k=2): linked 25.0 %, SSE 2
      Microaggregation(k=2): linked 50.0 %, SSE 0.3422
    """
    methods = list(methods)
    if not methods:
        raise ParameterError("methods is empty", "give methods, as [Microaggregation(k=5)]")
    for method in methods:
        check_arguments(schema, method)
    _check_count("workers", workers)
    _check_count("sample", sample)
    randomness(seed)  # a seed that is none is refused before any work
    number = secrets.randbits(256) if seed is None else int(seed)
    with reported(table):
        engine = open_engine(table, file)
        rows = engine.rows
        if sample is not None and sample < rows:
            engine = _sampled(engine, sample, number)
        progress("counting")
        task = _task(engine, schema, number)
    points = points_of(task, methods, workers, progress)
    return Comparison(
        judged(
            points,
            require,
            people=schema.person is not None,
            confidential=bool(schema.confidential),
        ),
        task.tuples.records,
        len(task.tuples),
        task.columns,
        require,
        sampled_from=rows if engine.rows < rows else None,
    )


def _check_count(name: str, number: Any) -> None:
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if number is not None and (not whole or number < 1):
        raise ParameterError(f"{name} is {number!r}", "it is a whole number, 1 or more")


def _task(engine: Engine, schema: Schema, number: int) -> Task:
    """Everything that a point needs of the table."""
    counted = count_table(engine, schema)
    people = None
    if schema.person is not None:
        tuples, found = engine.by_tuple(schema.person)
        people = tuples, found.codes
    return Task(
        counted.tuples,
        tuple(column.column for column in schema.quasi_identifiers),
        number,
        people,
        tuple(watched(schema, engine.by_tuple)),
    )


def _sampled(engine: Engine, size: int, number: int) -> Engine:
    """Some records, chosen at random, as a table of their own."""
    import narwhals as nw

    random = np.random.default_rng([number, size])
    chosen = np.sort(random.choice(engine.rows, size, replace=False))
    if isinstance(engine, StoredEngine):
        read = nw.from_native(engine.read(engine.names, chosen).native, eager_only=True)
        return FrameEngine(read.select(engine.names).to_native())
    assert isinstance(engine, FrameEngine)
    frame = nw.from_native(engine.table.native, eager_only=True).select(engine.names)
    return FrameEngine(frame[chosen.tolist()].to_native())


# ---------------------------------------------------------------------- files


def compare_file(
    spec: str | PathLike[str] | Spec,
    methods: Sequence[str],
    seed: int | None = None,
    *,
    ks: Sequence[int] | None = None,
    alphas: Sequence[float] | None = None,
    workers: int | None = None,
    sample: int | None = None,
    page: Path | None = None,
    table: Path | None = None,
    specs: Path | None = None,
    force: bool = False,
    progress: Progress = lambda _: None,
) -> tuple[Comparison, list[Path]]:
    """Compare methods on the table that a release file names; and the files that were written.

    ``methods`` are named as in a release file, and may carry settings; the release file's own
    method keeps the settings it has there. ``page``, ``table`` and ``specs`` are what to write: the
    page, the table as CSV, and a folder of release files. Nothing is written over unless ``force``,
    and that is found out before any work.
    """
    from dataclasses import replace

    from ontomask.release.comparing import specs as files
    from ontomask.release.problems import hints_in_yaml
    from ontomask.release.run import file_settings, refuse_targets
    from ontomask.release.spec import Spec, load_spec

    own = [] if isinstance(spec, Spec) else [Path(spec)]
    if not isinstance(spec, Spec):
        spec = load_spec(spec)
    made = files.methods_called(
        methods,
        files.KS if ks is None else ks,
        files.ALPHAS if alphas is None else alphas,
        (spec.method.name, spec.method.settings),
    )
    targets = [path for path in (page, table) if path is not None]
    each = [] if specs is None else files.spec_files(made, specs)
    if specs is not None:
        _check_folder(specs)
    refuse_targets(
        [*targets, *(path for path in each if specs and specs.is_dir())],
        [
            *spec.inputs(),
            *own,
        ],
    )
    _refuse_existing([*targets, *each], force)
    progress("reading the taxonomies")
    schema = spec.schema()
    with hints_in_yaml():
        found = compare(
            spec.data_path,
            schema,
            made,
            seed,
            require=spec.require,
            workers=workers,
            sample=sample,
            progress=progress,
            **file_settings(spec),
        )
    found = replace(found, _spec=spec)
    written: list[Path] = []
    progress("writing")
    try:
        if page is not None:
            found.save_page(page, force)
            written.append(page)
        if table is not None:
            found.write_csv(table, force)
            written.append(table)
        if specs is not None:
            files.write_specs(spec, found.points, specs, force=force)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return found, [*written, *([specs] if specs is not None else [])]


def _check_folder(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ParameterError(f"{folder} is a file, not a folder", "name another folder")
    if not folder.parent.is_dir():
        raise ParameterError(f"there is no folder {folder.parent}", "create it, or name another")


def _refuse_existing(files: Sequence[Path], force: bool) -> None:
    there = [path for path in files if path.exists()]
    if there and not force:
        others = f" and {many(len(there) - 1, 'other file')}" if there[1:] else ""
        raise ParameterError(
            f"{there[0]}{others} exist{'' if others else 's'} already",
            "choose another name, or have it overwritten: --force",
        )

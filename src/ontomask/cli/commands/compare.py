"""``ontomask compare``: disclosure risk and information loss of several methods."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.command import Command
from ontomask.cli.console import print_json, print_table, print_warning, show_progress
from ontomask.cli.options import Json, ReleaseFileArgument, SeedFile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ontomask.pipeline.comparing.comparison import Comparison

__all__ = ["CompareCommand", "compare"]

#: The settings that methods are varied by.
STRENGTHS = ("k", "window", "alpha")

#: What the columns of the printed table mean.
COLUMNS = {
    "setting": "The value of k, window or alpha.",
    "k": "The k that the method guarantees.",
    "smallest": "Size of the smallest equivalence class.",
    "linkage": "Share of the records that record linkage links correctly.",
    "unique": "Number of unique records after masking.",
    "SSE": "Information loss: sum of squared errors.",
    "quality": "Semantic quality of the masked values, from 0 to 1: the higher, the better.",
    "seconds": "Time to plan the masking.",
    "met": "Whether the requirements of the release file are met, if it has any; unknown if only "
    "masking the table can tell.",
    "dominated": "Another row has no more linkage and no more SSE, and less of one of them.",
}


class CompareCommand(Command):
    """The command whose help lists the methods, including those of other packages."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write what the printed columns mean, and the methods with their summaries."""
        from ontomask.methods.registry import METHODS

        with formatter.section("Columns of the result"):
            formatter.write_dl(list(COLUMNS.items()))
        with formatter.section("Methods"):
            formatter.write_dl([(name, kind.summary) for name, kind in METHODS.available().items()])


def compare(
    spec: ReleaseFileArgument,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="The methods; by default all. Add settings with colons: "
            "rank_swapping:strategy=dynamic.",
        ),
    ] = None,
    k: Annotated[
        str | None,
        typer.Option(metavar="RANGE", help="Values of k, such as 2,5,10 or 2..20 or 2..20:3."),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(
            metavar="RANGE", help="Windows of rank_swapping, which has no k; same syntax as --k."
        ),
    ] = None,
    alpha: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help="Values of alpha for noise_addition, such as 0.1,0.3."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="FILE", help="Write a page with a chart, such as compare.html."
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv", metavar="FILE", help="Write all figures to a table, such as compare.csv."
        ),
    ] = None,
    release_files: Annotated[
        Path | None,
        typer.Option(
            "--release-files",
            metavar="FOLDER",
            help="Write a release file for every method and setting compared to this folder.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Number of processes; by default as many as cores and memory allow."
        ),
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(metavar="N", help="Compare on a random sample of this many records."),
    ] = None,
    seed_file: SeedFile = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    json: Json = False,
) -> None:
    """Compare methods on a table.

    Shows the disclosure risk and the information loss of several methods and settings. Writes no
    masked table. Writes files only with --output, --csv and --release-files.

    Example: ontomask compare release.yaml --k 2..20 --output compare.html
    """
    from ontomask.cli.seed import read_seed

    with show_progress(f"reading {spec}") as say:
        from ontomask.releasefile.compare import compare_file
        from ontomask.releasefile.compared_methods import parse_numbers, parse_whole_numbers

        values: dict[str, Sequence[float]] = {}
        if k is not None:
            values["k"] = parse_whole_numbers(k, "--k")
        if window is not None:
            values["window"] = parse_whole_numbers(window, "--window")
        if alpha is not None:
            values["alpha"] = parse_numbers(alpha, "--alpha")
        comparison, files = compare_file(
            spec,
            None if methods is None else methods.split(","),
            read_seed(seed_file),
            values=values,
            workers=workers,
            sample=sample,
            page=output,
            table=csv,
            folder=release_files,
            force=force,
            progress=say,
        )
    if json:
        print_json(_as_dict(comparison, files))
    else:
        _print_comparison(comparison, files)


def _as_dict(comparison: Comparison, files: list[Path]) -> dict[str, Any]:
    return {
        "records": comparison.records,
        "tuples": comparison.tuples,
        "columns": list(comparison.columns),
        "sampled_from": comparison.sampled_from,
        "points": comparison.table(),
        "files": [str(path) for path in files],
    }


def _print_comparison(comparison: Comparison, files: list[Path]) -> None:
    from ontomask.errors import format_count

    sample = f", a random sample of {comparison.sampled_from:,}" if comparison.sampled_from else ""
    typer.echo(
        f"{', '.join(comparison.columns)}: {format_count(comparison.records, 'record')}{sample}, "
        f"{format_count(comparison.tuples, 'combination')} of values"
    )
    rows = comparison.table()
    required = bool(comparison.require)
    linked = any(row["linkage_people"] is not None for row in rows)
    linkage = "people linked" if linked else "linkage"
    header = ["method", "setting", "k", "smallest", linkage, "unique", "SSE", "quality"]
    header += ["seconds", *(["met"] if required else []), ""]
    print_table([header, *(_point_row(row, required) for row in rows)])
    for row in rows:
        if row["error"]:
            print_warning(f"{_method_label(row)}: {row['error']}")
    if files:
        typer.echo(", ".join(map(str, files)))


def _point_row(row: dict[str, Any], required: bool) -> tuple[str, ...]:
    """A row for one point; points that are not dominated are the candidates."""
    meets = {True: "yes", False: "no", None: "unknown"}
    verdict = "failed" if row["error"] else "dominated" if row["dominated"] else ""
    return (
        _method_with_settings(row),
        _strength(row),
        _format_figure(row["k_promised"]) or ("" if row["error"] else "none"),
        _format_figure(row["smallest_class"]),
        "" if row["error"] else f"{100 * _linkage(row):.1f} %",
        _format_figure(row["uniques"]),
        _format_figure(row["sse"]),
        _format_figure(row["semantic_quality"]),
        f"{row['seconds']:.2f}",
        *([meets[row["meets"]]] if required else []),
        verdict,
    )


def _linkage(row: dict[str, Any]) -> float:
    """The share that record linkage finds: of people where their records stay linked."""
    people = row["linkage_people"]
    share: float = row["linkage_nearest"] if people is None else people
    return share


def _method_with_settings(row: dict[str, Any]) -> str:
    return ":".join(
        [row["method"], *(f"{name}={value}" for name, value in row["settings"].items())]
    )


def _strength(row: dict[str, Any]) -> str:
    if row["alpha"] is not None:
        return f"alpha {row['alpha']:g}"
    if row["window"] is not None:
        return f"window {row['window']:,}"
    return _format_figure(row["k"])


def _method_label(row: dict[str, Any]) -> str:
    strengths = [f"{name} = {row[name]:g}" for name in STRENGTHS if row[name] is not None]
    return ", ".join([_method_with_settings(row), *strengths])


def _format_figure(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else f"{value:,}"

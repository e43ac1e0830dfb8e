"""``ontomask evaluate``: data utility and disclosure risk of a table masked by any tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.console import print_json, print_table, show_progress
from ontomask.cli.options import Json
from ontomask.errors import format_percent

if TYPE_CHECKING:
    from ontomask.microdata.measures import FigureDescription
    from ontomask.pipeline.comparing.intersection import Intersection
    from ontomask.pipeline.evaluation import Evaluation

__all__ = ["evaluate"]


def evaluate(
    original: Annotated[Path, typer.Argument(metavar="ORIGINAL", help="The original table.")],
    masked: Annotated[
        Path,
        typer.Argument(
            metavar="MASKED",
            help="The masked table, with the same records, and in the same order unless there is "
            "--match-by.",
        ),
    ],
    release_file: Annotated[
        Path,
        typer.Option(
            "--release-file",
            metavar="RELEASE",
            help="The release file, with the roles of the columns.",
        ),
    ],
    match_by: Annotated[
        str | None,
        typer.Option(
            "--match-by",
            metavar="COLUMN",
            help="A column that identifies the records of both tables, in any order.",
        ),
    ] = None,
    semantic_closeness: Annotated[
        bool,
        typer.Option(
            "--semantic-closeness", help="Also compute t-closeness with semantic distances (slow)."
        ),
    ] = False,
    others: Annotated[
        list[Path] | None,
        typer.Option(
            "--with",
            metavar="FILE",
            help="Another release of the same table, with the same records in the same order. Also "
            "count the records that the releases single out together. Can be repeated.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Measure the risk and utility of a masked table.

    Any tool may have masked it. Prints the disclosure risk and the data utility.

    Example: ontomask evaluate patients.csv masked.csv --release-file release.yaml
    """
    with show_progress(f"comparing {masked} with {original}"):
        from ontomask.releasefile.run import evaluate_files, intersect_files

        evaluation = evaluate_files(
            original, masked, release_file, match_by=match_by, semantic_closeness=semantic_closeness
        )
        together = (
            intersect_files(original, [masked, *others], release_file, match_by=match_by)
            if others
            else None
        )
    if json:
        intersection = {"intersection": together.as_dict()} if together else {}
        print_json({**evaluation.as_dict(), **intersection})
        return
    _print_evaluation(evaluation, _date_columns(release_file))
    if together:
        typer.echo("releases together")
        print_table([*_intersection_rows(together)])


def _intersection_rows(together: Intersection) -> Iterator[tuple[str, str]]:
    unit = "people" if together.people else "records"
    yield ("figure", "value")
    for number, k in enumerate(together.k_of_each, 1):
        yield (f"smallest class of release {number}, {unit}", f"{k:,}")
    yield (f"smallest intersection of classes, {unit}", f"{together.k:,}")
    yield ("records alone in the intersection of their classes", f"{together.uniques:,}")
    yield ("records in intersections below the smallest class", f"{together.below_k:,}")
    for column, count in together.disclosed.items():
        yield (f"records with one possible value of {column}", f"{count:,}")


def _date_columns(release_file: Path) -> set[str]:
    from ontomask.releasefile.model import load_release_file

    columns = load_release_file(release_file).columns
    return {name for name, column in columns.items() if column.type == "date"}


def _print_evaluation(evaluation: Evaluation, dates: set[str]) -> None:
    from ontomask import risk, utility
    from ontomask.report.figures import POPULATION, figure_titles

    header = ("figure", "before", "after", "better when")
    typer.echo("data utility")
    linked = evaluation.risk["linkage_people"] is not None
    titles = figure_titles("utility", evaluation.utility, linked)
    print_table([header, *_figure_rows(evaluation.utility, utility.DESCRIPTIONS, titles, dates)])
    typer.echo("disclosure risk")
    titles = figure_titles("risk", evaluation.risk, linked)
    before = evaluation.risk["before"]
    print_table([header, *_figure_rows(evaluation.risk, risk.DESCRIPTIONS, titles, dates, before)])
    figures = evaluation.population
    if figures:
        from ontomask.report.words import describe_population

        typer.echo(f"population: {describe_population(figures)}")
        rows = _figure_rows(
            figures, risk.POPULATION_DESCRIPTIONS, POPULATION, set(), figures["before"]
        )
        print_table([header, *rows])
        for note in figures["notes"]:
            typer.echo(f"note: {note}")


def _figure_rows(
    figures: Mapping[str, Any],
    meanings: Mapping[str, FigureDescription],
    titles: Mapping[str, str],
    dates: set[str],
    before: Mapping[str, Any] | None = None,
) -> Iterator[tuple[str, ...]]:
    """Rows of the figures of which lower or higher is better, one for each column."""
    before_by_figure = dict(_flatten_figures(before or {}))
    for (name, column), value in _flatten_figures(figures):
        better: str = meanings[name].better
        if better == "neither":
            continue
        original = before_by_figure.get((name, column), "")
        if value is None and not original:  # it needs a k, or records that there are not
            continue
        if isinstance(value, Mapping):  # what is better holds of the difference
            original, value, better = value["before"], value["after"], "smaller difference"
        yield (
            f"{titles[name]}{f': {column}' if column else ''} [{name}]",
            *(_format_figure(name, figure, column in dates) for figure in (original, value)),
            better,
        )


def _flatten_figures(figures: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Any]]:
    """Every figure by its name and, where it is of a column, that column."""
    for name, value in figures.items():
        if not isinstance(value, Mapping):
            yield (name, ""), value
        elif "distance" in value:
            yield (name, ""), value["distance"]
        elif "columns" not in value:  # of two columns each, too many to list
            for column, inner in value.items():
                yield (name, column), inner


def _format_figure(name: str, value: Any, is_date: bool) -> str:
    """A share in percent, the mean of dates as a date, other numbers with four digits."""
    from ontomask.disclosure.values import decode_date
    from ontomask.report.figures import SHARES

    if not isinstance(value, int | float):
        return "none" if value is None else str(value)
    if name in SHARES or name in ("changed", "unique_share"):
        return format_percent(value)
    if name == "number_means" and is_date:
        return decode_date(value)
    if isinstance(value, int) or abs(value) >= 10_000:
        return f"{value:,.0f}"
    return f"{value:.4g}"

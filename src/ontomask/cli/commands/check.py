"""``ontomask check``: check a release file, and measure the risk of the original table."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ontomask.cli.console import (
    print_json,
    print_table,
    print_warning,
    show_progress,
)
from ontomask.cli.options import Json, ReleaseFileArgument
from ontomask.errors import format_percent

if TYPE_CHECKING:
    from ontomask.releasefile.check import CheckedColumn, CheckResult
    from ontomask.releasefile.tables.check import TablesCheck

__all__ = ["check", "run_check", "print_check"]


def check(spec: ReleaseFileArgument, json: Json = False) -> None:
    """Check a release file and its table without masking.

    Shows the role of every column, which values have a concept, how many values are missing, and
    the disclosure risk of the original table. Lists all problems; the exit code is then 2.

    Example: ontomask check release.yaml
    """
    from ontomask.releasefile.tables import has_tables

    result: CheckResult | TablesCheck
    if has_tables(spec):
        result = tables = run_tables_check(spec)
        print_text = partial(print_tables_check, tables)
    else:
        result = table = run_check(spec)
        print_text = partial(print_check, table)
    if json:
        print_json(result.as_dict())
    else:
        print_text()
    if not result.fine:
        raise typer.Exit(2)


def run_check(spec: Path) -> CheckResult:
    """Check a release file, and show progress."""
    with show_progress(f"checking {spec}"):
        from ontomask.releasefile.check import check

        return check(spec)


def run_tables_check(spec: Path) -> TablesCheck:
    """Check a release file with several tables, and show progress."""
    with show_progress(f"checking {spec}"):
        from ontomask.releasefile.tables.check import check_tables

        return check_tables(spec)


def print_tables_check(result: TablesCheck) -> None:
    """Print the result of each table, then what concerns all of them."""
    for name, of_table in result.tables.items():
        typer.echo(f"\n{name}")
        print_check(of_table)
    typer.echo("\nall tables together")
    for note in result.notes:
        typer.echo(f"note: {note}", err=True)
    for problem in result.problems:
        sys.stderr.write(f"Error: {problem}\n")
    if result.fine:
        typer.echo("OK: the tables can be masked together")


def print_check(result: CheckResult) -> None:
    """Print the result of a check; problems go to standard error."""
    from ontomask.errors import format_count

    if result.records is not None:
        typer.echo(
            f"{format_count(result.records, 'row' if result.long else 'record')}, "
            f"{format_count(_count_columns(result), 'column')}"
        )
        print_table(
            [
                ("column", "role", "type or taxonomy", "distinct", "missing"),
                *map(_column_row, result.columns),
            ]
        )
    for column in result.columns:
        if column.mapping is not None:
            _show_mapping(column)
    _show_risk(result)
    for note in result.notes:
        typer.echo(f"note: {note}", err=True)
    for problem in result.problems:
        sys.stderr.write(f"Error: {problem}\n")
    for warning in result.warnings:
        print_warning(warning)
    if result.fine and result.uncertain:
        typer.echo(
            f"NOT CERTAIN: the table can be masked with {result.method}, but it may not meet "
            f"{', '.join(result.uncertain)}"
        )
    elif result.fine:
        typer.echo(f"OK: the table can be masked with {result.method}")


def _count_columns(result: CheckResult) -> int:
    """Number of columns of the table; a set may be spread over several."""
    return sum(len(column.table_columns) for column in result.columns if column.in_table)


def _column_row(column: CheckedColumn) -> tuple[str, ...]:
    from ontomask.taxonomy.about import FLAT

    kind = column.taxonomy or column.type or ""
    if column.flat:
        kind += f" ({FLAT})"
    if column.distinct is None:
        numbers = ["not in the table", ""]
    else:
        numbers = [f"{column.distinct:,}", f"{column.missing:,}"]
    return (column.name, column.role or "not listed", kind, *numbers)


def _show_mapping(column: CheckedColumn) -> None:
    from ontomask.errors import format_count

    assert column.mapping is not None
    ways = {way: n for way, n in column.mapping["records"].items() if n and way != "unmapped"}
    unmapped, values = column.mapping["records"]["unmapped"], column.mapping["values"]["unmapped"]
    total = sum(ways.values()) + unmapped
    share = sum(ways.values()) / total if total else 1.0
    by = ", ".join(f"{n:,} by {way}" for way, n in ways.items())
    typer.echo(
        f"{column.name}: {format_percent(share)} of the records have a concept"
        + (f" ({by})" * bool(by))
    )
    if not unmapped:
        return
    typer.echo(
        f"  no concept: {format_count(values, 'distinct value')} in "
        f"{format_count(unmapped, 'record')}; similar concepts"
    )
    print_table(
        [(entry.records, entry.value, " | ".join(entry.nearest)) for entry in column.lost], "    "
    )
    if values > len(column.lost):
        typer.echo(f"    … and {values - len(column.lost):,} more (ontomask map lists all of them)")


def _show_risk(result: CheckResult) -> None:
    from ontomask.errors import format_count

    if result.risk is None or result.tuples is None:
        return
    risk = result.risk
    typer.echo(
        "disclosure risk of the original table, "
        f"{format_count(result.tuples, 'combination')} of values"
    )
    linkage, unit, whole = format_percent(risk["linkage_nearest"]), "records", ""
    if risk["linkage_people"] is not None:
        linkage, unit = format_percent(risk["linkage_people"]), "people"
        whole = ", by all their records"
    print_table(
        [
            ("k", f"{risk['k']:,}", f"{unit} in the smallest equivalence class{whole}"),
            (
                f"unique {unit}",
                f"{risk['uniques']:,}",
                f"{unit} alone in their equivalence class{whole}",
            ),
            ("marketer risk", format_percent(risk["marketer"]), f"of the {unit} re-identified"),
            ("record linkage", linkage, f"of the {unit} linked correctly{whole}"),
        ]
    )
    _show_population(result.population)
    if result.person is not None:
        from ontomask.microdata.measures import describe_unit

        typer.echo(describe_unit(result.long, result.linked))


def _show_population(figures: dict[str, Any] | None) -> None:
    from ontomask.report.pages.numbers import format_figure
    from ontomask.report.words import describe_population

    if figures is None:
        return
    typer.echo(f"population of the original table: {describe_population(figures)}")
    rows = [
        (
            "population uniques",
            format_figure(figures["population_uniques"]),
            f"unique people in the population, estimated ({figures['population_uniques_model']})",
        )
    ]
    if figures["k_map"] is not None:
        expected = format_figure(figures["expected_reidentifications"])
        rows[:0] = [
            ("k-map", format_figure(figures["k_map"]), "people who match the rarest class"),
            ("presence", format_percent(figures["presence_max"]), "most probable to be included"),
            ("re-identifications", expected, "expected number of records"),
        ]
    print_table(rows)

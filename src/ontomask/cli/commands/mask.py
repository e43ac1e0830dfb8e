"""``ontomask mask``: mask the table of a release file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.console import print_json, print_warning, show_progress
from ontomask.cli.options import Json, ReleaseFileArgument, SeedFile

if TYPE_CHECKING:
    from ontomask.releasefile.run import Outcome
    from ontomask.releasefile.tables.run import TablesOutcome

__all__ = ["format_summary", "mask", "mask_with_progress"]


def mask(
    spec: ReleaseFileArgument,
    seed_file: SeedFile = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    private: Annotated[
        bool,
        typer.Option(
            "--private",
            help="Also write which original combination of values became which masked one. Never "
            "publish this file.",
        ),
    ] = False,
    allow_unchanged: Annotated[
        bool,
        typer.Option(
            "--allow-unchanged", help="Release the table even if masking changed no record."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Mask a table and write the release.

    Writes the masked table of a release file with its manifest and its report. If the masked table
    does not meet the requirements, nothing is written; the exit code is then 3.

    Example: ontomask mask release.yaml
    """
    from ontomask.cli.seed import read_seed
    from ontomask.releasefile.tables import has_tables

    several = has_tables(spec)
    mask_and_write = mask_tables_with_progress if several else mask_with_progress
    outcome = mask_and_write(
        spec,
        read_seed(seed_file),
        force=force,
        private=private,
        allow_unchanged=allow_unchanged,
    )
    if json:
        print_json(outcome.as_dict())
    else:
        typer.echo((format_tables_summary if several else format_summary)(outcome.as_dict()))


def mask_with_progress(
    spec: Path,
    seed: int | None,
    *,
    force: bool = False,
    private: bool = False,
    allow_unchanged: bool = False,
) -> Outcome:
    """Mask the table, write the release, and show progress."""
    from ontomask.pipeline.compile_ahead import compile_ahead

    compile_ahead()
    with show_progress(f"reading {spec}") as say:
        from ontomask.pipeline.facts import describe_shortened_sets
        from ontomask.releasefile.run import write_release

        outcome = write_release(
            spec,
            seed,
            force=force,
            private=private,
            allow_unchanged=allow_unchanged,
            progress=say,
        )
    for note in describe_shortened_sets(outcome.release):
        typer.echo(f"note: {note}", err=True)
    for caution in outcome.release.cautions:  # warnings were said at once
        if caution not in (*outcome.release.guarantee.warnings, *outcome.release.look_alikes):
            line = outcome.manifest["prevented_by"].get(caution)
            hint = f"\n  hint: set {line}, or refuse it with require: {{l: 2}}" if line else ""
            print_warning(caution + hint)
    if private:
        print_warning(f"{outcome.files[-1]} contains original values: never publish it")
    return outcome


def mask_tables_with_progress(
    spec: Path,
    seed: int | None,
    *,
    force: bool = False,
    private: bool = False,
    allow_unchanged: bool = False,
) -> TablesOutcome:
    """Mask several tables together, write the release, and show progress."""
    from ontomask.pipeline.compile_ahead import compile_ahead

    compile_ahead()
    with show_progress(f"reading {spec}") as say:
        from ontomask.releasefile.tables.run import write_tables

        outcome = write_tables(
            spec,
            seed,
            force=force,
            private=private,
            allow_unchanged=allow_unchanged,
            progress=say,
        )
    for caution in outcome.release.cautions:
        print_warning(caution)
    if private:
        print_warning("the files *.transitions.private.csv contain original values: never publish")
    return outcome


def format_tables_summary(facts: dict[str, Any]) -> str:
    """Summary of a release of several tables: each table, what holds for all, and the files."""
    from ontomask.errors import format_count, format_percent

    tables = []
    for name, table in facts["tables"].items():
        sse, linked = table["utility"]["sse"], table["risk"]["linkage_nearest"]
        figures = [f"SSE {sse:.4g}"] if sse is not None else []
        figures.append(f"record linkage {format_percent(linked)}")
        records = format_count(table["records"]["released"], "record")
        tables.append(f"{name} ({', '.join(table['columns'])}): {records} · {' · '.join(figures)}")
    return "\n".join([*tables, *facts["guarantee"]["headline"], ", ".join(facts["files"])])


def format_summary(facts: dict[str, Any]) -> str:
    """Summary of a release, in lines: records, guarantee, information loss and risk, files."""
    from ontomask.errors import format_count, format_percent
    from ontomask.microdata.measures import describe_records

    before, after = facts["tuples"]["before"], facts["tuples"]["after"]
    rows = facts["records"].get("rows")
    records = [
        describe_records(facts["records"]["released"], None if rows is None else rows["released"])
    ]
    if rows is not None and rows["removed"]:
        records.append(f"{format_count(rows['removed'], 'row')} without a known person removed")
    records += [
        f"{facts['records'][word]:,} {word}"
        for word in ("dropped", "suppressed")
        if facts["records"][word]
    ]
    sse, linked = facts["utility"]["sse"], facts["risk"]["linkage_nearest"]
    people = facts["risk"]["linkage_people"]
    figures = [f"SSE {sse:.4g}"] if sse is not None else []
    figures += [
        f"record linkage {format_percent(linked)}"
        if people is None
        else f"record linkage of people {format_percent(people)} (record by record "
        f"{format_percent(linked)})",
        *_least_diverse(facts["risk"]["l_distinct"]),
    ]
    matches = (facts["population"] or {}).get("k_map")
    figures += [] if matches is None else [f"k-map {matches:,.4g}"]
    return "\n".join(
        [
            f"{', '.join(facts['columns'])}: {', '.join(records)}, "
            f"{before:,} → {format_count(after, 'combination')} of values",
            *facts["guarantee"]["headline"],
            " · ".join(figures),
            ", ".join(facts["files"]),
        ]
    )


def _least_diverse(diversity: dict[str, int]) -> list[str]:
    """The l-diversity, and the sensitive attribute that has the least."""
    if not diversity:
        return []
    column = min(diversity, key=lambda name: diversity[name])
    return [f"l = {diversity[column]:,} ({column})"]

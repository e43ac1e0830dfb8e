"""``ontomask init``: profile a table, and propose a release file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ontomask.cli.console import print_json, print_table, show_progress
from ontomask.cli.options import Json

if TYPE_CHECKING:
    from ontomask.releasefile.profile.proposed_file import Proposal
    from ontomask.releasefile.profile.table_profile import ColumnProfile, Profile

__all__ = ["init", "print_profile"]


def init(
    data: Annotated[
        Path, typer.Argument(metavar="TABLE", help="A table: CSV, Parquet, JSON lines, SQLite, …")
    ],
    output: Annotated[
        Path, typer.Option("--output", metavar="FILE", help="The release file to write.")
    ] = Path("release.yaml"),
    table_name: Annotated[
        str | None,
        typer.Option(
            "--table", metavar="NAME", help="The name of the table, if the file contains several."
        ),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option("--delimiter", metavar="CHARACTER", help="The character between columns."),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option("--encoding", metavar="ENCODING", help="The encoding of the data.")
    ] = None,
    taxonomies: Annotated[
        list[str] | None,
        typer.Option(
            "--taxonomy",
            metavar="FILE",
            help="A taxonomy for some of the columns: a file, a folder or the name of a bundled "
            "one; repeat it for several.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    json: Json = False,
) -> None:
    """Propose a release file for a table.

    Profiles the table and writes a release file with a role for every column.

    Example: ontomask init patients.csv --taxonomy doid.obo

    Columns are assigned to the taxonomies that you name, to those in files beside the table, and to
    bundled ones. Check the proposal and its reasons, and correct it. If no taxonomy contains the
    words of a column, a small taxonomy is written next to it. It contains the values of the column:
    do not publish it.
    """
    from ontomask._runtime.files.atomic_files import refuse_targets
    from ontomask.errors import ParameterError
    from ontomask.releasefile.profile.proposed_file import write_proposal
    from ontomask.releasefile.profile.table_profile import profile

    refuse_targets([output], [data])
    if data.suffix in (".yaml", ".yml"):
        raise ParameterError(
            f"TABLE must be a table, got {data}",
            f"for a release file, use ontomask check {data}",
        )
    if output.exists() and not force and data.exists():  # a missing table is reported first
        raise ParameterError(
            f"{output} already exists", "choose another --output, or use --force to overwrite"
        )
    settings = {"table": table_name, "delimiter": delimiter, "encoding": encoding}
    with show_progress(f"reading {data}") as progress:
        table_profile = profile(
            data,
            taxonomies=taxonomies or (),
            progress=progress,
            **settings,
        )
        proposal = write_proposal(table_profile, output, force=force)
    if json:
        print_json(
            {
                **table_profile.as_dict(),
                "written": [str(p) for p in (proposal.file, *proposal.taxonomies)],
            }
        )
    else:
        print_profile(table_profile)
    for line in table_profile.left_out:
        typer.echo(f"not used: {line}", err=True)
    _print_unused(table_profile, taxonomies or ())
    _print_next_steps(proposal)


def print_profile(profile: Profile) -> None:
    """Print the profile and the proposed roles, in a table."""
    from ontomask.errors import format_count

    quasi = profile.quasi_identifiers
    typer.echo(
        f"{profile.path.name}: {format_count(profile.rows, 'record')}, "
        f"{format_count(len(profile.columns), 'column')}; "
        f"{profile.uniques:,} records are unique on {format_count(len(quasi), 'quasi-identifier')}"
    )
    print_table([("column", "role", "content", ""), *map(_column_row, profile.columns)])
    for family in profile.sets:
        first, last = family.columns[0], family.columns[-1]
        typer.echo(f"{first} to {last} are proposed as one set, {family.name!r}")


def _column_row(column: ColumnProfile) -> tuple[str, str, str, str]:
    suggestion, facts = column.suggestion, column.facts
    taxonomy = ""
    if suggestion.taxonomy:
        taxonomy = Path(suggestion.taxonomy).name
    elif suggestion.role == "quasi" and suggestion.taxonomy_kind:
        taxonomy = "taxonomy made from its values"
    about = "" if facts.exact else "about "
    missing = f", {facts.missing:,} missing" if facts.missing else ""
    return (
        column.name,
        "identifier, person" if suggestion.role == "person" else suggestion.role,
        column.type,
        f"{about}{facts.distinct:,} distinct{missing}" + (f", {taxonomy}" if taxonomy else ""),
    )


def _print_unused(profile: Profile, named: Sequence[str]) -> None:
    """Say which named taxonomies no column was assigned to."""
    assigned = {column.suggestion.taxonomy for column in profile.columns}
    for source in named:
        if not {source, str(Path(source).resolve())} & assigned:
            typer.echo(f"no column was assigned to {source}", err=True)


def _print_next_steps(proposal: Proposal) -> None:
    typer.echo(f"wrote {proposal.file}. Check it and correct it, then run", err=True)
    typer.echo(f"  ontomask check {proposal.file}", err=True)
    typer.echo(f"  ontomask mask {proposal.file}", err=True)
    names = [path.name for path in proposal.taxonomies]
    if len(names) == 1:
        typer.echo(
            f"do not publish {names[0]}: it contains the original values of a column", err=True
        )
    elif names:
        typer.echo("do not publish these taxonomies: they contain original values", err=True)
        for name in names:
            typer.echo(f"  {name}", err=True)

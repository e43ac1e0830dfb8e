"""``ontomask init``: look at a table, and propose a release file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ontomask.cli.console import as_json, table, working
from ontomask.cli.options import Json

if TYPE_CHECKING:
    from ontomask.releasefile.profile.proposed_file import Proposal
    from ontomask.releasefile.profile.table_profile import ColumnProfile, Profile

__all__ = ["init", "report"]


def init(
    data: Annotated[Path, typer.Argument(help="A table: CSV, Parquet, JSON lines, SQLite, …")],
    output: Annotated[Path, typer.Option("--output", help="The release file to write.")] = Path(
        "release.yaml"
    ),
    table_name: Annotated[
        str | None, typer.Option("--table", help="The table, where the file holds several.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option("--delimiter", help="What separates columns.")
    ] = None,
    encoding: Annotated[str | None, typer.Option("--encoding", help="Of the data.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    json: Json = False,
) -> None:
    """Look at a table and write a release file with a role for every column.

    Example: ontomask init patients.csv

    It is a proposal with reasons, to be read and corrected. Words that no taxonomy knows get a
    small one in a file beside it, which lists the values of the column: keep that to yourself.
    """
    from ontomask.errors import ParameterError
    from ontomask.releasefile.profile.proposed_file import propose
    from ontomask.releasefile.profile.table_profile import profile

    if output.exists() and not force:
        raise ParameterError(
            f"{output} exists already", "choose another --output, or have it overwritten: --force"
        )
    settings = {"table": table_name, "delimiter": delimiter, "encoding": encoding}
    with working(f"reading {data}") as progress:
        found = profile(data, progress=progress, **settings)
        written = propose(found, output, force=force)
    if json:
        as_json(
            {**found.as_dict(), "written": [str(p) for p in (written.file, *written.taxonomies)]}
        )
    else:
        report(found)
    _next(written)


def report(found: Profile) -> None:
    """What was found and proposed, in a table."""
    from ontomask.errors import many

    quasi = found.with_role("quasi")
    typer.echo(
        f"{found.path.name}: {many(found.rows, 'record')}, {many(len(found.columns), 'column')}; "
        f"{found.uniques:,} records are unique on {many(len(quasi), 'quasi-identifier')}"
    )
    table([("column", "proposed", "holds", ""), *map(_row, found.columns)])


def _row(column: ColumnProfile) -> tuple[str, str, str, str]:
    said, facts = column.suggestion, column.facts
    what = said.taxonomy or ("own taxonomy" if said.role == "quasi" and said.made else "")
    about = "" if facts.exact else "about "
    missing = f", {facts.missing:,} missing" if facts.missing else ""
    return (
        column.name,
        said.role,
        column.type,
        f"{about}{facts.distinct:,} different{missing}" + (f", {what}" if what else ""),
    )


def _next(written: Proposal) -> None:
    typer.echo(f"wrote {written.file}: read it and correct it, then", err=True)
    typer.echo(f"  ontomask check {written.file}", err=True)
    typer.echo(f"  ontomask mask {written.file}", err=True)
    if written.taxonomies:
        names = ", ".join(path.name for path in written.taxonomies)
        typer.echo(f"private, for they list the values of a column: {names}", err=True)

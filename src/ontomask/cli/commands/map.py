"""``ontomask map``: map the values of a column to concepts."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from ontomask.cli.console import print_json, print_table, show_progress
from ontomask.cli.options import (
    Format,
    Json,
    ReaderOptions,
    load_taxonomy_argument,
)
from ontomask.errors import format_percent

if TYPE_CHECKING:
    from ontomask.taxonomy import Suggestion, TermMap

__all__ = ["map_column"]


def map_column(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="TABLE",
            help="A table: CSV (also .gz), Parquet, JSON lines, SQLite; or a list of values.",
        ),
    ],
    taxonomy: Annotated[
        str,
        typer.Option(
            "--taxonomy",
            "-t",
            metavar="TAXONOMY",
            help="A bundled taxonomy (icd9cm, wordnet, …) or the path of a file.",
        ),
    ],
    column: Annotated[
        str | None,
        typer.Option(
            "--column",
            "-c",
            metavar="COLUMN",
            help="The column to map. Not needed for a list of values.",
        ),
    ] = None,
    corrections: Annotated[
        Path | None,
        typer.Option(
            "--corrections",
            metavar="FILE",
            help="A table with the columns value and concept, or a Usagi file.",
        ),
    ] = None,
    write_corrections: Annotated[
        Path | None,
        typer.Option(
            "--write-corrections",
            metavar="FILE",
            help="Write the values without a concept to a table to fill in.",
        ),
    ] = None,
    accept: Annotated[
        float | None,
        typer.Option(
            "--accept",
            metavar="SCORE",
            help="List the suggestions with at least this score, such as 0.9, and fill them in "
            "with --write-corrections. Nothing is mapped before you use --corrections.",
        ),
    ] = None,
    usagi: Annotated[
        bool, typer.Option("--usagi", help="Write the corrections as a Usagi file.")
    ] = False,
    prefer: Annotated[
        list[str] | None,
        typer.Option(
            "--prefer",
            metavar="CONCEPT",
            help="If a value matches concepts below this one in any form, take only these.",
        ),
    ] = None,
    below: Annotated[
        list[str] | None,
        typer.Option("--below", metavar="CONCEPT", help="Match only concepts below this one."),
    ] = None,
    senses: Annotated[
        str | None,
        typer.Option(
            "--senses",
            metavar="WAY",
            help="For names of several concepts: first, the most frequent sense; nearest, the one "
            "nearest to the other values. By default they stay ambiguous.",
        ),
    ] = None,
    repair_codes: Annotated[
        bool, typer.Option("--repair-codes", help="Repair ICD codes that lost zeros or the point.")
    ] = False,
    stems: Annotated[
        str,
        typer.Option(
            "--stems",
            metavar="LANGUAGE",
            help="plural folds plurals; a language, or auto, compares word stems as well; none "
            "compares neither.",
        ),
    ] = "plural",
    heads: Annotated[
        bool, typer.Option("--heads", help="Map unknown phrases by their head noun (English).")
    ] = False,
    leading_words: Annotated[
        bool, typer.Option("--leading-words", help="Map unknown phrases by their leading words.")
    ] = False,
    any_order: Annotated[
        bool,
        typer.Option("--any-order", help="Map unknown phrases by their words in another order."),
    ] = False,
    split: Annotated[
        list[str] | None,
        typer.Option(
            "--split", metavar="CHARACTER", help='What separates several values in a cell: ";".'
        ),
    ] = None,
    drop_parentheses: Annotated[
        bool,
        typer.Option("--drop-parentheses", help="Look up unknown values without parentheses."),
    ] = False,
    missing: Annotated[
        list[str] | None,
        typer.Option("--missing", metavar="VALUE", help='A value that means missing, such as "?".'),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            metavar="FILE",
            help="Write every distinct value with its concept; - for standard output.",
        ),
    ] = None,
    require_all: Annotated[
        bool, typer.Option("--require-all", help="Exit with 3 unless every value has a concept.")
    ] = False,
    suggestions: Annotated[
        int,
        typer.Option(
            "--suggestions",
            min=0,
            metavar="N",
            help="Suggest concepts for at most this many values.",
        ),
    ] = 200,
    show: Annotated[
        int, typer.Option("--show", min=0, metavar="N", help="Show at most this many values.")
    ] = 20,
    delimiter: Annotated[
        str | None,
        typer.Option("--delimiter", metavar="CHARACTER", help="The character between columns."),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option(
            "--encoding", metavar="ENCODING", help="The encoding of the data; by default UTF-8."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    format: Format = None,
    option: ReaderOptions = None,
    json: Json = False,
) -> None:
    """Map the values of a column to concepts.

    Maps every distinct value and lists the values without a concept.

    Example: ontomask map patients.csv --column diagnosis --taxonomy icd9cm --repair-codes

    To map values by hand, use --write-corrections todo.csv, fill in its concept column, and run
    again with --corrections todo.csv. With --accept 0.9 the best suggestions are filled in already:
    look at them first.
    """
    from ontomask._runtime.files.atomic_files import refuse_targets
    from ontomask.cli.column import count_column
    from ontomask.errors import ParameterError
    from ontomask.taxonomy import map_terms
    from ontomask.taxonomy.terms.phrases import HEADS

    if json and output == "-":
        raise ParameterError("--json and --output - cannot be combined", "choose one of them")
    refuse_targets([write_corrections, output], [data, corrections, taxonomy])
    with show_progress(f"reading {data}"):
        name, counts = count_column(data, column, delimiter, encoding)
    loaded = load_taxonomy_argument(taxonomy, format, option)
    ways = (heads, leading_words, any_order)
    with show_progress(f"mapping {len(counts):,} distinct values"):
        matches = map_terms(
            counts,
            loaded,
            corrections=corrections,
            prefer=prefer or (),
            below=below or (),
            senses=cast(Any, senses),  # the library says what it accepts
            repair_codes=repair_codes,
            stems=None if stems.lower() == "none" else stems,
            heads=tuple(way for way, chosen in zip(HEADS, ways, strict=True) if chosen),
            split=split or (),
            drop_parentheses=drop_parentheses,
            missing_marks=missing or (),
        )
        suggested = matches.suggestions(suggestions)
        accepted = {} if accept is None else matches.accept(accept)
    if write_corrections is not None:
        kind: Literal["table", "usagi"] = "usagi" if usagi else "table"
        matches.write_corrections(write_corrections, accept=accept, format=kind, force=force)
    if output is not None:
        _write_matches(matches, output, force)
    if json:
        print_json(_mapping_facts(matches, name, suggested, accepted))
    elif output != "-":
        _print_mapping(matches, name, suggested, show)
        _print_accepted(matches, accepted, write_corrections)
    if require_all and matches.lost:
        raise typer.Exit(3)


def _mapping_facts(
    matches: TermMap,
    column: str,
    suggested: dict[str, list[Suggestion]],
    accepted: dict[str, Suggestion],
) -> dict[str, Any]:
    return {
        "column": column,
        "taxonomy": matches.taxonomy.name,
        "version": matches.taxonomy.about.version,
        "records": sum(match.count for match in matches.matches) + matches.missing,
        "missing": matches.missing,
        "distinct": len(matches.matches),
        "coverage": matches.coverage,
        "how": matches.how,
        "accepted": {value: hit._asdict() for value, hit in accepted.items()},
        "values": [
            {
                "value": match.value,
                "count": match.count,
                "how": match.how,
                "concepts": list(match.concepts),
                "candidates": list(match.candidates),
                **(
                    {"suggestions": [hit._asdict() for hit in suggested[match.value]]}
                    if match.value in suggested
                    else {}
                ),
            }
            for match in matches.matches
        ],
    }


def _print_mapping(
    matches: TermMap, column: str, suggested: dict[str, list[Suggestion]], show: int
) -> None:
    from ontomask.errors import format_count

    records = sum(match.count for match in matches.matches)
    version = f" {matches.taxonomy.about.version}" if matches.taxonomy.about.version else ""
    typer.echo(
        f"{column}: {format_count(records, 'record')}, "
        f"{format_count(len(matches.matches), 'distinct value')}"
        + (f", {matches.missing:,} missing" if matches.missing else "")
        + f" · {matches.taxonomy.name}{version}"
    )
    typer.echo(f"{format_percent(matches.coverage)} of the records have a concept")
    print_table([(count, how) for how, count in matches.how.items()])
    _print_unmapped(
        matches,
        "ambiguous: possible concepts",
        [m for m in matches.lost if m.concepts],
        suggested,
        show,
    )
    _print_unmapped(
        matches,
        "unmapped: similar names",
        [m for m in matches.lost if not m.concepts],
        suggested,
        show,
    )
    if "repair_codes" in matches.advice().settings:
        typer.echo(
            "some values look like codes that lost zeros or the point: try --repair-codes",
            err=True,
        )
    if matches.lost:
        typer.echo(
            "to map them by hand: use --write-corrections FILE, fill in its concept column, then "
            "use --corrections FILE",
            err=True,
        )


def _print_accepted(
    matches: TermMap, accepted: dict[str, Suggestion], corrections: Path | None
) -> None:
    if not accepted:
        return
    counts = matches.unmapped
    typer.echo(f"accepted suggestions ({len(accepted):,}): look at them before you use them")
    print_table(
        [
            (counts[value], value, f"{hit.score:.2f}", matches.describe_hit(hit))
            for value, hit in accepted.items()
        ]
    )
    if corrections is None:
        typer.echo("to use them: write them with --write-corrections FILE", err=True)


def _print_unmapped(
    matches: TermMap,
    title: str,
    unmapped: list[Any],
    suggested: dict[str, list[Suggestion]],
    show: int,
) -> None:
    if not unmapped:
        return
    typer.echo(f"{title} ({len(unmapped):,})")
    rows = [
        (m.count, m.value, " | ".join(map(matches.describe_hit, suggested.get(m.value, [])[:3])))
        for m in unmapped[:show]
    ]
    print_table(rows)
    if len(unmapped) > show:
        typer.echo(f"  … and {len(unmapped) - show:,} more (--show, --json)")


def _write_matches(matches: TermMap, output: str, force: bool) -> None:
    from ontomask._runtime.files.atomic_files import atomic_write

    header = ["value", "concept", "label", "how", "count", "candidates"]
    label = matches.taxonomy.label
    rows = [
        [
            *(m.value, m.concept or "", label(m.concept) if m.concept else "", m.how, m.count),
            " | ".join(m.candidates) if len(m.candidates) > 1 else "",
        ]
        for m in matches.matches
    ]
    if output == "-":
        csv.writer(sys.stdout, lineterminator="\n").writerows([header, *rows])
        return
    with atomic_write(Path(output), force=force) as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])

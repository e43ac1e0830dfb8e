"""``ontomask taxonomy``: show, search and convert taxonomies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.command import Command
from ontomask.cli.console import print_json, print_table, show_progress
from ontomask.cli.options import Format, Json, ReaderOptions, load_taxonomy_argument

if TYPE_CHECKING:
    from ontomask.taxonomy import Taxonomy

__all__ = ["app"]

app = typer.Typer(help="Show, search and convert taxonomies.", no_args_is_help=True)

Source = Annotated[
    str,
    typer.Argument(
        metavar="TAXONOMY",
        help="A bundled taxonomy (icd9cm, icd9cm-procedures, icd10cm, wordnet) or the path of a "
        "file.",
    ),
]


@app.command(cls=Command)
def info(
    source: Source, format: Format = None, option: ReaderOptions = None, json: Json = False
) -> None:
    """Show the size, the source and the levels of a taxonomy.

    Example: ontomask taxonomy info hp.obo
    """
    taxonomy = load_taxonomy_argument(source, format, option)
    facts = _taxonomy_facts(taxonomy)
    if json:
        print_json(facts)
        return
    levels = facts.pop("concepts per level")
    left_out = facts.pop("left out")
    reading = facts.pop("read from")
    typer.echo(taxonomy.name or source)
    print_table(
        [
            (name, f"{value:,}" if isinstance(value, int) else value)
            for name, value in facts.items()
            if value != ""
        ]
    )
    for subject, told in reading.items():
        typer.echo(f"  {subject}: {told}")
    for kind, count in left_out.items():
        typer.echo(f"  left out: {count:,} {kind}")
    typer.echo("concepts per level, from the root")
    print_table([(depth + 1, count) for depth, count in enumerate(levels)])


def _taxonomy_facts(taxonomy: Taxonomy) -> dict[str, Any]:
    import numpy as np

    labels = taxonomy.label_lists
    return {
        "name": taxonomy.name,
        "source": taxonomy.about.source,
        "version": taxonomy.about.version,
        "root": taxonomy.root,
        "concepts": len(taxonomy),
        "leaves": len(taxonomy.leaves),
        "with several parents": int((taxonomy.parent_links.sizes() > 1).sum()),
        "links": len(taxonomy.parent_links.items),
        "labelled": sum(bool(names) for names in labels),
        "synonyms": sum(max(len(names) - 1, 0) for names in labels),
        "aliases": sum(1 for _ in taxonomy.alias_items()),
        "levels": taxonomy.height,
        "concepts per level": np.bincount(taxonomy.depths)[1:].tolist(),
        "left out": dict(taxonomy.about.left_out),
        "read from": dict(taxonomy.about.reading),
    }


@app.command(cls=Command)
def search(
    source: Source,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="Part of a label, a synonym or an identifier.")
    ],
    limit: Annotated[
        int,
        typer.Option("--limit", "-n", min=1, metavar="N", help="Show at most this many concepts."),
    ] = 10,
    format: Format = None,
    option: ReaderOptions = None,
    json: Json = False,
) -> None:
    """Find concepts by name.

    Shows the most similar names first, each with its path to the root.

    Example: ontomask taxonomy search icd9cm appendicitis
    """
    taxonomy = load_taxonomy_argument(source, format, option)
    hits = taxonomy.search(text, limit)
    if json:
        print_json(
            [{**hit._asdict(), "path": _path_to_root(taxonomy, hit.concept)} for hit in hits]
        )
        return
    if not hits:
        typer.echo(f"no concept of {source} matches {text!r}", err=True)
    for hit in hits:
        typer.echo(f"{hit.concept}  {hit.name}")
        typer.echo(f"    {' < '.join(_path_to_root(taxonomy, hit.concept))}")


def _path_to_root(taxonomy: Taxonomy, concept: str) -> list[str]:
    """Labels on one longest way up to the root."""
    path = [concept]
    while parents := taxonomy.parents(path[-1]):
        path.append(max(parents, key=taxonomy.depth))
    return [taxonomy.label(step) for step in path]


@app.command(cls=Command)
def convert(
    source: Source,
    target: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write; .gz is compressed.")
    ],
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help="child-parent or arx.")
    ] = "child-parent",
    root: Annotated[
        str | None,
        typer.Option(
            "--root", metavar="CONCEPT", help="Only this concept and the concepts below it."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    format: Format = None,
    option: ReaderOptions = None,
    json: Json = False,
) -> None:
    """Write a taxonomy as a child-parent table or an ARX hierarchy.

    Example: ontomask taxonomy convert icd9cm neoplasms.csv --root 140-239 --to arx
    """
    from ontomask._runtime.files.atomic_files import refuse_targets

    refuse_targets([target], [source])
    taxonomy = load_taxonomy_argument(source, format, option)
    if root is not None:
        taxonomy = taxonomy.domain(root=root)
    with show_progress(f"writing {target}"):
        taxonomy.write(target, to, force=force)
    if json:
        print_json({"written": str(target), "format": to, "concepts": len(taxonomy)})
    else:
        typer.echo(f"wrote {len(taxonomy):,} concepts to {target}", err=True)

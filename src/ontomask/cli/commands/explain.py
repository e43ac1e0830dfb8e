"""``ontomask explain``: why a value became what it became."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.console import as_json, warn, working
from ontomask.cli.options import Json, SpecFile

if TYPE_CHECKING:
    from ontomask.pipeline.explain.explanation import Explained
    from ontomask.releasefile.model import Spec

__all__ = ["explain"]

#: Methods whose plan does not depend on chance, unless values are drawn.
SETTLED = ("microaggregation", "suppression")


def explain(
    spec: SpecFile,
    values: Annotated[
        list[str],
        typer.Argument(
            metavar="VALUE",
            help="A value of the original table; or COLUMN=VALUE, once or more.",
        ),
    ],
    seed_file: Annotated[
        Path | None,
        typer.Option(
            "--seed-file",
            metavar="FILE",
            help="The seed of the release, in a file; else what ONTOMASK_SEED says.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say why a value became what it became: its group, the middle of it, distances in words.

    Plans the release again and writes no table. It names original values: for the data steward's
    eyes, never to be published.

    Example: ontomask explain release.yaml diagnosis=428.0
    """
    from ontomask.cli.seed import seed_from

    seed = seed_from(seed_file)
    with working(f"reading {spec}") as say:
        from ontomask.releasefile.model import load_spec

        loaded = load_spec(spec)
        found = _explained(loaded, values, seed, say)
    if seed is None and _by_chance(loaded):
        warn(
            "this method draws by chance, and no seed was given: the released table may differ "
            "from this. Give the seed it was made with: --seed-file FILE, or ONTOMASK_SEED"
        )
    if json:
        as_json(found.as_dict())
    else:
        typer.echo(str(found))


def _explained(spec: Spec, values: list[str], seed: int | None, say: Any) -> Explained:
    from ontomask.releasefile.run import masked_file

    _refuse_unmasked(spec, values)
    asked = _asked(values, [column.column for column in spec.schema().quasi_identifiers])
    release = masked_file(spec, seed, say)
    say("explaining")
    return release.explain(asked)


def _refuse_unmasked(spec: Spec, values: list[str]) -> None:
    from ontomask.errors import ParameterError

    for value in values:
        column = value.partition("=")[0]
        if "=" in value and column in spec.columns and spec.columns[column].role != "quasi":
            masked = [name for name, it in spec.columns.items() if it.role == "quasi"]
            raise ParameterError(
                f"column {column!r} is not masked: its values stay as they are, or are removed",
                f"ask for a value of {', '.join(masked)}",
            )


def _asked(values: list[str], columns: list[str]) -> str | dict[str, str]:
    """A single value, or values by column; a value may hold an equals sign itself."""
    from ontomask.errors import ParameterError

    named = [value.partition("=") for value in values]
    if len(values) == 1 and (not named[0][1] or named[0][0] not in columns):
        return values[0]
    for column, equals, _ in named:
        if not equals:
            raise ParameterError(
                f"{column!r} names no column",
                "write several values as COLUMN=VALUE, and quote those with spaces",
            )
    repeated = [column for column, _, _ in named if [it[0] for it in named].count(column) > 1]
    if repeated:
        raise ParameterError(f"{repeated[0]!r} is given twice", "give a column one value")
    return {column: value for column, _, value in named}


def _by_chance(spec: Spec) -> bool:
    """Whether another run may plan otherwise."""
    drawn = spec.method.settings.get("replacement") == "synthetic"
    return drawn or spec.method.name not in SETTLED

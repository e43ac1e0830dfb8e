"""``ontomask explain``: why a value was changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.console import print_json, print_warning, show_progress
from ontomask.cli.options import Json, ReleaseFileArgument

if TYPE_CHECKING:
    from ontomask.pipeline.explain.explanation import MaskingExplanation
    from ontomask.releasefile.model import ReleaseFile

__all__ = ["explain"]


def explain(
    spec: ReleaseFileArgument,
    values: Annotated[
        list[str],
        typer.Argument(
            metavar="VALUE",
            help="A value of the original table, or COLUMN=VALUE, which may be repeated.",
        ),
    ],
    seed_file: Annotated[
        Path | None,
        typer.Option(
            "--seed-file",
            metavar="FILE",
            help="A file with the seed of the release; by default ONTOMASK_SEED.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Explain why a value was changed.

    Shows its group, the centroid of the group and the distances. Repeats the masking in memory and
    writes no table. The explanation contains original values: it is for the data steward, do not
    publish it.

    Example: ontomask explain release.yaml diagnosis=428.0
    """
    from ontomask.cli.seed import read_seed

    seed = read_seed(seed_file)
    with show_progress(f"reading {spec}") as say:
        from ontomask.releasefile.model import load_release_file

        loaded = load_release_file(spec)
        explanation = _explain_values(loaded, values, seed, say)
    if seed is None and loaded.method_object().draws_at_random:
        print_warning(
            "this method is random and no seed was given, so the released table may differ from "
            "this explanation. Give the seed of the release with --seed-file FILE or ONTOMASK_SEED"
        )
    if json:
        print_json(explanation.as_dict())
    else:
        typer.echo(str(explanation))


def _explain_values(
    spec: ReleaseFile, values: list[str], seed: int | None, say: Any
) -> MaskingExplanation:
    from ontomask.releasefile.run import mask_file

    _refuse_unmasked(spec, values)
    wanted = _parse_values(values, [column.column for column in spec.schema().quasi_identifiers])
    release = mask_file(spec, seed, say)
    say("explaining")
    return release.explain(wanted)


def _refuse_unmasked(spec: ReleaseFile, values: list[str]) -> None:
    from ontomask.errors import ParameterError

    for value in values:
        column = value.partition("=")[0]
        if "=" in value and column in spec.columns and spec.columns[column].role != "quasi":
            masked = [name for name, field in spec.columns.items() if field.role == "quasi"]
            raise ParameterError(
                f"column {column!r} is not masked, so there is nothing to explain",
                f"the masked columns are {', '.join(masked)}",
            )


def _parse_values(values: list[str], columns: list[str]) -> str | dict[str, str]:
    """Parse a single value, or values by column; a value may contain an equals sign."""
    from ontomask.errors import ParameterError

    parts = [value.partition("=") for value in values]
    if len(values) == 1 and (not parts[0][1] or parts[0][0] not in columns):
        return values[0]
    for column, equals, _ in parts:
        if not equals:
            raise ParameterError(
                f"VALUE must be COLUMN=VALUE if there are several, got {column!r}",
                "put values with spaces in quotes",
            )
    repeated = [column for column, _, _ in parts if [part[0] for part in parts].count(column) > 1]
    if repeated:
        raise ParameterError(
            f"column {repeated[0]!r} is given twice", "give one value for each column"
        )
    return {column: value for column, _, value in parts}

"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ontomask.taxonomy import Taxonomy

__all__ = [
    "Format",
    "Json",
    "ReaderOptions",
    "SeedFile",
    "ReleaseFileArgument",
    "load_taxonomy_argument",
]

Format = Annotated[
    str | None,
    typer.Option(
        "--format", "-f", metavar="FORMAT", help="The format of the file, if it cannot be detected."
    ),
]
ReaderOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="An option of the format, such as language=de, root=73211009 or encoding=latin-1.",
    ),
]
ReleaseFileArgument = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="The release file, such as release.yaml.")
]
SeedFile = Annotated[
    Path | None,
    typer.Option(
        "--seed-file",
        metavar="FILE",
        help="A file with the random seed, an integer of at least 64 bits; by default "
        "ONTOMASK_SEED, or a new random seed.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def load_taxonomy_argument(source: str, format: str | None, options: list[str] | None) -> Taxonomy:
    """Load a taxonomy as the command line names it."""
    from ontomask.cli.console import show_progress
    from ontomask.taxonomy import load_taxonomy

    with show_progress(f"reading {source}"):
        return load_taxonomy(source, format, **_parse_options(options or []))


def _parse_options(options: list[str]) -> dict[str, Any]:
    from ontomask.errors import ParameterError

    words = {"true": True, "false": False, "none": None}
    parsed: dict[str, Any] = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals or not name:
            raise ParameterError(f"--option must be NAME=VALUE, got {option}")
        parsed[name] = words.get(value.lower(), value)
    return parsed

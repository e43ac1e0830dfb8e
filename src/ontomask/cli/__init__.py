"""The command line: a thin door to the library.

Every command reads its arguments, calls one function, and writes what that returns: results to
standard output, talk to standard error.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ontomask.cli import mapping, reproduce, taxonomy
from ontomask.cli.talk import failed

__all__ = ["app", "main"]

app = typer.Typer(
    name="ontomask",
    help="Anonymise tables of words - diagnoses, occupations, places - by what the words mean.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(taxonomy.app, name="taxonomy")
app.command("map")(mapping.map_column)
app.command("reproduce")(reproduce.reproduce)


def _version(asked: bool) -> None:
    if asked:
        from ontomask import __version__

        typer.echo(f"ontomask {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which it is.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run a command; what the user can mend is one sentence and exit code 2."""
    from ontomask.errors import OntomaskError

    try:
        app()
    except OntomaskError as error:
        failed(error)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("stopped; nothing was written\n")
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        sys.exit(0)

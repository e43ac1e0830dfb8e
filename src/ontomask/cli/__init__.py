"""The command line: a thin door to the library.

Every command reads its arguments, calls one function, and writes what that returns: results to
standard output, talk to standard error.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ontomask.cli import (
    check,
    compare,
    demo,
    evaluate,
    explain,
    init,
    mapping,
    mask,
    reproduce,
    spec_schema,
    taxonomy,
)
from ontomask.cli.stopping import STOPPED, asked_to_stop, heeding
from ontomask.cli.talk import failed, warned

__all__ = ["app", "main"]

app = typer.Typer(
    name="ontomask",
    help="Anonymise tables of words - diagnoses, occupations, places - by what the words mean.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("init")(init.init)
app.command("check")(check.check)
app.command("mask")(mask.mask)
app.command("evaluate")(evaluate.evaluate)
app.command("explain")(explain.explain)
app.command("compare")(compare.compare)
app.command("schema")(spec_schema.schema)
app.command("demo")(demo.demo)
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
    """Run a command; what the user can mend is one sentence and an exit code.

    2: wrong input; 3: a requirement was not met; 130: stopped.
    """
    from ontomask.errors import OntomaskError, RequirementNotMet
    from ontomask.interrupts import interruptible

    try:
        with warned(), heeding():
            interruptible(app, relay=False)
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(STOPPED)
    except SystemExit as end:
        if end.code == STOPPED:
            sys.stderr.write("stopped\n")
        raise
    except Exception as error:
        if asked_to_stop():  # whatever a library made of it
            sys.stderr.write("stopped\n")
            sys.exit(STOPPED)
        if isinstance(error, OntomaskError):
            failed(error)
            sys.exit(3 if isinstance(error, RequirementNotMet) else 2)
        if isinstance(error, BrokenPipeError):  # the reader of our output has seen enough
            sys.stderr.close()
            sys.exit(0)
        raise

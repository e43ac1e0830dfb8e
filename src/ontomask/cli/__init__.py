"""The command line: a thin layer over the library.

Every command reads its arguments, calls one function and prints its result to standard output.
Progress, warnings and errors go to standard error.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import traceback
from collections.abc import Callable
from typing import Annotated

import typer

from ontomask.cli.command import Command
from ontomask.cli.commands import (
    check,
    compare,
    demo,
    evaluate,
    explain,
    init,
    mask,
    taxonomy,
    workbench,
)
from ontomask.cli.commands import map as mapping
from ontomask.cli.commands import schema as spec_schema
from ontomask.cli.console import guard_terminal, print_error, print_library_warnings
from ontomask.cli.stopping import EXIT_STOPPED, handle_stop_signals, stop_requested

__all__ = ["app", "main", "run"]

#: Objects that are made before garbage is looked for. Loading libraries makes very many that stay,
#: and Python's 700 would have a short command spend a tenth of its time looking.
GC_THRESHOLD = 50_000

app = typer.Typer(
    name="ontomask",
    help="Anonymise microdata: mask quasi-identifiers with methods that use taxonomies.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("init", cls=Command)(init.init)
app.command("check", cls=Command)(check.check)
app.command("mask", cls=Command)(mask.mask)
app.command("evaluate", cls=Command)(evaluate.evaluate)
app.command("explain", cls=Command)(explain.explain)
app.command("compare", cls=compare.CompareCommand)(compare.compare)
app.command("workbench", cls=Command)(workbench.workbench)
app.command("schema", cls=Command)(spec_schema.schema)
app.command("demo", cls=Command)(demo.demo)
app.add_typer(taxonomy.app, name="taxonomy")
app.command("map", cls=Command)(mapping.map_column)


def _print_version(requested: bool) -> None:
    if requested:
        from ontomask import __version__

        typer.echo(f"ontomask {__version__}")
        raise typer.Exit


@app.callback()
def _common_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    pass


def main(command: Callable[[], object] = app) -> None:
    """Run a command; errors that the user can fix become a message and an exit code.

    2: wrong input; 3: a requirement was not met; 130: stopped.
    """
    gc.set_threshold(GC_THRESHOLD)
    with guard_terminal():
        _run_command(command)


def _run_command(command: Callable[[], object]) -> None:
    from ontomask._runtime.interrupts import run_interruptibly
    from ontomask.errors import OntomaskError, RequirementNotMet

    try:
        with print_library_warnings(), handle_stop_signals():
            run_interruptibly(command, relay=False)
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(EXIT_STOPPED)
    except SystemExit as end:
        if end.code == EXIT_STOPPED:
            sys.stderr.write("stopped\n")
        raise
    except Exception as error:
        if stop_requested():  # whatever a library made of it
            sys.stderr.write("stopped\n")
            sys.exit(EXIT_STOPPED)
        if isinstance(error, OntomaskError):
            print_error(error)
            sys.exit(3 if isinstance(error, RequirementNotMet) else 2)
        if isinstance(error, MemoryError):
            print_error(
                OntomaskError(
                    "not enough memory",
                    "close other programs, or set memory in the release file, for example "
                    "memory: 2GB",
                )
            )
            sys.exit(2)
        if isinstance(error, BrokenPipeError):  # the reader of our output has seen enough
            sys.stderr.close()
            sys.exit(0)
        raise


def run() -> None:
    """Run a command that is all its process does, and end it at once.

    Left to itself, Python frees a million objects one by one before it ends, which takes longer
    than the figures of a small table. What was registered to be done at exit is done.
    """
    try:
        main()
    except Exception:
        with guard_terminal():
            traceback.print_exc()
        sys.exit(1)
    except SystemExit as end:
        code = end.code or 0
        if not isinstance(code, int):
            raise
        atexit._run_exitfuncs()
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):  # nobody reads them: Python knows what to do
            raise end from None
        os._exit(code)

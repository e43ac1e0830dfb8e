"""``ontomask workbench``: make a release in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ontomask.cli.options import SeedFile

__all__ = ["workbench"]


def workbench(
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="PATH",
            help="A table, a release file or a folder; by default the current folder. The folder "
            "of the file becomes the working folder.",
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            "--port", min=0, max=65535, metavar="N", help="The port; 0 for any free port."
        ),
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the link without opening a browser.")
    ] = False,
    upload_limit: Annotated[
        int,
        typer.Option("--upload-limit", min=1, metavar="MB", help="The maximum size of an upload."),
    ] = 500,
    seed_file: SeedFile = None,
) -> None:
    """Make a release in the browser.

    Opens a table and leads through the release step by step.

    Example: ontomask workbench patients.csv

    The workbench edits release.yaml in the folder of the table. You can run the same file with
    ontomask mask. Only this machine can open the page, with the link that is printed. The
    link contains a token and works once. Press Ctrl-C to stop.
    """
    from ontomask._runtime.extras import extra_hint
    from ontomask.cli.seed import read_seed
    from ontomask.errors import ParameterError

    try:
        from ontomask.web.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("fastapi", "starlette", "uvicorn"):
            raise
        raise ParameterError(
            "the workbench needs packages that are not installed",
            extra_hint("web"),
        ) from None

    folder, table, file = _locate(data)
    typer.echo("The workbench is running. Press Ctrl-C to stop it. Open this link:", err=True)
    serve(
        folder,
        table,
        file=file,
        port=port,
        browser=not no_browser,
        seed=read_seed(seed_file),
        largest=upload_limit * 1_000_000,
        tell=_print_link,
    )


def _locate(path: Path | None) -> tuple[Path, str | None, str]:
    """The working folder, the table in it, and the release file, as far as they are named."""
    from ontomask.errors import FileFormatError

    if path is None or path.is_dir():
        return path or Path(), None, "release.yaml"
    if not path.is_file():
        raise FileFormatError(f"{path} does not exist", "check the path")
    if path.suffix.lower() in (".yaml", ".yml"):
        return path.parent, None, path.name
    return path.parent, path.name, "release.yaml"


def _print_link(link: str) -> None:
    """Print the link, the only line on standard output: another program may wait for it."""
    typer.echo(link)

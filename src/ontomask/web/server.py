"""Serving the workbench to this machine only."""

from __future__ import annotations

import asyncio
import socket
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from html import escape
from pathlib import Path
from threading import Timer

import uvicorn

from ontomask._runtime.files.work_folders import work_folder
from ontomask._runtime.interrupts import early_stopping
from ontomask.errors import ParameterError
from ontomask.web.app import create_app, guard_app
from ontomask.web.session import LARGEST_UPLOAD, Workbench

__all__ = ["serve"]

#: Seconds between two checks whether to stop.
POLL_SECONDS = 0.1


def serve(
    folder: Path,
    data: str | None = None,
    *,
    file: str = "release.yaml",
    port: int = 0,
    browser: bool = True,
    seed: int | None = None,
    largest: int = LARGEST_UPLOAD,
    tell: Callable[[str], None] = print,
) -> None:
    """Serve the workbench of a folder until it is interrupted.

    ``data`` is the table of the folder to open first. ``tell`` is called with the link that opens
    the workbench; it contains a token that works once, and requests without it are refused. Port 0
    means any free port.
    """
    own_socket = _open_socket(port)
    try:
        bench = Workbench(folder, file=file, seed=seed, largest=largest)
        if data is not None:
            bench.folder.trust(folder / data)
        bench.begin(data)
        guard = guard_app(create_app(bench), port=own_socket.getsockname()[1])
        server = _StoppableServer(
            uvicorn.Config(
                guard,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=1,
            )
        )
        tell(guard.make_link())
        with (
            _open_browser(guard.make_link()) if browser else nullcontext(),
            early_stopping() as stop_requested,
        ):
            server.serve_until(stop_requested, own_socket)
    finally:
        own_socket.close()


@contextmanager
def _open_browser(link: str) -> Iterator[None]:
    """Open a link in the browser, from a file that only this user can read.

    Every account of a machine can read the command line of a browser.
    """
    with work_folder() as folder:  # only this user can enter it
        page = folder / "workbench.html"
        page.touch(mode=0o600)
        page.write_text(
            f'<!doctype html><meta charset="utf-8"><title>ontomask</title>'
            f'<meta http-equiv="refresh" content="0; url={escape(link)}">'
            f'<a href="{escape(link)}">Open the workbench</a>',
            encoding="utf-8",
        )
        timer = Timer(0.3, webbrowser.open, [page.as_uri()])
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def _open_socket(port: int) -> socket.socket:
    """Open a socket that only this machine can reach."""
    own_socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    own_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        own_socket.bind(("127.0.0.1", port))
        own_socket.listen()  # early requests wait
    except OSError as error:
        own_socket.close()
        raise ParameterError(
            f"cannot use port {port}: {error.strerror or error}",
            "choose another --port, or use 0 for any free port",
        ) from None
    return own_socket


class _StoppableServer(uvicorn.Server):
    """A server that can be stopped; it does not run in the main thread, which gets the signals."""

    def serve_until(self, stop_requested: Callable[[], bool], own_socket: socket.socket) -> None:
        asyncio.run(self._serve_until(stop_requested, own_socket))

    async def _serve_until(
        self, stop_requested: Callable[[], bool], own_socket: socket.socket
    ) -> None:
        serving = asyncio.create_task(self.serve(sockets=[own_socket]))
        while not serving.done():
            if stop_requested():
                self.should_exit = True
            await asyncio.sleep(POLL_SECONDS)
        await serving

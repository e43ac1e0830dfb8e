"""A workbench over synthetic discharges: asked directly, or served to a real browser."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import urlsplit

import ontomask as om

SEED = 7
TOKEN = "a-token-for-tests"
PORT = 8765


def write_discharges(path: Path, records: int = 400, **changed: dict[int, str]) -> Path:
    """Synthetic discharges as CSV; ``changed`` are cells to replace, by column and row."""
    table = {name: column.tolist() for name, column in om.datasets.discharges(records).items()}
    for column, cells in changed.items():
        for row, value in cells.items():
            table[column][row] = value
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return path


def talking_to(bench):
    """A client that knows the token."""
    from starlette.testclient import TestClient

    from ontomask.web.app import create_app, guard_app

    app = guard_app(create_app(bench), token=TOKEN, port=PORT)
    return TestClient(
        app,
        base_url=f"http://127.0.0.1:{PORT}",
        headers={"authorization": f"Bearer {TOKEN}"},
        raise_server_exceptions=False,
    )


def waited(ask, seconds: float = 120.0):
    """What is asked for again and again until it is true."""
    end = monotonic() + seconds
    while not (found := ask()):
        assert monotonic() < end, "this takes too long"
        sleep(0.1)
    return found


class Served:
    """A workbench as a user has it: a process of its own, reached by its link."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ontomask.cli", "workbench", "--no-browser", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "ONTOMASK_SEED": str(SEED)},
        )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        assert self.link.startswith("http://127.0.0.1:"), self.process.stderr.read()

    @property
    def address(self) -> str:
        parts = urlsplit(self.link)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def token(self) -> str:
        return urlsplit(self.link).query.removeprefix("token=")

    def stop(self, sign: int = signal.SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(sign)
        return self.process.wait(20)

    def end(self) -> None:
        """Whatever state it is in."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()


def tab_of(chromium, served, **options) -> Iterator:
    context = chromium.new_context(
        **{"viewport": {"width": 1280, "height": 800}, "color_scheme": "light", **options}
    )
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "console",
        lambda said: (
            wrong.append(said.text)
            if said.type == "error" and "Failed to load resource" not in said.text
            else None
        ),
    )
    page.goto(served.link)
    page.wait_for_selector("#table b", state="attached", timeout=60_000)
    yield page
    context.close()
    assert not wrong, wrong

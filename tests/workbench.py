"""A workbench over synthetic discharges: asked directly, or served to a real browser."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from urllib.parse import urlsplit

import ontomask as om

SEED = 2**200 + 7
PORT = 8765

#: What is on a screen when all that it asked for has come.
COMPLETE = {
    "data": "#rows tbody tr",
    "roles": "#panel[data-uniques][aria-busy=false]",
    "meaning": "#distance:visible, #type-words:not(:empty):visible",
    "method": "#run:enabled",
    "result": "#tiles .tile:visible, #empty:visible",
    "release": "#require-k",
    "glossary": ".glossary",
}


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


def change_fields(bench, edit) -> None:
    """Edit the fields of the release file of a workbench."""
    now = bench.draft.read()
    edit(now.fields)
    bench.draft.write(now.fields, now.revision)


def mask_two_columns(bench) -> None:
    """Recode age and diagnosis only, so that a run takes a second or two."""

    def edit(fields) -> None:
        fields["method"] = {"name": "recoding", "k": 5}
        fields.pop("person", None)
        for name, column in fields["columns"].items():
            if column["role"] == "quasi" and name not in ("age", "diagnosis"):
                fields["columns"][name] = {"role": "drop"}

    change_fields(bench, edit)


def talking_to(bench):
    """A client that has the cookie."""
    from starlette.testclient import TestClient

    from ontomask.web.app import create_app, guard_app

    guard = guard_app(create_app(bench), port=PORT)
    return TestClient(
        guard,
        base_url=f"http://127.0.0.1:{PORT}",
        headers={"cookie": guard.cookie},
        raise_server_exceptions=False,
    )


def waited(ask, seconds: float = 300.0):
    """The answer to a question that is asked again and again until it is true."""
    end = monotonic() + seconds
    while not (answer := ask()):
        assert monotonic() < end, "this takes too long"
        sleep(0.02)
    return answer


class Served:
    """A workbench that is reached by its link."""

    folder: Path
    link: str
    cookie = ""  # once the link was opened

    def wait_until_open(self) -> None:
        """Until a table that was named is open; a page of another process waits itself."""

    @property
    def address(self) -> str:
        parts = urlsplit(self.link)
        return f"{parts.scheme}://{parts.netloc}"


class ServedHere(Served):
    """A workbench in a thread of this process, which needs no second start of Python."""

    def __init__(self, folder: Path, data: str | None = None, **settings: object) -> None:
        import uvicorn

        from ontomask.web.app import create_app, guard_app
        from ontomask.web.server import _open_socket, _StoppableServer
        from ontomask.web.session import Workbench

        self.folder = folder
        self.bench = Workbench(folder, seed=SEED, **settings)
        self.bench.begin(data)
        self._socket = _open_socket(0)
        port = self._socket.getsockname()[1]
        self._guard = guard_app(create_app(self.bench), port=port)
        config = uvicorn.Config(
            self._guard, log_config=None, ws="none", timeout_graceful_shutdown=1
        )
        self._ending = False
        self._thread = Thread(
            target=_StoppableServer(config).serve_until,
            args=(lambda: self._ending, self._socket),
        )
        self._thread.start()

    @property
    def link(self) -> str:
        """Another one every time, as each works once."""
        return self._guard.make_link()

    def wait_until_open(self) -> None:
        waited(lambda: not self.bench.opening)

    def end(self) -> None:
        self._ending = True
        self._thread.join()
        self._socket.close()
        self.wait_until_open()
        self.bench.close()


class ServedProcess(Served):
    """A workbench as a user has it: ``ontomask workbench`` in a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ontomask", "workbench", "--no-browser", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "ONTOMASK_SEED": str(SEED)},
        )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        assert self.link.startswith("http://127.0.0.1:"), self.process.stderr.read()

    def stop(self, sign: int = signal.SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(sign)
        return self.process.wait(300)

    def end(self) -> None:
        """Whatever state it is in."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()


def tab_of(chromium, served: Served, **options) -> Iterator:
    """A page of a served workbench, on which no script fails and nothing is refused by policy."""
    complaints: list[str] = []

    def note_error(message) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            complaints.append(message.text)

    with chromium.open_page(**options) as page:
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", note_error)
        served.wait_until_open()
        page.request.get(served.link)  # the cookie is there, and no screen was drawn yet
        yield page
    assert not complaints, complaints


def visit(page, served: Served, screen: str) -> None:
    """Go to a screen, until all that it asked for has come: before, it cannot hear everything."""
    page.goto(f"{served.address}/{screen}")
    page.locator(COMPLETE[screen]).first.wait_for()

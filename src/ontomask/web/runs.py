"""The runs that are kept: what each was made with, what holds, its figures and its report.

A run is a folder of text files under ``.ontomask/runs``, whole or not there. It holds no record and
no seed. What it was made with is compared with the release file of now to tell whether its figures
are those of a release.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from ontomask._runtime.atomic_files import atomic_write, write_files_atomically
from ontomask.errors import FileFormatError, ParameterError
from ontomask.web.errors import NotThere

if TYPE_CHECKING:
    from ontomask.releasefile.model import ReleaseFile

__all__ = ["StoredRun", "RunStore", "same_result", "stamp_inputs"]

#: Files by name, each with its size and when it was changed.
InputStamps = dict[str, list[int]]

#: Fields of a release file that change nothing in the masked table or its figures.
IRRELEVANT_FIELDS = ("output", "require", "report_threshold", "memory", "engine")

#: How a run is kept; what was kept otherwise is left alone.
FORMAT = 1

#: What kept files are called.
RUN_FILE, RELEASED_FILE, LAST_NUMBER_FILE, TRASH_FOLDER = (
    "run.json",
    "released.json",
    "last",
    ".forgotten",
)


@dataclass(frozen=True)
class StoredRun:
    """A run: its number, and what was found out.

    ``known`` are the facts that its report is made of, ``fields`` those of the release file as it
    was, ``inputs`` what its files were like. ``sse`` is never withheld here.
    """

    id: str
    folder: Path
    made: str
    seconds: float
    title: str
    words: str
    known: dict[str, Any]
    sse: float | None
    unmet: list[str]
    warnings: list[str]
    fields: dict[str, Any]
    inputs: InputStamps


class RunStore:
    """The runs of a working folder, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._cache: dict[str, StoredRun] = {}  # runs never change
        self._lock = Lock()

    def remove_leftovers(self) -> None:
        """Remove what a killed process left unfinished, and the runs in the trash."""
        for leftover in self.folder.glob(".*"):
            if leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)

    # ------------------------------------------------------------------ what there is

    def ids(self) -> list[str]:
        """The numbers of all runs, the oldest first."""
        with suppress(FileNotFoundError):
            numbers = [path.name for path in self.folder.iterdir() if _is_number(path.name)]
            return sorted(numbers, key=int)
        return []

    def list_runs(self) -> list[StoredRun]:
        """All runs that can be read, the oldest first."""
        runs = []
        for number in self.ids():
            with suppress(NotThere):
                runs.append(self.get(number))
        return runs

    def get(self, number: str) -> StoredRun:
        """A run by its number."""
        path = self.file(number, RUN_FILE)
        with self._lock:
            if number not in self._cache:
                try:
                    fields = json.loads(path.read_text("utf-8"))
                    if fields.pop("format", None) != FORMAT:
                        raise ValueError("kept by another version")
                    self._cache[number] = StoredRun(id=number, folder=path.parent, **fields)
                except (OSError, ValueError, TypeError, AttributeError):
                    raise NotThere(f"run {number} cannot be read", "make it again") from None
            return self._cache[number]

    def file(self, number: str, name: str) -> Path:
        """A file of a run: ``report.html``, ``release.yaml``, ``parts.json``."""
        path = self.folder / number / name
        if not _is_number(number) or not path.is_file():
            raise NotThere(f"there is no run {number[:20]!r}", "it may have been forgotten")
        return path

    # ------------------------------------------------------------------ one more, one less

    def keep(self, run: Mapping[str, Any], texts: Mapping[str, str]) -> str:
        """Store a run under the next number: all of it, or nothing."""
        self._make_folder()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        fields = {"format": FORMAT, "made": now, **run}
        files = {RUN_FILE: json.dumps(fields, ensure_ascii=False, allow_nan=False), **texts}
        while True:
            target = self.folder / f"{self._last_number() + 1:04}"
            try:
                with write_files_atomically([target], folders=[target]) as beside:
                    (beside / target.name).mkdir()
                    for name, text in files.items():
                        (beside / target.name / name).write_bytes(text.encode("utf-8"))
                return target.name
            except ParameterError:  # another workbench was faster
                continue

    def delete_run(self, number: str) -> None:
        """Move a run to the trash, which the next start empties; its number is not used again."""
        run_folder = self.file(number, RUN_FILE).parent
        if int(number) == self._last_number():
            with atomic_write(self.folder / LAST_NUMBER_FILE, force=True) as file:
                file.write(number)
        trashed = self.folder / TRASH_FOLDER / number
        try:
            trashed.parent.mkdir(exist_ok=True)
            run_folder.replace(trashed)  # in one step: no half of it is ever seen
        except OSError as error:
            raise FileFormatError(
                f"run {number} cannot be removed: {error.strerror or error}"
            ) from None
        with self._lock:
            self._cache.pop(number, None)

    def restore_run(self, number: str) -> StoredRun:
        """Bring back a run from the trash."""
        trashed = self.folder / TRASH_FOLDER / number
        if not _is_number(number) or not trashed.is_dir():
            raise NotThere(f"run {number[:20]!r} was not forgotten, or too long ago")
        try:
            trashed.replace(self.folder / number)
        except OSError as error:
            raise FileFormatError(
                f"run {number} cannot be brought back: {error.strerror or error}"
            ) from None
        return self.get(number)

    def _last_number(self) -> int:
        """The highest number that was ever given."""
        noted = 0
        with suppress(OSError, ValueError):
            noted = int((self.folder / LAST_NUMBER_FILE).read_text("ascii"))
        return max([noted, *map(int, self.ids())])

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileFormatError(
                f"{self.folder} cannot be written: {error.strerror or error}"
            ) from None

    # ------------------------------------------------------------------ what fits the release file

    def of(self, spec: ReleaseFile) -> StoredRun | None:
        """The newest run whose figures are those that the release file gives now."""
        inputs = stamp_inputs(spec)
        fields = spec.as_dict()
        for run in reversed(self.list_runs()):
            if run.inputs == inputs and same_result(run.fields, fields):
                return run
        return None

    def note_release(self, fields: Mapping[str, Any], inputs: InputStamps) -> None:
        """Remember what the files in the folder were released with."""
        self._make_folder()
        with atomic_write(self.folder / RELEASED_FILE, force=True) as file:
            json.dump({"fields": fields, "inputs": inputs}, file)

    def is_released(self, spec: ReleaseFile) -> bool:
        """Whether the files in the folder were last released as the release file says now."""
        try:
            release = json.loads((self.folder / RELEASED_FILE).read_text("utf-8"))
            fields, inputs = release["fields"], release["inputs"]
        except (OSError, ValueError, TypeError, KeyError):
            return False
        return bool(inputs == stamp_inputs(spec) and fields == spec.as_dict())


def _is_number(name: str) -> bool:
    return re.fullmatch(r"[0-9]{4,9}", name, re.ASCII) is not None


def same_result(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two release files lead to the same masked table.

    >>> same_result({"data": "a.csv", "output": "b.csv"}, {"data": "a.csv", "output": "c.csv"})
    True
    """
    return _relevant_fields(first) == _relevant_fields(second)


def _relevant_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in fields.items()
        if name not in IRRELEVANT_FIELDS and value is not None
    }


def stamp_inputs(spec: ReleaseFile) -> InputStamps:
    """Size and modification time of every file that is read for a release, by its path."""
    stamps = {}
    for path in spec.inputs():
        with suppress(OSError, ValueError):  # on another drive there is no way to it
            stat = path.stat()
            stamps[os.path.relpath(path, spec.folder)] = [stat.st_size, stat.st_mtime_ns]
    return stamps

"""Stored runs: the settings, guarantee, figures and report of each.

A run is a folder of text files under ``.ontomask/runs``, written completely or not at all. It
contains no records and no seed. Its settings are compared with the current release file to find out
whether its figures are those of the release.
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

from ontomask._runtime.files.atomic_files import atomic_write, write_files_atomically
from ontomask._runtime.files.work_folders import sweep_abandoned
from ontomask.errors import FileFormatError, ParameterError
from ontomask.web.errors import NotThere

if TYPE_CHECKING:
    from ontomask.releasefile.model import ReleaseFile

__all__ = ["StoredRun", "RunStore", "same_result", "stamp_inputs"]

#: Files by name, each with its size and modification time.
InputStamps = dict[str, list[int]]

#: Fields of a release file that change nothing in the masked table or its figures.
IRRELEVANT_FIELDS = ("output", "require", "report_threshold", "memory", "engine")

#: Format of stored runs; runs in other formats are ignored.
FORMAT = 2

#: Names of the stored files.
RUN_FILE, RELEASED_FILE, LAST_NUMBER_FILE, TRASH_FOLDER = (
    "run.json",
    "released.json",
    "last",
    ".trash",
)


@dataclass(frozen=True)
class StoredRun:
    """A run: its number, settings and figures.

    ``known`` are the facts of its report, rounded and some withheld; ``exact`` are the figures that
    requirements are judged by. ``fields`` are those of its release file, ``inputs`` the stamps of
    its input files.
    """

    id: str
    folder: Path
    made: str
    seconds: float
    title: str
    words: str
    known: dict[str, Any]
    exact: dict[str, dict[str, Any]]
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
        """Remove unfinished runs of killed processes, and empty the trash."""
        sweep_abandoned(self.folder)
        shutil.rmtree(self.folder / TRASH_FOLDER, ignore_errors=True)

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
                        raise ValueError("stored by another version")
                    self._cache[number] = StoredRun(id=number, folder=path.parent, **fields)
                except (OSError, ValueError, TypeError, AttributeError):
                    raise NotThere(
                        f"run {number} cannot be read", "delete it and run its settings again"
                    ) from None
            return self._cache[number]

    def file(self, number: str, name: str) -> Path:
        """A file of a run: ``report.html``, ``release.yaml``, ``parts.json``."""
        path = self.folder / number / name
        if not _is_number(number) or not path.is_file():
            raise NotThere(f"there is no run {number[:20]!r}", "it may have been deleted")
        return path

    # ------------------------------------------------------------------ one more, one less

    def keep(self, run: Mapping[str, Any], texts: Mapping[str, str]) -> str:
        """Store a run under the next number, completely or not at all."""
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
            run_folder.replace(trashed)  # in one step
        except OSError as error:
            raise FileFormatError(
                f"cannot delete run {number}: {error.strerror or error}"
            ) from None
        with self._lock:
            self._cache.pop(number, None)

    def restore_run(self, number: str) -> StoredRun:
        """Restore a run from the trash."""
        trashed = self.folder / TRASH_FOLDER / number
        if not _is_number(number) or not trashed.is_dir():
            raise NotThere(
                f"cannot restore run {number[:20]!r}",
                "a deleted run can be restored until the workbench is restarted",
            )
        try:
            trashed.replace(self.folder / number)
        except OSError as error:
            raise FileFormatError(
                f"cannot restore run {number}: {error.strerror or error}"
            ) from None
        return self.get(number)

    def _last_number(self) -> int:
        """The highest run number used so far."""
        noted = 0
        with suppress(OSError, ValueError):
            noted = int((self.folder / LAST_NUMBER_FILE).read_text("ascii"))
        return max([noted, *map(int, self.ids())])

    def _make_folder(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileFormatError(
                f"cannot write to {self.folder}: {error.strerror or error}"
            ) from None

    # ------------------------------------------------------------------ what fits the release file

    def of(self, spec: ReleaseFile) -> StoredRun | None:
        """The newest run with the settings and inputs of a release file."""
        inputs = stamp_inputs(spec)
        fields = spec.as_dict()
        for run in reversed(self.list_runs()):
            if run.inputs == inputs and same_result(run.fields, fields):
                return run
        return None

    def note_release(self, fields: Mapping[str, Any], inputs: InputStamps) -> None:
        """Store the settings and inputs of the released files."""
        self._make_folder()
        with atomic_write(self.folder / RELEASED_FILE, force=True) as file:
            json.dump({"fields": fields, "inputs": inputs}, file)

    def is_released(self, spec: ReleaseFile) -> bool:
        """Whether the files in the folder were released with these settings and inputs."""
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
        with suppress(OSError, ValueError):  # on another drive there is no relative path
            stat = path.stat()
            stamps[os.path.relpath(path, spec.folder)] = [stat.st_size, stat.st_mtime_ns]
    return stamps

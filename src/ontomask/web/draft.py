"""The release file while it is edited: every change is saved and can be undone.

A draft may be incomplete: a column may still lack its taxonomy. It is saved anyway, with a list of
its problems; ``ontomask mask`` would refuse it for the same reasons. Every change names the
revision that it applies to. If the file was changed in the meantime, in another tab or in an
editor, nothing is written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any

import yaml

from ontomask._runtime.files.atomic_files import atomic_write
from ontomask._runtime.yaml_text import format_yaml
from ontomask.errors import OntomaskError, ParameterError, SpecError
from ontomask.releasefile.fields import files_of_column
from ontomask.releasefile.methods import rename_old_settings
from ontomask.releasefile.model import ReleaseFile, Requirements, problems_of_release_file
from ontomask.releasefile.problems import Problem
from ontomask.releasefile.validation import is_remote
from ontomask.releasefile.yaml_file import MAX_FILE_BYTES, edit_yaml, parse_yaml
from ontomask.web.control_hints import describe_problem
from ontomask.web.errors import ChangedElsewhere, OutsideError
from ontomask.web.folder import WorkingFolder

__all__ = ["Draft", "DraftState", "paths_in"]

#: First line of a file that the workbench has written.
FILE_HEADER = "# Release file of the workbench; `ontomask mask` writes the release.\n"

#: The most earlier versions that are stored.
MAX_HISTORY = 200

#: Fields that are groups of fields.
FIELD_GROUPS = ("columns", "method", "require", "csv", "population")


@dataclass(frozen=True)
class DraftState:
    """The fields of the file, its revision, and its problems.

    ``fields`` are empty if there is no file or it cannot be read.
    """

    fields: dict[str, Any]
    revision: str
    problems: tuple[Problem, ...] = ()
    text: str = ""
    can_undo: bool = False
    can_redo: bool = False


class Draft:
    """A release file with its earlier versions."""

    def __init__(self, path: Path, folder: WorkingFolder) -> None:
        self.path, self.folder = path, folder
        self._lock = RLock()
        self._undo_history = _History(folder.own("history"))
        self._redo_texts: list[str] = []
        self._last_parsed: tuple[str, dict[str, Any], tuple[Problem, ...]] | None = None

    def requirements(self) -> Requirements:
        """The requirements of the file; those that are not valid yet are left out."""
        return Requirements.from_valid_fields(self.read().fields.get("require") or {})

    def read(self) -> DraftState:
        """The file as it is now."""
        with self._lock:
            text = self._read_text()
            fields, problems = self._parse(text)
            return DraftState(
                fields,
                _revision_of(text),
                problems,
                text,
                len(self._undo_history) > 0,
                bool(self._redo_texts),
            )

    def write(self, fields: Mapping[str, Any], revision: str) -> DraftState:
        """Save other fields; the previous version can be restored."""
        with self._lock:
            now = self._read_at(revision)
            if now.text and not now.fields:
                raise SpecError(
                    f"{self.path.name} cannot be read, so it cannot be changed here: "
                    f"{now.problems[0].sentence}",
                    "correct it in an editor, or press Undo to restore its previous version",
                )
            _refuse_shape(fields)
            self._refuse_outside(fields, now.fields)
            return self.put(_serialise_fields(fields, now.text), revision)

    def put(self, text: str, revision: str) -> DraftState:
        """Save another text of the file, which was checked before."""
        with self._lock:
            now = self._read_at(revision)
            if text == now.text:
                return now
            if now.text:  # a first proposal is where everything begins
                self._undo_history.push(now.text)
            self._redo_texts.clear()
            self._save(text)
            return self.read()

    def find_earlier_text(self, data: str) -> str | None:
        """Find the latest earlier text whose ``data`` is this table."""
        with self._lock:
            for text in self._undo_history.texts():
                if self._parse_afresh(text)[0].get("data") == data:
                    return text
        return None

    def undo(self, revision: str) -> DraftState:
        """Restore the version before the last change."""
        with self._lock:
            now = self._read_at(revision)
            if not len(self._undo_history):
                raise ParameterError("there is nothing to undo")
            self._redo_texts.append(now.text)
            self._save(self._undo_history.pop())
            return self.read()

    def redo(self, revision: str) -> DraftState:
        """Restore the version before the last undo."""
        with self._lock:
            now = self._read_at(revision)
            if not self._redo_texts:
                raise ParameterError("there is nothing to redo")
            self._undo_history.push(now.text)
            self._save(self._redo_texts.pop())
            return self.read()

    def spec(self, state: DraftState | None = None) -> ReleaseFile:
        """The complete release; if it has problems, an error lists all of them.

        ``state`` is a version that was read before; the default is the current one.
        """
        draft = state or self.read()
        if draft.problems or not draft.fields:
            texts = [describe_problem(problem, draft.fields) for problem in draft.problems]
            listed = "\n".join(f"  - {what}; {hint}" for what, hint in texts)
            raise SpecError(f"the release is incomplete:\n{listed}".rstrip(":\n"))
        return ReleaseFile.from_dict(draft.fields, self.path.parent)

    # ------------------------------------------------------------------ the file

    def _read_at(self, revision: str) -> DraftState:
        """Read the file; refused where it is not in the state that the page knows."""
        now = self.read()
        if now.revision != revision:
            raise ChangedElsewhere(
                f"{self.path.name} was changed elsewhere; your change was not saved",
                "check the current settings and make the change again",
            )
        return now

    def _read_text(self) -> str:
        try:
            return self.path.read_text("utf-8-sig") if self.path.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise SpecError(f"cannot read {self.path}: {error}", "save it as UTF-8") from None

    def _save(self, text: str) -> None:
        if not text:
            self.path.unlink(missing_ok=True)
            return
        with atomic_write(self.path, force=True) as file:
            file.write(text)

    def _parse(self, text: str) -> tuple[dict[str, Any], tuple[Problem, ...]]:
        """Parse a text into fields and problems; the last text is parsed only once."""
        if self._last_parsed is None or self._last_parsed[0] != text:
            self._last_parsed = (text, *self._parse_afresh(text))
        return self._last_parsed[1], self._last_parsed[2]

    def _parse_afresh(self, text: str) -> tuple[dict[str, Any], tuple[Problem, ...]]:
        if not text:
            return {}, ()
        try:
            document = parse_yaml(text, Path(self.path.name))
        except OntomaskError as error:
            return {}, (Problem((), error.message, error.hint),)
        if not isinstance(document.data, dict):
            return {}, (*document.problems, Problem((), f"{self.path.name} has no fields"))
        try:
            _refuse_shape(document.data)
        except OntomaskError as error:
            return {}, (Problem((), error.message, error.hint),)
        fields = dict(document.data)
        if isinstance(fields.get("method"), Mapping):
            fields["method"] = rename_old_settings(fields["method"], warn=False)
        problems = (*document.problems, *problems_of_release_file(fields, self.path.parent))
        return fields, problems

    def _refuse_outside(self, fields: Mapping[str, Any], now: Mapping[str, Any]) -> None:
        """Refuse new paths outside of the folder; paths already in the file may stay."""
        present = set(paths_in(now))
        for path in paths_in(fields):
            if path in present:
                continue
            if is_remote(path) or path.lower().startswith("file:"):
                raise OutsideError(
                    f"{path!r} is an address, not a file", "name a file in the working folder"
                )
            self.folder.resolve_inside(path)


def paths_in(fields: Mapping[str, Any]) -> Iterator[str]:
    """Every file that the fields of a release name."""
    for name in ("data", "output"):
        if isinstance(fields.get(name), str):
            yield fields[name]
    register = (fields.get("population") or {}).get("table")
    if isinstance(register, str):
        yield register
    previous = fields.get("previous") or ()
    yield from [previous] if isinstance(previous, str) else filter(_is_text, previous)
    for column in (fields.get("columns") or {}).values():
        yield from files_of_column(column)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _refuse_shape(fields: Mapping[Any, Any]) -> None:
    """Refuse fields that do not have the structure of a release file."""
    for name, value in fields.items():
        if name not in ReleaseFile.model_fields:
            raise SpecError(f"a release file has no field {str(name)[:60]!r}")
        if name in FIELD_GROUPS and value is not None and not isinstance(value, Mapping):
            raise SpecError(f"{name} must be a group of fields")
    for name, column in (fields.get("columns") or {}).items():
        if not isinstance(name, str) or not isinstance(column, Mapping):
            raise SpecError(f"columns.{str(name)[:60]} must be a group of fields")


def _serialise_fields(fields: Mapping[str, Any], text: str = "") -> str:
    """The text of a file with these fields; comments of the previous text are kept.

    A text that cannot be edited field by field, because it uses YAML anchors, is replaced.
    """
    edited = edit_yaml(text, fields) if text else ""
    if not _reads_back(edited, fields):
        try:
            edited = FILE_HEADER + format_yaml(fields)
        except (yaml.YAMLError, RecursionError):
            edited = ""
        if not _reads_back(edited, fields):
            raise SpecError(
                "these values cannot be written to a release file", "use plain text and numbers"
            )
    if len(edited) > MAX_FILE_BYTES:
        raise SpecError(
            f"the release file must not be larger than {MAX_FILE_BYTES / 1e6:,.0f} MB",
            "put a long mapping into a separate table",
        )
    return edited


def _reads_back(text: str, fields: Mapping[str, Any]) -> bool:
    """Whether a text can be saved, and read again as these fields."""
    try:
        text.encode("utf-8")
        return bool(parse_yaml(text, Path("release.yaml")).data == dict(fields))
    except (UnicodeEncodeError, SpecError):
        return False


def _revision_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class _History:
    """Earlier versions of the file, stored in a folder so that they survive a restart."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        files = folder.glob("*.yaml") if folder.is_dir() else ()
        self._numbers = sorted(int(file.stem) for file in files if file.stem.isdigit())

    def __len__(self) -> int:
        return len(self._numbers)

    def push(self, text: str) -> None:
        """Store a version; the oldest one is removed if there are too many."""
        self._folder.mkdir(parents=True, exist_ok=True)
        number = self._numbers[-1] + 1 if self._numbers else 1
        with atomic_write(self._file_of(number), force=True, private=True) as file:
            file.write(text)
        self._numbers.append(number)
        while len(self._numbers) > MAX_HISTORY:
            self._file_of(self._numbers.pop(0)).unlink(missing_ok=True)

    def pop(self) -> str:
        """Remove and return the latest version."""
        path = self._file_of(self._numbers.pop())
        text = path.read_text("utf-8")
        path.unlink()
        return text

    def texts(self) -> Iterator[str]:
        """All versions, the latest first."""
        for number in reversed(self._numbers):
            yield self._file_of(number).read_text("utf-8")

    def _file_of(self, number: int) -> Path:
        return self._folder / f"{number:06}.yaml"

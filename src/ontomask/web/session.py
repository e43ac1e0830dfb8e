"""The state of a workbench: its folder, release file, table, runs and background task."""

from __future__ import annotations

import secrets
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from ontomask._runtime.files.work_folders import sweep_abandoned, temporary_folder
from ontomask.errors import OntomaskError
from ontomask.pipeline.randomness import refuse_short_seed
from ontomask.releasefile.model import ReleaseFile
from ontomask.releasefile.profile.proposed_file import write_proposal
from ontomask.releasefile.run import file_settings
from ontomask.web.draft import Draft, DraftState, paths_in
from ontomask.web.errors import Busy, NotThere
from ontomask.web.folder import WorkingFolder
from ontomask.web.jobs.jobs import JobRunner
from ontomask.web.runs import RunStore, StoredRun
from ontomask.web.table_session import TableSession

__all__ = ["LARGEST_UPLOAD", "Workbench"]

#: Default limit for uploads, in bytes.
LARGEST_UPLOAD = 500_000_000


class Workbench:
    """One release in one folder; several tabs can be open at the same time.

    All masking uses the same ``seed``, so that a release equals the run that was inspected. The
    seed is neither stored nor shown.
    """

    def __init__(
        self,
        folder: Path,
        *,
        file: str = "release.yaml",
        seed: int | None = None,
        largest: int = LARGEST_UPLOAD,
    ) -> None:
        refuse_short_seed(seed)
        self.folder = WorkingFolder(folder, largest=largest)
        self.draft = Draft(self.folder.path / file, self.folder)
        self.seed = secrets.randbits(256) if seed is None else seed
        self._seed_drawn_at = (
            datetime.now(UTC).isoformat(timespec="seconds") if seed is None else ""
        )
        self.runs = RunStore(self.folder.own("runs"))
        self.runs.remove_leftovers()
        for place in (temporary_folder(), self.folder.path):
            sweep_abandoned(place)
        self.work = JobRunner()
        self.opening: str | None = None
        self.not_opened: OntomaskError | None = None
        self._open_table: tuple[str, TableSession] | None = None
        self._opening_lock = Lock()
        for path in paths_in(self.draft.read().fields):  # the file's owner named these
            with suppress(OSError, ValueError):
                self.folder.trust(self.folder.path / path)

    # ------------------------------------------------------------------ the table

    @property
    def table(self) -> TableSession | None:
        """The table that is open."""
        return self._open_table[1] if self._open_table else None

    @property
    def data(self) -> str | None:
        """The name of the table that is open, as the release file has it."""
        return self._open_table[0] if self._open_table else None

    def opened(self) -> TableSession:
        """The open table; an error if there is none."""
        if self._open_table is None:
            if self.not_opened is not None:
                raise self.not_opened
            raise NotThere("no table is open", "open one on the Data screen")
        return self._open_table[1]

    def open(self, name: str, **settings: Any) -> DraftState:
        """Open a table; the release file stays if it describes this table.

        Otherwise the last version that described this table is restored, or a new one is proposed.
        ``settings`` are options for reading the file. The change can be undone.
        """
        path = self.folder.resolve_existing(name)
        if not self._opening_lock.acquire(blocking=False):
            raise Busy("a table is being opened", "wait until it is open; large tables take longer")
        try:
            self.opening, self.not_opened = f"reading {name}", None
            given_settings = {key: value for key, value in settings.items() if value is not None}
            now = self.draft.read()
            same = now.fields.get("data") == name
            if same and not given_settings:
                given_settings = _reading_settings(now.fields, self.folder.path)
            table = TableSession.open(
                path,
                progress=self._set_progress,
                beside=self.folder.files_beside(path),
                **given_settings,
            )
            previous, self._open_table = self._open_table, (name, table)
            if previous is not None:
                previous[1].close()
            if same and not settings:
                return now
            earlier_text = None if settings else self.draft.find_earlier_text(name)
            if earlier_text is not None:
                return self.draft.put(earlier_text, now.revision)
            return self._propose(table, now)
        except OntomaskError as error:
            self.not_opened = error
            raise
        finally:
            self.opening = None
            self._opening_lock.release()

    def begin(self, name: str | None) -> None:
        """Open the named table, or that of the release file, in the background."""
        data = name or self.draft.read().fields.get("data")
        if not isinstance(data, str):
            return
        self.opening = f"reading {data}"

        def open_table() -> None:
            with suppress(OntomaskError):  # the page shows it
                self.open(data)

        Thread(target=open_table, daemon=True).start()

    def _set_progress(self, progress: str) -> None:
        self.opening = progress

    def _propose(self, table: TableSession, now: DraftState) -> DraftState:
        """Propose a release file for a table, as ``ontomask init`` does."""
        target = self.draft.path
        beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
        try:
            write_proposal(table.profile, beside, beside=target)
            return self.draft.put(beside.read_text("utf-8"), now.revision)
        finally:
            beside.unlink(missing_ok=True)

    # ------------------------------------------------------------------ the release

    def had_another_seed(self, made_at: str) -> bool:
        """Whether a run of that time used another seed, because it is older than this seed."""
        return made_at < self._seed_drawn_at

    def spec(self) -> ReleaseFile:
        """The release that the file describes; an error if something is missing."""
        return self.draft.spec()

    def current_run(self) -> StoredRun | None:
        """The newest run with the current settings, if there is one."""
        with suppress(OntomaskError):  # the release is not complete
            return self.runs.of(self.spec())
        return None

    def column(self, name: str) -> dict[str, Any]:
        """The fields of a column of the open table or of a set; empty if it has no role yet."""
        self.table_columns(name)
        return self._fields_of(name)

    def _fields_of(self, name: str) -> dict[str, Any]:
        fields: dict[str, Any] = (self.draft.read().fields.get("columns") or {}).get(name, {})
        return fields

    def table_columns(self, name: str) -> list[str]:
        """The columns of the open table that hold a column's values; a set may have several."""
        members = self._fields_of(name).get("columns")
        return [self.known(str(member)) for member in members or [name]]

    def values(self, name: str) -> dict[str, int]:
        """All different values of a column with their counts, the most frequent first.

        Of a set over several columns, these are the values in all of its cells.
        """
        table, columns = self.opened(), self.table_columns(name)
        if len(columns) == 1:
            return table.values(columns[0])
        counts: Counter[str] = Counter()
        for column in columns:
            counts.update(table.values(column))
        return dict(counts.most_common())

    def known(self, name: str) -> str:
        """The name of a column; an error if the open table does not have it."""
        names = [column.name for column in self.opened().profile.columns]
        if name not in names:
            raise NotThere(f"the table has no column {name[:80]!r}")
        return name

    def close(self) -> None:
        """Stop the background task and close the table."""
        self.work.close()
        if self._open_table is not None:
            self._open_table[1].close()
            self._open_table = None


def _reading_settings(fields: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The options for reading the table in the release file."""
    try:
        return file_settings(ReleaseFile.from_dict(fields, folder))
    except OntomaskError:
        csv = fields.get("csv")
        dialect = dict(csv) if isinstance(csv, dict) else {}
        dialect.pop("escape_formulas", None)  # of the output
        return {"table": fields.get("table"), **dialect}

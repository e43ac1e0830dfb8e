"""Check a release file with several tables: each table, and the people in all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from ontomask._runtime.files.atomic_files import refuse_targets
from ontomask.errors import OntomaskError, format_people, format_percent
from ontomask.methods.people import refuse_k_above_people
from ontomask.pipeline.counting import translate_file_errors
from ontomask.pipeline.tables import count_joint_uniques
from ontomask.releasefile.check import CheckResult, TableChecker
from ontomask.releasefile.tables.model import TablesFile, load_tables_file

__all__ = ["TablesCheck", "check_tables"]


@dataclass(frozen=True)
class TablesCheck:
    """Result of a check of several tables.

    ``tables`` has the result of each, with its own problems. ``problems`` and ``notes`` are about
    all of them. ``people`` is their number and ``uniques`` how many of them are unique by all their
    records; None where a problem is in the way.
    """

    tables: Mapping[str, CheckResult]
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    people: int | None = None
    uniques: int | None = None

    @property
    def fine(self) -> bool:
        """Whether nothing is in the way."""
        return not self.problems and all(result.fine for result in self.tables.values())

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {
            "fine": self.fine,
            "tables": {name: result.as_dict() for name, result in self.tables.items()},
            "problems": list(self.problems),
            "notes": list(self.notes),
            "people": self.people,
            "uniques": self.uniques,
        }


def check_tables(spec: str | PathLike[str] | TablesFile) -> TablesCheck:
    """Check the tables that a release file names; nothing is written.

    A file that is wrong in itself is an error. Everything else that is wrong is listed.
    """
    own_path = [] if isinstance(spec, TablesFile) else [Path(spec)]
    if not isinstance(spec, TablesFile):
        spec = load_tables_file(spec)
    problems: list[str] = []
    notes: list[str] = []
    try:
        refuse_targets(spec.output_files(), [*spec.inputs(), *own_path])
    except OntomaskError as error:
        problems.append(str(error.with_yaml_hint()))
    results, people = {}, []
    for name, table in spec.tables.items():
        checker = TableChecker(table, [], is_alone=False)
        with translate_file_errors(table.data_path):
            results[name] = checker.run()
        if checker.people is not None:
            people.append(checker.people)
    if len(people) < len(results) or problems:
        return TablesCheck(results, tuple(problems), tuple(notes))
    uniques, total = count_joint_uniques(people)
    try:
        refuse_k_above_people(spec.method_object().promised_k or 1, total)
    except OntomaskError as error:
        problems.append(str(error.with_yaml_hint()))
    if uniques:
        notes.append(
            f"{uniques:,} of {format_people(total)} "
            f"({format_percent(uniques / total)}) are unique for an attacker who can put all their "
            "records in all tables together"
        )
    return TablesCheck(results, tuple(problems), tuple(notes), total, uniques)

"""Several masked tables of the same people, and what holds for all of them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from ontomask._runtime.files.atomic_files import atomic_write, write_files_atomically
from ontomask.errors import ParameterError, format_count, quote_names
from ontomask.methods.method import Method
from ontomask.pipeline.evaluation import Evaluation
from ontomask.pipeline.guarantees.guarantee import Guarantee, format_method, summarise_guarantee
from ontomask.pipeline.planning.linked_people import LinkFigures
from ontomask.pipeline.release import Release
from ontomask.pipeline.tables.facts import join_table_facts

__all__ = ["TablesRelease"]


@dataclass(frozen=True, repr=False)
class TablesRelease:
    """Masked tables of the same people, with one pseudonym for each piece of a person.

    Attributes:
        releases: The release of each table, with its own guarantee, evaluation and report.
        guarantee: What holds for all tables together, counted on the masked tables: k people share
            all their rows in all tables.
        links: What became of the rows and links of people over all tables.
        method: The masking method.
        person: By table, the column of the person, which has pseudonyms now.
    """

    releases: Mapping[str, Release]
    guarantee: Guarantee
    links: LinkFigures
    method: Method
    person: Mapping[str, str]

    @property
    def data(self) -> dict[str, Any]:
        """The masked tables by name, each of the type that was given."""
        return {name: release.data for name, release in self.releases.items()}

    @property
    def evaluation(self) -> dict[str, Evaluation]:
        """Information loss and disclosure risk of each table; computed on first access.

        Risk is that of a table alone. What attackers may learn from all tables together is in
        ``guarantee``.
        """
        return {name: release.evaluation for name, release in self.releases.items()}

    @property
    def cautions(self) -> tuple[str, ...]:
        """What the guarantee does not cover, with the table that it is about."""
        return tuple(
            f"{name}: {caution}"
            for name, release in self.releases.items()
            for caution in release.cautions
        )

    def write(
        self,
        paths: Mapping[str, str | PathLike[str]],
        force: bool = False,
        *,
        order: Literal["shuffle", "keep"] = "shuffle",
        escape_formulas: bool = False,
    ) -> None:
        """Write all tables to files in one folder; they take their names together.

        Args:
            paths: The file of each table. The suffix selects the format.
            force: Whether to overwrite existing files.
            order: As in :meth:`Release.write`.
            escape_formulas: As in :meth:`Release.write`.
        """
        targets = {name: Path(path) for name, path in paths.items()}
        if set(targets) != set(self.releases):
            raise ParameterError(
                f"paths must name a file for each of the tables {quote_names(self.releases)}, got "
                f"{quote_names(targets) or 'none'}",
                "give one path for each table",
            )
        if len({path.resolve().parent for path in targets.values()}) > 1:
            raise ParameterError(
                "paths must be in one folder, so that the files can take their names together",
                "write the tables into one folder",
            )
        if len({path.resolve() for path in targets.values()}) < len(targets):
            raise ParameterError("paths must be different files for different tables")
        with write_files_atomically(list(targets.values()), force=force) as folder:
            for name, path in targets.items():
                self.releases[name].write(
                    folder / path.name, order=order, escape_formulas=escape_formulas
                )

    def save_report(
        self,
        path: str | PathLike[str],
        threshold: int | None = None,
        *,
        title: str = "Several tables",
        force: bool = False,
    ) -> None:
        """Write the report of all tables: one HTML page, as :meth:`Release.save_report` writes.

        Args:
            path: The file.
            threshold: Counts below this number of records are not shown. Without it, k.
            title: What the page is called.
            force: Whether to overwrite an existing file.
        """
        from ontomask.pipeline.facts import choose_threshold, publishable_facts

        least = choose_threshold(self.method, threshold)
        tables = {name: publishable_facts(one, least) for name, one in self.releases.items()}
        with atomic_write(Path(path), force=force) as file:
            file.write(self.report(title, join_table_facts(self, tables)))

    def report(self, title: str, facts: Mapping[str, Any]) -> str:
        """The report as HTML, from the facts of all tables or from their manifest."""
        from ontomask.report.tables import report_tables

        plans = {
            name: (one.transitions, one.schema, one.method) for name, one in self.releases.items()
        }
        return report_tables(title, plans, facts)

    def __repr__(self) -> str:
        tables = ", ".join(
            f"{name}: {format_count(release.records, 'record')}"
            for name, release in self.releases.items()
        )
        parts = [tables, format_method(self.method), *summarise_guarantee(self.guarantee)]
        return f"TablesRelease({', '.join(parts)})"

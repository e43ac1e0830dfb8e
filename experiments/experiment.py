"""An experiment of a paper: a name and a function that returns tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from experiments.data import Data

__all__ = ["Cell", "Experiment", "Outcome", "Result", "Row", "Settings"]

#: A figure, a word, or None for an empty cell.
Cell = float | int | str | None


@dataclass(frozen=True)
class Row:
    """A row of a table: our figures and, if there are any, those printed in the paper."""

    label: str
    ours: Sequence[Cell]
    printed: Sequence[Cell] | None = None


@dataclass(frozen=True)
class Result:
    """A table with columns such as k = 2, 5, 10. Charts show a line for every row.

    ``better`` is ``"lower"``, ``"higher"`` or None; ``digits`` is the number of decimals.
    ``notes`` explain the results and their differences from the paper.
    """

    title: str
    across: str
    columns: Sequence[Cell]
    rows: Sequence[Row]
    better: str | None = None
    digits: int = 2
    notes: Sequence[str] = ()

    def format_cell(self, cell: Cell) -> str:
        """Format a cell of the table.

        >>> Result("", "k", (), (), digits=1).format_cell(1234.56)
        '1,234.6'
        """
        if cell is None:
            return "-"
        if isinstance(cell, str):
            return cell
        if isinstance(cell, int):
            return f"{cell:,}"
        number = f"{cell:,.{self.digits}f}"
        return number.lstrip("-") if float(number.replace(",", "")) == 0 else number


@dataclass(frozen=True)
class Settings:
    """How much work an experiment does, and its random seed.

    ``runs`` is the number of random samples, orders or seeds, counted up from ``seed``; None stands
    for the experiment's own number. ``quick`` uses small samples.
    """

    seed: int = 0
    runs: int | None = None
    quick: bool = False
    progress: Callable[[str], None] = field(default=lambda _: None)

    def seeds(self, usual: int) -> range:
        """The seeds, one for every run."""
        many = self.runs if self.runs is not None else (min(2, usual) if self.quick else usual)
        return range(self.seed, self.seed + many)

    def within(self, name: str) -> Settings:
        """The same settings, with progress messages that name the experiment."""
        return replace(self, progress=lambda step: self.progress(f"{name}: {step}"))


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper. It has a unique name such as ``"rs-tables-2-4"``."""

    name: str
    paper: str
    title: str
    run: Callable[[Data, Settings], list[Result]]


@dataclass(frozen=True)
class Outcome:
    """The tables of an experiment and the seconds that it took."""

    experiment: Experiment
    results: Sequence[Result]
    seconds: float

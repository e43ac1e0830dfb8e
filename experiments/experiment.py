"""What an experiment of a paper is: a name, and a function that gives tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from experiments.data import Data

__all__ = ["Cell", "Experiment", "Outcome", "Result", "Row", "Settings"]

#: A figure, a word, or nothing where there is none.
Cell = float | int | str | None


@dataclass(frozen=True)
class Row:
    """One line of a table: ours, and what the paper prints at that place, if it does."""

    label: str
    ours: Sequence[Cell]
    printed: Sequence[Cell] | None = None


@dataclass(frozen=True)
class Result:
    """A table: columns such as k = 2, 5, 10, and rows; drawn as lines over the columns.

    ``better`` is ``"lower"`` or ``"higher"``, None where neither is; ``digits`` are shown after the
    point. ``notes`` say what to see, or what differs and why.
    """

    title: str
    across: str
    columns: Sequence[Cell]
    rows: Sequence[Row]
    better: str | None = None
    digits: int = 2
    notes: Sequence[str] = ()

    def shown(self, cell: Cell) -> str:
        """A cell of the table, as it is written.

        >>> Result("", "k", (), (), digits=1).shown(1234.56)
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
    """How much work an experiment does, and where its chance begins.

    ``runs`` random samples or seeds, counted up from ``seed``; None for as many as the experiment
    itself has. ``quick`` is for a try: smaller samples.
    """

    seed: int = 0
    runs: int | None = None
    quick: bool = False
    progress: Callable[[str], None] = field(default=lambda _: None)

    def seeds(self, usual: int) -> range:
        """One seed for every run."""
        many = self.runs if self.runs is not None else (min(2, usual) if self.quick else usual)
        return range(self.seed, self.seed + many)

    def within(self, name: str) -> Settings:
        """The same, where progress begins with what is being run."""
        return replace(self, progress=lambda step: self.progress(f"{name}: {step}"))


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper, found by its name: ``"rs-tables-2-4"``."""

    name: str
    paper: str
    title: str
    run: Callable[[Data, Settings], list[Result]]


@dataclass(frozen=True)
class Outcome:
    """An experiment that has been run: its tables, and how many seconds it took."""

    experiment: Experiment
    results: Sequence[Result]
    seconds: float

"""What every masking method is: a small value with settings, and a plan for some tuples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.errors import ParameterError, many
from ontomask.tuples import Transitions, Tuples

__all__ = ["GroupingMethod", "Method"]


class Method(ABC):
    """A masking method: settings in the constructor, tuples in the call."""

    #: Whether every value of an attribute stays in the table as often as it was.
    permutes: ClassVar[bool] = False

    @property
    def promise(self) -> str:
        """What holds by construction, other than class sizes, in words."""
        return ""

    @property
    def because(self) -> str:
        """How it chooses what a value becomes, in words."""
        return ""

    @abstractmethod
    def plan(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """How many records of each tuple become which target."""


@dataclass(frozen=True)
class GroupingMethod(Method):
    """A method that makes groups of at least ``k`` records that cannot be told apart."""

    k: int = 5

    def __post_init__(self) -> None:
        whole = isinstance(self.k, int | np.integer) and not isinstance(self.k, bool)
        if not whole or self.k < 2:
            raise ParameterError(f"k is {self.k!r}", "it is a whole number, 2 or more")

    def check(self, tuples: Tuples) -> None:
        """Refuse a k that no table of this size can have."""
        if self.k > tuples.records:
            raise ParameterError(
                f"k is {self.k:,}, and there {'is' if tuples.records == 1 else 'are'} only "
                f"{many(tuples.records, 'record')}",
                f"choose k up to {tuples.records:,}"
                if tuples.records > 1
                else "nobody can be hidden in a crowd of one",
            )

"""What every masking method is: a small value with settings, and a plan for some tuples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from ontomask.errors import ParameterError
from ontomask.tuples import Transitions, Tuples

__all__ = ["GroupingMethod", "Method", "one_of"]


class Method(ABC):
    """A masking method: settings in the constructor, tuples in the call."""

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
                f"k is {self.k:,}, and there are only {tuples.records:,} records",
                f"choose k up to {tuples.records:,}",
            )


def one_of(argument: str, given: object, *allowed: str) -> None:
    """Refuse a setting that is not among the allowed ones."""
    if given not in allowed:
        listed = ", ".join(repr(word) for word in allowed)
        raise ParameterError(f"{argument} is {given!r}", f"it can be {listed}")

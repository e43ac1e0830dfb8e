"""Base classes of the masking methods: settings in the constructor, a plan for given tuples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import ParameterError, format_count
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.blocks.split import StandaloneTest

__all__ = ["GroupingMethod", "BlockwiseMethod", "Method"]


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


#: Tables that were cut, by which method: the plan needs it, and what is said of its loss.
_blocks_by_method: WeakKeyDictionary[Tuples, dict[Method, list[NDArray[np.int64]]]] = (
    WeakKeyDictionary()
)


class BlockwiseMethod(Method):
    """A method that can plan many tuples in blocks, each alone (:mod:`ontomask.methods.blocks`)."""

    k: int
    #: The most tuples that are planned together; None for all.
    block: int | None

    def _check_block(self) -> None:
        """Refuse a block size that is too small."""
        size: Any = self.block
        is_integer = isinstance(size, int | np.integer) and not isinstance(size, bool)
        if size is not None and (not is_integer or size < 2 * self.k):
            raise ParameterError(
                f"block is {size!r}",
                f"it is a number of tuples, twice k or more (here {2 * self.k:,}); thousands, to "
                "lose little",
            )

    def plan(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """How many records of each tuple become which target; in blocks where asked for."""
        if not self.blocked(tuples):
            return self.plan_whole(tuples, random)
        from ontomask.methods.blocks import plan_in_blocks

        alone = self.with_block_size(None).plan
        return plan_in_blocks(alone, tuples, self.blocks(tuples), self.factors(tuples), random)

    def with_block_size(self, block: int | None) -> BlockwiseMethod:
        """The same method with blocks of another size, or none."""
        return replace(self, block=block)  # type: ignore[type-var]  # methods are dataclasses

    @property
    def gains_from_blocks(self) -> bool:
        """Whether planning in blocks is of any use to this method."""
        return True

    @abstractmethod
    def plan_whole(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Plan all tuples together."""

    def blocked(self, tuples: Tuples) -> bool:
        """Whether the method plans these tuples in blocks."""
        return self.block is not None and len(tuples) > self.block

    def blocks(self, tuples: Tuples) -> list[NDArray[np.int64]]:
        """The blocks in which the method plans these tuples, by the places of the tuples."""
        from ontomask.methods.blocks import split_into_blocks

        known = _blocks_by_method.setdefault(tuples, {})
        if self not in known:
            size = len(tuples) if self.block is None else self.block
            known[self] = split_into_blocks(
                tuples, size, self.factors(tuples), self.standalone_test(tuples)
            )
        return known[self]

    def factors(self, tuples: Tuples) -> Sequence[float] | None:
        """What distances are multiplied with, where that depends on the whole table."""
        return None

    def standalone_test(self, tuples: Tuples) -> StandaloneTest:
        """A test of whether some tuples can be planned alone: they have enough records."""
        return lambda members: int(tuples.counts[members].sum()) >= self.k


@dataclass(frozen=True)
class GroupingMethod(Method):
    """A method that makes groups of at least ``k`` records that cannot be told apart."""

    k: int = 5

    def __post_init__(self) -> None:
        is_integer = isinstance(self.k, int | np.integer) and not isinstance(self.k, bool)
        if not is_integer or self.k < 2:
            raise ParameterError(f"k is {self.k!r}", "it is a whole number, 2 or more")

    def check(self, tuples: Tuples) -> None:
        """Refuse a k that no table of this size can have."""
        if self.k > tuples.records:
            raise ParameterError(
                f"k is {self.k:,}, and there {'is' if tuples.records == 1 else 'are'} only "
                f"{format_count(tuples.records, 'record')}",
                f"choose k up to {tuples.records:,}"
                if tuples.records > 1
                else "nobody can be hidden in a crowd of one",
            )

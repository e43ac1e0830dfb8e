"""Rank swapping: values change places with values nearby (RS algorithms 1, 2 and 3)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.deprecation import accept_renamed_settings
from ontomask.errors import Hint, NothingSwappedWarning, ParameterError, Setting
from ontomask.methods.method import BlockwiseMethod
from ontomask.methods.operators import Operators
from ontomask.methods.settings import BlockSize, OperatorChoice, SettingHelp
from ontomask.microdata.attributes import (
    FIXED_POINT_ONE,
    Attribute,
    NominalAttribute,
    NumericalAttribute,
)
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.blocks.split import StandaloneTest
    from ontomask.methods.explaining.masked_tuple import MaskedTuple, MethodExplanation

__all__ = ["RankSwapping", "swap_attribute"]

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

#: The values of two records that change places, by place; -1 for one that keeps its own.
Swaps = tuple[Ints, Ints]


@accept_renamed_settings
@dataclass(frozen=True)
class RankSwapping(BlockwiseMethod):
    r"""Swap each value with the value of a similar record, one of the ``window`` nearest.

    Each column keeps its values and how often each occurs. Rank swapping does not guarantee
    k-anonymity. The partner is drawn from those of the ``window`` nearest that are not swapped yet.
    If there are none, the value stays where it is, and the transitions count it as unpaired.

    The strategies:

    - ``"multivariate"`` (RS algorithm 3) takes one record after another. The first has the greatest
      summed distance to all records (RS eq. 10); each next one is as far as possible from the last
      (eq. 12). Each of its values is swapped with that of one of the ``window`` nearest records
      (eq. 11).
    - ``"dynamic"`` (algorithm 2) does the same for each column separately (eq. 5, 6 and 7).
    - ``"fixed"`` (algorithm 1) ranks a column once, by the distance from its most marginal value
      (eq. 5), and swaps each value with one of the ``window`` values after it. For numbers this is
      classical rank swapping.
    - ``"distributional"`` does the same with a ranking by frequency, rare values first (RS 4.2).
    - ``"random"`` pairs all records at random and ignores ``window``.

    Departures from the paper: in algorithm 3, a value of the reference record that was swapped
    before is left alone (line 9, read literally, would duplicate values). Ties in a ranking, at the
    edge of the window and for the next reference are broken at random, record by record. Numbers
    are allowed in all strategies. ``complete`` and ``guard`` are not in the paper. The paper claims
    that a record is linked with a probability of at most 1/k (RS 3.5). This does not hold, and
    ontomask does not claim it: a value that is swapped with an equal one, or not at all, may leave
    a record unchanged.

    Args:
        window: Number of nearest neighbours that a value can be swapped with, at least 1. The paper
            calls it k, and ``k=`` still works with a warning. It is not the k of k-anonymity.
        strategy: Which records swap: ``"multivariate"``, ``"dynamic"``, ``"fixed"``,
            ``"distributional"`` or ``"random"``.
        complete: Whether a value without a partner is swapped with the nearest unswapped value.
        guard: Whether rare records must change (multivariate only). The search covers the
            ``window`` nearest unswapped records. A swap of equal values is refused if it would
            leave a record unchanged whose combination of values fewer than ``window`` records
            share. ``complete`` then has no effect.
        operators: ``"semantic"``, or ``"classic"``, which only distinguishes equal and unequal
            words.
        block: Largest number of combinations of values that are planned together (multivariate
            only). Records swap within their block (docs/concepts/blocks.md).

    >>> import numpy as np
    >>> from ontomask.microdata.attributes import NumericalAttribute
    >>> from ontomask.microdata.tuples import count_tuples
    >>> ages = NumericalAttribute("age", np.array([20.0, 30.0, 40.0, 50.0]))
    >>> tuples, _ = count_tuples([ages], [np.array([0, 1, 2, 3])])
    >>> plan = RankSwapping(window=1, strategy="fixed").plan(tuples, np.random.default_rng())
    >>> plan.targets[plan.target].ravel().tolist()
    [30.0, 20.0, 50.0, 40.0]
    """

    window: Annotated[
        int,
        SettingHelp(
            "Window",
            "Each value is swapped with one of this many nearest values. This is not the k of "
            "k-anonymity.",
            least=1,
            usual=(2, 3, 5, 10, 20, 50),
            main=True,
        ),
    ] = 5
    strategy: Annotated[
        Literal["multivariate", "dynamic", "fixed", "distributional", "random"],
        SettingHelp(
            "Strategy",
            "Which records swap values. With the same protection against record "
            "linkage, multivariate swapping changes correlations less than dynamic swapping.",
            {
                "multivariate": "multivariate: between similar records",
                "dynamic": "dynamic: each column separately",
                "fixed": "fixed: each column separately, ranked once",
                "distributional": "distributional: ranked by frequency",
                "random": "random: between any records",
            },
            main=True,
        ),
    ] = "multivariate"
    complete: Annotated[
        bool,
        SettingHelp(
            "Swap all values",
            "If no value in the window is free, swap with the nearest free one.",
        ),
    ] = False
    guard: Annotated[
        bool,
        SettingHelp(
            "Protect rare records",
            "Refuse swaps that would leave a rare record unchanged.",
            main=True,
        ),
    ] = False
    operators: OperatorChoice = "semantic"
    block: BlockSize = None

    summary: ClassVar[str] = (
        "Not k-anonymous: swaps values between similar records; every column keeps its values."
    )
    help: ClassVar[str] = (
        "About as many records are unique as before, and some do not change. Correlations change "
        "little."
    )
    varied_by: ClassVar[str | None] = "window"
    renamed_settings: ClassVar[Mapping[str, str]] = {"k": "window"}
    permutes: ClassVar[bool] = True
    compares_values: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.guard and self.strategy != "multivariate":
            raise ParameterError(
                f"guard cannot be used with strategy {self.strategy!r}",
                Hint("use ", Setting("strategy", "multivariate"), ", or leave guard out"),
            )
        if self.block is not None and not self.gains_from_blocks:
            raise ParameterError(
                f"block cannot be used with strategy {self.strategy!r}",
                "leave block out; only the multivariate strategy plans in blocks",
            )

    @property
    def target_k(self) -> int | None:
        """The k that risk is compared with: ``window``. No class sizes are promised."""
        return int(self.window)

    @property
    def description(self) -> str:
        """What was exchanged."""
        return f"values were swapped between similar records (window {self.window:,})"

    @property
    def promise(self) -> str:
        """What holds by construction: the multisets, and how far a value can go."""
        near = "that of " if self.strategy == "multivariate" else ""
        partners = {
            "multivariate": f"one of the {self.window} records nearest to one of the two",
            "dynamic": f"one of the {self.window} values nearest to one of the two",
            "fixed": f"a value at most {self.window} ranks away, ranked by distance from the most "
            "marginal value",
            "distributional": f"a value at most {self.window} ranks away, ranked by frequency",
            "random": "any other value of the column",
        }
        if self.guard:
            partner = f"that of one of the {self.window} nearest unswapped records"
        else:
            partner = near + partners[self.strategy]
        if self.complete and self.strategy != "random":
            partner += ", or with the nearest unswapped one if none of these is left"
        return (
            "every column has the same values with the same frequencies as before; "
            f"a value is swapped with {partner}"
        )

    @property
    def because(self) -> str:
        """Whose place a value takes."""
        return f"{self.promise}, drawn at random"

    @property
    def protection_advice(self) -> str:
        """What would protect more."""
        return "A larger window, guard or a method that forms groups of k records protects more"

    def explain_tuple(self, masked: MaskedTuple) -> MethodExplanation:
        """Explain swapping, whose pairs of records are counted but not kept."""
        n = masked.tuples.records
        return masked.explain_without_group(
            "The swapped pairs are not stored. The counts show which values these records got.",
            column_notes=tuple(
                (
                    f"{unpaired:,} of the {n:,} values of the column were not swapped: no partner "
                    "was free",
                )
                if unpaired
                else ()
                for unpaired in masked.plan.unpaired or [0] * len(masked.columns)
            ),
        )

    def plan_whole(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Swap the values of records, and count what each tuple's records become."""
        self.check(tuples)
        if len(tuples) == 1:
            warnings.warn(
                "all records have the same values, so swapping changes nothing",
                NothingSwappedWarning,
                stacklevel=2,
            )
            unswapped = [np.repeat(codes, tuples.counts) for codes in tuples.codes]
            return Transitions.from_records(tuples, unswapped, [0] * len(unswapped))
        if self.strategy == "multivariate":
            return self._swap_whole_records(tuples, random)
        if len(tuples.attributes) == 1:
            return _count_transitions(tuples, self._swap_column(tuples, 0, random))
        return self._swap_each_attribute(tuples, random)

    @property
    def gains_from_blocks(self) -> bool:
        """Only whole records are searched for near ones; attributes alone are fast anyway."""
        return self.strategy == "multivariate"

    @property
    def smallest_block(self) -> int:
        """The smallest block size that the method accepts."""
        return 2 * self.window

    def standalone_test(self, tuples: Tuples) -> StandaloneTest:
        """Every record of a block must have others to swap with, and different ones."""
        return lambda members: len(members) > 1 and int(tuples.counts[members].sum()) > self.window

    def check(self, tuples: Tuples) -> None:
        """Refuse a window that is too large for the table."""
        n = tuples.records
        if n < 2:
            raise ParameterError(
                "rank swapping needs at least two records, got 1",
                "mask a table of at least two records",
            )
        if self.window >= n and self.strategy != "random":
            raise ParameterError(
                f"window must be at most {n - 1:,} for a table of {n:,} records, got "
                f"{self.window:,}",
                f"choose a window of {n - 1:,} or less",
            )

    def _swap_whole_records(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        from ontomask.methods.swapping.multivariate import swap_records

        operators = Operators(tuples, "mean", self.operators)
        columns, unpaired = swap_records(operators, self.window, self.complete, self.guard, random)
        return Transitions.from_records(tuples, columns, unpaired)

    def _swap_each_attribute(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        from ontomask.methods.swapping import rank_kernels as kernels

        columns, unpaired = [], []
        for j, codes in enumerate(tuples.codes):
            reference, partner = self._swap_column(tuples, j, random)
            columns.append(kernels.assign_values(reference, partner, codes, tuples.counts, random))
            unpaired.append(int((partner < 0).sum()))
        return Transitions.from_records(tuples, columns, unpaired)

    def _swap_column(self, tuples: Tuples, j: int, random: np.random.Generator) -> Swaps:
        return swap_attribute(
            tuples.attributes[j],
            tuples.value_counts(j),
            self.strategy,
            self.window,
            self.complete,
            self.operators == "classic",
            random,
        )


def _count_transitions(tuples: Tuples, swapped: Swaps) -> Transitions:
    """Count the transitions of a single attribute, whose tuples are its values."""
    reference, partner = swapped
    place = np.empty(tuples.attributes[0].size, dtype=np.int64)
    place[tuples.codes[0]] = np.arange(len(tuples))
    kept = partner < 0
    source, target = place[reference], place[np.where(kept, reference, partner)]
    key, count = np.unique(
        np.concatenate((source * len(tuples) + target, (target * len(tuples) + source)[~kept])),
        return_counts=True,
    )
    pairs = np.divmod(key, len(tuples))
    return Transitions(tuples, tuples.targets(), *pairs, count, (int(kept.sum()),))


def swap_attribute(
    attribute: Attribute,
    counts: Longs,
    strategy: str,
    k: int,
    complete: bool,
    classic: bool,
    random: np.random.Generator,
) -> Swaps:
    """Swap the values of one attribute, record by record."""
    present = np.flatnonzero(counts)
    counts = counts[present]
    if strategy == "random":
        pairs = _pair_at_random(counts, random)
    elif strategy == "distributional":
        pairs = _swap_along(counts, counts, k, complete, random)
    elif isinstance(attribute, NumericalAttribute):
        pairs = _swap_numbers(attribute.numbers[present], counts, strategy, k, complete, random)
    else:
        assert isinstance(attribute, NominalAttribute)
        table = _distance_table(attribute, present, classic)
        pairs = _swap_words(table, counts, strategy, k, complete, random)
    if len(present) == attribute.size:
        return pairs
    reference, partner = pairs
    places = present.astype(np.int32)
    return places[reference], np.where(partner < 0, partner, places[partner])


def _distance_table(attribute: NominalAttribute, present: Longs, classic: bool) -> Ints:
    """Distances between the values; the attribute's weight would change nothing."""
    if classic:
        return (1 - np.eye(len(present))).astype(np.int32)
    table = attribute.rows(attribute.place[present])
    return table if len(present) == attribute.size else np.ascontiguousarray(table[:, present])


def _swap_words(
    table: Ints, counts: Longs, strategy: str, k: int, complete: bool, random: np.random.Generator
) -> Swaps:
    from ontomask.methods.swapping import rank_kernels as kernels

    sums = kernels.summed_distances(table, counts)
    first = _draw_value(np.flatnonzero(sums == sums.max()), counts, random)
    if strategy == "fixed":
        return _swap_along(table[first].astype(np.int64), counts, k, complete, random)
    return kernels.swap_near_words(table, counts, first, k, complete, random)


def _swap_numbers(
    numbers: NDArray[np.float64],
    counts: Longs,
    strategy: str,
    k: int,
    complete: bool,
    random: np.random.Generator,
) -> Swaps:
    from ontomask.methods.swapping import rank_kernels as kernels

    # The summed distance is convex: the least or the greatest number is the most marginal one.
    ends = np.unique([0, len(numbers) - 1])
    span = float(numbers[-1] - numbers[0]) or 1.0
    apart = np.rint(np.abs(numbers - numbers[ends][:, None]) / span * FIXED_POINT_ONE).astype(
        np.int64
    )
    sums = apart @ counts
    first = _draw_value(ends[sums == sums.max()], counts, random)
    if strategy == "fixed":
        return _swap_along(np.abs(np.arange(len(numbers)) - first), counts, k, complete, random)
    return kernels.swap_near_numbers(numbers, counts, first, k, complete, random)


def _draw_value(values: Longs, counts: Longs, random: np.random.Generator) -> int:
    """Draw one of the records that have some values; its value."""
    until = np.cumsum(counts[values])
    return int(values[np.searchsorted(until, random.integers(until[-1]), side="right")])


def _swap_along(
    keys: Longs, counts: Longs, k: int, complete: bool, random: np.random.Generator
) -> Swaps:
    from ontomask.methods.swapping import rank_kernels as kernels

    order = np.argsort(keys, kind="stable")
    return kernels.swap_along_ranking(
        kernels.rank_values(keys, order, counts, random), k, complete, random
    )


def _pair_at_random(counts: Longs, random: np.random.Generator) -> Swaps:
    """Pair all records at random; if their number is odd, the last one is left over."""
    lot = random.permutation(np.repeat(np.arange(len(counts), dtype=np.int32), counts))
    # Contiguous, as the other strategies return them: another layout is compiled again.
    reference, partner = lot[::2].copy(), lot[1::2].copy()
    if len(lot) % 2:
        partner = np.append(partner, np.int32(-1))
    return reference, partner

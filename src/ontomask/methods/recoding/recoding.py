"""Recoding: rare tuples take the values of the tuple they are nearest to (TM; SF algorithm 2)."""

from __future__ import annotations

import heapq
import warnings
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.progress import report_progress
from ontomask.errors import NearNeighboursWarning, ParameterError, format_count
from ontomask.methods.method import BlockwiseMethod, GroupingMethod
from ontomask.methods.neighbours.comparison import build_value_space
from ontomask.methods.operators import Operators
from ontomask.methods.settings import BlockSize, OperatorChoice, SettingHelp
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.explaining.masked_tuple import MaskedTuple, MethodExplanation

__all__ = ["Recoding"]

Longs = NDArray[np.int64]

#: Up to this number of tuples, the nearest one is searched among all.
MANY = 150_000
#: In how many orders near tuples are looked for, and how many on either side.
ORDERS, WINDOW = 24, 8

#: The settings of comparisons of values.
OF_DISTANCES: tuple[str, ...] = ("weighted", "operators", "neighbours")

#: Tuples that were fused, and what each was fused with, in the order of the fusions.
Fusions = tuple[Longs, Longs]


@dataclass(frozen=True)
class Recoding(BlockwiseMethod, GroupingMethod):
    r"""Give rare combinations of values, one by one, the values of another combination.

    The result is k-anonymous. No combination of values appears that was not in the table. As long
    as a combination has fewer than ``k`` records, one is selected from those

    1. with the fewest records (H1), and among these those
    2. whose nearest other combination is nearest (H2, TM eq. 5 and 6), and among these those
    3. for which the merged group is smallest (H3, TM eq. 7).

    If several remain, one is drawn at random. All its records take the values of the nearest
    combination. Among equally near ones, the one with the fewest records is taken (SF algorithm 2,
    step 2), then the first in sorted order.

    Departures from the papers: H3 as printed takes the minimum over all combinations, which is the
    same for all that H1 leaves and decides nothing; here the minimum is taken over the nearest
    combinations. With more than 150,000 combinations, each is compared with close ones only: the
    next 8 on either side in each of several orders (:mod:`ontomask.methods.neighbours.orders`;
    three for each attribute, 24 at most).

    Args:
        k: Smallest number of records (or people) in a group, at least 2.
        distance: ``"semantic"``, or ``"discernibility"``, which uses only numbers of records (TM
            4.2). It merges a combination that has the fewest records with one that increases
            :math:`\sum_i |g_i|^2` (TM eq. 1) least, by :math:`2\,\omega_a\,\omega_b`; both are
            drawn at random among equals.
        heuristics: Which of the three rules are used, as in TM figure 2: ``"h1+h2+h3"``;
            ``"h1+h2"``, which draws from what H2 leaves; ``"h1"``, which takes the first with the
            fewest records; ``"none"``, which takes the first with fewer than ``k``. The last two
            merge it with a random combination.
        weighted: Whether the distance to a combination is multiplied by its number of records (SF
            eq. 3).
        operators: ``"semantic"``, or ``"classic"``, which only distinguishes equal and unequal
            words.
        neighbours: What a combination is compared with: ``"exact"``, all others; ``"near"``, close
            ones; ``"auto"``, all up to 150,000 combinations, otherwise close ones.
        block: Largest number of combinations of values that are planned together; see
            :class:`Microaggregation`.

    ``weighted``, ``operators`` and ``neighbours`` are refused where no values are compared: with
    ``"discernibility"``, also ``heuristics``, and with the heuristics ``"h1"`` and ``"none"``.

    >>> Recoding(k=3, weighted=True)
    Recoding(k=3, distance='semantic', heuristics='h1+h2+h3', weighted=True, ...)
    """

    distance: Annotated[
        Literal["semantic", "discernibility"],
        SettingHelp(
            "Distance",
            "Compare combinations of values by semantic distance, or by numbers of records only.",
            {"semantic": "semantic distance", "discernibility": "numbers of records"},
        ),
    ] = "semantic"
    heuristics: Annotated[
        Literal["h1+h2+h3", "h1+h2", "h1", "none"],
        SettingHelp(
            "Order of merging",
            "Which rules of the papers choose the next combination of values.",
            {
                "h1+h2+h3": "fewest records, then nearest, then smallest group",
                "h1+h2": "fewest records, then nearest",
                "h1": "fewest records",
                "none": "random",
            },
        ),
    ] = "h1+h2+h3"
    weighted: Annotated[
        bool,
        SettingHelp(
            "Weight by records",
            "Multiply the distance to a combination of values by its number of records.",
        ),
    ] = False
    operators: OperatorChoice = "semantic"
    neighbours: Annotated[
        Literal["auto", "exact", "near"],
        SettingHelp(
            "Search for the nearest",
            "Compare every combination of values with all others, or only with similar ones.",
            {
                "auto": "all; only similar ones in very large tables",
                "exact": "all",
                "near": "only similar ones (approximate)",
            },
        ),
    ] = "auto"
    block: BlockSize = None

    summary: ClassVar[str] = (
        "k-anonymous: replaces rare combinations of values by the nearest existing combination."
    )
    help: ClassVar[str] = (
        "Releases only combinations that occur in the original. About twice the squared error of "
        "microaggregation; fewer rare records can be linked."
    )
    compares_values: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.distance == "discernibility":
            reason = "distance 'discernibility'"
            unused = ("heuristics", *OF_DISTANCES)
        elif self.heuristics in ("none", "h1"):
            reason, unused = f"heuristics {self.heuristics!r}", OF_DISTANCES
        else:
            return
        for name in unused:
            if getattr(self, name) != type(self).__dataclass_fields__[name].default:
                raise ParameterError(
                    f"{name} cannot be used with {reason}, which compares no values",
                    f"leave {name} out",
                )

    @property
    def description(self) -> str:
        """What was done to rare combinations."""
        return (
            "rare combinations of values were replaced by the most similar ones until each was "
            f"shared by at least {self.k:,} records"
        )

    @property
    def because(self) -> str:
        """Which combination of values replaces a rare one."""
        rare = f"a combination of values with fewer than {self.k} records is replaced by"
        until = f"until every combination has at least {self.k} records"
        if self.heuristics in ("none", "h1"):
            return f"{rare} another one, drawn at random, {until}"
        if self.distance == "discernibility":
            return f"{rare} the other one with the fewest records, {until}"
        times = " (distance times its number of records)" if self.weighted else ""
        close_by = " among similar ones" if self.neighbours == "near" else ""
        return f"{rare} the nearest one{close_by}{times}, {until}"

    def explain_tuple(self, masked: MaskedTuple) -> MethodExplanation:
        """Explain which tuple gave its values to the whole group."""
        tuples, members = masked.tuples, masked.tuples_with_same_target()
        is_giver = (tuples.targets()[members] == masked.target_values).all(axis=1)
        giver = int(members[is_giver.argmax()])
        giver_records = format_count(int(tuples.counts[giver]), "record")
        if giver == masked.tuple:
            notes = [
                "It keeps its values, and "
                f"{format_count(len(members) - 1, 'rarer combination')} also took them."
                if len(members) > 1
                else f"It keeps its values: it has {format_count(masked.records, 'record')}, at "
                f"least {self.k}, and no rarer combination was merged with it."
            ]
        else:
            values = masked.describe_values(masked.target_values)
            verb = "has" if tuples.counts[giver] == 1 else "have"
            notes = [f"Its whole group took the values {values}, which {giver_records} {verb}."]
            if masked.records < self.k:
                notes.append(
                    f"It had {format_count(masked.records, 'record')}, fewer than {self.k}."
                )
            else:
                notes.append(f"Its class had records of fewer than {self.k} people.")
        return masked.explain_by_members(
            members, masked.target_values, "the new values", notes=tuple(notes)
        )

    def plan_whole(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Fuse tuples until each has ``k`` records, and send all to where they ended."""
        self.check(tuples)
        final = np.arange(len(tuples))
        source, target = self.fusions(tuples, random)
        for t, other in zip(source[::-1].tolist(), target[::-1].tolist(), strict=True):
            final[t] = final[other]  # the last fusion first: where the other ended is known
        used, place = np.unique(final, return_inverse=True)
        return Transitions.from_targets(tuples, tuples.targets()[used], place)

    def fusions(self, tuples: Tuples, random: np.random.Generator) -> Fusions:
        """Which combination takes the values of which, in the order of the steps."""
        if self.heuristics in ("none", "h1"):
            return _fuse_at_random(tuples, self.k, self.heuristics == "h1", random)
        if self.distance == "discernibility":
            return _fuse_by_discernibility(tuples, self.k, random)
        near = self.neighbours == "near"
        if self.neighbours == "auto" and len(tuples) > MANY:
            near = True
            warnings.warn(
                f"the table has {format_count(len(tuples), 'combination')} of values: each is "
                "compared with similar ones only, which loses a little more information; "
                "set neighbours to 'exact' to compare with all",
                NearNeighboursWarning,
                stacklevel=2,
            )
        return (_fuse_with_near if near else _fuse_with_nearest)(
            Operators(tuples, "mean", self.operators),
            self.k,
            self.weighted,
            self.heuristics == "h1+h2+h3",
            random,
        )


def _fuse_with_nearest(
    operators: Operators, k: int, weighted: bool, third: bool, random: np.random.Generator
) -> Fusions:
    """Fuse every tuple with its nearest, the nearest pair first."""
    from ontomask.methods.recoding import kernels

    tuples = operators.tuples
    codes = np.ascontiguousarray(tuples.codes.T)
    return kernels.fuse(
        k, codes, tuples.counts.copy(), build_value_space(operators), weighted, third, random
    )


def _fuse_with_near(
    operators: Operators, k: int, weighted: bool, third: bool, random: np.random.Generator
) -> Fusions:
    """Fuse every tuple with the nearest of those close by, the nearest pair first."""
    from ontomask.methods.neighbours.orders import interleaved_order, orders
    from ontomask.methods.recoding import near_kernels as kernels

    tuples = operators.tuples
    report_progress(
        f"recoding {format_count(len(tuples), 'combination')} of values; each is compared with "
        "similar ones only"
    )
    # Numbered so that those which are compared are together in memory, too.
    sorted_ = interleaved_order(tuples)
    number = np.empty(len(tuples), dtype=np.int32)
    number[sorted_] = np.arange(len(tuples), dtype=np.int32)
    rows = np.array([number[order] for order in islice(orders(tuples), ORDERS)])
    place = np.empty(rows.shape[::-1], dtype=np.int32)
    for r, row in enumerate(rows):
        place[row, r] = np.arange(len(tuples), dtype=np.int32)
    codes = np.ascontiguousarray(tuples.codes.T[sorted_])
    source, target = kernels.fuse_near(
        k,
        WINDOW,
        codes,
        sorted_,
        tuples.counts[sorted_],
        build_value_space(operators),
        rows,
        place,
        weighted,
        third,
        random,
    )
    return sorted_[source], sorted_[target]


def _fuse_at_random(
    tuples: Tuples, k: int, fewest_first: bool, random: np.random.Generator
) -> Fusions:
    """Fuse the first tuple, or the first with the fewest records, with any other (TM 4.1)."""
    counts = tuples.counts.tolist()
    live = list(range(len(tuples)))
    place = list(range(len(tuples)))
    waiting = [(c if fewest_first else 0, t) for t, c in enumerate(counts) if c < k]
    heapq.heapify(waiting)
    fusions = []
    while waiting:
        expected, t = heapq.heappop(waiting)
        if counts[t] >= k or (fewest_first and counts[t] != expected):
            continue  # it has grown meanwhile
        last = live.pop()
        if last != t:
            live[place[t]], place[last] = last, place[t]
        other = live[int(random.integers(len(live)))]
        counts[other] += counts[t]
        fusions.append((t, other))
        if fewest_first and counts[other] < k:
            heapq.heappush(waiting, (counts[other], other))
    return _fusion_arrays(fusions)


def _fuse_by_discernibility(tuples: Tuples, k: int, random: np.random.Generator) -> Fusions:
    """Fuse the tuple with the fewest records with that with the next fewest (TM 4.2)."""
    with_count: dict[int, list[int]] = {}
    for t, count in enumerate(tuples.counts.tolist()):
        with_count.setdefault(count, []).append(t)
    waiting = list(with_count)
    heapq.heapify(waiting)

    def take() -> tuple[int, int]:
        """Take a random tuple of those with the fewest records; the tuple, and its records."""
        least = waiting[0]
        fewest = with_count[least]
        at = int(random.integers(len(fewest)))
        fewest[at], fewest[-1] = fewest[-1], fewest[at]
        t = fewest.pop()
        if not fewest:
            heapq.heappop(waiting)
            del with_count[least]
        return t, least

    fusions = []
    while waiting[0] < k:
        (t, records), (other, others) = take(), take()
        fusions.append((t, other))
        if records + others not in with_count:
            heapq.heappush(waiting, records + others)
        with_count.setdefault(records + others, []).append(other)
    return _fusion_arrays(fusions)


def _fusion_arrays(fusions: list[tuple[int, int]]) -> Fusions:
    source, target = np.array(fusions, dtype=np.int64).reshape(-1, 2).T
    return source, target

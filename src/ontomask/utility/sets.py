"""What has become of columns of sets: of long and short ones, of their values, of their pairs.

A value of a set is one of its deepest concepts. A *branch* is a concept directly below the root of
the column's domain, with all that is below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.shared import ancestor_lists
from ontomask.microdata.sets import ConceptSets, closures
from ontomask.microdata.sets.set_concepts import flag_sets, has_sets, held_concepts
from ontomask.microdata.tuples import Transitions, cache_per_plan
from ontomask.taxonomy import Concept, Taxonomy
from ontomask.utility.association import Correlations
from ontomask.utility.sides import NominalSide, attribute_distances, sides

__all__ = [
    "SetBranches",
    "BranchLift",
    "KeptValues",
    "SetSizeLoss",
    "branch_correlations",
    "branch_lifts",
    "count_branches",
    "kept_by_branch",
    "kept_values",
    "loss_by_set_size",
]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

#: Upper ends of the ranges of set sizes.
SET_SIZES = (0, 1, 2, 3, 5, 10)
#: Branches whose pairs are compared: those that the most records hold.
MOST_BRANCHES = 20
#: Transitions whose values are looked at together.
AT_A_TIME = 20_000


# ---------------------------------------------------------------------- both sides of a column


class _SetSide(NamedTuple):
    """The distinct sets of a column, their closures, and each transition's set; -1 for none."""

    held: ConceptSets
    closed: ConceptSets
    place: Longs


class _SetColumn(NamedTuple):
    domain: Taxonomy
    before: _SetSide
    after: _SetSide


@cache_per_plan
def _set_columns(plan: Transitions) -> dict[str, tuple[int, _SetColumn]]:
    """The columns of sets by name, each with its position among the attributes."""
    columns = {}
    for j, (attribute, pair) in enumerate(zip(plan.tuples.attributes, sides(plan), strict=True)):
        if has_sets(attribute):
            before, after = pair
            assert isinstance(before, NominalSide)
            assert isinstance(after, NominalSide)
            column = _SetColumn(before.taxonomy, _make_side(before), _make_side(after))
            columns[attribute.name] = j, column
    return columns


def _make_side(side: NominalSide) -> _SetSide:
    held = held_concepts(side.taxonomy, side.distinct)
    return _SetSide(held, closures(side.taxonomy, held), side.place.astype(np.int64))


def _top_branches(domain: Taxonomy) -> tuple[int, Longs]:
    """The concept that says nothing, and those directly below it.

    It is the root, or the first concept below it with several children.
    """
    is_set, children = flag_sets(domain), domain.child_links
    top = 0
    while True:
        below = np.array(children.of(top), dtype=np.int64)
        below = below[~is_set[below]]
        if len(below) != 1:
            return top, below
        top = int(below[0])


# ---------------------------------------------------------------------- by size


class SetSizeLoss(NamedTuple):
    """What masking cost records with sets of some sizes.

    Attributes:
        sizes: How many values their original sets have, in words.
        records: Number of records.
        changed: Number of them whose set changed.
        sse: Sum of their squared distances.
        mean_distance: Mean of their distances.
    """

    sizes: str
    records: int
    changed: int
    sse: float
    mean_distance: float


def loss_by_set_size(plan: Transitions) -> dict[str, list[SetSizeLoss]]:
    """The information loss of each column of sets by the size of the original sets.

    Long sets lose the most, because fewer records have similar ones. The sums over all sizes are
    those of :func:`~ontomask.utility.attribute_sse`. A suppressed set is at distance 1.

    Returns:
        By column the sizes that occur, missing sets first; lower distances are better.
    """
    losses = {}
    for name, (j, column) in _set_columns(plan).items():
        place, apart = column.before.place, attribute_distances(plan)[j]
        ends = np.array(SET_SIZES)
        size_class = np.searchsorted(ends, np.append(column.before.held.sizes(), 0)[place])
        size_class = np.where(place < 0, -1, size_class)
        is_changed = _changed_transitions(plan, j)
        losses[name] = [
            _sum_losses(_size_words(one), plan.count[mine], apart[mine], is_changed[mine])
            for one in np.unique(size_class).tolist()
            for mine in [size_class == one]
        ]
    return losses


def _changed_transitions(plan: Transitions, j: int) -> Flags:
    original = plan.tuples.attributes[j].target_of(plan.tuples.codes[j])
    return np.asarray(original[plan.source] != plan.targets[plan.target, j])


def _size_words(size_class: int) -> str:
    if size_class < 0:
        return "missing"
    if size_class == len(SET_SIZES):
        return f"more than {SET_SIZES[-1]}"
    low = SET_SIZES[size_class - 1] + 1 if size_class else 0
    high = SET_SIZES[size_class]
    return f"{low}" if low == high else f"{low}–{high}"


def _sum_losses(words: str, count: Longs, apart: Floats, is_changed: Flags) -> SetSizeLoss:
    records = int(count.sum())
    return SetSizeLoss(
        words,
        records,
        int(count[is_changed].sum()),
        float(count @ apart**2),
        float(count @ apart) / records,
    )


# ---------------------------------------------------------------------- values


@dataclass(frozen=True)
class KeptValues:
    """What became of the values of sets, each counted once for every record that has it.

    Attributes:
        records: Number of records with such a value.
        changed: Number of records in which such a value was not kept.
        kept: Values that follow from the released set: it holds them, or something more specific.
        generalised: Values of which it holds an ancestor below the root instead.
        lost: Values of which it says nothing.
    """

    records: int
    changed: int
    kept: int
    generalised: int
    lost: int

    @property
    def values(self) -> int:
        """The number of all values."""
        return self.kept + self.generalised + self.lost

    def share(self, number: int) -> float | None:
        """A number of values as a share of all; None if there are none."""
        return number / self.values if self.values else None


def kept_values(plan: Transitions) -> dict[str, KeptValues]:
    """What became of the values of each column of sets: kept, generalised or lost.

    With :math:`x` a value of an original set and :math:`Y` the released set of its record, x is
    *kept* if it is in Y or above a concept of Y, otherwise *generalised* if Y holds a concept above
    it other than the root, and otherwise *lost*. All values of a suppressed set are lost.

    >>> import pandas as pd
    >>> import ontomask as om
    >>> cells = ["influenza;broken arm", "common cold;broken leg", "hepatitis B;sprain"]
    >>> schema = om.Schema([om.NominalSet("dx", om.datasets.diagnoses())])
    >>> release = om.mask(pd.DataFrame({"dx": cells}), schema, om.Microaggregation(k=3))
    >>> release.data["dx"].tolist()[0]
    'fracture;viral infection'
    >>> kept_values(release.transitions)["dx"]
    KeptValues(records=3, changed=3, kept=0, generalised=5, lost=1)
    """
    return {name: whole for name, (whole, _) in _judge_columns(plan).items()}


def kept_by_branch(plan: Transitions) -> dict[str, dict[Concept, KeptValues]]:
    """The same for the values of each branch, those with the most records first.

    A value with several parents may be in several branches. A value that is in none, such as the
    root, is counted at the root.
    """
    return {name: branches for name, (_, branches) in _judge_columns(plan).items()}


@cache_per_plan
def _judge_columns(plan: Transitions) -> dict[str, tuple[KeptValues, dict[Concept, KeptValues]]]:
    return {
        name: _judge_values(column, plan.count) for name, (_, column) in _set_columns(plan).items()
    }


def _judge_values(column: _SetColumn, count: Longs) -> tuple[KeptValues, dict[Concept, KeptValues]]:
    top, branches = _top_branches(column.domain)
    used = np.unique(column.before.held.concepts).astype(np.int64)
    start, ancestors, _ = ancestor_lists(column.domain, used.astype(np.int32))
    above = ancestors.astype(np.int64)
    inside = _branches_of_values(start, above, top, branches)
    # By branch, that of no branch and that of all: records, changed records; values by fate.
    records, changed = np.zeros((2, len(branches) + 2), dtype=np.int64)
    values = np.zeros((3, len(branches) + 2), dtype=np.int64)
    for transition, value, fate in _fates(column, used, start, above, top):
        owner, branch = _spread(inside, value)
        for numbers, chosen in ((records, slice(None)), (changed, fate[owner] > 0)):
            mine = np.unique(transition[owner][chosen] * len(records) + branch[chosen])
            held = np.bincount(mine % len(records), count[mine // len(records)], len(records))
            numbers += held.astype(np.int64)
        weight = count[transition][owner]
        for number in range(3):
            chosen = fate[owner] == number
            counts = np.bincount(branch[chosen], weight[chosen], len(records))
            values[number] += counts.astype(np.int64)
    rows = [KeptValues(*row) for row in np.vstack([records, changed, values]).T.tolist()]
    *parts, whole = rows
    names = [column.domain.identifiers[code] for code in [*branches.tolist(), top]]
    found = [(-part.records, name, part) for name, part in zip(names, parts, strict=True)]
    return whole, {
        name: part for records, name, part in sorted(found, key=itemgetter(0, 1)) if records
    }


def _branches_of_values(start: Longs, above: Longs, top: int, branches: Longs) -> ConceptSets:
    """The branches of each value by their places, and one more that stands for all values."""
    size = len(start) - 1
    owner = np.repeat(np.arange(size), np.diff(start))
    place = np.searchsorted(branches, above)
    known = np.append(branches, -1)[place] == above
    outside = np.setdiff1d(np.arange(size), owner[known])
    return ConceptSets.from_pairs(
        np.concatenate([owner[known], outside, np.arange(size)]),
        np.concatenate(
            [place[known], np.full(len(outside), len(branches)), np.full(size, len(branches) + 1)]
        ),
        size,
    )


def _spread(sets: ConceptSets, places: Longs) -> tuple[Longs, Longs]:
    """The elements of some sets, and the position in ``places`` that each belongs to."""
    taken = sets.take(places)
    return taken.owners(), taken.concepts.astype(np.int64)


def _fates(
    column: _SetColumn, used: Longs, start: Longs, above: Longs, top: int
) -> Iterator[tuple[Longs, Longs, Longs]]:
    """For every value of every transition: which they are, and 0 if kept, 1 generalised, 2 lost.

    Values are given by their places in ``used``.
    """
    ancestors = ConceptSets(start, above.astype(np.int32))
    shown, implied = _sorted_keys(column.after.held), _sorted_keys(column.after.closed)
    present = np.flatnonzero(column.before.place >= 0)
    for first in range(0, len(present), AT_A_TIME):
        transitions = present[first : first + AT_A_TIME]
        owner, concept = _spread(column.before.held, column.before.place[transitions])
        goal = column.after.place[transitions][owner]
        value = np.searchsorted(used, concept)
        line, higher = _spread(ancestors, value)
        says_more = (higher > top) & _contains(shown, goal[line], higher)
        is_general = np.bincount(line[says_more], minlength=len(value)) > 0
        is_kept = _contains(implied, goal, concept)
        yield transitions[owner], value, np.where(is_kept, 0, np.where(is_general, 1, 2))


def _sorted_keys(sets: ConceptSets) -> Longs:
    return (sets.owners() << 32) | sets.concepts


def _contains(keys: Longs, owner: Longs, concept: Longs) -> Flags:
    """Whether each set, -1 for none, holds a concept."""
    wanted = (owner << 32) | concept
    place = np.searchsorted(keys, wanted)
    return np.asarray((owner >= 0) & (np.append(keys, -1)[place] == wanted))


# ---------------------------------------------------------------------- pairs of branches


@dataclass(frozen=True, eq=False)
class SetBranches:
    """How many records hold values of two branches, before and after masking.

    Attributes:
        branches: The branches that the most records held before, at most 20.
        records: Number of records with a set, before and after.
        before: Number of records that hold both branches; in the diagonal, one.
        after: The same after masking.
    """

    branches: tuple[Concept, ...]
    records: tuple[int, int]
    before: Longs
    after: Longs

    def lifts(self, side: int) -> Floats:
        """The records that hold both branches, divided by the number expected by chance."""
        both = (self.before, self.after)[side].astype(float)
        expected = np.outer(both.diagonal(), both.diagonal()) / max(self.records[side], 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(expected > 0, both / expected, np.nan)

    def correlations(self) -> Correlations:
        """The distance correlations of every two branches."""
        tables = [
            _correlate(both.astype(float), n)
            for both, n in zip((self.before, self.after), self.records, strict=True)
        ]
        return Correlations(self.branches, tables[0], tables[1], self.records[0])


def _correlate(both: Floats, n: int) -> Floats:
    """The absolute correlation of columns of yes and no; 0 where one of them is constant."""
    one = both.diagonal()
    variances = one * (n - one)
    scale = np.sqrt(np.outer(variances, variances))
    apart = np.abs(n * both - np.outer(one, one))
    return np.divide(apart, scale, out=np.zeros_like(apart), where=scale > 0)


@cache_per_plan
def count_branches(plan: Transitions) -> dict[str, SetBranches]:
    """Count the records that hold values of every two branches of each column of sets."""
    counts = {}
    for name, (_, column) in _set_columns(plan).items():
        _, branches = _top_branches(column.domain)
        weights = [_count_records(side, plan.count) for side in (column.before, column.after)]
        held = weights[0] @ _membership(column.before, branches)
        most = np.argsort(-held, kind="stable")[:MOST_BRANCHES]
        chosen = branches[np.sort(most[held[most] > 0])]
        before, after = (
            _count_together(_membership(side, chosen), records)
            for side, records in zip((column.before, column.after), weights, strict=True)
        )
        names = tuple(column.domain.identifiers[code] for code in chosen.tolist())
        records = int(weights[0].sum()), int(weights[1].sum())
        counts[name] = SetBranches(names, records, before, after)
    return counts


def _count_records(side: _SetSide, count: Longs) -> Longs:
    """The number of records with each distinct set."""
    present = side.place >= 0
    sums = np.bincount(side.place[present], count[present], minlength=len(side.held))
    return sums.astype(np.int64)


def _membership(side: _SetSide, branches: Longs) -> Any:
    """Which sets (rows) hold values of which branches (columns), sparse."""
    from scipy.sparse import csr_array

    owner, concepts = side.closed.owners(), side.closed.concepts
    place = np.searchsorted(branches, concepts)
    known = np.append(branches, -1)[place] == concepts
    ones = np.ones(int(known.sum()), dtype=np.int64)
    return csr_array((ones, (owner[known], place[known])), shape=(len(side.held), len(branches)))


def _count_together(membership: Any, records: Longs) -> Longs:
    weighted = membership.multiply(records[:, None]).tocsr()
    together: Longs = (membership.T @ weighted).toarray()
    return together


class BranchLift(NamedTuple):
    """How much more often than by chance two branches occur together.

    Attributes:
        first: A branch.
        second: Another branch.
        records_before: Number of records with values of both.
        records_after: The same after masking.
        lift_before: That number divided by the one expected if the two were independent.
        lift_after: The same after masking; None if a branch has no records.
    """

    first: Concept
    second: Concept
    records_before: int
    records_after: int
    lift_before: float
    lift_after: float | None


def branch_lifts(plan: Transitions, most: int = 20) -> dict[str, list[BranchLift]]:
    r"""The lift of the pairs of branches that occur together in the most records.

    .. math:: lift(a, b) = \frac{n \cdot n_{ab}}{n_a \, n_b}

    :math:`n_a` of the n records with a set hold a value of branch a, :math:`n_{ab}` of both. It is
    1 if the branches are independent. The nearer it is before and after, the better.

    Args:
        plan: The transitions of a release.
        most: Number of pairs.

    Returns:
        By column the pairs, the most frequent ones of the original table first.
    """
    pairs = {}
    for name, counts in count_branches(plan).items():
        first, second = np.triu_indices(len(counts.branches), 1)
        order = np.argsort(-counts.before[first, second], kind="stable")[:most]
        order = order[counts.before[first, second][order] > 0]
        before, after = counts.lifts(0), counts.lifts(1)
        pairs[name] = [
            BranchLift(
                counts.branches[a],
                counts.branches[b],
                int(counts.before[a, b]),
                int(counts.after[a, b]),
                float(before[a, b]),
                None if np.isnan(after[a, b]) else float(after[a, b]),
            )
            for a, b in zip(first[order].tolist(), second[order].tolist(), strict=True)
        ]
    return pairs


def branch_correlations(plan: Transitions) -> dict[str, Correlations]:
    r"""Distance correlation of every two branches before and after masking.

    .. math:: sdCor(a, b) = \frac{|n\, n_{ab} - n_a n_b|}{\sqrt{n_a (n - n_a)\, n_b (n - n_b)}}

    It is the :func:`~ontomask.statistics.distance_correlation` (RS eq. 16) of the two columns that
    say whether each record holds a value of branch a, and of branch b; counts are as in
    :func:`branch_lifts`. Only the 20 branches that the most records held are compared.

    Returns:
        By column two matrices with numbers from 0 (independent) to 1. A lower difference is better.
    """
    return {name: counts.correlations() for name, counts in count_branches(plan).items()}

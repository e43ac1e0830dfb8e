"""People whose records stay linked: an attacker who knows all rows of a person looks for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.progress import TimeLeft, report_progress
from ontomask.errors import ParameterError
from ontomask.microdata.attributes import MISSING, Attribute, NominalAttribute
from ontomask.microdata.grouped_rows import count_people
from ontomask.microdata.linked_records import LinkedRecords
from ontomask.microdata.sets import ConceptSets, distinct_sets
from ontomask.microdata.tuples import Transitions, Tuples
from ontomask.risk.linkage import LinkageSearch, has_no_zero_distance, wilson_interval
from ontomask.risk.released_classes import number_linked_classes

__all__ = ["LinkedRows", "PeopleLinkage", "linkage_of_people"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: Pairs of an original and a released row that are compared; of more, people are sampled.
MOST_PAIRS = 1_000_000_000
#: A sample is never smaller than this (unless the table is).
SMALLEST_SAMPLE = 1_000
#: Distances of rows, or of pairs of rows, that are held at a time.
CELLS_AT_A_TIME = 4_000_000


@dataclass(frozen=True, eq=False)
class LinkedRows:
    """The original rows of each person, and the released rows of each pseudonym.

    Attributes:
        person: A person, by number.
        source: The tuple of some original rows of this person.
        count: How many rows these are.
        pseudonym: A pseudonym, by number.
        target: The target of some released rows of this pseudonym.
        released: How many rows these are.
        owner: The person of each pseudonym. Several pseudonyms may be of one person.
    """

    person: Longs
    source: Longs
    count: Longs
    pseudonym: Longs
    target: Longs
    released: Longs
    owner: Longs

    @property
    def people(self) -> int:
        """How many people there are."""
        return int(self.person.max(initial=-1)) + 1

    @classmethod
    def of_records(cls, records: LinkedRecords) -> LinkedRows:
        """Records that are released as they are: every person with one pseudonym."""
        rows = records.person, records.tuple_number, records.count
        return cls(*rows, *rows, np.arange(records.people))

    def unmasked(self) -> LinkedRows:
        """Every person with one pseudonym and the original rows."""
        everybody = np.arange(self.people)
        original = self.person, self.source, self.count
        return LinkedRows(*original, *original, everybody)

    def class_sizes(self, looks: Longs | None = None) -> Longs:
        """Number of people in each equivalence class of linked people, once each.

        A class consists of the people with the same released rows. ``looks`` is what each target
        looks like, by number.
        """
        target = self.target if looks is None else looks[self.target]
        classes = number_linked_classes(target, self.pseudonym, self.released)
        return count_people(classes, self.owner[self.pseudonym])


@dataclass(frozen=True)
class PeopleLinkage:
    """The result of linking people to their nearest pseudonyms.

    Attributes:
        linked: Share of people linked correctly, from 0 to 1; lower is better. If several
            pseudonyms are equally near, each counts with an equal share.
        people: Number of people in the experiment.
        sampled: Whether they are a sample.
        interval: 95 % confidence interval of ``linked`` for a sample; otherwise None.
    """

    linked: float
    people: int
    sampled: bool = False
    interval: tuple[float, float] | None = None


def linkage_of_people(
    plan: Transitions,
    rows: LinkedRows,
    most: int = MOST_PAIRS,
    random: np.random.Generator | None = None,
) -> PeopleLinkage:
    r"""Record linkage of linked people: link all rows of each person to the nearest pseudonyms.

    .. math:: P(p) = \frac{|\{q \in N_p : \text{person}(q) = p\}|}{|N_p|}

    :math:`N_p` are the pseudonyms whose released rows are at the smallest distance from the
    original rows of person :math:`p`. The rows of both are matched at the least cost: a pair of
    rows costs their distance, as in :func:`~ontomask.risk.linkage_nearest`; every row too many on
    either side costs 1, and so does a released row with only suppressed values. ``linked`` is the
    mean of :math:`P` over all people. People without a released row are never linked; a person
    with several pseudonyms is linked by any of them.

    Args:
        plan: The transitions of a release.
        rows: The rows by person and by pseudonym, with the tuples and targets of the plan.
        most: The result is exact up to this number of pairs of an original and a released row, each
            combination of rows counted once. Beyond that, a random sample of people is linked
            against all pseudonyms.
        random: The generator that draws the sample. Without it, the sample is always the same.

    Returns:
        The share. If it comes from a sample, ``interval`` is Wilson's 95 % interval.

    >>> from ontomask.microdata.attributes import NumericalAttribute
    >>> from ontomask.microdata.tuples import count_tuples
    >>> age = NumericalAttribute("age", np.array([30.0, 40.0, 50.0]))
    >>> tuples, place = count_tuples([age], [np.array([0, 1, 2])])
    >>> plan = Transitions.from_targets(tuples, np.array([[31.0], [44.0]]), np.array([0, 1, 1]))
    >>> ones, owner = np.ones(3, dtype=np.int64), np.array([0, 0, 1])
    >>> rows = LinkedRows(owner, place, ones, owner, np.array([0, 1, 1]), ones, np.array([0, 1]))
    >>> linkage_of_people(plan, rows).linked  # 30 and 40 are nearest to 31 and 44, and 50 to 44
    1.0
    """
    if most < 1:
        raise ParameterError(f"most must be a positive integer, got {most!r}")
    bags = distinct_sets(_collect_bags(rows.person, rows.source, rows.count, rows.people))
    shown = distinct_sets(
        _collect_bags(rows.pseudonym, rows.target, rows.released, len(rows.owner))
    )
    people, sampled = _choose_people(rows.people, bags.sets, shown.sets, most, random)
    # Each pair of a chosen person and a released bag that the person has, and how many times.
    is_chosen = np.zeros(rows.people, dtype=bool)
    is_chosen[people] = True
    own = np.flatnonzero(is_chosen[rows.owner])
    if not own.size:
        return PeopleLinkage(0.0, len(people), sampled, None)
    pair = rows.owner[own] * len(shown.sets) + shown.place[own]
    pair, times = np.unique(pair, return_counts=True)
    person, released = np.divmod(pair, len(shown.sets))
    search = _PseudonymSearch.of_bags(plan, bags.sets, shown.sets, shown.counts, bags.place[person])
    right = search.count_own(bags.place[person], released, times, person, rows.people)
    linked = float(right.sum()) / max(len(people), 1)
    interval = wilson_interval(linked, len(people)) if sampled else None
    return PeopleLinkage(linked, len(people), sampled, interval)


def linkage_of_unmasked_people(tuples: Tuples, rows: LinkedRows) -> PeopleLinkage:
    """The same for unmasked rows: whoever has the same rows as others is one of them."""
    attributes = tuples.attributes
    heaviest = max(attribute.weight for attribute in attributes)
    if all(has_no_zero_distance(attribute, heaviest) for attribute in attributes):
        bags = distinct_sets(_collect_bags(rows.person, rows.source, rows.count, rows.people))
        return PeopleLinkage(len(bags.sets) / max(rows.people, 1), rows.people)
    every = np.arange(len(tuples))
    plan = Transitions(tuples, tuples.targets(), every, every, tuples.counts)
    return linkage_of_people(plan, rows)


def _collect_bags(owner: Longs, item: Longs, count: Longs, size: int) -> ConceptSets:
    """The items of each owner, ascending, each as often as it is counted."""
    order = np.lexsort((item, owner))
    sizes = np.bincount(owner, weights=count, minlength=size).astype(np.int64)
    items = np.repeat(item[order], count[order])
    return ConceptSets(np.append(0, np.cumsum(sizes)), items.astype(np.int32))


def _choose_people(
    people: int,
    bags: ConceptSets,
    shown: ConceptSets,
    most: int,
    random: np.random.Generator | None,
) -> tuple[Longs, bool]:
    """The people who are linked, and whether they are a sample."""
    pairs = len(bags.concepts) * len(shown.concepts)
    size = max(SMALLEST_SAMPLE, int(people * (most / max(pairs, 1))))
    if pairs <= most or size >= people:
        return np.arange(people), False
    random = random or np.random.default_rng(0)
    return np.sort(random.choice(people, size, replace=False, shuffle=False)), True


@dataclass(frozen=True, eq=False)
class _PseudonymSearch:
    """Bags of tuples, and released bags of targets, each with the number of its pseudonyms.

    ``places`` are the numbers of the bags among all.
    """

    search: LinkageSearch
    is_blank: NDArray[np.bool_]
    whole: int
    bags: ConceptSets
    places: Longs
    shown: ConceptSets
    holders: Longs

    @classmethod
    def of_bags(
        cls,
        plan: Transitions,
        bags: ConceptSets,
        shown: ConceptSets,
        holders: Longs,
        wanted: Longs,
    ) -> _PseudonymSearch:
        """The search for some of the bags; only their tuples and values are looked at."""
        places = np.unique(wanted)
        bags = bags.take(places)
        used, items = np.unique(bags.concepts, return_inverse=True)
        seen, targets = np.unique(shown.concepts, return_inverse=True)
        tuples, goals = _restrict(plan, used.astype(np.int64), seen.astype(np.int64))
        search = LinkageSearch(tuples, goals)
        return cls(
            search,
            plan.suppressed_targets[seen],
            max(round(sum(search.factors)), 1),
            ConceptSets(bags.offsets, items.ravel().astype(np.int32)),
            places,
            ConceptSets(shown.offsets, targets.ravel().astype(np.int32)),
            holders,
        )

    def count_own(
        self, bag: Longs, released: Longs, times: Longs, person: Longs, people: int
    ) -> Floats:
        """The probability that each person is linked correctly.

        The arguments are parallel: a bag, a released bag, and how many pseudonyms with it the
        person has.
        """
        place = np.searchsorted(self.places, bag)
        pairs, which = np.unique(place * len(self.shown) + released, return_inverse=True)
        own = self._distances(*np.divmod(pairs, len(self.shown)))[which.ravel()]
        least = np.full(len(self.bags), np.iinfo(np.int64).max)
        np.minimum.at(least, place, own)
        sharers = self._find_nearest(least)
        is_nearest = own == least[place]
        right = np.zeros(people)
        np.add.at(right, person[is_nearest], times[is_nearest] / sharers[place[is_nearest]])
        return right

    def _distances(self, bag: Longs, released: Longs) -> Longs:
        """The distances of pairs of a bag and a released bag."""
        from ontomask.risk.bag_kernels import match_row_costs

        own_many, many = self.bags.sizes()[bag], self.shown.sizes()[released]
        out = np.empty(len(bag), dtype=np.int64)
        cells = own_many * many
        for part in _split_by_size(cells):
            begin = np.append(0, np.cumsum(cells[part]))
            pair = np.repeat(np.arange(part.start, part.stop), cells[part])
            j, i = np.divmod(np.arange(begin[-1]) - begin[pair - part.start], own_many[pair])
            targets = self.shown.concepts[self.shown.offsets[released[pair]] + j]
            tuples = self.bags.concepts[self.bags.offsets[bag[pair]] + i]
            costs = self.search.distances(targets, tuples)
            costs[self.is_blank[targets]] = self.whole
            match_row_costs(costs, begin, many[part], own_many[part], self.whole, out[part])
        return out

    def _find_nearest(self, least: Longs) -> Longs:
        """How many pseudonyms are at the least distance of each bag.

        ``least`` holds distances at which there is one, and becomes the least ones.
        """
        from ontomask.risk.bag_kernels import link_bags, measure_tuples

        search, sharers = self.search, np.zeros(len(self.bags), dtype=np.int64)
        # Few rows first: most people have few, and find their nearest soon.
        order = np.argsort(self.shown.sizes(), kind="stable")
        shown, holders = self.shown.take(order), self.holders[order]
        own_rows = self.bags.concepts.astype(np.int64)
        at_a_time = max(CELLS_AT_A_TIME // max(len(search.tuples), 1), 1)
        blocks = list(_split_by_size(shown.sizes(), at_a_time))
        time_left = TimeLeft(len(blocks))
        for turn, block in enumerate(blocks):
            report_progress(
                f"linking people to pseudonyms: {100 * turn // len(blocks)} %"
                f"{time_left.describe_after(turn)}"
            )
            part = shown.take(np.arange(block.start, block.stop))
            targets, rows = np.unique(part.concepts, return_inverse=True)
            between = np.empty((len(targets), len(search.tuples)), dtype=np.int64)
            measure_tuples(
                search.offset,
                *search.tables(targets.astype(np.int64)),
                search.targets[targets],
                search.numbers,
                search.unit,
                search.codes,
                self.is_blank[targets],
                self.whole,
                between,
            )
            link_bags(
                between,
                part.offsets,
                rows.ravel().astype(np.int64),
                holders[block],
                self.bags.offsets,
                own_rows,
                self.whole,
                least,
                sharers,
            )
        return sharers


def _split_by_size(sizes: Longs, most: int = CELLS_AT_A_TIME) -> Iterator[slice]:
    """Blocks whose sizes add up to ``most``, or of one element."""
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + most, side="right")), start + 1)
        yield slice(start, stop)
        start = stop


def _restrict(plan: Transitions, used: Longs, seen: Longs) -> tuple[Tuples, Floats]:
    """Some of the tuples and targets of a plan; of few tuples, with only the values they need."""
    codes, targets = plan.tuples.codes[:, used], plan.targets[seen]
    if 2 * len(used) > len(plan.tuples):  # the tables of the whole plan are there already
        return Tuples(plan.tuples.attributes, codes, plan.tuples.counts[used]), targets
    parts = [
        _restrict_attribute(attribute, codes[j], targets[:, j])
        for j, attribute in enumerate(plan.tuples.attributes)
    ]
    attributes, places, goals = zip(*parts, strict=True)
    restricted = Tuples(attributes, np.array(places, dtype=np.int32), plan.tuples.counts[used])
    return restricted, np.column_stack(goals)


def _restrict_attribute(
    attribute: Attribute, codes: NDArray[np.int32], targets: Floats
) -> tuple[Attribute, Longs, Floats]:
    used, place = np.unique(codes, return_inverse=True)
    if not isinstance(attribute, NominalAttribute):
        return attribute.restrict_to(used), place.ravel(), targets
    known = [attribute.values[value] for value in used.tolist() if value < len(attribute.values)]
    is_missing = codes >= len(attribute.values)  # the last value
    goals = np.unique(targets[~np.isnan(targets)]).astype(np.int64)
    concepts = [attribute.candidates[goal] for goal in goals.tolist()]
    others = tuple(concept for concept in concepts if concept != MISSING)
    smaller = replace(attribute, values=known, others=others)
    places = np.array([*(smaller.places[concept] for concept in concepts), np.nan])
    goal = np.searchsorted(goals, np.where(np.isnan(targets), np.inf, targets))
    return smaller, np.where(is_missing, len(known), place.ravel()), places[goal]

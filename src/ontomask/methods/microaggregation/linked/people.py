"""Grouping of linked people: which row is released as which, under which pseudonym."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.methods.microaggregation.linked.orders import list_bag_orders
from ontomask.methods.microaggregation.linked.space import build_bag_space, build_row_space
from ontomask.methods.microaggregation.merging.group_search import GroupSearch
from ontomask.methods.microaggregation.merging.merge import FEW
from ontomask.methods.microaggregation.merging.rules import GroupRule, encode_rules
from ontomask.methods.microaggregation.merging.rules_kernels import DISTINCT
from ontomask.methods.microaggregation.sets.columns import (
    name_centroids,
    read_closures,
)
from ontomask.methods.operators import Operators
from ontomask.microdata.attributes import Attribute, NominalAttribute
from ontomask.microdata.linked_records import RowKinds
from ontomask.microdata.sets import ConceptSets, distinct_sets
from ontomask.microdata.sets.set_concepts import has_sets
from ontomask.microdata.tuples import SensitiveCounts

__all__ = ["LinkedPeople", "link_people"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]

#: Bags that are listed for each bag, and compared with it in each order.
LISTED, WINDOW, FIRST = 16, 6, 6
#: What a surplus row costs where only bags of the same size are to be grouped, and as a whole.
PRICE_OF_UNEQUAL, PRICE_OF_ROW = 1000.0, 1.0
#: How often surplus rows get a pseudonym of their own.
SPLITS = 2
#: How often groups are formed again where dropped rows were needed for a rule.
REPAIRS = 3


class LinkedPeople(NamedTuple):
    """What the records of linked people are released as.

    Attributes:
        pseudonym: For each record, the number of its pseudonym; people who are not split have one.
        target: For each record, the row of ``targets`` that it becomes; -1 if it is dropped.
        group: For each record, the equivalence class of its pseudonym; -1 if it is dropped.
        targets: Rows of targets of the attributes.
        cost: The summed cost of the records that are kept.
        attributes: The attributes, with the sets that rows became.
    """

    pseudonym: Longs
    target: Longs
    group: Longs
    targets: Floats
    cost: float
    attributes: tuple[Attribute, ...]

    @property
    def dropped(self) -> int:
        """How many records are dropped."""
        return int((self.target < 0).sum())


def link_people(
    operators: Operators,
    record_tuple: Longs,
    person: Longs,
    k: int,
    *,
    linked: Literal["equal", "drop", "split"] = "equal",
    link_price: float = 0.3,
    objective: Literal["sse", "sad"] = "sse",
    centroid: Literal["rule", "best"] = "rule",
    rules: Sequence[GroupRule] = (),
    kinds: RowKinds | None = None,
) -> LinkedPeople:
    """Groups of at least ``k`` people who are released with the same bag of rows.

    Args:
        operators: The distinct rows and how they are compared, with the distance ``"mean"``.
        record_tuple: Which of them each record is.
        person: The person of each record, any number.
        k: The least number of people who share a bag.
        linked: What becomes of people with different numbers of rows. ``"equal"`` groups people
            with the same number, and drops rows only where there are fewer than k of them;
            ``"drop"`` drops surplus rows where that loses less, at the price of a row that is lost
            as a whole; ``"split"`` releases surplus rows under another pseudonym, and drops none
            unless fewer than k people have as many rows.
        link_price: What a link between rows of a person is worth with ``"split"``, on the scale of
            the cost of a row; the lower, the more links are broken.
        objective: ``"sse"`` for squared distances of rows, ``"sad"`` for the distances themselves.
        centroid: Of words: by the rule, or the candidate with the least cost.
        rules: What the released rows of every group must be as well: l-diversity, t-closeness. The
            counts are those of records, by their place in ``record_tuple``. Each row that all of a
            group share must keep a rule, too; it is dropped if it cannot.
        kinds: The kinds of the rows: those of one kind are compared by the attributes that it has,
            and are never matched with others. Without it, all rows have all attributes.

    Returns:
        What each record is released as. The pieces of a person count once, so that k different
        people share every bag.
    """
    rules = [(_add_table_counts(column), kind, limit) for column, kind, limit in rules]
    people = np.unique(person, return_inverse=True)[1].ravel()
    price = {"equal": PRICE_OF_UNEQUAL, "drop": PRICE_OF_ROW, "split": link_price}[linked]
    kinds = kinds or RowKinds.of_one(operators.tuples)
    record_kind = kinds.kind[record_tuple]

    def group(pieces: Longs, price: float, known: _Known | None, kept: Flags) -> _Grouped:
        return _group_pieces(
            operators,
            kinds,
            record_tuple,
            people,
            pieces,
            known,
            k,
            price,
            objective,
            centroid,
            [(_take_records(column, kept), kind, limit) for column, kind, limit in rules],
        )

    every = np.ones(len(people), dtype=bool)
    grouped = group(people, price, None, every)
    if linked == "split":
        for turn in range(SPLITS):
            pieces = grouped.pieces
            surplus = np.flatnonzero(grouped.target < 0)
            if not surplus.size:
                break
            # What one pseudonym loses goes to one other, at first; then each row to its own.
            owner = pieces[surplus] if turn == 0 else np.arange(surplus.size)
            pieces = pieces.copy()
            pieces[surplus] = pieces.max() + 1 + np.unique(owner, return_inverse=True)[1].ravel()
            is_last = turn == SPLITS - 1
            price = PRICE_OF_UNEQUAL if is_last else link_price
            grouped = group(pieces, price, _Known(grouped.group, grouped.search, is_last), every)
    # Groups were formed as if all rows were released; what was dropped may have kept a rule.
    for _ in range(REPAIRS):
        if not _find_broken_groups(grouped.group, record_kind, rules).any():
            break
        kept = grouped.target >= 0
        grouped = group(grouped.pieces, price, _Known(grouped.group, grouped.search, True), kept)
    # Attackers may tell the rows of a group apart: each of them must keep the rules alone.
    return _drop_rows(grouped, _find_broken_groups(grouped.target, record_kind, rules))


class _Grouped(NamedTuple):
    """What records become, by pseudonym: see :class:`LinkedPeople`; and what each record costs."""

    pieces: Longs
    target: Longs
    group: Longs
    targets: Floats
    costs: Floats
    search: _BagSearch


class _Known(NamedTuple):
    """What is known from the search before: its groups of records, and whether all is settled."""

    group: Longs
    search: _BagSearch
    is_last: bool


def _group_pieces(
    operators: Operators,
    kinds: RowKinds,
    record_tuple: Longs,
    people: Longs,
    pieces: Longs,
    known: _Known | None,
    k: int,
    price: float,
    objective: str,
    centroid: str,
    record_rules: Sequence[GroupRule],
) -> _Grouped:
    """Group the bags of all pseudonyms."""
    from ontomask.methods.microaggregation.linked import bag_kernels

    order = np.lexsort((record_tuple, pieces))
    sizes = np.bincount(pieces)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    distinct = distinct_sets(ConceptSets(offsets, record_tuple[order].astype(np.int32)))
    first = order[offsets[:-1]]  # a record of each piece
    rules = _people_rule(distinct.place, people[first], k) if len(sizes) > people.max() + 1 else []
    bag = distinct.place[pieces]
    rules += [(replace(c, tuple=bag[c.tuple]), kind, limit) for c, kind, limit in record_rules]
    search = _BagSearch(
        operators,
        kinds,
        distinct.sets,
        distinct.counts,
        k,
        price,
        objective,
        centroid,
        rules,
        None if known is None else known.search,
    )
    if known is not None:
        former = np.full(len(distinct.counts), -1)
        np.maximum.at(former, bag, known.group)
        search.put_together(former, known.is_last)
    search.run()
    grouping = search.result()
    bags = search.bags
    slot = np.empty(len(bags.concepts), dtype=np.int64)
    row_costs = np.empty(len(bags.concepts))
    bag_kernels.match_bags(search.bundle, grouping.group, grouping.centroids, slot, row_costs)
    # The rows of a bag are in the order of those of its pieces.
    row = np.arange(len(order)) - offsets[pieces[order]] + bags.offsets[bag[order]]
    start = np.concatenate(([0], np.cumsum(grouping.centroids[:, 1]))).astype(np.int64)
    source = np.concatenate([np.arange(int(f), int(f) + int(n)) for f, n in grouping.centroids])
    group, target = np.full(len(order), -1), np.full(len(order), -1)
    kept = slot[row] >= 0
    mine = grouping.group[bag[order]]
    target[order] = np.where(kept, start[mine] + slot[row], -1)
    group[order] = np.where(kept, mine, -1)
    costs = np.empty(len(order))
    costs[order] = row_costs[row]
    return _Grouped(pieces, target, group, search.space.slots[source, :-1], costs, search)


def _add_table_counts(column: SensitiveCounts) -> SensitiveCounts:
    """The column with the counts of the whole table, which stay when records are left out."""
    if column.table_counts is not None:
        return column
    counts = np.bincount(column.value, weights=column.count).astype(np.int64)
    return replace(column, table_counts=counts)


def _take_records(column: SensitiveCounts, kept: Flags) -> SensitiveCounts:
    """The values of some records."""
    mine = kept[column.tuple]
    return replace(
        column, tuple=column.tuple[mine], value=column.value[mine], count=column.count[mine]
    )


def _find_broken_groups(group: Longs, record_kind: Longs, rules: Sequence[GroupRule]) -> Flags:
    """Which groups of records do not keep the rules; those of the group -1 are not released.

    A rule of a column is for groups that have rows with this column.
    """
    from ontomask.methods.microaggregation.merging.bundles import bundle_arrays
    from ontomask.methods.microaggregation.merging.rules_kernels import keeps_rule

    groups = int(group.max(initial=-1)) + 1
    broken = np.zeros(groups, dtype=bool)
    wanted, concerned = [], []
    for column, kind, limit in rules:
        released = _take_records(column, group >= 0)
        by_group = replace(released, tuple=group[released.tuple], of_kinds=None)
        wanted.append((by_group, kind, limit))
        has_column = np.full(len(group), True)
        if column.of_kinds is not None:
            has_column = column.of_kinds[record_kind]
        concerned.append(np.unique(group[has_column & (group >= 0)]))
    if not rules:
        return broken
    encoded = bundle_arrays(encode_rules(groups, 0, wanted, np.arange(groups)))
    for r, concerned_groups in enumerate(concerned):
        for g in concerned_groups.tolist():
            broken[g] |= not keeps_rule(encoded, r, np.array([g]), 1)
    return broken


def _drop_rows(grouped: _Grouped, drops: Flags) -> LinkedPeople:
    """What is released, without some rows of groups."""
    pieces, target, group, targets, costs, search = grouped
    is_dropped = (target < 0) | np.append(drops, True)[target]
    attributes = search.operators.tuples.attributes
    if any(map(has_sets, attributes)):
        attributes, targets = search.name_slots(targets)
    return LinkedPeople(
        pieces,
        np.where(is_dropped, -1, target),
        np.where(is_dropped, -1, group),
        targets,
        float(costs[~is_dropped].sum()),
        attributes,
    )


def _people_rule(bag: Longs, people: Longs, k: int) -> list[GroupRule]:
    """At least k people in every group; of a bag that k people share, k are enough to know."""
    pairs = np.unique((bag << 32) | people)
    owner = pairs >> 32
    few = pairs[np.arange(len(pairs)) - np.searchsorted(owner, owner) < k]
    ones = np.ones(len(few), dtype=np.int64)
    return [(SensitiveCounts("person", few >> 32, few & 0xFFFFFFFF, ones), DISTINCT, float(k))]


class _BagSearch(GroupSearch):
    """The state of a search for groups of bags."""

    def __init__(
        self,
        operators: Operators,
        kinds: RowKinds,
        bags: ConceptSets,
        counts: Longs,
        k: int,
        price: float,
        objective: str,
        centroid: str,
        rules: list[GroupRule],
        known: _BagSearch | None,
    ) -> None:
        from ontomask.methods.microaggregation.linked import bag_kernels

        self.bags, self.operators = bags, operators
        self.rows = build_row_space(operators, kinds, bags, counts, objective, centroid)
        self.space = build_bag_space(self.rows, bags, counts, price, objective)
        self.bundle = bag_kernels.bundle_bag_space(self.space)
        order = np.arange(len(bags))
        super().__init__(
            self.bundle,
            bag_kernels.allocate_bag_scratch(self.space, self.rows.scratch),
            self.space.weight,
            self.space.target,
            encode_rules(len(bags), k, rules, order),
            _find_neighbours(operators, kinds, bags, price, self.bundle, known),
            order,
        )

    def name_slots(self, slots: Floats) -> tuple[tuple[Attribute, ...], Floats]:
        """Slots as targets of the attributes, and the attributes, which the sets are added to."""
        attributes = self.operators.tuples.attributes
        columns = [a for a in attributes if isinstance(a, NominalAttribute) and has_sets(a)]
        sizes = [len(column.domain) + 1 for column in columns]
        closures = read_closures(sizes, self.rows.concepts, slots)
        return name_centroids(attributes, closures, slots[:, 2 * len(sizes) :])


def _find_neighbours(
    operators: Operators,
    kinds: RowKinds,
    bags: ConceptSets,
    price: float,
    space: object,
    known: _BagSearch | None,
) -> Ints:
    """The bags near each bag, nearest first; -1 where there are no more.

    Most are known from an earlier search for much the same bags.
    """
    from ontomask.methods.microaggregation.merging import neighbours_kernels

    listed = max(min(LISTED, len(bags) - 1), 1)
    near = np.full((len(bags), listed), -1, dtype=np.int32)
    far = np.full((len(bags), listed), np.inf, dtype=np.float32)
    if len(bags) <= FEW:
        neighbours_kernels.compare_all(space, near, far)
        return near
    if known is not None:
        neighbours_kernels.compare_listed(space, _translate_lists(known, bags), near, far)
    for turn, another in enumerate(list_bag_orders(operators, kinds, bags, price)):
        if known is None or turn % 4 == 0:
            neighbours_kernels.compare_next(space, another.astype(np.int32), WINDOW, near, far)
    if known is None:
        neighbours_kernels.compare_second(space, min(FIRST, listed), near, far)
    return near


def _translate_lists(known: _BagSearch, bags: ConceptSets) -> Ints:
    """The lists of an earlier search, by the numbers that the bags have now."""
    before = known.bags
    both = ConceptSets(
        np.concatenate([before.offsets, before.offsets[-1] + bags.offsets[1:]]),
        np.concatenate([before.concepts, bags.concepts]),
    )
    place = distinct_sets(both).place
    now = np.full(place.max() + 1, -1, dtype=np.int32)
    now[place[len(before) :]] = np.arange(len(bags), dtype=np.int32)
    number = now[place[: len(before)]]  # of the bags before; -1 where there is no such bag now
    lists = np.full((len(bags), known.near.shape[1]), -1, dtype=np.int32)
    stayed = number >= 0
    lists[number[stayed]] = np.where(known.near[stayed] >= 0, number[known.near[stayed]], -1)
    return lists

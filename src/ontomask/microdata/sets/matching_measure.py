"""The distance of sets by optimal matching, for those who ask which value became which."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.distances import Distances, find_measure, sanchez
from ontomask.distances.shared import SharedAncestors
from ontomask.microdata.sets.concept_sets import ConceptSets
from ontomask.microdata.sets.matching import match_sets
from ontomask.microdata.sets.set_concepts import SET_MEASURE, SetMeasure, members_of
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["MATCHING_MEASURE", "MEASURES_OF_SETS"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: Pairs whose members are compared at a time: a table of so many members is small.
AT_A_TIME = 500


def _pair(domain: Taxonomy, a: Concept, b: Concept) -> float:
    before, after = members_of(a), members_of(b)
    return match_sets(_tabulate(domain, before, after)).distance


def _tabulate(domain: Taxonomy, before: list[Concept], after: list[Concept]) -> Floats:
    cells = [sanchez(domain, one, other) for one in before for other in after]
    return np.array(cells, dtype=np.float64).reshape(len(before), len(after))


def _words(domain: Taxonomy, a: Concept, b: Concept) -> str:
    before, after = members_of(a), members_of(b)
    table = _tabulate(domain, before, after)
    partner = match_sets(table).partner
    larger = max(table.shape)
    costs = [table[row, other] for row, other in enumerate(partner.tolist()) if other >= 0]
    terms = [f"{cost:.3f}" for cost in costs] + ["1"] * (larger - len(costs))
    return f"the mean distance of the partners, 1 for none:\n({' + '.join(terms)})/{larger}"


def _sets_of(domain: Taxonomy, codes: NDArray[np.integer]) -> tuple[ConceptSets, NDArray[np.int32]]:
    """The members of some sets, by their places among the distinct ones; and these."""
    lists = [domain.codes(members_of(domain.identifiers[c])).tolist() for c in codes.tolist()]
    sets = ConceptSets.from_lists(lists)
    distinct, place = np.unique(sets.concepts, return_inverse=True)
    return ConceptSets(sets.offsets, place.ravel().astype(np.int32)), distinct


def _match(
    rows: ConceptSets, columns: ConceptSets, first: Longs, second: Longs, between: Floats
) -> Floats:
    from ontomask.microdata.sets import matching_kernels

    out = np.empty(len(first))
    matching_kernels.match_pairs(
        rows.offsets,
        rows.concepts,
        columns.offsets,
        columns.concepts,
        first,
        second,
        np.ascontiguousarray(between, dtype=np.float64),
        out,
    )
    return out


def _pairs(domain: Taxonomy, first: NDArray[np.integer], second: NDArray[np.integer]) -> Floats:
    """The distance of each set, by its number, to the one at the same place."""
    out = np.empty(len(first))
    for begin in range(0, len(first), AT_A_TIME):
        part = slice(begin, begin + AT_A_TIME)
        before, row = np.unique(first[part], return_inverse=True)
        after, column = np.unique(second[part], return_inverse=True)
        rows, row_members = _sets_of(domain, before)
        columns, column_members = _sets_of(domain, after)
        between = Distances(domain, row_members, column_members).table().astype(np.float64)
        out[part] = _match(rows, columns, row.ravel(), column.ravel(), between)
    return out


#: The members of the columns of a table, for all its blocks.
_columns_by_table: WeakKeyDictionary[SharedAncestors, tuple[ConceptSets, SharedAncestors]]
_columns_by_table = WeakKeyDictionary()


def _block(common: SharedAncestors, rows: NDArray[np.int32]) -> Floats:
    domain = common.taxonomy
    if common not in _columns_by_table:
        columns, members = _sets_of(domain, common.columns)
        _columns_by_table[common] = columns, SharedAncestors(domain, members)
    columns, below = _columns_by_table[common]
    sets, members = _sets_of(domain, rows)
    between = np.zeros((len(members), len(below.columns)))
    if between.size:
        between = find_measure("sanchez", domain).block(below, members)
    row, column = np.divmod(np.arange(len(rows) * len(columns)), max(len(columns), 1))
    return _match(sets, columns, row, column, between).reshape(len(rows), len(columns))


#: The distance of sets by optimal matching.
MATCHING_MEASURE = SetMeasure("matching", _pair, _block, _words, pairs=_pairs)

#: The measures of :class:`~ontomask.NominalSet`.
MEASURES_OF_SETS = {"sanchez": SET_MEASURE, "matching": MATCHING_MEASURE}

"""Sets as concepts of a taxonomy: each is below the concepts that it holds.

A column of sets is a nominal column in a taxonomy with a concept for every set, called
``{401.9; 414.01}``. A set with one concept is that concept, and the empty set is ``{}``. What is
above a set is its closure, so that everything that compares concepts by their ancestors compares
sets; only the set itself is not part of its closure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.features import sanchez_formula
from ontomask.distances.measure import DistanceMeasure
from ontomask.distances.shared import SharedAncestors
from ontomask.microdata.attributes import MISSING, NominalAttribute
from ontomask.microdata.sets.closures import closures, missing_concept, set_distances
from ontomask.microdata.sets.concept_sets import ConceptSets
from ontomask.taxonomy import Concept, Taxonomy

__all__ = [
    "EMPTY_SET",
    "SET_MEASURE",
    "SetMeasure",
    "add_sets",
    "deepest_set",
    "find_unfit_names",
    "flag_sets",
    "has_sets",
    "held_concepts",
    "is_set",
    "members_of",
    "name_set",
    "name_sets",
    "pair_distances",
    "sets_of_values",
    "with_more_candidates",
]

Flags = NDArray[np.bool_]

#: The set without concepts.
EMPTY_SET: Concept = "{}"
#: What stands between the concepts in the name of a set.
BETWEEN = "; "


def is_set(concept: Concept) -> bool:
    """Whether a concept is a set of several others, or the empty one."""
    return concept.startswith("{") and concept.endswith("}")


def name_set(members: Iterable[Concept]) -> Concept:
    """The concept that stands for a set.

    >>> name_set(["b", "a"]), name_set(["a"]), name_set([])
    ('{a; b}', 'a', '{}')
    """
    names = sorted(set(members))
    return names[0] if len(names) == 1 else f"{{{BETWEEN.join(names)}}}"


def name_sets(taxonomy: Taxonomy, sets: ConceptSets) -> list[Concept]:
    """The concepts that stand for many sets; ``MISSING`` for missing ones.

    >>> from ontomask import datasets
    >>> taxonomy = datasets.diagnoses()
    >>> sets = ConceptSets.from_lists([taxonomy.codes(["sprain", "influenza"]), []])
    >>> name_sets(taxonomy, sets)
    ['{influenza; sprain}', '{}']
    """
    used, place = np.unique(sets.concepts, return_inverse=True)
    identifiers = (*taxonomy.identifiers, MISSING)
    names = [identifiers[concept] for concept in used.tolist()]
    by_name = np.argsort(np.array(names, dtype=object))
    rank = np.empty_like(by_name)
    rank[by_name] = np.arange(len(names))
    in_order = np.lexsort((rank[place.ravel()], sets.owners()))
    ordered = [names[i] for i in place.ravel()[in_order].tolist()]
    start = sets.offsets.tolist()
    return [
        ordered[first] if last == first + 1 else f"{{{BETWEEN.join(ordered[first:last])}}}"
        for first, last in pairwise(start)
    ]


def deepest_set(taxonomy: Taxonomy, concepts: Iterable[Concept]) -> Concept:
    """The set of the concepts that do not follow from others of them.

    >>> from ontomask import datasets
    >>> deepest_set(datasets.diagnoses(), ["influenza", "viral infection", "sprain"])
    '{influenza; sprain}'
    """
    held = set(concepts)
    if len(held) > 1:
        held -= {above for concept in held for above in taxonomy.ancestors(concept) - {concept}}
    return name_set(held)


def members_of(concept: Concept) -> list[Concept]:
    """The concepts that a set holds; a concept that is no set holds itself.

    >>> members_of("{a; b}"), members_of("a"), members_of("{}")
    (['a', 'b'], ['a'], [])
    """
    if concept == EMPTY_SET:
        return []
    return concept[1:-1].split(BETWEEN) if is_set(concept) else [concept]


def find_unfit_names(taxonomy: Taxonomy) -> list[Concept]:
    """The concepts whose names could be taken for those of sets."""
    return [name for name in taxonomy.identifiers if is_set(name) or BETWEEN in name]


def add_sets(domain: Taxonomy, sets: Iterable[Concept]) -> Taxonomy:
    """The taxonomy with more sets, each below the concepts that it holds."""
    new = {name: members_of(name) for name in sorted(set(sets)) if name not in domain}
    if not new:
        return domain
    number = {name: place for place, name in enumerate([*domain.identifiers, *new])}
    parents = domain.parent_links
    above = [members or [domain.root] for members in new.values()]
    sizes = [len(members) for members in above]
    child = np.repeat(np.arange(len(number)), [*parents.sizes().tolist(), *sizes])
    parent = [number[member] for members in above for member in members]
    label = {member: domain.label(member) for members in new.values() for member in members}
    labels = [(BETWEEN.join(label[m] for m in members) or "nothing",) for members in new.values()]
    return Taxonomy.from_numbers(
        list(number),
        child,
        np.concatenate([parents.items, parent]),
        [*domain.label_lists, *labels],
        {alias: number[concept] for alias, concept in domain.alias_items()},
        about=domain.about,
    )


# ---------------------------------------------------------------------- attributes of sets


@dataclass(frozen=True)
class SetMeasure(DistanceMeasure):
    """A distance between sets that are concepts.

    Args:
        pairs: The distance of each set, by its number, to the one at the same place.
    """

    pairs: Callable[[Taxonomy, NDArray[np.integer], NDArray[np.integer]], NDArray[np.float64]] = (
        field(kw_only=True)
    )


def has_sets(attribute: object) -> bool:
    """Whether an attribute is a column of sets."""
    return isinstance(attribute, NominalAttribute) and isinstance(attribute.measure, SetMeasure)


def with_more_candidates(
    attribute: NominalAttribute, concepts: Iterable[Concept]
) -> NominalAttribute:
    """The attribute with more concepts that a value may become; sets may be new."""
    others = {concept for concept in concepts if concept not in attribute.places}
    domain = add_sets(attribute.domain, others) if has_sets(attribute) else attribute.domain
    return replace(attribute, domain=domain, others=(*attribute.others, *sorted(others)))


def sets_of_values(attribute: NominalAttribute, base: Taxonomy) -> ConceptSets:
    """The sets of an attribute's values, by the numbers of a taxonomy without sets.

    The last value of an attribute with missing ones is :func:`missing_concept`.
    """
    lists = [members_of(value) for value in attribute.values]
    owner = np.repeat(np.arange(len(lists)), [len(members) for members in lists])
    concept = base.codes(chain.from_iterable(lists))
    if attribute.size > len(lists):
        owner, concept = np.append(owner, len(lists)), np.append(concept, missing_concept(base))
    return ConceptSets.from_pairs(owner, concept, attribute.size)


def held_concepts(domain: Taxonomy, codes: NDArray[np.integer]) -> ConceptSets:
    """The concepts that sets hold, given by their numbers; a concept that is no set holds itself.

    >>> from ontomask import datasets
    >>> domain = add_sets(datasets.diagnoses(), ["{influenza; sprain}"])
    >>> (held,) = held_concepts(domain, domain.codes(["{influenza; sprain}"])).lists()
    >>> [domain.identifiers[concept] for concept in held]
    ['sprain', 'influenza']
    """
    is_set = flag_sets(domain)[codes]
    sets, single = np.flatnonzero(is_set), np.flatnonzero(~is_set)
    if EMPTY_SET in domain:  # it hangs below the root, which it does not hold
        sets = sets[codes[sets] != domain.code(EMPTY_SET)]
    above = domain.parent_links
    owner = np.repeat(sets, above.sizes()[codes[sets]])
    return ConceptSets.from_pairs(
        np.concatenate([single, owner]),
        np.concatenate([codes[single], above.of_all(codes[sets])]),
        len(codes),
    )


def pair_distances(
    domain: Taxonomy, first: NDArray[np.integer], second: NDArray[np.integer]
) -> NDArray[np.float64]:
    """The distance of each set, by its number, to the one at the same place."""
    used, place = np.unique(np.concatenate([first, second]), return_inverse=True)
    closed = closures(domain, held_concepts(domain, used))
    return set_distances(closed.take(place[: len(first)]), closed.take(place[len(first) :]))


# ---------------------------------------------------------------------- their distance

_flags_by_domain: WeakKeyDictionary[Taxonomy, Flags] = WeakKeyDictionary()


def flag_sets(taxonomy: Taxonomy) -> Flags:
    """Whether each concept of a taxonomy, by its number, is a set."""
    if taxonomy not in _flags_by_domain:
        _flags_by_domain[taxonomy] = np.array([is_set(name) for name in taxonomy.identifiers])
    return _flags_by_domain[taxonomy]


def _pair(taxonomy: Taxonomy, a: Concept, b: Concept) -> float:
    if a == b:
        return 0.0
    first, second = _closure(taxonomy, a), _closure(taxonomy, b)
    return float(np.log2(1 + len(first ^ second) / len(first | second)))


def _closure(taxonomy: Taxonomy, concept: Concept) -> frozenset[Concept]:
    if concept == EMPTY_SET:
        return frozenset()
    return taxonomy.ancestors(concept) - ({concept} if is_set(concept) else set())


def _block(common: SharedAncestors, rows: NDArray[np.int32]) -> NDArray[np.float64]:
    flags = flag_sets(common.taxonomy)
    shared, row_ancestors = common.count(rows)
    # A set is among its ancestors, and not in its closure.
    closure_sizes = common.column_ancestors - common.of_columns(flags)
    block = common.tabulate(sanchez_formula, shared, row_ancestors - flags[rows], closure_sizes)
    if EMPTY_SET in common.taxonomy:
        empty = common.taxonomy.code(EMPTY_SET)
        is_one_empty = (rows == empty)[:, None] != (common.columns == empty)
        block[is_one_empty] = 1.0
    return block


def _words(taxonomy: Taxonomy, a: Concept, b: Concept) -> str:
    first, second = _closure(taxonomy, a), _closure(taxonomy, b)
    apart, either = len(first ^ second), len(first | second)
    return (
        f"together they hold {either} concepts (with all ancestors);\n"
        f"{apart} of these {'is' if apart == 1 else 'are'} in only one of them:\n"
        f"log2(1 + {apart}/{either})"
    )


def _least_sums(
    domain: Taxonomy,
    values: NDArray[np.int32],
    counts: NDArray[np.int64],
    candidates: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Lower bounds of the summed distances from candidates to sets with counts.

    With the sizes of two closures given, their distance is a concave function of what they share:
    at least 1 where both hold the root, at most all of the smaller one. So it is never below the
    line between these two ends, and lines can be summed concept by concept.
    """
    sets = closures(domain, held_concepts(domain, values))
    closed = closures(domain, held_concepts(domain, candidates))
    sizes, size_place = np.unique(sets.sizes(), return_inverse=True)
    own_sizes, own_place = np.unique(closed.sizes(), return_inverse=True)
    a, b = own_sizes[:, None], sizes[None, :]
    most = np.minimum(a, b)
    fewest = np.minimum(most, 1)
    farthest, nearest = _distance_by_shared(a, b, fewest), _distance_by_shared(a, b, most)
    slopes = (farthest - nearest) / np.maximum(most - fewest, 1)
    records = np.bincount(size_place.ravel(), weights=counts)
    used, concept_place = np.unique(sets.concepts, return_inverse=True)
    column = np.full(len(domain), len(used))  # the last for concepts that nobody holds
    column[used] = np.arange(len(used))
    owner = sets.owners()
    holders = np.zeros((len(sizes), len(used) + 1))  # records by size of their set and concept
    np.add.at(holders, (size_place.ravel()[owner], concept_place.ravel()), counts[owner])
    at_most = slopes @ holders  # what each concept may save a candidate of each size
    owner = closed.owners()
    saving = at_most[own_place.ravel()[owner], column[closed.concepts]]
    saved = np.bincount(owner, weights=saving, minlength=len(closed))
    sums: NDArray[np.float64] = ((farthest + fewest * slopes) @ records)[own_place.ravel()] - saved
    return sums - 1e-9 * counts.sum()  # rounding


def _distance_by_shared(
    a: NDArray[np.int64], b: NDArray[np.int64], shared: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The distance of two closures by their sizes and by what they share."""
    union = a + b - shared
    distances: NDArray[np.float64] = np.log2(1 + (union - shared) / np.maximum(union, 1))
    return distances


#: The distance of sets: Sánchez's on their closures.
SET_MEASURE = SetMeasure("sets", _pair, _block, _words, _least_sums, pairs=pair_distances)

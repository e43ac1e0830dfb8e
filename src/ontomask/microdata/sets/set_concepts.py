"""Sets as concepts of a taxonomy: each is below the concepts that it holds.

A column of sets is a nominal column in a taxonomy with a concept for every set, called
``{401.9; 414.01}``. A set with one concept is that concept, and the empty set is ``{}``. What is
above a set is its closure, so that everything that compares concepts by their ancestors compares
sets; only the set itself is not part of its closure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
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
    "has_sets",
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

    pairs: Callable[[Taxonomy, NDArray[np.integer], NDArray[np.integer]], NDArray[np.float64]]


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


def pair_distances(
    domain: Taxonomy, first: NDArray[np.integer], second: NDArray[np.integer]
) -> NDArray[np.float64]:
    """The distance of each set, by its number, to the one at the same place."""
    used, place = np.unique(np.concatenate([first, second]), return_inverse=True)
    lists = [domain.codes(members_of(domain.identifiers[code])).tolist() for code in used.tolist()]
    closed = closures(domain, ConceptSets.from_lists(lists))
    return set_distances(closed.take(place[: len(first)]), closed.take(place[len(first) :]))


# ---------------------------------------------------------------------- their distance

_flags_by_domain: WeakKeyDictionary[Taxonomy, Flags] = WeakKeyDictionary()


def _flag_sets(taxonomy: Taxonomy) -> Flags:
    """Whether each concept of a taxonomy is a set."""
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
    flags = _flag_sets(common.taxonomy)
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


#: The distance of sets: Sánchez's on their closures.
SET_MEASURE = SetMeasure("sets", _pair, _block, _words, pair_distances)

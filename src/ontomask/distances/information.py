r"""Distances by information: how much what two concepts share says about each of them.

The information content of a concept is intrinsic, read off the taxonomy itself (Sánchez, Batet
and Isern 2011):

.. math:: IC(c) = -\log\frac{leaves(c) / |T(c)| + 1}{leaves + 1}

with the leaves below the concept, its ancestors :math:`T(c)`, itself included, and all leaves.
A leaf has no leaves below it: it counts 0, not itself (implementations differ). The root says
nothing, a leaf says most, and a concept always says more than what it is a kind of.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ontomask.distances.measure import DistanceMeasure
from ontomask.distances.shared import SharedAncestors, ancestor_lists
from ontomask.taxonomy import Concept, Taxonomy

__all__ = ["MEASURES", "information_content", "jiang_conrath", "lin", "resnik"]

Floats = NDArray[np.float64]


class ConceptInformation(NamedTuple):
    """The information content of each concept, its rank among the distinct ones, and these."""

    content: Floats
    rank: NDArray[np.int32]
    distinct: Floats


def information_content(taxonomy: Taxonomy) -> Floats:
    """Information content of each concept, in the order of ``identifiers``: 0 for the root."""
    return _concept_information(taxonomy).content


def _concept_information(taxonomy: Taxonomy) -> ConceptInformation:
    """The information of all concepts, computed once: a taxonomy never changes."""
    information: ConceptInformation | None = taxonomy.__dict__.get("_information")
    if information is None:
        content = _compute_information_content(taxonomy)
        content.flags.writeable = False
        distinct, rank = np.unique(content, return_inverse=True)
        information = taxonomy.__dict__["_information"] = ConceptInformation(
            content, rank.astype(np.int32), distinct
        )
    return information


def _compute_information_content(taxonomy: Taxonomy, block: int = 50_000) -> Floats:
    is_leaf = taxonomy.child_links.sizes() == 0
    leaves = np.zeros(len(taxonomy))
    ancestors = np.empty(len(taxonomy))
    for first in range(0, len(taxonomy), block):
        concepts = np.arange(first, min(first + block, len(taxonomy)), dtype=np.int32)
        start, above, _ = ancestor_lists(taxonomy, concepts)
        ancestors[concepts] = np.diff(start)
        below_leaf = np.repeat(is_leaf[concepts], np.diff(start))
        leaves += np.bincount(above[below_leaf], minlength=len(taxonomy))
    every = leaves[0] if len(taxonomy) > 1 else 0
    leaves[is_leaf] = 0
    return np.log(every + 1) - np.log(leaves / ancestors + 1)


def lin(taxonomy: Taxonomy, a: Concept, b: Concept) -> float:
    r"""Distance by the information that two concepts share, relative to both (Lin 1998).

    .. math:: d(a, b) = 1 - \frac{2\,IC(L)}{IC(a) + IC(b)}

    :math:`L` is the common ancestor with the greatest information content
    (:func:`information_content`). Not in the papers.

    Args:
        taxonomy: Taxonomy of both concepts.
        a: A concept.
        b: Another concept.

    Returns:
        0 for the same concept, up to 1. Symmetric.

    >>> from ontomask import datasets
    >>> round(lin(datasets.diagnoses(), "influenza", "hepatitis"), 3)
    0.449
    """
    shared, of_a, of_b, _ = _pair_information(taxonomy, a, b)
    return 1 - 2 * shared / (of_a + of_b) if of_a + of_b else 0.0


def jiang_conrath(taxonomy: Taxonomy, a: Concept, b: Concept) -> float:
    r"""Distance by the information that two concepts do not share (Jiang and Conrath 1997).

    .. math:: d(a, b) = \frac{IC(a) + IC(b) - 2\,IC(L)}{2 \max IC}

    :math:`L` is the common ancestor with the greatest information content
    (:func:`information_content`). The divisor scales the distance to at most 1. Not in the papers.

    Args:
        taxonomy: Taxonomy of both concepts.
        a: A concept.
        b: Another concept.

    Returns:
        0 for the same concept, up to 1. Symmetric.

    >>> from ontomask import datasets
    >>> round(jiang_conrath(datasets.diagnoses(), "influenza", "hepatitis"), 3)
    0.408
    """
    shared, of_a, of_b, most = _pair_information(taxonomy, a, b)
    return (of_a + of_b - 2 * shared) / (2 * most) if most else 0.0


def resnik(taxonomy: Taxonomy, a: Concept, b: Concept) -> float:
    r"""Distance by the information that two concepts share (Resnik 1995).

    .. math:: d(a, b) = 1 - \frac{IC(L)}{\max IC}

    :math:`L` is the common ancestor with the greatest information content
    (:func:`information_content`). The distance of a concept to itself is set to 0. Not in the
    papers.

    Args:
        taxonomy: Taxonomy of both concepts.
        a: A concept.
        b: Another concept.

    Returns:
        0 for the same concept, up to 1. Symmetric.

    >>> from ontomask import datasets
    >>> round(resnik(datasets.diagnoses(), "influenza", "hepatitis"), 3)
    0.5
    """
    shared, _, _, most = _pair_information(taxonomy, a, b)
    return 1 - shared / most if taxonomy.code(a) != taxonomy.code(b) else 0.0


class PairInformation(NamedTuple):
    """How much the common ancestor says, each concept says, and any concept at most says."""

    shared: float
    of_a: float
    of_b: float
    most: float


def _pair_information(taxonomy: Taxonomy, a: Concept, b: Concept) -> PairInformation:
    content, _, distinct = _concept_information(taxonomy)
    code_a, code_b = taxonomy.code(a), taxonomy.code(b)
    common = taxonomy.steps_up(code_a).keys() & taxonomy.steps_up(code_b).keys()
    shared = max(content[code] for code in common)
    return PairInformation(*map(float, (shared, content[code_a], content[code_b], distinct[-1])))


def _shared_block(common: SharedAncestors, rows: NDArray[np.int32]) -> Floats:
    """The information content of the common ancestor that says most."""
    information = _concept_information(common.taxonomy)
    return common.tabulate(information.distinct.take, common.heaviest(rows, information.rank))


def _lin_block(common: SharedAncestors, rows: NDArray[np.int32]) -> Floats:
    content = information_content(common.taxonomy)
    both = content[rows][:, None] + content[common.columns]
    both[both == 0] = 1  # the root and itself: nothing shared, nothing said
    distance = _shared_block(common, rows)
    distance *= -2
    distance /= both
    distance += 1
    distance[common.same(rows)] = 0
    return distance


def _jiang_conrath_block(common: SharedAncestors, rows: NDArray[np.int32]) -> Floats:
    content = information_content(common.taxonomy)
    both = content[rows][:, None] + content[common.columns]
    return (both - 2 * _shared_block(common, rows)) / (
        2 * _concept_information(common.taxonomy).distinct[-1] or 1
    )


def _resnik_block(common: SharedAncestors, rows: NDArray[np.int32]) -> Floats:
    most = _concept_information(common.taxonomy).distinct[-1] or 1
    distance = 1 - _shared_block(common, rows) / most
    distance[common.same(rows)] = 0
    return distance


def _lin_words(taxonomy: Taxonomy, a: Concept, b: Concept) -> str:
    c = _pair_information(taxonomy, a, b)
    return f"{_format_contents(c)}:\n  1 - 2*{c.shared:.3f} / ({c.of_a:.3f} + {c.of_b:.3f})"


def _jiang_conrath_words(taxonomy: Taxonomy, a: Concept, b: Concept) -> str:
    c = _pair_information(taxonomy, a, b)
    return (
        f"{_format_contents(c)}, and no concept says more than {c.most:.3f}:\n"
        f"  ({c.of_a:.3f} + {c.of_b:.3f} - 2*{c.shared:.3f}) / (2*{c.most:.3f})"
    )


def _resnik_words(taxonomy: Taxonomy, a: Concept, b: Concept) -> str:
    c = _pair_information(taxonomy, a, b)
    return (
        f"the common ancestor that says most says {c.shared:.3f}, and no concept says more than "
        f"{c.most:.3f}:\n  1 - {c.shared:.3f} / {c.most:.3f}"
    )


def _format_contents(c: PairInformation) -> str:
    return (
        f"the common ancestor that says most says {c.shared:.3f}, "
        f"the two say {c.of_a:.3f} and {c.of_b:.3f}"
    )


MEASURES = (
    DistanceMeasure("lin", lin, _lin_block, _lin_words),
    DistanceMeasure("jiang_conrath", jiang_conrath, _jiang_conrath_block, _jiang_conrath_words),
    DistanceMeasure("resnik", resnik, _resnik_block, _resnik_words),
)

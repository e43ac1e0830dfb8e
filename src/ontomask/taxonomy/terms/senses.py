"""The sense of a word with several: the most frequent one, or the one nearest to other values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Literal

import numpy as np

from ontomask.errors import ParameterError, quote_choices
from ontomask.taxonomy.names import Form
from ontomask.taxonomy.taxonomy import Concept, Taxonomy
from ontomask.taxonomy.terms.term_map import Match

__all__ = ["SENSES", "Senses", "check_senses", "choose_nearest", "order_senses"]

Senses = Literal["first", "nearest"]
SENSES: tuple[Senses, ...] = ("first", "nearest")

#: The most values that decide; those with the most records.
MOST_VALUES = 2_000


def check_senses(senses: Any, taxonomy: Taxonomy) -> None:
    """Refuse an unknown way, or the first sense where the taxonomy has no order of senses."""
    if senses is not None and senses not in SENSES:
        raise ParameterError(f"senses must be None, {quote_choices(SENSES)}, got {senses!r}")
    if senses == "first" and not taxonomy.about.sense_order:
        raise ParameterError(
            f"senses='first' cannot be used with {taxonomy!r}: it has no order of senses",
            "use senses='nearest'; only WordNet orders the senses of a word",
        )


def order_senses(
    name: str, form: Form, codes: Sequence[int], taxonomy: Taxonomy
) -> tuple[tuple[int, ...], int]:
    """The senses of a word, the most frequent first, and how many come first.

    Only names that are equal to the word in this form count. Where no frequency is known, all come
    first, by identifier.
    """
    order, wanted = taxonomy.about.sense_order, form(name)
    ranks: dict[int, tuple[int, Concept]] = {}
    for code in codes:
        identifier = taxonomy.identifiers[code]
        names = {label.lower() for label in taxonomy.label_lists[code] if form(label) == wanted}
        places = [
            order[word].index(identifier)
            for word in names
            if word in order and identifier in order[word]
        ]
        ranks[code] = min(places, default=0), identifier
    ordered = tuple(sorted(codes, key=ranks.__getitem__))
    least, _ = ranks[ordered[0]]
    return ordered, sum(rank == least for rank, _ in ranks.values())


def choose_nearest(matches: Sequence[Match], taxonomy: Taxonomy) -> list[Match]:
    r"""Take the sense of each ambiguous value that is nearest to the values with one meaning.

    .. math:: \arg\min_s \sum_v n_v \, d(s, c_v)

    :math:`c_v` are the concepts of the values with one meaning, :math:`n_v` their records and
    :math:`d` is :func:`~ontomask.distances.sanchez`. Senses that are equally near stay ambiguous.
    """
    counts: dict[str, int] = {}
    for match in matches:
        if match.concept is not None:
            counts[match.concept] = counts.get(match.concept, 0) + match.count
    context = sorted(counts, key=lambda concept: (-counts[concept], concept))[:MOST_VALUES]
    senses = sorted({c for match in matches if len(match.concepts) > 1 for c in match.concepts})
    if not context or not senses:
        return list(matches)
    # Distances stand above taxonomies, and know them.
    distances = import_module("ontomask.distances").Distances(taxonomy, senses, context)
    weights = np.array([counts[concept] for concept in context], dtype=np.float64)
    sums = np.concatenate([block @ weights for _, block in distances.blocks()]).round(9)
    sum_of = dict(zip(senses, sums.tolist(), strict=True))
    return [_take_nearest(match, sum_of) for match in matches]


def _take_nearest(match: Match, sum_of: dict[str, float]) -> Match:
    if len(match.concepts) < 2 or match.kind == "part":  # parts mean several things
        return match
    least = min(sum_of[concept] for concept in match.concepts)
    nearest = tuple(concept for concept in match.concepts if sum_of[concept] == least)
    if len(nearest) > 1:
        return match
    reading = f"{match.reading}, nearest of {len(match.concepts)} senses"
    return replace(match, concepts=nearest, reading=reading)

"""Other identifiers of concepts, as far as they are certain."""

from __future__ import annotations

from collections.abc import Container, Iterable

__all__ = ["certain_aliases"]


def certain_aliases(
    pairs: Iterable[tuple[str, str]], identifiers: Container[str]
) -> tuple[dict[str, str], int]:
    """The aliases that lead to one concept only, and how many others there were.

    ``pairs`` are aliases with their concepts. An alias that is an identifier leads nowhere else.

    >>> certain_aliases([("HP:1", "a"), ("HP:2", "a"), ("HP:2", "b"), ("b", "a")], {"a", "b"})
    ({'HP:1': 'a'}, 2)
    """
    concepts: dict[str, str] = {}
    unclear: set[str] = set()
    for alias, concept in pairs:
        if alias == concept:
            continue
        if alias in identifiers or concepts.setdefault(alias, concept) != concept:
            unclear.add(alias)
    return {a: concept for a, concept in concepts.items() if a not in unclear}, len(unclear)

"""Links to concepts that a file does not declare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Literal, NamedTuple

from ontomask.errors import FileFormatError, ParameterError

__all__ = ["LinkEnds", "Outside", "check_outside", "check_synonyms", "select_links"]

#: What becomes of links to concepts that the file does not declare.
Outside = Literal["skip", "error", "keep"]
OUTSIDE = ("skip", "error", "keep")

Link = tuple[str, str]


class LinkEnds(NamedTuple):
    """The concepts that links may connect: ``live`` ones, and ``retired`` ones they may not."""

    live: Mapping[str, object]
    retired: Container[str]
    retired_word: str = "deprecated"


def check_outside(outside: str) -> None:
    """Refuse what is not a way to treat links to undeclared concepts."""
    if outside not in OUTSIDE:
        raise ParameterError(
            f"outside must be 'skip', 'error' or 'keep', got {outside!r}",
            "'skip' leaves out links to concepts that the file does not declare",
        )


def check_synonyms(synonyms: str) -> None:
    """Refuse what is not a choice of synonyms."""
    if synonyms not in ("exact", "all"):
        raise ParameterError(f"synonyms must be 'exact' or 'all', got {synonyms!r}")


def select_links(
    links: Iterable[Link],
    ends: LinkEnds,
    outside: str,
    left_out: Counter[str],
    make_error: Callable[[Link, str], FileFormatError],
) -> tuple[list[Link], list[str]]:
    """The links of a taxonomy, and the undeclared concepts that they need.

    A link of a retired concept says nothing about the others, and neither does one of a concept
    to itself: they are never errors.
    """
    selected: list[Link] = []
    added: dict[str, None] = {}
    for link in links:
        child, parent = link
        if child == parent:
            left_out["links of concepts to themselves"] += 1
            continue
        if child in ends.retired:
            left_out[f"links of {ends.retired_word} concepts"] += 1
            continue
        problem = (
            f"links to {ends.retired_word} concepts"
            if parent in ends.retired
            else "links of undeclared concepts"
            if child not in ends.live
            else "links to undeclared concepts"
            if parent not in ends.live
            else None
        )
        if problem is None:
            selected.append(link)
        elif outside == "error":
            raise make_error(link, problem)
        elif outside == "keep" and parent not in ends.retired:
            selected.append(link)
            added.update((end, None) for end in link if end not in ends.live)
        else:
            left_out[problem] += 1
    return selected, list(added)

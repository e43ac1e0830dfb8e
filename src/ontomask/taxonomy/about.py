"""What is known about a taxonomy beyond its concepts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ontomask.taxonomy.code_repair import CodeStyle

__all__ = ["FLAT", "About"]

#: What a taxonomy without groups is called.
FLAT = "flat: no meaning yet"


@dataclass(frozen=True)
class About:
    """Name, origin and version of a taxonomy, and what its reader left out.

    Args:
        name: Name of the taxonomy.
        source: Where it comes from, such as the name of a file.
        version: Its edition or release.
        left_out: What the source contained and the taxonomy does not, counted by kind, as in
            ``{"obsolete concepts": 9}``.
        code_style: How codes are written, where that is known (the ICD taxonomies).
        languages: Codes of the languages of its names, such as ``("es",)``, where they are known.
        sense_order: For each word with several senses, in lower case, its concepts from the most
            frequent sense to the rarest, where the source has this order (WordNet).
        reading: How the reader understood a source that leaves room, as in
            ``{"hierarchy": "the beginnings of the codes: 1, 3 characters"}``.
    """

    name: str = ""
    source: str = ""
    version: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)
    code_style: CodeStyle | None = None
    languages: tuple[str, ...] = ()
    sense_order: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    reading: Mapping[str, str] = field(default_factory=dict)

"""What is known about a taxonomy beyond its concepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ontomask.taxonomy.codes import CodeStyle

__all__ = ["About"]


@dataclass(frozen=True)
class About:
    """Name, origin and edition of a taxonomy, and what its reader left out.

    ``left_out`` counts what the source held and the taxonomy does not, as
    ``{"obsolete concepts": 9}``.
    ``code_style`` says how codes are written, where that is known (ICD).
    """

    name: str = ""
    source: str = ""
    version: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)
    code_style: CodeStyle | None = None

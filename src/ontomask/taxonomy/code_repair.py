"""Repair of codes that lost their point or zeros in a spreadsheet or a number type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["ICD9_DIAGNOSES", "ICD9_PROCEDURES", "ICD10", "CodeStyle"]


@dataclass(frozen=True)
class CodeStyle:
    """How the codes of a classification are written.

    ``before_point`` characters stand before the point; a code that begins with one of ``letters``
    has its own number of them, and never lost a zero (a number type refuses letters). Where codes
    have ``letters_anywhere``, all of them begin with one.

    >>> [code for _, code in ICD9_DIAGNOSES.readings("8")][0]
    '008'
    >>> [code for _, code in ICD9_DIAGNOSES.readings("25083")][0]
    '250.83'
    >>> [code for _, code in ICD10.readings("s72001a")]
    ['S72.001A']
    """

    before_point: int
    letters: Mapping[str, int] = field(default_factory=dict)
    after_point: int = 2
    letters_anywhere: bool = False

    def readings(self, value: str) -> Iterator[tuple[str, str]]:
        """What a damaged code may have been, the likeliest first, and what was restored."""
        code = value.strip().upper()
        width = self.letters.get(code[:1], self.before_point)
        if self.letters_anywhere:
            if width < len(code) <= width + self.after_point and code.isalnum():
                yield "point restored", f"{code[:width]}.{code[width:]}"
            return
        head, point, tail = code.partition(".")
        if point:
            if head.isdigit() and tail.isdigit() and len(head) < width:
                yield "zeros restored", f"{head.zfill(width)}.{tail}"
            return
        if code[:1] not in self.letters and len(code) < width and code.isdigit():
            yield "zeros restored", code.zfill(width)
        if width < len(code) <= width + self.after_point and code[1:].isdigit():
            yield "point restored", f"{code[:width]}.{code[width:]}"
        if code.isdigit():
            # Without the point one cannot tell how many zeros were in front: fewest first.
            for length in range(max(width, len(code)) + 1, width + self.after_point + 1):
                full = code.zfill(length)
                yield "zeros and point restored", f"{full[:width]}.{full[width:]}"


ICD9_DIAGNOSES = CodeStyle(before_point=3, letters={"V": 3, "E": 4})
ICD9_PROCEDURES = CodeStyle(before_point=2)
ICD10 = CodeStyle(before_point=3, after_point=4, letters_anywhere=True)

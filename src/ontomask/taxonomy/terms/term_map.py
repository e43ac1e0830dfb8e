"""The concepts of the values of a column, and how each value came to its concept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ontomask.errors import (
    Hint,
    ParameterError,
    Placeholder,
    Setting,
    UnknownValueError,
    format_count,
    format_percent,
)
from ontomask.taxonomy.names import Hit
from ontomask.taxonomy.taxonomy import Concept, Taxonomy
from ontomask.taxonomy.value_counts import to_list
from ontomask.taxonomy.word_forms import fold_name

if TYPE_CHECKING:
    from ontomask.taxonomy.terms.corrections import CorrectionsFormat
    from ontomask.taxonomy.terms.suggestions import Suggestion

__all__ = ["Match", "MatchKind", "TermMap"]

#: What people write where a value is missing, folded.
_MISSING_WORDS = frozenset({"", "na", "n a", "nan", "null", "none", "missing", "unknown"})

#: Which kind of name a value is, or how it came to one.
MatchKind = Literal[
    "correction",
    "code",
    "alias",
    "label",
    "synonym",
    "plural",
    "stem",
    "repaired code",
    "without parentheses",
    "part",
    "head noun",
    "leading words",
    "any order",
    "unmapped",
]


@dataclass(frozen=True)
class Match:
    """The result of mapping one distinct value of a column.

    Attributes:
        value: The value as it stands in the column.
        count: Number of records with this value.
        concepts: One concept if the value was mapped, several if it is ambiguous, none if no
            concept has this name.
        reading: Which kind of name matched and how closely, in words.
        kind: The kind of name alone, such as a code or a synonym.
        by_code: True if the value is a code, an alias or a repaired code, False if
            it is a name.
        candidates: All concepts that the name belongs to; more than ``concepts`` if ``prefer`` or
            ``senses`` chose among them.
    """

    value: str
    count: int
    concepts: tuple[Concept, ...]
    reading: str
    kind: MatchKind
    by_code: bool = False
    candidates: tuple[Concept, ...] = ()

    @property
    def how(self) -> str:
        """The reading in words, with a note if the value is ambiguous."""
        return f"ambiguous {self.reading}" if len(self.concepts) > 1 else self.reading

    @property
    def concept(self) -> Concept | None:
        """The concept if there is exactly one, otherwise None."""
        return self.concepts[0] if len(self.concepts) == 1 else None


@dataclass(frozen=True, repr=False)
class TermMap:
    """The distinct values of a column, mapped to concepts.

    A value that fits several concepts is ``ambiguous``. A value that fits none is ``unmapped``. No
    concept is guessed for either of them.

    Attributes:
        taxonomy: The taxonomy of the concepts.
        matches: The result for every distinct value, the most frequent value first.
        missing: Number of records without a value.
        below: The numbers of the concepts that values may stand for; None for all.
    """

    taxonomy: Taxonomy
    matches: tuple[Match, ...]
    missing: int = 0
    below: frozenset[int] | None = None

    @property
    def concepts(self) -> dict[str, Concept]:
        """The concept of every value that was mapped."""
        return {m.value: m.concept for m in self.matches if m.concept is not None}

    @property
    def unmapped(self) -> dict[str, int]:
        """Values that no concept is called by, with their counts, the most frequent first."""
        return {m.value: m.count for m in self.matches if not m.concepts}

    @property
    def ambiguous(self) -> dict[str, tuple[Concept, ...]]:
        """Values that are names of several concepts, with these concepts."""
        return {m.value: m.concepts for m in self.matches if len(m.concepts) > 1}

    @property
    def coverage(self) -> float:
        """Share of records whose value was mapped, from 0 to 1; missing values are left out."""
        total = sum(m.count for m in self.matches)
        mapped = sum(m.count for m in self.matches if m.concept is not None)
        return mapped / total if total else 1.0

    @property
    def how(self) -> dict[str, int]:
        """Number of records by how their value was matched."""
        ways: Counter[str] = Counter()
        for match in self.matches:
            ways[match.how] += match.count
        return dict(ways.most_common())

    def apply(self, values: Iterable[object]) -> list[Concept | None]:
        """Replace the values of a column by concepts.

        Returns:
            One concept per record; None for a missing or unmapped value.

        >>> import ontomask as om
        >>> column = ["Flu", None, "SPRAIN"]
        >>> om.map_terms(column, om.datasets.diagnoses()).apply(column)
        ['influenza', None, 'sprain']
        """
        concept_of = self.concepts
        return [
            concept_of.get(value if type(value) is str else str(value)) for value in to_list(values)
        ]

    def require_all(self, column: str = "", argument: str = "corrections") -> TermMap:
        """Return the same map, or raise an error that lists the values without a concept.

        ``argument`` is the caller's name for ``corrections``, used in the message.
        """
        unresolved = self.lost
        if not unresolved:
            return self
        where = f" of column {column!r}" if column else ""
        name = f" {self.taxonomy.name!r}" if self.taxonomy.name else ""
        examples = ", ".join(
            f"{m.value!r} ({format_count(m.count, 'row')})" for m in unresolved[:5]
        )
        more = f" and {len(unresolved) - 5:,} more" if len(unresolved) > 5 else ""
        raise UnknownValueError(
            f"{format_count(len(unresolved), 'value')}{where} cannot be mapped to exactly one "
            f"concept of taxonomy{name}:\n"
            f"  {examples}{more}",
            self.advice(argument),
        )

    @property
    def lost(self) -> list[Match]:
        """All values that are unmapped or ambiguous, the most frequent first."""
        return [m for m in self.matches if m.concept is None]

    def hint(self) -> str:
        """What to do about the values without a concept, in a sentence."""
        return self.advice().python

    def advice(self, argument: str = "corrections") -> Hint:
        """The hint with the settings that it proposes.

        ``argument`` is the caller's name for ``corrections``.
        """
        unresolved, style = self.lost, self.taxonomy.about.code_style
        if style and any(
            reading in self.taxonomy
            for match in unresolved[:50]
            if not match.concepts
            for _, reading in style.readings(match.value)
        ):
            return Hint(
                "some values look like codes without their zeros or their point; try ",
                Setting("repair_codes", True),
                ", and map the others with ",
                Setting(argument, Placeholder("{value: concept}")),
            )
        marks = [m.value for m in unresolved[:50] if fold_name(m.value) in _MISSING_WORDS]
        if marks:
            return Hint(
                f"{marks[0]!r} looks like a missing value; use ",
                Setting("missing_marks", marks),
            )
        corrections: dict[str, Concept] = {}
        for match in unresolved[:3]:
            if match.concepts:
                return self._advise_on_senses(match, argument)
            if best := self._suggest_spelling(match.value):
                corrections[match.value] = best.concept
        if corrections:
            return Hint(
                "did you mean ", Setting(argument, corrections), f"?{self._name(corrections)}"
            )
        return Hint("map them with ", Setting(argument, Placeholder("{value: concept}")))

    def _suggest_spelling(self, value: str) -> Suggestion | None:
        """The best suggestion if it is spelt nearly as the value."""
        from ontomask.taxonomy.terms.suggestions import is_spelt_alike

        best = next(iter(self.suggest([value], 1)[value]), None)
        return best if best and is_spelt_alike(value, best.name) else None

    def _advise_on_senses(self, match: Match, argument: str) -> Hint:
        return Hint(
            f"{match.value!r} is a name of {self._describe(match.concepts)}; choose one with ",
            Setting(argument, {match.value: Placeholder("...")}),
            ", prefer a part of the taxonomy with ",
            Setting("prefer", Placeholder("...")),
            ", or let the other values decide with ",
            Setting("senses", "nearest"),
        )

    def _describe(self, concepts: Sequence[Concept]) -> str:
        """A few concepts with their labels: ``'I10' (Hypertension), 'I15' and 3 more``."""
        label = self.taxonomy.label
        described = [repr(c) if label(c) == c else f"{c!r} ({label(c)})" for c in concepts[:5]]
        more = f" and {len(concepts) - 5:,} more" if len(concepts) > 5 else ""
        return ", ".join(described) + more

    def _name(self, corrections: Mapping[str, Concept]) -> str:
        """The labels of the concepts that are proposed, where they differ from the identifiers."""
        concepts = [c for c in dict.fromkeys(corrections.values()) if self.taxonomy.label(c) != c]
        return f" ({self._describe(concepts)})" if concepts else ""

    def nearest(self, value: str, most: int = 3) -> list[Suggestion]:
        """The concepts with the names that are most like a value."""
        return self.suggest([value], most)[value]

    def suggest(self, values: Sequence[str], most: int = 10) -> dict[str, list[Suggestion]]:
        """The concepts with the names that are most like each of some values, the best first."""
        from ontomask.taxonomy.terms.suggestions import rank_concepts

        return rank_concepts(values, self.taxonomy, most, self.below)

    def suggestions(self, values: int = 200, most: int = 10) -> dict[str, list[Suggestion]]:
        """Suggest concepts for the most frequent values without one.

        An ambiguous value gets its concepts. An unmapped value gets the concepts whose names have
        the most words and letters in common with it. Nothing is mapped.

        Args:
            values: The number of unmapped values that get suggestions.
            most: The number of suggestions for each unmapped value.

        Returns:
            For each value the suggestions, the best first.
        """
        unmapped = [m.value for m in self.lost if not m.concepts][:values]
        ranked = self.suggest(unmapped, most)
        return {
            match.value: [self._suggest_sense(concept) for concept in match.concepts]
            or ranked[match.value]
            for match in self.lost
            if match.concepts or match.value in ranked
        }

    def accept(
        self, least: float, suggestions: Mapping[str, Sequence[Suggestion]] | None = None
    ) -> dict[str, Suggestion]:
        """The best suggestion of each unmapped value, where it is clear and has a high score.

        Look at them before you use them as corrections: nothing is mapped. A value with several
        best suggestions, or with several meanings, is left out.

        Args:
            least: The lowest score, above 0 and up to 1.
            suggestions: The suggestions to choose from; by default those of all unmapped values.

        Returns:
            For each value the suggestion.
        """
        if not isinstance(least, int | float) or not 0 < least <= 1:
            raise ParameterError(
                f"least must be a number above 0 and up to 1, got {least!r}",
                "0.9 accepts small typing mistakes",
            )
        if suggestions is None:
            suggestions = self.suggestions(len(self.lost), 2)
        accepted: dict[str, Suggestion] = {}
        for value in self.unmapped:
            best = suggestions.get(value, ())
            is_clear = len(best) == 1 or (len(best) > 1 and best[0].score > best[1].score)
            if is_clear and best[0].score >= least:
                accepted[value] = best[0]
        return accepted

    def _suggest_sense(self, concept: Concept) -> Suggestion:
        from ontomask.taxonomy.terms.suggestions import make_suggestion

        return make_suggestion(self.taxonomy, concept, self.taxonomy.label(concept), 1.0)

    def describe_hit(self, hit: Suggestion | Hit) -> str:
        """A suggestion in words: the code, the name and its parent."""
        above = self.taxonomy.parents(hit.concept)
        label = self.taxonomy.label(hit.concept) if hit.name == hit.concept else hit.name
        name = [] if label == hit.concept else [label]
        words = [*name, *(f"< {self.taxonomy.label(parent)}" for parent in above[:1])]
        return f"{hit.concept} ({' '.join(words)})" if words else hit.concept

    def write_corrections(
        self,
        path: str | PathLike[str],
        *,
        accept: float | None = None,
        format: CorrectionsFormat = "table",
        force: bool = False,
    ) -> None:
        """Write the values without a concept to a table that you fill in and read back.

        The table has the columns ``value`` and ``concept``. Further columns help you: the label and
        score of the concept, the count, and concepts that may be meant.

        Args:
            path: The file.
            accept: Fill in the best suggestion where its score is at least this; see
                :meth:`accept`. Without it, all concepts are empty.
            format: ``"table"``, or ``"usagi"`` for a file of OHDSI's Usagi, in which every value
                has its best suggestion, approved if it is accepted.
            force: Whether to overwrite an existing file.
        """
        from ontomask.taxonomy.terms.corrections import write_corrections

        write_corrections(self, Path(path), accept=accept, format=format, force=force)

    def __repr__(self) -> str:
        parts = [
            format_count(len(self.matches), "distinct value"),
            f"{format_percent(self.coverage)} of records mapped",
        ]
        if self.unmapped:
            parts.append(f"{len(self.unmapped):,} unmapped")
        if self.ambiguous:
            parts.append(f"{len(self.ambiguous):,} ambiguous")
        if self.missing:
            parts.append(f"{format_count(self.missing, 'row')} missing")
        return f"TermMap({', '.join(parts)})"

"""Propose a role for each column, with the reason, for a person to check.

The first rule that applies decides. Rules look at the name of a column and at the counts of its
values; they know nothing about the subject of the table.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from ontomask.errors import format_count
from ontomask.releasefile.profile.column_facts import ColumnFacts, is_finite
from ontomask.releasefile.profile.column_names import (
    CATEGORY_WORDS,
    CODE_WORDS,
    CONFIDENTIAL_WORDS,
    COUNT_WORDS,
    IDENTIFIER_WORDS,
    NAME_WORDS,
    NUMBER_WORDS,
    PERSON_WORDS,
    PLACE_WORDS,
    POSTAL_WORDS,
    STAFF_WORDS,
    TIME_WORDS,
    TRAIT_WORDS,
    ends_as_number,
    word_at,
    words_of,
)
from ontomask.releasefile.profile.known_concepts import (
    MIN_COVERAGE,
    TaxonomyCoverage,
    are_icd10_codes,
)
from ontomask.releasefile.profile.levels import levels_of
from ontomask.releasefile.profile.offered_taxonomies import NO_TAXONOMIES, OfferedTaxonomies
from ontomask.releasefile.profile.taxonomy_choice import TaxonomyChoice, choose_taxonomy
from ontomask.taxonomy.about import FLAT

__all__ = ["RoleSuggestion", "keep_one_person", "suggest_in_role", "suggest_role"]

#: From this share of distinct values on, nearly all values are unique.
NEARLY_ALL = 0.95
#: A table with fewer records says little about how often values repeat.
ENOUGH_RECORDS = 20
MOSTLY_MISSING = 0.5
FREE_TEXT = 60  # characters on average
FEW_VALUES = 20
#: What may stand between the values of a set.
SEPARATORS = (";", "|", ",")
#: So many words may stand side by side without a taxonomy that orders them.
MOST_FLAT = 2_000
MOST_PREFIXED = 50_000

#: An amount with the sign or the name of a currency.
MONEY = re.compile(r"[-+]?(([€$£]|EUR|USD|CHF) ?[\d., ']+|[\d., ']+ ?([€$£]|EUR|USD|CHF))")
_SEXES_IN_WORDS = """
    m f w d x h v male female man woman boy girl männlich weiblich divers mann frau homme femme
    masculin féminin hombre mujer masculino femenino varón maschio femmina maschile femminile
    feminino macho fêmea vrouw mannelijk vrouwelijk home dona masculí femení
"""
SEXES = frozenset(_SEXES_IN_WORDS.split())


@dataclass(frozen=True)
class RoleSuggestion:
    """The role of a column, what its values are, and why.

    ``role`` is a role of a release file, or ``person``. ``taxonomy_kind`` says how to make a
    taxonomy from the values if no bundled one contains them: flat, prefixes (with the lengths in
    ``taxonomy_parts``) or paths (with that separator). ``notes`` are for the reader.
    """

    role: str
    reason: str
    type: str | None = None
    taxonomy: str | None = None
    repair_codes: bool = False
    levels: tuple[str, ...] = ()
    date_format: str | None = None
    separator: str | None = None
    taxonomy_kind: str | None = None
    taxonomy_parts: tuple[int, ...] | str = ()
    notes: tuple[str, ...] = ()


# ---------------------------------------------------------------------- the rules


def suggest_role(facts: ColumnFacts, offered: OfferedTaxonomies = NO_TAXONOMIES) -> RoleSuggestion:
    """Suggest a role by the first rule that applies, with notes on what to look at.

    ``offered`` are taxonomies to compare the values with, besides the bundled ones.
    """
    words = words_of(facts.name)
    suggestion = next(
        opinion for rule in _rules_with(offered) if (opinion := rule(facts, words)) is not None
    )
    notes = list(suggestion.notes)
    if suggestion.role == "quasi" and suggestion.taxonomy_kind:
        notes += _notes_on_partial_taxonomies(facts, words, offered)
    if not facts.exact:
        notes.append("estimated from a random sample, because the table has very many values")
    if 0.9 <= facts.numbers < 1 and facts.kind == "text" and suggestion.taxonomy_kind == "flat":
        notes.append(
            f"{100 * facts.numbers:.0f} % of the distinct values are numbers. If all should be "
            "numbers, correct the others or list them in missing_marks, and write type: numeric"
        )
    return replace(suggestion, notes=tuple(notes))


Rule = Callable[[ColumnFacts, frozenset[str]], RoleSuggestion | None]


def _empty_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    if facts.kind == "nothing":
        return RoleSuggestion("drop", "it has no values")
    if facts.kind == "something else":
        return RoleSuggestion(
            "drop", "it contains lists or other nested values, which are not masked"
        )
    return None


def _direct_identifier_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    if IDENTIFIER_WORDS.has_any(words) and facts.variety > 0.1:
        return RoleSuggestion("identifier", "its name suggests that it identifies a person")
    others = {word for word in words if not NAME_WORDS.has(word)} - {"full", "first", "last"}
    named = len(others) < len(words)
    if named and PERSON_WORDS.has_all(others) and facts.kind == "text":
        return RoleSuggestion("identifier", "its name suggests that it contains names")
    if named and facts.kind == "text" and (facts.variety > 0.5 or STAFF_WORDS.has_any(words)):
        return RoleSuggestion("identifier", "it seems to contain names")
    if words and STAFF_WORDS.has_all(words) and facts.kind == "text":
        return RoleSuggestion("identifier", "it may contain the names of staff")
    return None


#: Kinds of care, which count stays and not patients.
CARE_WORDS = frozenset(["inpatient", "outpatient"])


def _number_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    """Numbers and codes that identify people or records."""
    about_people = PERSON_WORDS.has_any(words - CARE_WORDS)
    named_as_number = ends_as_number(facts.name) or PERSON_WORDS.has_all(words)
    named_as_number |= about_people and NUMBER_WORDS.has_any(words)
    if facts.kind not in ("text", "whole numbers") or not named_as_number:
        return None
    if CODE_WORDS.has_any(words) and not about_people:
        return None  # the number of a concept
    if (about_people or facts.variety >= 0.2) and facts.distinct > FEW_VALUES:
        if facts.variety >= NEARLY_ALL:
            return RoleSuggestion(
                "identifier", "its name suggests an identifier, and nearly all values are unique"
            )
        return RoleSuggestion(
            "person",
            "its name suggests that it identifies people, and values repeat. Do records with the "
            "same value belong to one person?",
        )
    return None


def _constant_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    if facts.distinct == 1 and not facts.missing:
        return RoleSuggestion("keep", "every record has the same value")
    return None


def _mostly_missing_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    share = facts.missing / facts.rows
    if share > MOSTLY_MISSING and not _is_confidential(facts, words):
        return RoleSuggestion("drop", f"{100 * share:.0f} % of its values are missing")
    return None


def _offered_rule(
    facts: ColumnFacts, words: frozenset[str], *, offered: OfferedTaxonomies
) -> RoleSuggestion | None:
    """Words or codes that a taxonomy contains which was brought along with the table."""
    if not offered.taxonomies or _is_confidential(facts, words):
        return None
    choice = _choose_taxonomy(facts, words, offered)
    best = choice.best
    if best is None or not best.is_offered or best.coverage < MIN_COVERAGE:
        return None
    return _suggest_choice("quasi", choice)


def _set_rule(
    facts: ColumnFacts, words: frozenset[str], *, offered: OfferedTaxonomies
) -> RoleSuggestion | None:
    """Cells with several words or codes that a taxonomy contains."""
    if facts.kind != "text":
        return None
    for separator in SEPARATORS:
        several = sum(separator in value for value in facts.values)
        if 2 * several < len(facts.values) or not several:
            continue
        parts: Counter[str] = Counter()
        for value, count in facts.values.items():
            parts.update(dict.fromkeys(map(str.strip, value.split(separator)), count))
        del parts[""]
        match = choose_taxonomy(parts, words, offered).best
        if match is not None and match.coverage >= MIN_COVERAGE:
            suggestion = _suggest_taxonomy(
                "quasi",
                f"several {'codes' if match.of_codes else 'words'} in a cell, which others may "
                f"know; the taxonomy {match.label} contains {match.percent} of them",
                match,
            )
            return replace(suggestion, type="set", separator=separator)
    return None


def _free_text_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    if facts.kind == "text" and facts.mean_length > FREE_TEXT and facts.variety > 0.2:
        return RoleSuggestion(
            "undecided", "free text, which may contain names and other personal facts"
        )
    return None


def _money_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    amounts = sum(MONEY.fullmatch(value.strip()) is not None for value in facts.values)
    if facts.kind != "text" or not facts.values or amounts < 0.9 * len(facts.values):
        return None
    return RoleSuggestion(
        "undecided",
        "amounts of money as text. To use them as numbers, remove the sign of the currency",
    )


def _confidential_rule(
    facts: ColumnFacts, words: frozenset[str], *, offered: OfferedTaxonomies
) -> RoleSuggestion | None:
    if not _is_confidential(facts, words):
        return None
    return _suggest_confidential(
        facts,
        words,
        "its name suggests an amount, an outcome or a result. Is it what the table is published "
        "for?",
        offered,
    )


def _suggest_confidential(
    facts: ColumnFacts, words: frozenset[str], reason: str, offered: OfferedTaxonomies
) -> RoleSuggestion:
    """Suggest the role confidential, with a type where that is certain."""
    suggestion = RoleSuggestion("confidential", reason)
    if facts.kind in ("whole numbers", "decimals") and is_finite(facts) and not facts.missing:
        return replace(suggestion, type="numeric")
    coverage = _choose_taxonomy(facts, words, offered).best
    if coverage is not None and coverage.unknown == 0 and not facts.missing:
        return _suggest_taxonomy("confidential", reason, coverage)
    return suggestion


def _is_confidential(facts: ColumnFacts, words: frozenset[str]) -> bool:
    return CONFIDENTIAL_WORDS.has_any(words)


def _long_number_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    if facts.kind not in ("whole numbers", "decimals") or is_finite(facts):
        return None
    if facts.variety >= NEARLY_ALL:
        return RoleSuggestion("identifier", "long numbers, and nearly all of them are unique")
    return RoleSuggestion(
        "drop", "the numbers are too long or not finite, so they cannot be masked"
    )


def _date_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    if facts.kind != "dates":
        return None
    form = facts.date_formats[0] if facts.date_formats else None
    others = facts.date_formats[1:]
    notes = (f"is the format {form}, or {' or '.join(others)}?",) if others else ()
    unusual_form = None if form == "%Y-%m-%d" else form
    return RoleSuggestion(
        "quasi",
        "dates, which others may know",
        "date",
        date_format=unusual_form,
        notes=notes,
    )


def _unique_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    """Text and whole numbers that nearly no two records share."""
    if facts.present < ENOUGH_RECORDS or facts.variety < NEARLY_ALL:
        return None
    if facts.kind == "text" and not _is_coded(words):
        return RoleSuggestion("identifier", "nearly all values are unique")
    known = any(subject.has_any(words) for subject in (TRAIT_WORDS, PLACE_WORDS, TIME_WORDS))
    if facts.kind == "whole numbers" and not known:
        return RoleSuggestion("identifier", "nearly all numbers are unique")
    return None


def _concept_rule(
    facts: ColumnFacts,
    words: frozenset[str],
    *,
    offered: OfferedTaxonomies,
    must_choose: bool = False,
) -> RoleSuggestion | None:
    choice = _choose_taxonomy(facts, words, offered)
    return None if choice.best is None else _suggest_choice("quasi", choice, must_choose)


def _suggest_choice(role: str, choice: TaxonomyChoice, must_choose: bool = False) -> RoleSuggestion:
    """Suggest the best taxonomy, with the runner-up; undecided where none is clearly better."""
    match = choice.best
    assert match is not None
    values = "codes" if match.of_codes else "words"
    others = choice.describe_others()
    if not choice.is_clear and not must_choose:
        return RoleSuggestion(
            "undecided",
            f"{values} that others may know; of the distinct values, {match.label} contains "
            f"{match.percent}, {others}. Which taxonomy is right?",
            notes=(f"to mask it, write role: {role} and taxonomy: {match.label}, or the other",),
        )
    next_best = f" (the next best: {others})" if others else ""
    return _suggest_taxonomy(
        role,
        f"{values} that others may know; the taxonomy {match.label} contains {match.percent} "
        f"of the distinct values{next_best}",
        match,
    )


def _suggest_taxonomy(role: str, reason: str, coverage: TaxonomyCoverage) -> RoleSuggestion:
    notes = []
    if coverage.repair_codes:
        notes.append("some codes lost zeros or the point: repair_codes repairs them")
    if coverage.unknown:
        notes.append(
            f"{format_count(coverage.unknown, 'value')} must be mapped to concepts first: use "
            "ontomask map --write-corrections"
        )
    return RoleSuggestion(
        role,
        reason,
        "nominal",
        coverage.taxonomy,
        repair_codes=coverage.repair_codes,
        notes=tuple(notes),
    )


def _is_count(facts: ColumnFacts) -> bool:
    """Whether the name of a column suggests a count, such as the number of diagnoses."""
    return word_at(facts.name, 0) in COUNT_WORDS


def _choose_taxonomy(
    facts: ColumnFacts, words: frozenset[str], offered: OfferedTaxonomies
) -> TaxonomyChoice:
    """Choose a taxonomy for text, and for numbers that are codes."""
    if facts.kind == "text":
        return choose_taxonomy(facts.values, words, offered, has_own_type=_has_own_type(facts))
    intact = facts.kind == "whole numbers" or facts.stored_as_text
    if facts.kind not in ("whole numbers", "decimals") or not intact or _is_count(facts):
        return TaxonomyChoice(())
    named_as_code = CODE_WORDS.has_any(words)
    may_be_offered = named_as_code or not (TIME_WORDS.has_any(words) or facts.mean_length < 4)
    return choose_taxonomy(
        facts.values,
        words,
        offered if may_be_offered else NO_TAXONOMIES,
        may_be_bundled=named_as_code,
    )


def _has_own_type(facts: ColumnFacts) -> bool:
    """Whether words can be masked by their order, or are sexes."""
    return bool(levels_of(facts)) or _are_sexes(facts)


def _notes_on_partial_taxonomies(
    facts: ColumnFacts, words: frozenset[str], offered: OfferedTaxonomies
) -> list[str]:
    """Offered taxonomies that contain some of the values, but too few to be proposed."""
    if not offered.taxonomies:
        return []
    others = _choose_taxonomy(facts, words, offered).describe_others()
    return [f"too few of its distinct values are in a taxonomy: {others}"] if others else []


def _known_to_others_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    """People, places and times, by the name of the column."""
    subjects = {
        "a trait of a person": TRAIT_WORDS,
        "a place": PLACE_WORDS,
        "a time": TIME_WORDS,
    }
    named = [subject for subject, its_words in subjects.items() if its_words.has_any(words)]
    if not named:
        return None
    return _suggest_quasi_identifier(
        facts, words, f"its name suggests {' or '.join(named)}, which others may know"
    )


def _ordered_words_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    if len(levels_of(facts)) > 2:
        return _suggest_quasi_identifier(facts, words, "ordered words, which others may know")
    return None


def _sex_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    if facts.kind == "text" and _are_sexes(facts):
        return _suggest_quasi_identifier(facts, words, "its values are sexes, which others know")
    return None


def _are_sexes(facts: ColumnFacts) -> bool:
    values = {value.strip().casefold() for value in facts.values}
    return 1 < len(values) < 6 and len(values & SEXES) > len(values) / 2


def _other_rule(facts: ColumnFacts, words: frozenset[str]) -> RoleSuggestion | None:
    """Nothing shows that it is not about a person."""
    return _suggest_quasi_identifier(
        facts,
        words,
        "others may know it. If it says nothing about a person, you can give it the role keep",
    )


def _rules_with(offered: OfferedTaxonomies) -> tuple[Rule, ...]:
    """All rules, in their order."""
    return (
        _empty_rule,
        _direct_identifier_rule,
        _number_rule,
        _constant_rule,
        _long_number_rule,
        _mostly_missing_rule,
        partial(_offered_rule, offered=offered),
        partial(_set_rule, offered=offered),
        _free_text_rule,
        _money_rule,
        partial(_confidential_rule, offered=offered),
        _date_rule,
        _unique_rule,
        partial(_concept_rule, offered=offered),
        _known_to_others_rule,
        _sex_rule,
        _ordered_words_rule,
        _other_rule,
    )


# ---------------------------------------------------------------------- what quasi-identifiers are


def _suggest_quasi_identifier(
    facts: ColumnFacts, words: frozenset[str], reason: str
) -> RoleSuggestion:
    """Suggest a quasi-identifier with its type; drop one that cannot be masked as it is."""
    suggestion = RoleSuggestion("quasi", reason)
    coded = _is_coded(words) and not _is_count(facts)
    coded |= CATEGORY_WORDS.has(word_at(facts.name, -1)) or ends_as_number(facts.name)
    coded |= PLACE_WORDS.has_any(words) and facts.same_length and facts.longest > 3
    coded |= any(word.endswith("id") and PLACE_WORDS.has(word[:-2]) for word in words)  # wardid
    if facts.kind == "decimals" or (facts.kind == "whole numbers" and not coded):
        return replace(suggestion, type="numeric")
    levels = levels_of(facts)
    if levels:
        note = (
            "the order of two levels does not matter"
            if len(levels) == 2
            else "are the levels in the right order?"
        )
        return replace(suggestion, type="ordinal", levels=levels, notes=(note,))
    return _suggest_own_taxonomy(facts, words, suggestion)


def _is_coded(words: frozenset[str]) -> bool:
    """Whether a name suggests codes, which are never numbers."""
    return POSTAL_WORDS.has_any(words) or CODE_WORDS.has_any(words)


def suggest_in_role(
    facts: ColumnFacts, role: str, offered: OfferedTaxonomies = NO_TAXONOMIES
) -> RoleSuggestion:
    """Suggest the fields of a column in the role that somebody chose.

    Where it cannot be a quasi-identifier as it is, the suggestion has another role, and its reason
    says what is in the way.
    """
    words, reason = words_of(facts.name), "you chose it"
    if role == "confidential":
        return _suggest_confidential(facts, words, reason, offered)
    if role != "quasi":
        return RoleSuggestion(role, reason)
    concept_rule = partial(_concept_rule, offered=offered, must_choose=True)
    rules: tuple[Rule, ...] = (_empty_rule, _long_number_rule, _date_rule, concept_rule)
    suggestion = next(
        (opinion for rule in rules if (opinion := rule(facts, words)) is not None), None
    )
    return suggestion or _suggest_quasi_identifier(facts, words, reason)


def _suggest_own_taxonomy(
    facts: ColumnFacts, words: frozenset[str], suggestion: RoleSuggestion
) -> RoleSuggestion:
    """Suggest a taxonomy made of the values, where no bundled one knows them."""
    suggestion = replace(suggestion, type="nominal")
    sep = _path_separator(facts)
    if facts.complete and facts.distinct <= MOST_PREFIXED:
        if sep:
            note = (
                "the values are paths; the taxonomy was made with "
                f"Taxonomy.from_paths(values, sep={sep!r})"
            )
            return replace(suggestion, taxonomy_kind="paths", taxonomy_parts=sep, notes=(note,))
        lengths = _prefix_lengths(facts, words)
        if lengths:
            listed = ", ".join(map(str, lengths))
            note = (
                "codes are grouped by prefix; the taxonomy was made with "
                f"Taxonomy.from_prefixes(values, [{listed}])"
            )
            return replace(
                suggestion, taxonomy_kind="prefixes", taxonomy_parts=lengths, notes=(note,)
            )
        if facts.distinct <= MOST_FLAT:
            note = (
                f"its taxonomy, made from its values, is {FLAT}. Group similar values in it to "
                "reduce the information loss"
            )
            return replace(suggestion, taxonomy_kind="flat", notes=(note,))
    return RoleSuggestion(
        "undecided",
        f"others may know it, but it has {facts.distinct:,} distinct values and no taxonomy",
        notes=("to mask it, add a taxonomy (docs: Bring a taxonomy) and role: quasi",),
    )


def _path_separator(facts: ColumnFacts) -> str | None:
    """Separator of the values, where nearly all are paths and their beginnings repeat."""
    for sep in ("|", " > ", ">", "/", "::"):
        paths = [value.split(sep) for value in facts.values if sep in value]
        if len(paths) < 0.9 * max(len(facts.values), 5):
            continue
        fine = all(part.strip() == part and part for path in paths for part in path)
        if fine and len({path[0] for path in paths}) <= len(paths) / 2:
            return sep
    return None


def _prefix_lengths(facts: ColumnFacts, words: frozenset[str]) -> tuple[int, ...]:
    """The lengths of the beginnings that group the values: of postal codes and the like."""
    if are_icd10_codes(facts.values):
        return (1, 3)
    digits = all(value.isascii() and value.isalnum() for value in facts.values)
    looks_like_codes = facts.same_length and facts.numbers == 1 and facts.distinct > FEW_VALUES
    if not digits or facts.longest < 3 or not (POSTAL_WORDS.has_any(words) or looks_like_codes):
        return ()
    return tuple(sorted({1, min(3, facts.longest - 1)}))


# ---------------------------------------------------------------------- one of many


def keep_one_person(
    suggestions: dict[str, RoleSuggestion], facts: dict[str, ColumnFacts]
) -> dict[str, RoleSuggestion]:
    """Keep the best person column; the others become identifiers."""
    people = [name for name, suggestion in suggestions.items() if suggestion.role == "person"]
    if not people:
        return suggestions
    best = max(
        people, key=lambda name: (PERSON_WORDS.has_any(words_of(name)), facts[name].distinct)
    )
    return {
        name: replace(suggestion, role="identifier")
        if suggestion.role == "person" and name != best
        else suggestion
        for name, suggestion in suggestions.items()
    }

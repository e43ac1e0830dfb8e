"""Names of concepts: which concepts have a name, letter by letter or in another form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from ontomask.taxonomy.word_forms import (
    CODE_OF_LANGUAGE,
    fold_name,
    fold_singular,
    fold_umlauts,
    fold_unicode,
    stem_words,
)

__all__ = ["CodesByName", "Hit", "NameIndex", "NameMatch", "closest_names", "name_hint"]

#: The kinds of names that concepts have.
NameKind = Literal["code", "alias", "label", "synonym"]

#: The kinds whose spelling is compared; later ones are trusted more.
_SPELT_KINDS: tuple[NameKind, ...] = ("synonym", "code", "label")

#: A code whose point people leave out. It begins with a letter, so it has lost no zero.
_POINTED_CODE = re.compile(r"[A-Za-z]\w*\.\w+")
#: Short words in capitals: their last letter is no plural.
_ACRONYM = re.compile(r"\b[A-Z]{2,5}\b")
_PARENTHESIS = re.compile(r" \(")
_UMLAUT = re.compile("[äöüåøÄÖÜÅØ]")

#: Which concepts, by code number, have a name.
CodesByName = dict[str, tuple[int, ...]]
#: From a name to the form of it that is compared.
Form = Callable[[str], str]


class Hit(NamedTuple):
    """A concept that a search found.

    Attributes:
        concept: Identifier of the concept.
        name: The name by which the concept was found.
    """

    concept: str
    name: str


class NameMatch(NamedTuple):
    """The concepts, by code number, that have a name: of which kind it is, and how close.

    Attributes:
        kind: The kind of name; the most trusted, if it is of several.
        closeness: Which form of the name is equal, in words; empty for the name itself.
        codes: The concepts.
        form: The function from names to the forms that are equal.
    """

    kind: NameKind
    closeness: str
    codes: tuple[int, ...]
    form: Form

    @property
    def how(self) -> str:
        """Kind and closeness in words: ``"label, folded"``."""
        return f"{self.kind}, {self.closeness}" if self.closeness else self.kind


class NameIndex:
    """Which concepts a name belongs to.

    Names are compared letter by letter in any case, then folded, then with plurals folded, then by
    stems. What is equal in one of these is trusted more than in the next. Concepts are numbers.
    """

    def __init__(
        self,
        identifiers: Sequence[str],
        aliases: dict[str, int],
        labels: Sequence[tuple[str, ...]],
        languages: Sequence[str] = (),
    ) -> None:
        self.exact: dict[NameKind, CodesByName] = {
            "code": {name: (code,) for code, name in enumerate(identifiers)},
            "alias": {name: (code,) for name, code in aliases.items()},
            "label": _group_codes((names[0], code) for code, names in enumerate(labels) if names),
            "synonym": _group_codes(
                (name, c) for c, names in enumerate(labels) for name in names[1:]
            ),
        }
        self.languages = tuple(languages) or ("en",)
        self._labels = labels
        self._reduced: dict[tuple[str, str], tuple[Form, dict[NameKind, CodesByName]]] = {}

    @cached_property
    def cased_tables(self) -> dict[NameKind, CodesByName]:
        """The exact tables by names in lower case."""
        return {kind: _regroup_codes(table, fold_case) for kind, table in self.exact.items()}

    @cached_property
    def folded_tables(self) -> dict[NameKind, CodesByName]:
        """The exact tables by folded names; those with umlauts, and codes, in two forms."""
        tables = {kind: _regroup_codes(table, fold_name) for kind, table in self.exact.items()}
        for kind, table in self.exact.items():
            other_form = _fold_code if kind in ("code", "alias") else _fold_two_letters
            for name, codes in table.items():
                if form := other_form(name):
                    known = tables[kind].get(form, ())
                    tables[kind][form] = tuple(dict.fromkeys((*known, *codes)))
        return tables

    @cached_property
    def spellings(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Every folded name with the name itself and its concepts, to compare spelling."""
        return {
            plain: (name, codes)
            for kind in _SPELT_KINDS
            for name, codes in self.exact[kind].items()
            if (plain := fold_name(name))
        }

    @cached_property
    def _acronyms(self) -> frozenset[str]:
        return frozenset(
            word.lower()
            for names in self._labels
            for name in names
            if not name.islower()
            for word in _ACRONYM.findall(name)
        )

    def _reduce_tables(self, way: str, language: str) -> tuple[Form, dict[NameKind, CodesByName]]:
        """The folded tables by singulars or stems, with the function that makes these.

        Aliases are codes and have none.
        """
        if (way, language) not in self._reduced:
            if way == "plural":
                form, of_names = fold_singular(language), fold_singular(language, self._acronyms)
            else:
                form = of_names = stem_words(language)
            tables = self.folded_tables if form and of_names else {}
            self._reduced[way, language] = (
                form or fold_name,
                {
                    kind: _regroup_codes(table, of_names)
                    for kind, table in tables.items()
                    if kind != "alias" and of_names
                },
            )
        return self._reduced[way, language]

    def matches(self, name: str, stems: str | None = "plural") -> Iterator[NameMatch]:
        """The concepts with a name, those at the closest form first.

        An identifier stands for its concept alone, unless that has no other name and the identifier
        is a name of another concept. Of a name, all concepts count, by label and by synonym.

        Args:
            name: The name.
            stems: ``"plural"`` to fold plurals, a language of stems, or None.
        """
        exact = self.exact
        if (named := self._find_labelled_code(name)) is not None:
            yield NameMatch("label", "", (named,), str)
        code = exact["code"].get(name) or exact["alias"].get(name)
        is_name = name in exact["label"] or name in exact["synonym"]
        if code is not None and (self._labels[code[0]] or name in exact["alias"] or not is_name):
            kind: NameKind = "code" if name in exact["code"] else "alias"
            yield NameMatch(kind, "", code, str)
        if cased := _find_in_tables(self.cased_tables, fold_case(name), "folded", fold_case):
            exact_kind = next((kind for kind, table in exact.items() if name in table), None)
            yield cased._replace(kind=exact_kind, closeness="") if exact_kind else cased
        plain = fold_name(name)
        if not plain:
            return
        if folded := _find_in_tables(self.folded_tables, plain, "folded", fold_name):
            yield folded
        if stems is None:
            return
        for language in self.languages if stems == "plural" else (CODE_OF_LANGUAGE.get(stems, ""),):
            if plural := self._find_reduced("plural", language, plain):
                yield plural
        if stems != "plural" and (stemmed := self._find_reduced("stemmed", stems, plain)):
            yield stemmed

    def _find_labelled_code(self, name: str) -> int | None:
        """The concept of a label with its identifier in parentheses: ``bank (bank.n.01)``."""
        if not name.endswith(")"):
            return None
        for place in _PARENTHESIS.finditer(name):
            label, identifier = name[: place.start()], name[place.end() : -1]
            codes = self.exact["code"].get(identifier, ())
            if codes and label in self._labels[codes[0]]:
                return codes[0]
        return None

    def _find_reduced(self, way: str, language: str, plain: str) -> NameMatch | None:
        form, tables = self._reduce_tables(way, language)
        return _find_in_tables(tables, form(plain), way, lambda name: form(fold_name(name)))

    def find(self, name: str) -> NameMatch | None:
        """The closest match without plurals and stems, if there is one."""
        return next(self.matches(name, None), None)


def fold_case(name: str) -> str:
    """Fold the case of a name, and the spaces around it."""
    return name.strip().lower() if name.isascii() else fold_unicode(name).strip()


def _fold_code(code: str) -> str:
    """A code without its point, or nothing if it may have lost a zero."""
    return code.replace(".", "").lower() if _POINTED_CODE.fullmatch(code) else ""


def _fold_two_letters(name: str) -> str:
    """A folded name with umlauts as two letters, or nothing if it has none."""
    return fold_umlauts(name) if _UMLAUT.search(name) else ""


def _find_in_tables(
    tables: dict[NameKind, CodesByName], key: str, closeness: str, form: Form
) -> NameMatch | None:
    kinds = [kind for kind, table in tables.items() if key in table]
    if not kinds:
        return None
    codes = tuple(dict.fromkeys(code for kind in kinds for code in tables[kind][key]))
    return NameMatch(kinds[0], closeness, codes, form)


def _group_codes(pairs: Iterable[tuple[str, int]]) -> CodesByName:
    table: CodesByName = {}
    for name, code in pairs:
        codes = table.get(name)
        if codes is None:
            table[name] = (code,)
        elif code not in codes:
            table[name] = (*codes, code)
    return table


def _regroup_codes(table: CodesByName, form: Form) -> CodesByName:
    pairs = ((form(name), code) for name, codes in table.items() for code in codes)
    return _group_codes((name, code) for name, code in pairs if name)


def name_hint(near: Sequence[str], listing: str) -> str:
    """Hint with the most similar name, if there is one, before a list of all names.

    >>> name_hint(["age"], "the columns are 'age'"), name_hint([], "the columns are 'age'")
    ("did you mean 'age'? The columns are 'age'", "the columns are 'age'")
    """
    if not near:
        return listing
    return f"did you mean {near[0]!r}? {listing[0].upper()}{listing[1:]}"


def closest_names(name: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The names spelt most like this one, for a "did you mean"."""
    from rapidfuzz import fuzz, process  # only where a suggestion is needed

    matches = process.extract(
        name, list(names), scorer=fuzz.ratio, processor=fold_name, limit=most, score_cutoff=60
    )
    return [match for match, _, _ in matches]

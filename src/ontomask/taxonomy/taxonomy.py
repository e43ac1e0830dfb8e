"""The taxonomy: concepts, what they are called and what they are kinds of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime import own_warnings
from ontomask.errors import (
    DuplicateConceptError,
    ParameterError,
    SeveralRootsWarning,
    UndeclaredParentError,
    UnknownConceptError,
    format_count,
    quote_names,
)
from ontomask.taxonomy import graph
from ontomask.taxonomy.about import About
from ontomask.taxonomy.graph import IntArray, Links
from ontomask.taxonomy.names import Hit, NameIndex, closest_names
from ontomask.taxonomy.value_counts import to_list
from ontomask.taxonomy.word_forms import fold_name, guess_language

__all__ = ["Concept", "Labels", "Taxonomy"]

Concept = str
Labels = Mapping[str, str | Sequence[str]]


class Taxonomy:
    """A directed acyclic graph of is-a links with one root.

    A concept may have several parents. Concepts are addressed by their identifier or by an alias of
    it. Labels are the names that people use, the preferred label first. A taxonomy cannot be
    changed after it is made. Make one with :func:`~ontomask.load_taxonomy`, :meth:`from_edges`,
    :meth:`from_paths` or :meth:`from_prefixes`.

    >>> tax = Taxonomy.from_edges(
    ...     [("coma", "disorder"), ("neuropathy", "disorder"), ("hepatic coma", "coma")],
    ...     labels={"coma": ["Coma", "comatose"]},
    ... )
    >>> tax
    Taxonomy(4 concepts, root 'disorder', 3 levels, 2 leaves)
    >>> tax.root, len(tax), "coma" in tax, tax.depth("hepatic coma")
    ('disorder', 4, True, 3)
    >>> sorted(tax.ancestors("hepatic coma"))
    ['coma', 'disorder', 'hepatic coma']
    """

    def __init__(
        self,
        identifiers: Sequence[str],
        parents: Links,
        labels: Sequence[tuple[str, ...]],
        aliases: Mapping[str, int],
        about: About,
        depths: NDArray[np.int32] | None = None,
    ) -> None:
        # Not for callers: everything here is already ordered and checked.
        self.__dict__.update(
            identifiers=tuple(identifiers),
            parent_links=parents,
            depths=graph.depths(parents) if depths is None else depths,
            about=about,
            _labels=labels,
            _aliases=dict(aliases),
            _code={identifier: code for code, identifier in enumerate(identifiers)},
        )

    #: Every concept in the taxonomy's own order: the root first, branches together.
    identifiers: tuple[str, ...]
    #: The parents of each concept, by number.
    parent_links: Links
    #: The depth of each concept, by number.
    depths: NDArray[np.int32]
    #: Name, source, version, what was left out; for reports.
    about: About
    _labels: Sequence[tuple[str, ...]]
    _aliases: dict[str, int]
    _code: dict[str, int]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a taxonomy cannot be changed: cannot set {name!r}")

    # ------------------------------------------------------------------ making one

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[str, str | None]],
        labels: Labels | None = None,
        *,
        concepts: Iterable[str] | None = None,
        aliases: Mapping[str, str] | None = None,
        name: str = "",
        about: About | None = None,
        warn: bool = True,
    ) -> Taxonomy:
        """Make a taxonomy from (child, parent) pairs.

        A concept with several parents has several pairs. A parent that is never a child is a root.
        If there are several roots, a virtual root ``*`` is put above them, with a warning.

        Args:
            edges: Pairs of child and parent. ``(concept, None)`` declares a root.
            labels: Names of each concept, the preferred one first.
            concepts: All concepts. If given, a parent that is not among them is an error.
            aliases: Other identifiers, each with the concept it stands for.
            name: Name of the taxonomy, for reports.
            about: Name, source and version in one object; use it instead of ``name``.
            warn: Whether to warn about several roots.

        Returns:
            The taxonomy.

        >>> Taxonomy.from_edges([("flu", "disease"), ("cold", "disease")]).children("disease")
        ('cold', 'flu')
        """
        number, links = _number_edges(edges)
        if concepts is not None:
            _check_declared(concepts, number, links)
        lists: list[tuple[str, ...]] = [()] * len(number)
        for concept, names in (labels or {}).items():
            if concept not in number:
                raise UnknownConceptError(
                    f"labels must be of concepts, got {concept!r}",
                    "add it to the edges, or leave its labels out",
                )
            label_list = [names] if isinstance(names, str) else names
            lists[number[concept]] = tuple(dict.fromkeys(name for name in label_list if name))
        child = np.fromiter((c for c, _ in links), dtype=np.int64, count=len(links))
        parent = np.fromiter((p for _, p in links), dtype=np.int64, count=len(links))
        return cls.from_numbers(
            list(number),
            child,
            parent,
            lists,
            _alias_numbers(aliases or {}, number),
            about=about or About(name=name),
            warn=warn,
        )

    @classmethod
    def from_numbers(
        cls,
        identifiers: Sequence[str],
        child: IntArray,
        parent: IntArray,
        labels: Sequence[tuple[str, ...]],
        aliases: Mapping[str, int] | None = None,
        *,
        about: About,
        warn: bool = True,
    ) -> Taxonomy:
        """Make a taxonomy from concepts that are already numbered, for readers of large files.

        Only the shape of the graph (roots and cycles) is checked.

        Args:
            identifiers: Distinct identifiers; the position of one is its number.
            child: Number of the child of each link.
            parent: Number of the parent of each link. Every link occurs once.
            labels: Names of each concept, in the order of ``identifiers``.
            aliases: Other identifiers, each with the number of its concept.
            about: Name, source and version.
            warn: Whether to warn about several roots.

        Returns:
            The taxonomy.
        """
        ordered, ordered_names, parents, tops = graph.number_concepts(identifiers, child, parent)
        if tops and warn:
            own_warnings.warn(
                SeveralRootsWarning(
                    f"the taxonomy has {len(tops)} roots, {quote_names(tops)}; "
                    f"a virtual root {graph.VIRTUAL_ROOT!r} was added above them"
                ),
                stacklevel=3,
            )
        place = np.empty(len(ordered_names), dtype=np.int64)
        place[ordered] = np.arange(len(ordered_names))
        padded = [*labels, ()]  # a virtual root has no labels
        return cls(
            ordered_names,
            parents,
            [padded[old] for old in ordered.tolist()],
            {alias: int(place[old]) for alias, old in (aliases or {}).items()},
            about,
        )

    @classmethod
    def from_paths(cls, values: Iterable[str], sep: str = "|", *, name: str = "") -> Taxonomy:
        """Make a taxonomy from values that are paths from the top, such as ``Europe|Spain``.

        The identifier of a concept is its whole path and its label is the last part. If the paths
        start at several concepts, a root ``*`` is put above them.

        Args:
            values: The paths.
            sep: The character between two parts of a path.
            name: Name of the taxonomy, for reports.

        Returns:
            The taxonomy.

        >>> places = Taxonomy.from_paths(["Europe|Spain|Reus", "Europe|Malta", "Asia|Japan"])
        >>> places.parents("Europe|Spain|Reus"), places.label("Europe|Spain|Reus"), places.root
        (('Europe|Spain',), 'Reus', '*')
        """
        if not sep:
            raise ParameterError(
                "sep must not be empty", 'give the separator of the parts: sep="|"'
            )
        edges: set[tuple[str, str | None]] = set()
        labels: dict[str, str] = {}
        for value in {_check_text(value, "value") for value in to_list(values)}:
            parts = [part.strip() for part in value.split(sep)]
            if not all(parts):
                raise ParameterError(
                    f"the path {value!r} has an empty part",
                    f"write {sep!r} only between two parts",
                )
            paths = [sep.join(parts[: end + 1]) for end in range(len(parts))]
            labels.update(zip(paths, parts, strict=True))
            edges.update(zip(paths, [None, *paths[:-1]], strict=True))
        return cls.from_edges(edges, labels, about=About(name, "paths in the values"), warn=False)

    @classmethod
    def from_prefixes(
        cls, values: Iterable[str], lengths: Sequence[int] | int, *, name: str = ""
    ) -> Taxonomy:
        """Make a taxonomy from codes whose first characters are categories, such as postcodes.

        Args:
            values: The codes.
            lengths: The lengths of the prefixes that become ancestors, below a root ``*``.
            name: Name of the taxonomy, for reports.

        Returns:
            The taxonomy.

        >>> zips = Taxonomy.from_prefixes(["43201", "43007", "08001"], lengths=[1, 3])
        >>> sorted(zips.ancestors("43201")), zips.depth("43201")
        (['*', '4', '432', '43201'], 4)
        """
        lengths = [lengths] if isinstance(lengths, int) else lengths
        if not lengths or sorted(set(lengths)) != list(lengths) or min(lengths) < 1:
            raise ParameterError(
                f"lengths must be increasing numbers of at least 1, got {list(lengths)!r}",
                "give the lengths of the prefixes, such as [1, 3]",
            )
        edges: set[tuple[str, str | None]] = set()
        for value in {_check_text(value, "value") for value in to_list(values)}:
            if value == graph.VIRTUAL_ROOT:
                continue
            steps = [value[:length] for length in lengths if length < len(value)]
            path = [graph.VIRTUAL_ROOT, *steps, value]
            edges.update(zip(path[1:], path[:-1], strict=True))
        return cls.from_edges(edges, about=About(name, "prefixes of the values"))

    # ------------------------------------------------------------------ looking at one

    @property
    def name(self) -> str:
        """Name of the taxonomy."""
        return self.about.name

    @property
    def root(self) -> Concept:
        """The root: the ancestor of all concepts."""
        return self.identifiers[0]

    @property
    def height(self) -> int:
        """Number of levels: the greatest depth of a concept."""
        return int(self.depths.max())

    @property
    def is_flat(self) -> bool:
        """Whether all concepts are children of the root, so that no two are more similar.

        Two leaves need no group.

        >>> Taxonomy.from_edges([("nurse", "*"), ("cook", "*"), ("baker", "*")]).is_flat
        True
        >>> Taxonomy.from_edges([("nurse", "*"), ("food", "*"), ("cook", "food")]).is_flat
        False
        """
        return self.height <= 2 < len(self.leaves)

    def __len__(self) -> int:
        return len(self.identifiers)

    def __iter__(self) -> Iterator[Concept]:
        return iter(self.identifiers)

    def __contains__(self, concept: object) -> bool:
        return concept in self._code or concept in self._aliases

    def __repr__(self) -> str:
        several = int((self.parent_links.sizes() > 1).sum())
        parts = [
            f"{self.name!r}: " if self.name else "",
            f"{format_count(len(self), 'concept')}, root {self.root!r}, "
            f"{format_count(self.height, 'level')}, ",
            f"{len(self.leaves):,} lea{'ves' if len(self.leaves) > 1 else 'f'}",
            f", {several:,} with several parents" if several else "",
        ]
        return f"Taxonomy({''.join(parts)})"

    def __eq__(self, other: object) -> bool:
        """The same concepts, links, labels and aliases, whatever they are called or came from."""
        if not isinstance(other, Taxonomy):
            return NotImplemented
        return self is other or (  # caches by taxonomy ask this all the time
            self.identifiers == other.identifiers
            and np.array_equal(self.parent_links.items, other.parent_links.items)
            and np.array_equal(self.parent_links.start, other.parent_links.start)
            and list(self._labels) == list(other._labels)
            and self._aliases == other._aliases
        )

    def __hash__(self) -> int:
        return hash((len(self), self.root))

    def code(self, concept: Concept | int) -> int:
        """The number of a concept: its position in the order of ``identifiers``."""
        name = str(concept) if isinstance(concept, int | np.integer) else concept
        try:
            code = self._code.get(name, self._aliases.get(name))
        except TypeError:  # a list, say
            code = None
        if code is None:
            raise self._unknown_concept_error(name)
        return code

    def codes(self, concepts: Iterable[Concept]) -> NDArray[np.int32]:
        """The numbers of many concepts."""
        names = to_list(concepts)
        try:
            codes = [self._code[concept] for concept in names]
        except (KeyError, TypeError):  # an alias, or no concept at all
            codes = [self.code(concept) for concept in names]
        return np.array(codes, dtype=np.int32)

    def label(self, concept: Concept) -> str:
        """The preferred label of a concept, or its identifier if it has no label."""
        labels = self._labels[self.code(concept)]
        return labels[0] if labels else self.identifiers[self.code(concept)]

    def labels(self, concept: Concept) -> tuple[str, ...]:
        """Every name of a concept, the preferred one first."""
        return self._labels[self.code(concept)]

    def aliases(self, concept: Concept) -> tuple[str, ...]:
        """The other identifiers of a concept."""
        code = self.code(concept)
        return tuple(alias for alias, number in self._aliases.items() if number == code)

    @property
    def label_lists(self) -> Sequence[tuple[str, ...]]:
        """The labels of all concepts, in the order of ``identifiers``."""
        return self._labels

    def alias_items(self) -> Iterator[tuple[str, Concept]]:
        """All aliases, each with its concept."""
        return ((alias, self.identifiers[code]) for alias, code in self._aliases.items())

    def depth(self, concept: Concept) -> int:
        """Number of nodes on the longest path to the root, both ends included; 1 for the root."""
        return int(self.depths[self.code(concept)])

    def parents(self, concept: Concept) -> tuple[Concept, ...]:
        """The parents of a concept: one level up."""
        return self._identifiers_of(self.parent_links.of(self.code(concept)))

    def children(self, concept: Concept) -> tuple[Concept, ...]:
        """The children of a concept: one level down."""
        return self._identifiers_of(self.child_links.of(self.code(concept)))

    def ancestors(self, concept: Concept) -> frozenset[Concept]:
        """All ancestors of a concept, including the concept itself."""
        steps = self.steps_up(self.code(concept))
        return frozenset(self.identifiers[code] for code in steps)

    def descendants(self, concept: Concept) -> frozenset[Concept]:
        """All descendants of a concept, including the concept itself."""
        return frozenset(
            self._identifiers_of(graph.reachable_concepts(self.child_links, self.code(concept)))
        )

    def path(self, concept: Concept, ancestor: Concept) -> int:
        """Number of links on the shortest path from a concept up to one of its ancestors."""
        steps = self.steps_up(self.code(concept))
        code = self.code(ancestor)
        if code not in steps:
            raise ParameterError(
                f"{ancestor!r} is not an ancestor of {concept!r}",
                f"its ancestors are {quote_names(self._identifiers_of(steps))}",
            )
        return steps[code]

    @cached_property
    def leaves(self) -> frozenset[Concept]:
        """The concepts without children."""
        return frozenset(self._identifiers_of(np.flatnonzero(self.child_links.sizes() == 0)))

    def lcs(self, *concepts: Concept) -> Concept:
        """The least common subsumer: the most specific common ancestor of the concepts.

        With several parents there may be several candidates. The deepest one is taken; if there are
        several, the one with the fewest descendants; then the first by identifier.

        >>> from ontomask import datasets
        >>> datasets.diagnoses().lcs("influenza", "hepatitis")
        'viral infection'
        """
        if not concepts:
            raise ParameterError("lcs needs at least one concept, got none")
        distinct = {self.code(concept) for concept in concepts}
        shared = frozenset.intersection(*(frozenset(self.steps_up(code)) for code in distinct))
        deepest = max(self.depths[code] for code in shared)
        candidates = [code for code in shared if self.depths[code] == deepest]
        if len(candidates) > 1:
            size = {c: graph.reachable_concepts(self.child_links, c).size for c in candidates}
            candidates.sort(key=lambda c: (size[c], self.identifiers[c]))
        return self.identifiers[candidates[0]]

    def domain(
        self, values: Iterable[Concept] | None = None, *, root: Concept | None = None
    ) -> Taxonomy:
        """The part of the taxonomy that the values of an attribute come from.

        It contains everything below the least common subsumer of ``values``, or below ``root``, as
        a taxonomy of its own. Depths and ancestors are counted inside it (RS def. 1-2).

        >>> from ontomask import datasets
        >>> datasets.diagnoses().domain(["influenza", "hepatitis B"])
        Taxonomy('diagnoses': 6 concepts, root 'viral infection', 3 levels, 4 leaves)
        """
        if (values is None) == (root is None):
            raise ParameterError(
                "domain needs either values or a root", "call domain(values) or domain(root=...)"
            )
        distinct = set() if values is None else set(to_list(values))
        if root is None and not distinct:
            raise ParameterError("domain needs at least one value or a root, got no values")
        top = root if root is not None else self.lcs(*distinct)
        below = graph.reachable_concepts(self.child_links, self.code(top))
        if len(below) == len(self):
            return self
        return self._restrict_to(below)

    def search(self, text: str, limit: int = 10) -> list[Hit]:
        """Search concepts by a label, an identifier or a part of one; closest names first.

        >>> from ontomask import datasets
        >>> datasets.diagnoses().search("serum")
        [Hit(concept='hepatitis B', name='serum hepatitis')]
        """
        wanted = fold_name(text)
        if not wanted:
            return []
        words = wanted.split(" ")
        hits: dict[str, tuple[tuple[int, int], str]] = {}
        for plain, name, code in self._search_entries:
            rank = _search_rank(plain, wanted, words)
            if rank is None:
                continue
            key = (rank, len(name))
            concept = self.identifiers[code]
            if concept not in hits or key < hits[concept][0]:
                hits[concept] = key, name
        best = sorted(hits.items(), key=lambda hit: (*hit[1], hit[0]))[:limit]
        return [Hit(concept, name) for concept, (_, name) in best]

    def explain(self, a: Concept, b: Concept, measure: Any = "sanchez") -> Any:
        """Explain the distance between two concepts in words and numbers.

        Args:
            a: A concept.
            b: Another concept.
            measure: Name of a distance measure, or a function; see :func:`~ontomask.distance`.

        Returns:
            An :class:`~ontomask.distances.Explanation`; print it to read it.

        >>> from ontomask import datasets
        >>> print(datasets.diagnoses().explain("influenza", "hepatitis"))
        influenza and hepatitis: distance 0.678 (sanchez)
          both are: viral infection, disease
          least common subsumer: viral infection
          together they have 5 concepts (themselves and all ancestors);
          3 of these belong to only one of them:
          log2(1 + 3/5) = 0.678
        """
        # Distances stand above taxonomies: this is a short way to them for interactive use.
        return import_module("ontomask.distances").explain(self, a, b, measure)

    def write(
        self, path: str | PathLike[str], format: str | None = None, *, force: bool = False
    ) -> None:
        """Write the taxonomy to a file. The file is written completely or not at all.

        Args:
            path: The file.
            format: ``"child-parent"`` (the default) or ``"arx"``.
            force: Whether to overwrite an existing file.
        """
        from ontomask.taxonomy.readers import write_taxonomy

        write_taxonomy(self, path, format or "child-parent", force=force)

    # ------------------------------------------------------------------ what others build on

    def steps_up(self, code: int) -> dict[int, int]:
        """The number of each ancestor, the concept itself first, with the links up to it."""
        return graph.ancestors_of(self._parent_lists, code)

    @cached_property
    def _parent_lists(self) -> list[list[int]]:
        return self.parent_links.lists()

    @cached_property
    def child_links(self) -> Links:
        """The children of each concept, by number."""
        return self.parent_links.inverse()

    @cached_property
    def names(self) -> NameIndex:
        """Concepts by identifier, alias, label and synonym."""
        return NameIndex(self.identifiers, self._aliases, self._labels, self.languages)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages of its names; guessed from them if its source does not say so.

        Empty if that is not clear.
        """
        if self.about.languages:
            return self.about.languages
        guess = guess_language(name for names in self._labels for name in names)
        return (guess,) if guess else ()

    @cached_property
    def _search_entries(self) -> list[tuple[str, str, int]]:
        return [
            (fold_name(name), name, code)
            for code, identifier in enumerate(self.identifiers)
            for name in dict.fromkeys((*self._labels[code], identifier))
        ]

    def _identifiers_of(self, codes: Iterable[int] | NDArray[Any]) -> tuple[Concept, ...]:
        code_list = codes.tolist() if isinstance(codes, np.ndarray) else codes
        return tuple(self.identifiers[code] for code in code_list)

    def with_about(self, about: About) -> Taxonomy:
        """The same taxonomy, with another description of its source."""
        return Taxonomy(
            self.identifiers, self.parent_links, self._labels, self._aliases, about, self.depths
        )

    def _restrict_to(self, codes: NDArray[np.int64]) -> Taxonomy:
        """The taxonomy of these concepts alone; the first must be above all others."""
        number = np.full(len(self), -1, dtype=np.int64)
        number[codes] = np.arange(len(codes))
        child, parent = number[self.parent_links.owners()], number[self.parent_links.items]
        inside = (child >= 0) & (parent >= 0)
        return Taxonomy(
            self._identifiers_of(codes),
            Links.from_pairs(child[inside], parent[inside], len(codes)),
            [self._labels[code] for code in codes.tolist()],
            {a: int(number[code]) for a, code in self._aliases.items() if number[code] >= 0},
            self.about,
        )

    def _unknown_concept_error(self, concept: object) -> UnknownConceptError:
        where = f"taxonomy {self.name!r}" if self.name else "the taxonomy"
        message = f"{concept!r} is not a concept of {where}"
        if not isinstance(concept, str):
            return UnknownConceptError(message, "use the identifier of a concept, as text")
        named = self.names.find(concept)
        if named is not None:
            concepts = quote_names(self._identifiers_of(named.codes))
            return UnknownConceptError(
                message,
                f"it is a name ({named.how}) of {concepts}; use the identifier, or map a column "
                "with map_terms",
            )
        near = closest_names(concept, self.identifiers) or [
            self.identifiers[codes[0]]
            for name in closest_names(concept, self.names.exact["label"])
            for codes in [self.names.exact["label"][name]]
        ]
        suggestions = ", ".join(
            f"{c!r}" if self.label(c) == c else f"{c!r} ({self.label(c)})" for c in near
        )
        return UnknownConceptError(
            message, f"did you mean {suggestions}?" if near else "search() finds concepts by name"
        )


def _search_rank(plain: str, wanted: str, words: Sequence[str]) -> int | None:
    """The whole name, its start, the start of a word, anywhere, all words in any order."""
    place = plain.find(wanted)
    if plain == wanted:
        return 0
    if place == 0:
        return 1
    if place > 0:
        return 2 if plain[place - 1] == " " else 3
    return 4 if all(word in plain for word in words) else None


def _check_text(value: object, role: str) -> str:
    """Identifiers are text; whole numbers may stand for it."""
    if type(value) is str and value and not value.isspace():
        return value  # nearly all of them, and there may be many
    if isinstance(value, str):
        text = str(value)
    elif isinstance(value, int | np.integer) and not isinstance(value, bool):
        text = str(int(value))
    else:
        raise ParameterError(
            f"a {role} must be text, got {value!r} of type {type(value).__name__}",
            "convert it to text, and remove missing values first",
        )
    if not text.strip():
        raise ParameterError(f"a {role} must not be empty", "give every concept an identifier")
    return text


def _number_edges(
    edges: Iterable[tuple[str, str | None]],
) -> tuple[dict[str, int], set[tuple[int, int]]]:
    """Every concept's number, in order of appearance, and the links between numbers."""
    number: dict[str, int] = {}
    links: set[tuple[int, int]] = set()
    for edge in edges:
        if isinstance(edge, str) or len(edge) != 2:
            raise ParameterError(f"an edge must be a (child, parent) pair, got {edge!r}")
        child = number.setdefault(_check_text(edge[0], "child"), len(number))
        if edge[1] is not None and edge[1] != "":
            links.add((child, number.setdefault(_check_text(edge[1], "parent"), len(number))))
    return number, links


def _check_declared(
    concepts: Iterable[str], number: dict[str, int], links: set[tuple[int, int]]
) -> None:
    """Every concept must be declared once; declared ones without a link join the others."""
    declared: set[str] = set()
    for concept in concepts:
        text = _check_text(concept, "concept")
        if text in declared:
            raise DuplicateConceptError(
                f"the concept {text!r} is declared twice", "give every concept its own identifier"
            )
        declared.add(text)
    missing = [concept for concept in number if concept not in declared]
    if missing:
        first, names = number[missing[0]], list(number)
        below = sorted(names[child] for child, parent in links if parent == first)
        of = f"; {missing[0]!r} is named as a parent of {quote_names(below, 3)}" if below else ""
        raise UndeclaredParentError(
            f"these parents are not declared as concepts: {quote_names(missing)}{of}",
            "declare them, or correct the edges",
        )
    for text in declared:
        number.setdefault(text, len(number))


def _alias_numbers(aliases: Mapping[str, str], number: Mapping[str, int]) -> dict[str, int]:
    alias_numbers: dict[str, int] = {}
    for alias, concept in aliases.items():
        if concept not in number:
            raise UnknownConceptError(
                f"the alias {alias!r} must be of a concept, got {concept!r}",
                "add it to the edges, or leave its aliases out",
            )
        if number.get(alias, number[concept]) != number[concept]:
            raise DuplicateConceptError(
                f"{alias!r} is a concept and also an alias of {concept!r}",
                "give every concept its own identifier",
            )
        alias_numbers[alias] = number[concept]
    return alias_numbers

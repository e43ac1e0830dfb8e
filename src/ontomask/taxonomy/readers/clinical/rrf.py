"""UMLS and RxNorm in the Rich Release Format of NLM: a folder with tables of names and links.

UMLS has ``MRCONSO.RRF`` and ``MRREL.RRF``, RxNorm ``RXNCONSO.RRF`` and ``RXNREL.RRF``, with the
same columns. Bars separate the columns, and there is no header.

``sab`` says which source vocabulary is read, such as ``ICD10CM`` or ``SNOMEDCT_US``. Its concepts
are named by its own codes; identifiers of UMLS (``C0011860``) that stand for one of them are
aliases. With several sources (``sab="ICD10CM,MSH"``) concepts are those of UMLS, and codes are
aliases, as ``C50`` and as ``ICD10CM:C50``; the hierarchies of sources may contradict each other.

The links are ``PAR`` and ``CHD``, and ``isa`` and ``inverse_isa``. Suppressed names and links, and
names in other languages, are left out and counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ontomask.errors import ParameterError, quote_names
from ontomask.taxonomy.about import About
from ontomask.taxonomy.readers.text.aliases import certain_aliases
from ontomask.taxonomy.readers.text.large_tables import read_blocks
from ontomask.taxonomy.readers.text.name_choice import NameChooser
from ontomask.taxonomy.readers.text.source import Source, files_at
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["files", "looks_like", "read"]

NAME_LAYOUT = "CUI LAT TS LUI STT SUI ISPREF AUI SAUI SCUI SDUI SAB TTY CODE STR SRL SUPPRESS CVF"
LINK_LAYOUT = "CUI1 AUI1 STYPE1 REL CUI2 AUI2 STYPE2 RELA RUI SRUI SAB SL RG DIR SUPPRESS CVF"
NAME_COLUMNS, LINK_COLUMNS = NAME_LAYOUT.split(), LINK_LAYOUT.split()
NAME_TABLES, LINK_TABLES = ("mrconso", "rxnconso"), ("mrrel", "rxnrel")

#: Kinds of names, the preferred ones first: of a source's own term, then as UMLS ranks them.
PREFERRED_KINDS = ("PT", "MH", "PN", "HT", "FN", "NM", "IN", "SCD", "SBD", "LC", "LN", "PF")
#: The languages of UMLS.
LANGUAGES = {
    **{"ENG": "en", "SPA": "es", "FRE": "fr", "GER": "de", "ITA": "it", "POR": "pt", "DUT": "nl"},
    **{"SWE": "sv", "DAN": "da", "NOR": "no", "FIN": "fi", "CZE": "cs", "HUN": "hu", "POL": "pl"},
    **{"RUS": "ru", "JPN": "ja", "KOR": "ko", "CHI": "zh", "TUR": "tr", "GRE": "el", "EST": "et"},
    **{"LAV": "lv", "UKR": "uk", "SCR": "hr", "BAQ": "eu", "HEB": "he", "ARA": "ar"},
}


@dataclass
class RrfConcepts:
    """The concepts of the sources, while they are read."""

    by_code: bool
    names: dict[str, list[tuple[tuple[int, ...], str, str]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    concept_of_atom: dict[str, str] = field(default_factory=dict)
    concepts_of_cui: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    aliases: dict[tuple[str, str], None] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


def looks_like(source: Source) -> bool:
    """A folder with the two tables, or the one of names beside that of links."""
    stem = source.file_name.lower().removesuffix(".gz").removesuffix(".rrf")
    return (source.is_folder or stem in NAME_TABLES) and _find_tables(source) is not None


def files(source: Source) -> list[Path]:
    """The two tables."""
    return [table.path for table in _find_tables(source) or ()]


def read(
    source: Source,
    *,
    sab: str | Sequence[str] | None = None,
    language: str | Sequence[str] | None = None,
) -> Taxonomy:
    """Read the concepts of one source vocabulary, or of several."""
    tables = _find_tables(source)
    if tables is None:
        raise source.error(
            "this folder has no MRCONSO.RRF with MRREL.RRF, and no RXNCONSO.RRF with RXNREL.RRF",
            "use the folder META of UMLS, or rrf of RxNorm",
        )
    names, links = tables
    sources = _choose_sources(names, sab)
    concepts = _read_names(names, sources)
    edges = _read_links(links, sources, concepts)
    chooser = NameChooser(language)
    labels = {
        concept: chooser.choose((text, tag) for _, text, tag in sorted(of_one))
        for concept, of_one in concepts.names.items()
    }
    chooser.check_language()
    aliases, unclear = certain_aliases(concepts.aliases, labels)
    left_out = {
        **concepts.left_out,
        "ambiguous aliases": unclear,
        "names in other languages": chooser.left_out,
    }
    return Taxonomy.from_edges(
        [*((concept, None) for concept in labels), *edges],
        labels,
        aliases=aliases,
        about=About(
            ",".join(sources),
            source.file_name,
            left_out={reason: count for reason, count in left_out.items() if count},
            languages=chooser.chosen_languages,
        ),
    )


# ---------------------------------------------------------------- files


def _find_tables(source: Source) -> tuple[Source, Source] | None:
    """The table of names and that of links, which lie in one folder."""
    tables: dict[tuple[tuple[str, ...], str], Source] = {}
    for file in files_at(source):
        stem = file.file_name.lower().removesuffix(".gz").removesuffix(".rrf")
        if stem in (*NAME_TABLES, *LINK_TABLES) and stem != file.file_name.lower():
            tables.setdefault((file.place[:-1], stem), file)
    for names, links in zip(NAME_TABLES, LINK_TABLES, strict=True):
        # RxNorm has a subset in a folder further down.
        for (folder, stem), table in sorted(tables.items(), key=lambda item: len(item[0][0])):
            if stem == names and (folder, links) in tables:
                return table, tables[folder, links]
    return None


def _choose_sources(names: Source, sab: str | Sequence[str] | None) -> list[str]:
    """The source vocabularies that are asked for; the only one, or RxNorm's own, by default."""
    counts: Counter[str] = Counter()
    for block in read_blocks(names, ["SAB"], NAME_COLUMNS):
        counts.update(block["SAB"].to_pylist())
    usual = [name for name, _ in counts.most_common()]
    if sab is None:
        if names.file_name.lower().startswith("rxn") and "RXNORM" in counts:
            return ["RXNORM"]
        if len(usual) == 1:
            return usual
        raise names.error(
            f"the file has {len(usual)} source vocabularies",
            f"name one with the option sab: {quote_names(usual, most=10)}",
        )
    wanted = [one.strip() for one in (sab.split(",") if isinstance(sab, str) else sab)]
    if missing := [one for one in wanted if one not in counts]:
        raise ParameterError(
            f"sab must be a source vocabulary of {names.where}, got {quote_names(missing)}",
            f"it has {quote_names(usual, most=10)}",
        )
    return list(dict.fromkeys(wanted))


# ---------------------------------------------------------------- names and links


def _read_names(table: Source, sources: Sequence[str]) -> RrfConcepts:
    concepts = RrfConcepts(by_code=len(sources) == 1)
    columns = ["CUI", "LAT", "TS", "STT", "ISPREF", "AUI", "SAB", "TTY", "CODE", "STR", "SUPPRESS"]
    for row in _rows(table, columns, NAME_COLUMNS, sources, concepts.left_out):
        cui, code = row["CUI"], row["CODE"].strip()
        if not cui or (concepts.by_code and not code):
            raise table.error(f"the name {row['STR']!r} has no concept", "download the file again")
        concept = code if concepts.by_code else cui
        kind = row["TTY"]
        rank = (
            PREFERRED_KINDS.index(kind) if kind in PREFERRED_KINDS else len(PREFERRED_KINDS),
            row["TS"] != "P",
            row["STT"] != "PF",
            row["ISPREF"] != "Y",
        )
        tag = LANGUAGES.get(row["LAT"], row["LAT"].lower())
        concepts.names[concept].append((rank, row["STR"], tag))
        concepts.concept_of_atom[row["AUI"]] = concept
        concepts.concepts_of_cui[cui][concept] = None
        other = cui if concepts.by_code else code
        concepts.aliases.update({(other, concept): None, (f"{row['SAB']}:{code}", concept): None})
    return concepts


def _read_links(
    table: Source, sources: Sequence[str], concepts: RrfConcepts
) -> dict[tuple[str, str], None]:
    """Children with their parents. A relationship is that of the second concept to the first."""
    edges: dict[tuple[str, str], None] = {}
    columns = ["CUI1", "AUI1", "REL", "CUI2", "AUI2", "RELA", "SAB", "SUPPRESS"]
    kinds = {"REL": ["CHD", "PAR"], "RELA": ["isa", "inverse_isa"]}
    for row in _rows(table, columns, LINK_COLUMNS, sources, concepts.left_out, kinds):
        if row["REL"] == "CHD" or row["RELA"] == "isa":
            child, parent = "2", "1"
        else:
            child, parent = "1", "2"
        below = _concept_of(concepts, row[f"CUI{child}"], row[f"AUI{child}"])
        above = _concept_of(concepts, row[f"CUI{parent}"], row[f"AUI{parent}"])
        if below is None or above is None:
            concepts.left_out["links to concepts that are not read"] += 1
        elif below != above:
            edges[below, above] = None
    return edges


def _concept_of(concepts: RrfConcepts, cui: str, atom: str) -> str | None:
    """The concept of an atom, or of a concept of UMLS that has only one here."""
    if atom:
        return concepts.concept_of_atom.get(atom)
    candidates = list(concepts.concepts_of_cui.get(cui, ()))
    return candidates[0] if len(candidates) == 1 else None


def _rows(
    table: Source,
    columns: list[str],
    layout: Sequence[str],
    sources: Sequence[str],
    left_out: Counter[str],
    kinds: Mapping[str, list[str]] | None = None,
) -> Iterator[Mapping[str, str]]:
    """The rows of the sources that are not suppressed, and are of one of these kinds."""
    import pyarrow as pa
    from pyarrow import compute

    reason = "suppressed links" if kinds else "suppressed names"
    for block in read_blocks(table, columns, layout):
        chosen = compute.is_in(block["SAB"], pa.array(sources))
        if kinds:
            of_kind = [compute.is_in(block[name], pa.array(one)) for name, one in kinds.items()]
            chosen = compute.and_(chosen, compute.or_(*of_kind))
        rows = block.filter(chosen)
        suppressed = compute.is_in(rows["SUPPRESS"], pa.array(["O", "E", "Y"]))
        left_out[reason] += compute.sum(suppressed).as_py() or 0
        yield from rows.filter(compute.invert(suppressed)).to_pylist()

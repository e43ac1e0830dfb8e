"""One detection of delimiter and encoding, for taxonomies and for tables."""

from __future__ import annotations

import codecs

import pytest

import ontomask as om
from ontomask.engines.formats import open_table
from ontomask.errors import ParameterError
from ontomask.taxonomy.readers.text.dialect import (
    check_character,
    detect_delimiter,
    detect_encoding,
)

DELIMITED = {
    "commas": ("a,b\n1,2\n", ","),
    "semicolons and decimal commas": ("a;b\n1,5;2\n3;4,5\n", ";"),
    "semicolons, and a comma in every row": ("Smith, A;x\nJones, B;y\n", ";"),
    "tabs": ("a\tb\n1,5\t2\n", "\t"),
    "bars": ("a|b\n1|2\n", "|"),
    "commas, with bars between synonyms": ("child,synonyms\na,x|y\nb,z\n", ","),
    "quoted delimiters": ('a;b\n"1,2,3";"4"\n"5";6\n', ";"),
    "quotation marks in plain tabs": ('a\tb\n"open\tx, y\n1\t2\n', "\t"),
    "empty cells and lines": ("a,b\n,\n\n1,2\n", ","),
    "ragged": ("a,b\n1,2\n3\n", ","),
    "one column": ("a\nb\nc\n", None),
    "nothing": ("", None),
    "only delimiters": (",,\n", None),
}


@pytest.mark.parametrize(("text", "delimiter"), DELIMITED.values(), ids=DELIMITED.keys())
def test_the_delimiter_cuts_the_first_rows_into_equally_many_cells(text, delimiter):
    assert detect_delimiter(text) == delimiter


def test_a_row_that_is_cut_does_not_count():
    assert detect_delimiter("a;b\n1;2\n3,4,5", cut=True) == ";"
    assert detect_delimiter("a;b,c\n1;2,3\n3", cut=True) == ";"


@pytest.mark.parametrize(
    ("head", "requested", "encoding"),
    [
        (b"a,b", None, "utf-8"),
        (codecs.BOM_UTF8 + b"a,b", None, "utf-8"),
        ("\ufeffa".encode("utf-16-le"), None, "utf-16-le"),
        ("\ufeffa".encode("utf-16-be"), None, "utf-16-be"),
        ("\ufeffa".encode("utf-16-be"), "utf-16", "utf-16-be"),
        (b"a,b", "latin-1", "iso8859-1"),
        (b"a,b", "ascii", "utf-8"),
    ],
)
def test_the_encoding_is_told_by_a_mark_or_by_the_caller(head, requested, encoding):
    assert detect_encoding(head, requested)[0] == encoding


def test_a_delimiter_is_one_character():
    assert check_character("delimiter", "\\t") == "\t"
    for wrong in ("", "ab", "\n", '"'):
        with pytest.raises(ParameterError, match="delimiter must be one character"):
            check_character("delimiter", wrong)
    with pytest.raises(ParameterError, match="quote must be one ASCII character"):
        check_character("quote", "§", ascii_only=True)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_taxonomy_and_a_table_are_read_alike(tmp_path, delimiter, encoding):
    path = tmp_path / "jobs.csv"
    rows = [("child", "parent"), ("nurse", "health"), ("doctor", "health")]
    path.write_text("".join(delimiter.join(row) + "\n" for row in rows), encoding=encoding)
    assert set(om.load_taxonomy(path)) == {"nurse", "doctor", "health"}
    with open_table(path) as table:
        found = table.connection.execute(f"select child, parent from {table.source}").fetchall()
        assert found == rows[1:]

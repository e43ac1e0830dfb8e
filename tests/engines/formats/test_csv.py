"""Delimited text comes back byte for byte, or the reason why it cannot be read is said."""

from __future__ import annotations

import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.engines.formats import connect, open_table
from ontomask.errors import FileFormatError, ParameterError
from strategies import examples

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.errors.FormulaWarning")

CELLS = st.text(
    st.one_of(
        st.sampled_from(list(",;|\t\"'\n\r# a0NA")), st.characters(exclude_categories=["Cs"])
    ),
    max_size=6,
).map(lambda text: text.replace("\0", ""))


@pytest.fixture(scope="module")
def connection():
    connection = connect()
    yield connection
    connection.close()


@pytest.fixture
def opened(tmp_path, connection):
    def opened(content, name="table.csv", **asked):
        path = tmp_path / name
        path.write_bytes(content)
        return open_table(path, connection, **asked)

    return opened


def cells(table):
    found = table.connection.execute(f"select * from {table.source} order by ontomask_row")
    return [row[:-1] for row in found.fetchall()]


def rewritten(table, target="again.csv", query="select * from {} order by ontomask_row"):
    target = table.path.with_name(target)
    table.write(query.format(table.source), target, force=True)
    return target.read_bytes()


# ---------------------------------------------------------------------- what is kept

KEPT = {
    "minimal quotes": b'a,b\n1,"x,y"\n"say ""no""","two\nlines"\n',
    "empty and quoted empty": b'a,b\n,""\n"",\n,\n',
    "words for nothing": b"a,b\nNone,NA\nnull,NULL\nnan,\\N\n",
    "zeros": b"code,number\n007,1.10\n0,1e5\n-0,+1\n",
    "all quoted": b'"a","b"\n"1","x"\n"","z ""q"""\n',
    "all quoted but the missing": b'"a","b"\n"1","x"\n,"z"\n',
    "text quoted, numbers not": b'"a","b"\n"x",1\n"y",2.5\n"z",\n',
    "names plain, cells quoted": b'a,b\n"x","y"\n"y","z"\n',
    "semicolons": b"a;b\n1,5;2\n3;4,5\n",
    "tabs": b"a\tb\n1,5\t2\n3\t4,5\n",
    "bars": b"a|b\n1|2\n3|4\n",
    "CRLF": b"a,b\r\n1,2\r\n3,4\r\n",
    "CRLF with lines in cells": b'a,b\r\n"1\n1",2\r\n"3\r\n3","4\r"\r\n',
    "LF with CRLF in cells": b'a,b\n"1\r\n1",2\n',
    "no last new line": b"a,b\n1,2\n3,4",
    "no last new line, CRLF": b"a,b\r\n1,2\r\n3,4",
    "byte order mark": b'\xef\xbb\xbfa,b\n1,"x\ny"\n',
    "byte order mark before a quote": b'\xef\xbb\xbf"a","b"\r\n"1","2"\r\n',
    "one column with gaps": b"a\n1\n\n3\n\n",
    "spaces": b"a,b\n 1, 2 \n  ,x\n",
    "comments": b"a,b\n#1,# 2\n//,--\n",
    "strange names": 'a b,"c,d","e""f",ünï,"g\nh"\n1,2,3,4,5\n'.encode(),
    "only a header": b"a,b\n",
    "only a header, no new line": b"a,b",
    "Unicode": "a,b\nä€😀,\u2028x\u0085\n".encode(),
    "backslashes": b'a,b\n\\,\\n\n"\\,",\\t\n',
}


@pytest.mark.parametrize("content", KEPT.values(), ids=KEPT.keys())
def test_a_file_comes_back_byte_for_byte(opened, content):
    assert rewritten(opened(content)) == content


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le"])
def test_a_given_encoding_is_kept(opened, encoding):
    content = 'näme;b\r\n"Mül;ler";1\r\nñ;"2\n3"\r\n'.encode(encoding)
    table = opened(content, encoding=encoding)
    assert cells(table) == [("Mül;ler", "1"), ("ñ", "2\n3")]
    assert rewritten(table) == content


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_known_by_its_mark(opened, encoding):
    content = "\ufeffnäme,b\nñ,2\n".encode(encoding)
    table = opened(content)
    assert table.names == ["näme", "b"]
    assert rewritten(table) == content


def test_gzip_is_known_by_content_and_written_by_name(opened):
    content = b'a;b\r\n1;"x;y"\r\n'
    table = opened(gzip.compress(content), "table.txt")
    assert rewritten(table) == content
    assert gzip.decompress(rewritten(table, "again.csv.gz")) == content
    assert table.open_alike(table.path.with_name("again.csv.gz")).rows == 1


def test_a_packed_file_keeps_its_encoding(opened):
    content = "a;b\n1;é\n".encode("latin-1")
    table = opened(gzip.compress(content), "table.csv.gz", encoding="latin-1")
    assert gzip.decompress(rewritten(table, "again.csv.gz")) == content


def test_quotes_that_do_not_quote_in_a_table_of_tabs(opened):
    content = b'a\tb\n5" disk\t"open\n'
    table = opened(content, "table.tsv")
    assert cells(table) == [('5" disk', '"open')]
    assert rewritten(table, "again.tsv") == content
    with pytest.raises(FileFormatError, match="contains the delimiter"):
        rewritten(table, "bad.tsv", "select 'x\ty' as a, b from {}")


def test_another_quote(opened):
    content = b"a,b\n'x,y','it''s \"so\"'\n'z','1'\n"
    table = opened(content, quote="'")
    assert cells(table) == [("x,y", 'it\'s "so"'), ("z", "1")]
    assert rewritten(table) == content


def test_the_ending_of_the_target_says_the_delimiter_between_csv_and_tsv(opened):
    assert rewritten(opened(b"a;b\n1;2\n"), "again.tsv") == b"a\tb\n1\t2\n"
    assert rewritten(opened(b"a\tb\n1\t2\n", "table.tsv"), "again.csv") == b"a,b\n1,2\n"
    assert rewritten(opened(b"a\tb\n1\t2\n", "table.txt"), "again.csv") == b"a\tb\n1\t2\n"


def test_what_is_not_kept(opened):
    assert rewritten(opened(b"a,b\n1,2\n\n3,4\n\n")) == b"a,b\n1,2\n3,4\n"  # empty lines
    assert rewritten(opened(b'a,b\n1,"2"\n3,4\n')) == b"a,b\n1,2\n3,4\n"  # needless quotes
    assert rewritten(opened(b'a,b\n5" disk,2\n')) == b'a,b\n"5"" disk",2\n'
    assert rewritten(opened(b"a,b\r\n1,2\n3,4\r\n")) == b"a,b\r\n1,2\r\n3,4\r\n"  # mixed ends


def test_columns_are_dropped_renamed_and_ordered_by_the_query(opened):
    table = opened(b'"a","b","c"\n"1","2","3"\n"4","5","6"\n')
    query = "select c, a || 'x' as a from {} order by ontomask_row desc"
    assert rewritten(table, query=query) == b'"c","a"\n"6","4x"\n"3","1x"\n'


@pytest.mark.slow
def test_wide_cells_and_many_columns(opened):
    wide = b"a,b\n1," + b"x" * 5_000_000 + b'\n2,"' + b"y\n" * 1_000_000 + b'"\n'
    table = opened(wide)
    assert [len(b) for _, b in cells(table)] == [5_000_000, 2_000_000]
    assert rewritten(table) == wide
    names = ",".join(f"c{i}" for i in range(1_000)).encode()
    assert rewritten(opened(names + b"\n" + names + b"\n")) == names + b"\n" + names + b"\n"


def test_names_that_are_patterns_to_others(opened):
    opened(b"a\nwrong\n", "xy.csv")
    for name in ("x*.csv", "x?.csv", "x[y].csv", 'x\'s "y".csv', "x\\y.csv", "ü%20.csv"):
        assert cells(opened(b"a,b\nright,1\n", name)) == [("right", "1")]


# ---------------------------------------------------------------------- any cells


def dumped(rows, delimiter, always):
    """As a careful program writes them: None is empty, and an empty text is quoted."""

    def cell(value):
        if value is None:
            return ""
        needed = always or value == "" or any(one in value for one in f'{delimiter}"\r\n')
        needed = needed or (value.lstrip(" ").startswith('"'))
        return '"' + value.replace('"', '""') + '"' if needed else value

    return "".join(delimiter.join(map(cell, row)) + "\n" for row in rows)


@pytest.mark.slow
@examples(60)
@given(
    rows=st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.lists(st.one_of(st.none(), CELLS), min_size=width, max_size=width), max_size=5
        ).map(lambda rows: (width, rows))
    ),
    delimiter=st.sampled_from(",;\t|"),
    newline=st.sampled_from(["\n", "\r\n"]),
    always=st.booleans(),
)
def test_any_cells_come_back(connection, tmp_path_factory, rows, delimiter, newline, always):
    width, rows = rows
    path = tmp_path_factory.mktemp("any") / "table.csv"
    names = [f"n{place}" for place in range(width)]
    lines = [dumped([row], delimiter, always)[:-1] + newline for row in (names, *rows)]
    path.write_bytes("".join(lines).encode())
    table = open_table(path, connection, delimiter=delimiter)
    assert table.rows == len(rows)
    assert cells(table) == [tuple(row) for row in rows]
    again = path.with_name("again.csv")
    table.write(f"select * from {table.source} order by ontomask_row", again)
    assert cells(table.open_alike(again)) == cells(table)
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.slow
@examples(100)
@given(text=st.text(st.sampled_from(list('ab" ,\n')), max_size=14))
def test_what_is_accepted_is_read_as_python_reads_it(connection, tmp_path_factory, text):
    content = "x,y\n" + text
    path = tmp_path_factory.mktemp("odd") / "table.csv"
    path.write_text(content, newline="")
    try:
        table = open_table(path, connection, delimiter=",")
    except FileFormatError:
        return
    expected = [row for row in csv.reader(io.StringIO(content, newline="")) if row][1:]
    assert [[cell or "" for cell in row] for row in cells(table)] == expected
    assert table.rows == len(expected)


# ---------------------------------------------------------------------- what is refused

REFUSED = {
    "too few cells": (b"a,b\n1,2\n3\n4,5\n", "line 3: 1 cell where the header has 2"),
    "too many cells": (b'a,b\n"1\n1",2\n3,4,5\n', "line 4: 3 cells where the header has 2"),
    "empty": (b"", "empty"),
    "only a mark": (b"\xef\xbb\xbf", "empty"),
    "blank": (b"\n \n", "empty"),
    "first line empty": (b"\na,b\n1,2\n", "line 1: the line is empty"),
    "same names": (b"a,b,a\n1,2,3\n", "two columns are named 'a'"),
    "names alike but for case": (b"id,ID\n1,2\n", "two columns are named 'id' and 'ID'"),
    "no name": (b"a,,c\n1,2,3\n", "column 2 has no name"),
    "our name": (b"a,ontomask_row\n1,2\n", "'ontomask_row'"),
    "a zero byte": (b"a,b\n1,\0\n", "zero byte at byte 6"),
    "binary": (bytes(range(256)), "zero byte at byte 0"),
    "latin-1": ("a,b\n1,x\n2,é\n".encode("latin-1"), "line 3: .*byte 10.*\n.*encoding to latin-1"),
    "cut in a character": ("a,b\n1,é".encode()[:-1], "line 2"),
    "quote not closed": (b'a,b\n1,"x\n2,y\n', "line 2: .*never ends"),
    "text after a quote": (b'a,b\n"x"y,1\n', "line 2: .*follows a closing"),
    "escaped by backslash": (b'a,b\n"x\\"y",1\n', "line 2: .*follows a closing"),
    "space before a quote": (b'a,b\n1, "x"\n', "line 2: .*space before"),
    "carriage returns": (b"a,b\r1,2\r", "line 1: .*carriage return"),
    "one carriage return": (b"a,b\n1,x\ry\n", "line 2: .*carriage return"),
    "carriage return in a name": (b'a,"b\rc"\n1,2\n', "line 1: the name of a column contains"),
    "damaged gzip": (gzip.compress(b"a,b\n1,2\n" * 100)[:-12], "damaged"),
}


@pytest.mark.parametrize(("content", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_wrong_with_a_file_is_said(opened, tmp_path, content, message):
    with pytest.raises(FileFormatError, match=f"(?s){message}") as caught:
        opened(content)
    assert str(tmp_path / "table.csv") in caught.value.message
    assert caught.value.hint
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_an_error_never_shows_a_record(opened):
    with pytest.raises(FileFormatError) as caught:
        opened(b"name,b\nSecret Person,2\nSecret Person,2,3\n")
    assert "Secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        (
            {"encoding": "klingon"},
            ParameterError,
            "encoding must be a known encoding, got 'klingon'",
        ),
        (
            {"delimiter": ",,"},
            ParameterError,
            "delimiter must be one ASCII character such as ; or ', got ',,'",
        ),
        (
            {"delimiter": "§"},
            ParameterError,
            "delimiter must be one ASCII character such as ; or ', got '§'",
        ),
        (
            {"quote": "\n"},
            ParameterError,
            r"quote must be one ASCII character such as ; or ', got '\\n'",
        ),
        ({"table": "t"}, ParameterError, "leave table out"),
        (
            {"format": "word"},
            ParameterError,
            "format must be 'csv', 'parquet', 'jsonl', 'sqlite', 'excel' or 'postgres', ",
        ),
        ({"format": "parquet"}, FileFormatError, "this is not a Parquet file"),
        ({"format": "sqlite"}, FileFormatError, "this is not a SQLite database"),
        ({"encoding": "utf-16"}, FileFormatError, "utf-16"),
    ],
)
def test_a_wrong_argument_is_said(opened, asked, error, message):
    with pytest.raises(error, match=message):
        opened(b"a,b\n1,2\n3", **asked)


def test_a_character_the_encoding_does_not_have(opened, tmp_path):
    table = opened("a,b\n1,é\n".encode("latin-1"), encoding="latin-1")
    with pytest.raises(FileFormatError, match="'€' cannot be written in iso8859-1"):
        rewritten(table, query="select '€' as a, b from {}")
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]

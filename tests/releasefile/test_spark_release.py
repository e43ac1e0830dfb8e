"""``engine: spark`` in a release file: the same release as by DuckDB, written as Spark writes."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from pathlib import Path

import jsonschema
import pandas as pd
import pyarrow.parquet as pq
import pytest

import ontomask as om
from manifests import assert_manifest_fits, read_manifest
from ontomask._runtime.files.atomic_files import write_files_atomically
from ontomask.engines.formats import open_table
from ontomask.errors import FileFormatError, ParameterError, SpecError
from ontomask.releasefile.check import check
from ontomask.releasefile.model import ReleaseFile, json_schema
from ontomask.releasefile.run import mask_file, write_release
from ontomask.releasefile.spark_tables import open_spark_session, read_table
from ontomask.report.manifest import read_file_facts
from release_commands import records

SEED = 2**70

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

COLUMNS = {
    "id": {"role": "identifier"},
    "diagnosis": {"role": "quasi", "taxonomy": "tax.csv"},
    "age": {"role": "quasi", "type": "numeric"},
    "note": {"role": "keep"},
    "pay": {"role": "confidential"},
}
FIELDS = {
    "data": "people.parquet",
    "output": "released.parquet",
    "engine": "spark",
    "columns": COLUMNS,
    "method": {"name": "microaggregation", "k": 3},
}


@pytest.fixture
def folder(tmp_path):
    om.datasets.diagnoses().write(tmp_path / "tax.csv")
    pd.DataFrame(records(60)).to_parquet(tmp_path / "people.parquet")
    return tmp_path


def spec_of(folder: Path, **fields: object) -> ReleaseFile:
    return ReleaseFile.from_dict({**FIELDS, **fields}, folder)


def rows_of(path: Path) -> Counter[tuple[object, ...]]:
    table = pq.read_table(path)
    return Counter(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))


def names_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


# ---------------------------------------------------------------------- the same release


def test_the_same_seed_gives_the_same_rows_as_duckdb(spark, folder):
    given = {"data": "people.csv", "method": {"name": "rank_swapping", "window": 20}}
    notes = ['two\nlines, "quoted"', "ü", "", " x "]
    people = pd.DataFrame(records(60)).assign(note=[notes[i % 4] for i in range(60)])
    people.to_csv(folder / "people.csv", index=False)
    here = write_release(spec_of(folder, output="here.parquet", engine="duckdb", **given), SEED + 7)
    said: list[str] = []
    there = write_release(spec_of(folder, **given), SEED + 7, progress=said.append)
    assert (folder / "released.parquet").is_dir()
    assert rows_of(folder / "released.parquet") == rows_of(folder / "here.parquet")
    assert there.release.guarantee == here.release.guarantee
    assert "writing the table" in said
    assert "starting Spark" not in said  # one runs
    assert spark.range(1).count() == 1  # and it still does


def test_what_is_written_and_said_of_it(spark, folder):
    secret = {"spark.sql.shuffle.partitions": 4}
    spec = spec_of(folder, engine={"name": "spark", "master": "local[2]", "config": secret})
    outcome = write_release(spec, private=True)
    files = ["released.parquet", "released.manifest.json", "released.report.html"]
    files.append("released.transitions.private.csv")
    assert outcome.as_dict()["files"] == [str(folder / it) for it in files]
    assert names_in(folder) == sorted([*files, "people.parquet", "tax.csv"])
    found = read_manifest(folder / files[1])
    assert_manifest_fits(folder / files[1])
    assert found["release"]["engine"] == {"name": "spark"}
    assert "local[2]" not in json.dumps(found)
    assert found["versions"]["pyspark"].startswith("4.")
    assert found["output"]["sha256"] in (folder / files[2]).read_text(encoding="utf-8")
    (part, *_) = (folder / files[0]).glob("part-*")
    part.write_bytes(part.read_bytes()[:-1] + b"x")
    assert read_file_facts(folder / files[0]).sha256 != found["output"]["sha256"]


def test_an_earlier_release_is_kept_until_the_new_one_is_complete(spark, folder, monkeypatch):
    spec = spec_of(folder)
    write_release(spec, SEED + 1)
    before = {it: it.read_bytes() for it in folder.rglob("*") if it.is_file()}
    with pytest.raises(ParameterError, match="released.parquet already exists"):
        write_release(spec, SEED + 2)
    with monkeypatch.context() as patch:
        patch.setattr("ontomask.report.report", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            write_release(spec, SEED + 2, force=True)
    assert {it: it.read_bytes() for it in folder.rglob("*") if it.is_file()} == before
    write_release(spec, SEED + 2, force=True)
    assert_manifest_fits(folder / "released.manifest.json")
    again = {it for it in folder.rglob("*") if it.is_file()}
    assert len(again & set(before)) < len(before)  # other part files, and only those
    assert names_in(folder)[0] == "people.parquet"


# ---------------------------------------------------------------------- elsewhere


@pytest.fixture
def elsewhere(spark, folder):
    """An address that is not a path, for a folder of this machine."""
    there = folder / "there"
    there.mkdir()
    settings = spark.sparkContext._jsc.hadoopConfiguration()
    name = f"t{abs(hash(folder))}"
    settings.set(f"fs.viewfs.mounttable.{name}.link./all", there.as_uri())
    return f"viewfs://{name}/all", there


def test_data_and_output_elsewhere(folder, elsewhere):
    address, there = elsewhere
    (folder / "people.parquet").rename(there / "people.parquet")
    given = {"data": f"{address}/people.parquet", "output": f"{address}/released.parquet"}
    spec = spec_of(folder, **given)
    outcome = write_release(spec, SEED + 1)
    assert outcome.files[0] == f"{address}/released.parquet"
    assert names_in(folder) == [
        "released.manifest.json",
        "released.report.html",
        "tax.csv",
        "there",
    ]
    first = rows_of(there / "released.parquet")
    assert sum(first.values()) == 60
    with pytest.raises(ParameterError, match=r"manifest.json already exists"):
        write_release(spec, SEED + 1)
    for path in folder.glob("released.*"):
        path.unlink()
    with pytest.raises(ParameterError, match=r"^released.parquet already exists"):
        write_release(spec, SEED + 1)
    write_release(spec, SEED + 1, force=True)
    assert rows_of(there / "released.parquet") == first
    assert names_in(there) == ["people.parquet", "released.parquet"]  # nothing unfinished or old

    found = read_manifest(folder / "released.manifest.json")
    assert found["input"] == {"name": "people.parquet"}
    assert found["notes"][0] == "the output was not hashed, because it is not on this machine"
    assert "viewfs" not in json.dumps(found)
    assert found["output"] == {"name": "released.parquet", "bytes": None, "sha256": None}

    with pytest.raises(
        ParameterError,
        match="data must be a file on this machine, got the address of people.parquet",
    ):
        check(spec)
    with pytest.raises(
        ParameterError,
        match="data must be a file on this machine, got the address of people.parquet",
    ):
        mask_file(spec, 1)


def test_what_is_not_what_was_masked_gets_no_name_elsewhere(folder, elsewhere, monkeypatch):
    from ontomask.errors import InternalError
    from ontomask.releasefile import spark_tables

    address, there = elsewhere
    taken = spark_tables._tally
    monkeypatch.setattr(
        spark_tables,
        "_tally",
        lambda table: taken(table.limit(59)) if _read(table) else taken(table),
    )
    with pytest.raises(InternalError, match="not the one that was masked"):
        write_release(spec_of(folder, output=f"{address}/released.parquet"), SEED + 1)
    assert names_in(there) == []
    assert not list(folder.glob("*released*"))


def _read(table) -> bool:
    """Whether a frame is what was written, and read again."""
    return "unfinished" in "".join(table.inputFiles())


# ---------------------------------------------------------------------- reading

ODD = [
    ["id", 'the "name"', "note"],
    ["1", "Zoë, née Ω", "two\nlines"],
    ["2", '"', ""],
    ["3", " blanks ", None],
    ["?", "null", "\\"],
    ["NA", "\u2028", "#1'"],
]


def write_odd(path: Path, delimiter: str, quote: str, encoding: str, start: str = "") -> None:
    """A missing cell is empty, an empty text is quoted."""

    def cell(text):
        return "" if text is None else quote + text.replace(quote, quote * 2) + quote

    lines = "".join(delimiter.join(map(cell, row)) + "\n" for row in ODD)
    path.write_text(start + lines, encoding=encoding, errors="replace", newline="")


@pytest.mark.parametrize(
    ("name", "csv", "start"),
    [
        ("odd.csv", None, "\ufeff"),
        ("odd.tsv", None, ""),
        ("odd.csv", {"delimiter": ";", "quote": "'", "encoding": "latin-1"}, ""),
    ],
    ids=["byte order mark", "tabs", "latin-1"],
)
def test_cells_are_those_that_duckdb_reads(spark, folder, name, csv, start):
    given = csv or {}
    delimiter = given.get("delimiter", "\t" if name.endswith("tsv") else ",")
    encoding = given.get("encoding", "utf-8")
    write_odd(folder / name, delimiter, given.get("quote", '"'), encoding, start)
    spec = spec_of(folder, data=name, **({"csv": csv} if csv else {}))
    table = read_table(spark, spec)
    with open_table(folder / name, **given) as opened:
        names = ", ".join('"' + it.replace('"', '""') + '"' for it in opened.names)
        wanted = opened.connection.execute(f"select {names} from {opened.source}").fetchall()
        assert table.columns == opened.names == ODD[0]
    assert Counter(map(tuple, table.collect())) == Counter(wanted)
    assert (wanted[1][2], wanted[2][2]) == ("", None)


def test_lines_of_json_and_folders_of_files(spark, folder):
    lines = [json.dumps({"b": i, "a": "ü" if i else None}) + "\n" for i in range(4)]
    (folder / "parts.jsonl").mkdir()
    for i in (0, 1):
        (folder / "parts.jsonl" / f"{i}.jsonl").write_text("".join(lines[2 * i : 2 * i + 2]))
    rows = read_table(spark, spec_of(folder, data="parts.jsonl")).select("b", "a").collect()
    assert sorted(map(tuple, rows)) == [(0, None), (1, "ü"), (2, "ü"), (3, "ü")]


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.csv", b"a,b\n1,2,3\n", "a.csv cannot be read: a row is malformed"),
        ("a.csv", b'a,b\n"x"y,2\n', "a.csv cannot be read: a row is malformed"),
        ("a.csv", b"a,b\n\xfc,2\n", "a.csv contains bytes that cannot be decoded"),
        ("a.csv", b"a,A\n1,2\n", "several columns have the name 'a', 'A'"),
        ("a.csv", b"a,\n1,2\n", "a column has no name"),
        ("a.csv", b"a;b\n1;2\n", "a single column, 'a;b'"),
        ("a.csv", b"", "a.csv is empty"),
        ("a.parquet", b"PAR0 but not quite", "a.parquet cannot be read: it is not a Parquet file"),
        ("a.jsonl", b'{"a": 1}\n{"a": \n', "a.jsonl cannot be read: a row is malformed"),
        ("a.csv", None, "a.csv cannot be read: No such file"),
        ("[a].csv", b"a,b\n1,2\n", "as a pattern"),
    ],
)
def test_tables_that_spark_cannot_read(spark, folder, name, content, complaint):
    if content is not None:
        (folder / name).write_bytes(content)
    spec = spec_of(folder, data=name)
    with (
        pytest.raises((FileFormatError, ParameterError)) as error,
        open_spark_session(spec, lambda _: None) as session,
    ):
        read_table(session, spec).collect()
    assert complaint in str(error.value)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"engine": {"name": "spark", "master": "local[7]"}}, "a different 'spark.master'"),
        ({"data": "nowhere://x/a.parquet"}, "Spark has no file system"),
        ({"csv": {"delimiter": ";"}}, "csv is only accepted for CSV files"),
        ({"data": "people.csv", "csv": {"encoding": "cp1252"}}, "for engine: spark, got 'cp1252'"),
    ],
)
def test_releases_that_spark_cannot_make(spark, folder, fields, complaint):
    (folder / "people.csv").write_text("a,b\n1,2\n")
    with pytest.raises((FileFormatError, ParameterError)) as error:
        write_release(spec_of(folder, **fields))
    assert complaint in str(error.value)
    assert not list(folder.glob("*released*"))


# ---------------------------------------------------------------------- the field


@pytest.mark.parametrize(
    "engine",
    [
        "duckdb",
        "spark",
        {"name": "spark"},
        {"name": "spark", "master": "local[4]", "config": {"spark.a": 1, "spark.b": True}},
    ],
)
def test_engines_that_are_accepted(folder, engine):
    spec = spec_of(folder, engine=engine)
    assert spec.uses_spark == ("spark" in str(engine))
    assert ReleaseFile.from_dict(spec.as_dict(), folder) == spec
    for fields in (spec.as_dict(), {**FIELDS, "engine": engine}):
        jsonschema.validate(json.loads(json.dumps(fields)), json_schema())
    if isinstance(engine, dict) and "config" in engine:
        settings = {"spark.a": "1", "spark.b": "true", "spark.master": "local[4]"}
        assert spec.engine.settings == settings


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        (
            {"engine": "sparc"},
            "engine.name must be 'duckdb' or 'spark', got 'sparc'\n\nhint: did you mean 'spark'?",
        ),
        ({"engine": 5}, "engine must be a group of fields, got 5\n\nhint: write engine: spark"),
        ({"engine": {}}, "engine.name is missing\n\nhint: the engines are 'duckdb', 'spark'"),
        ({"engine": {"name": "spark", "mastr": "x"}}, "engine has no field 'mastr'"),
        ({"engine": {"name": "spark", "config": "x"}}, "must be a group of Spark settings"),
        ({"engine": {"name": "spark", "config": {"a": []}}}, "hint: a is a list"),
        ({"engine": {"name": "spark", "master": 4}}, "engine.master must be text, got 4"),
        (
            {"engine": {"name": "duckdb", "master": "x"}},
            "engine.master is only accepted for spark, but the",
        ),
        (
            {"engine": {"name": "duckdb", "config": {}}},
            "engine.config is only accepted for spark, but the",
        ),
        ({"engine": {"name": "spark", "seed": 5}}, "a seed is a secret"),
        ({"data": "a.sqlite"}, "for engine: spark, got .sqlite"),
        ({"data": "a.xlsx"}, "for engine: spark, got .xlsx"),
        ({"data": "hdfs:///a"}, "for engine: spark, got no suffix"),
        ({"output": "a.csv"}, "output must end in .parquet, because Spark writes folders"),
        ({"memory": "2GB"}, "memory is only accepted for DuckDB, but the engine is spark"),
        (
            {"table": "x"},
            "table is only accepted for databases and workbooks, but the engine is spark",
        ),
        (
            {"engine": "duckdb", "data": "s3a://b/a.csv"},
            "data must be a file on this machine, got an address",
        ),
        ({"output": "people.parquet/a.parquet"}, "output must not be inside data"),
    ],
)
def test_engines_that_are_refused(folder, fields, complaint):
    with pytest.raises(SpecError) as error:
        spec_of(folder, **fields)
    assert complaint in str(error.value)


def test_a_secret_of_the_engine_is_refused_and_not_quoted(folder):
    for name in ("spark.hadoop.fs.s3a.secret.key", "fs.azure.account.key.x", "spark.x.Password"):
        with pytest.raises(
            SpecError, match="must not be in the file, because it is a secret"
        ) as error:
            spec_of(folder, engine={"name": "spark", "config": {name: "hunter2"}})
        assert "hunter2" not in str(error.value)


def test_editors_refuse_other_engines():
    for engine in ("sparc", {"master": "x"}, {"name": "spark", "config": {"a": []}}, 5):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**FIELDS, "engine": engine}, json_schema())
    object_ = json_schema()["$defs"]["EngineSpec"]["anyOf"][1]
    assert all(field["description"] for field in object_["properties"].values())


def test_paths_as_addresses(folder):
    spec = spec_of(folder, data=f"{folder.as_uri()}/people.parquet")
    assert spec.data_path == folder / "people.parquet"
    assert spec.inputs() == [folder / "people.parquet", folder / "tax.csv"]
    away = spec_of(folder, data="s3a://b/a.parquet", output="s3a://b/out.parquet/")
    assert away.paths() == away.inputs() == [folder / "tax.csv"]
    assert away.beside("manifest.json") == folder / "out.manifest.json"


# ---------------------------------------------------------------------- without Spark


def test_other_commands_read_files_whatever_the_engine(folder):
    found = check(spec_of(folder))
    assert (found.fine, found.records) == (True, 60)
    assert mask_file(spec_of(folder), 1).records == 60


def test_the_facts_of_a_folder(tmp_path):
    table = tmp_path / "a.parquet"
    (table / "x=1").mkdir(parents=True)
    (table / "_x=1").mkdir()
    files = {"part-1": b"one", "part-0": b"two", "x=1/part-2": b"", "_x=1/part-3": b"four"}
    for name, content in {**files, "_SUCCESS": b"!", ".part-0.crc": b"!"}.items():
        (table / name).write_bytes(content)
    listed = [f"{hashlib.sha256(files[it]).hexdigest()}  {it}\n" for it in sorted(files)]
    found = read_file_facts(table)
    assert (found.name, found.bytes) == ("a.parquet", 10)
    assert found.sha256 == hashlib.sha256("".join(listed).encode()).hexdigest()


def made(folder: Path, targets: list[Path], word: str) -> None:
    """A folder and a file of the given word."""
    (folder / targets[0].name).mkdir()
    (folder / targets[0].name / "part").write_text(word)
    (folder / targets[1].name).write_text(word)


@pytest.mark.parametrize("before", ["folder", "file"])
def test_folders_take_their_names_together_with_files(tmp_path, before):
    targets = [tmp_path / "a.parquet", tmp_path / "a.json"]
    with write_files_atomically(targets, folders=targets[:1]) as folder:
        made(folder, targets, "first")
    if before == "file":
        (targets[0] / "part").unlink()
        targets[0].rmdir()
        targets[0].write_text("first")
    with (
        pytest.raises(ParameterError, match="exists"),
        write_files_atomically(targets, folders=targets[:1]),
    ):
        pass
    if before == "folder":
        with (
            pytest.raises(FileFormatError, match="is a folder"),
            write_files_atomically(targets, force=True),
        ):
            pass
    with write_files_atomically(targets, force=True, folders=targets[:1]) as folder:
        made(folder, targets, "second")
    assert [(targets[0] / "part").read_text(), targets[1].read_text()] == ["second", "second"]
    assert names_in(tmp_path) == ["a.json", "a.parquet"]


@pytest.mark.parametrize("failing", ["old aside", "new in", "the file after it"])
@pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt()], ids=repr)
def test_nothing_is_lost_where_a_folder_cannot_take_its_name(tmp_path, monkeypatch, failing, error):
    targets = [tmp_path / "a.parquet", tmp_path / "a.json"]
    with write_files_atomically(targets, folders=targets[:1]) as folder:
        made(folder, targets, "first")
    steps = iter(["old aside", "new in", "the file after it"])
    real = Path.replace

    def replace(self, target):
        if next(steps, None) == failing:
            raise error
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with (
        pytest.raises((FileFormatError, KeyboardInterrupt)),
        write_files_atomically(targets, force=True, folders=targets[:1]) as folder,
    ):
        made(folder, targets, "second")
    assert [(targets[0] / "part").read_text(), targets[1].read_text()] == ["first", "first"]
    assert names_in(tmp_path) == ["a.json", "a.parquet"]


def test_what_is_read_is_in_no_folder_that_is_replaced(folder):
    (folder / "released.parquet").mkdir()
    (folder / "tax.csv").rename(folder / "released.parquet" / "tax.csv")
    columns = {**COLUMNS, "diagnosis": {"role": "quasi", "taxonomy": "released.parquet/tax.csv"}}
    with pytest.raises(ParameterError, match="output must not be an input"):
        write_release(spec_of(folder, columns=columns), force=True)
    assert (folder / "released.parquet" / "tax.csv").exists()

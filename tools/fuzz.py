"""Does every release hold what it says, whatever the table, the method, the engine and the moment?

``python tools/fuzz.py --seconds 3600`` makes random cases until the time is over:

* ``releases``: a random schema, table and method, masked in memory or from a file;
* ``spark``: the same, masked by Spark in one local session, from a frame or a release to Parquet;
* ``types``: columns of every type of pandas, polars and pyarrow;
* ``files``: release files with random mistakes;
* ``kills``: commands that are stopped or killed at a random moment.

Every release is counted again by plain Python: class sizes, people, sensitive values, unchanged
columns. A case may be refused with an error of ontomask, but must not end in any other error. It
prints how many cases of each kind there were and exits with 1 if one failed; ``--case`` repeats it.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa

import ontomask as om
from ontomask.errors import InternalError, OntomaskError

Row = dict[str, Any]

WORDS = ["influenza", "common cold", "sprain", "hepatitis B", "hepatitis C", "broken arm"]
LEVELS = ["low", "middle", "high", "very high"]
SUFFIXES = [".csv", ".parquet", ".jsonl", ".sqlite", ".csv.gz", ".tsv"]


class WrongRelease(Exception):
    """A release does not hold what it says."""


def require(holds: bool, words: str) -> None:
    """Fail a case."""
    if not holds:
        raise WrongRelease(words)


# ---------------------------------------------------------------------- releases


def fuzz_release(chance: random.Random, folder: Path) -> str:
    """Mask a random table with a random method, and count the release again."""
    return release_rows(
        chance, folder, chance.choice(["pandas", "polars", "pyarrow", *SUFFIXES]), SUFFIXES
    )


def fuzz_spark(chance: random.Random, folder: Path) -> str:
    """The same for a frame of Spark, which is collected or written."""
    return release_rows(chance, folder, "spark", [".parquet"])


def release_rows(chance: random.Random, folder: Path, engine: str, suffixes: Sequence[str]) -> str:
    """Mask a random table by an engine; what is released, perhaps in a file, is counted again."""
    rows = make_rows(chance)
    schema = make_schema(chance, rows)
    method = make_method(chance, schema)
    table: Any = folder / f"table{engine}"
    if engine in SUFFIXES:
        write_rows(table, rows)
    else:
        table = make_frame(engine, rows)
    release = om.mask(table, schema, method, chance.getrandbits(128))
    if engine in SUFFIXES or chance.random() < 0.5:
        target = folder / f"released{chance.choice(suffixes)}"
        release.write(target, order=chance.choice(["shuffle", "keep"]))
        released = read_rows(target)
    else:
        released = list_rows(release.data)
    check_release(release, schema, method, rows, released)
    return type(method).__name__


def make_rows(chance: random.Random) -> list[Row]:
    """Random records; how many values a column has differs much."""
    size = chance.choice([2, 3, 7, 20, 60, 200])
    words = chance.sample(WORDS, chance.randint(1, len(WORDS)))
    spread = chance.choice([1, 5, 50, 10_000])
    people = max(1, size // chance.choice([1, 2, 5]))
    return [
        {
            "diagnosis": chance.choice(words),
            "age": chance.randint(-spread, spread),
            "weight": round(chance.gauss(70, spread), 2),
            "level": chance.choice(LEVELS),
            "day": (date(2020, 1, 1) + timedelta(chance.randint(0, spread))).isoformat(),
            "illness": f"illness {chance.randint(0, chance.choice([1, 3, 30]))}",
            "person": f"P{chance.randrange(people):04}",
            "note": chance.choice(['say "no"', "a, b", "Ménière", "x=y", "two\nlines", f"n{i}"]),
        }
        for i in range(size)
    ]


def make_schema(chance: random.Random, rows: list[Row]) -> om.Schema:
    """Random roles; every column has one."""
    kinds: dict[str, Callable[[], Any]] = {
        "diagnosis": lambda: om.Nominal("diagnosis", om.datasets.diagnoses()),
        "age": lambda: om.Numeric("age", weight=chance.choice([1, 3])),
        "weight": lambda: om.Numeric("weight"),
        "level": lambda: om.Ordinal("level", LEVELS),
        "day": lambda: om.Date("day"),
    }
    chosen = chance.sample(list(kinds), chance.randint(1, 3))
    others = [name for name in rows[0] if name not in chosen]
    person = "person" if chance.random() < 0.3 else None
    confidential = ["illness"] if chance.random() < 0.6 else []
    return om.Schema(
        [kinds[name]() for name in chosen],
        confidential=confidential,
        keep=[name for name in others if name not in confidential],
        person=person,
    )


def make_method(chance: random.Random, schema: om.Schema) -> Any:
    """A random method with random settings."""
    k = chance.choice([2, 3, 5, 10])
    l = 2 if schema.confidential and chance.random() < 0.3 else None  # noqa: E741 - as it is called
    methods: list[Callable[[], Any]] = [
        lambda: om.Microaggregation(k, l=l),
        lambda: om.Microaggregation(k, algorithm="mdav"),
        lambda: om.Microaggregation(k, replacement="synthetic"),
        lambda: om.Recoding(k),
        lambda: om.Recoding(k, distance="discernibility"),
        lambda: om.Suppression(k, how=chance.choice(["blank", "drop"])),
        lambda: om.Resampling(k),
        lambda: om.RankSwapping(chance.choice([1, 3, 10]), strategy="multivariate"),
        lambda: om.RankSwapping(3, strategy=chance.choice(["dynamic", "fixed", "random"])),
        lambda: om.NoiseAddition(chance.choice([0.1, 0.5, 1.0])),
    ]
    return chance.choice(methods)()


def check_release(
    release: Any, schema: om.Schema, method: Any, rows: list[Row], released: list[Row]
) -> None:
    """Count a release again: by plain Python, from the rows that were released."""
    require(len(released) == release.records, "other number of records")
    quasi = [column.column for column in schema.quasi_identifiers]
    kept = [name for name in rows[0] if name not in quasi]
    before = Counter(tuple(plain(row[name]) for name in kept) for row in rows)
    after = Counter(tuple(plain(row[name]) for name in kept) for row in released)
    require(not after - before, "a column changed that should not")
    if len(released) == len(rows):
        require(before == after, "records are missing")
    if not released:
        return
    classes: dict[Any, list[Row]] = defaultdict(list)
    for row in released:
        classes[tuple(plain(row[name]) for name in quasi)].append(row)
    guarantee = release.guarantee
    sizes = [count_unit(group, schema.person) for group in classes.values()]
    promises_k = isinstance(method, om.Recoding | om.Suppression) or guarantee.k is not None
    if promises_k:
        require(min(sizes) >= method.k, f"k is {guarantee.k}, smallest is {min(sizes)}")
    link = guarantee.released.link if guarantee.released is not None else None
    if guarantee.released is not None:
        unknown = {*schema.confidential_names, schema.person}
        known = [*quasi, *(name for name in kept if name not in unknown)]
        together = count_released(released, known, schema.person, link)
        said = guarantee.released.smallest, guarantee.released.classes
        require(
            (min(together), len(together)) == said,
            f"smallest and number of classes with kept columns are {min(together)} and "
            f"{len(together)}, not {said}",
        )
        sizes = together if link is not None else sizes
    require(min(sizes) == guarantee.smallest, f"smallest is {min(sizes)}, not {guarantee.smallest}")
    require(len(sizes) == guarantee.classes, f"{len(sizes)} classes, not {guarantee.classes}")
    if promises_k:
        expected = None if link is not None and min(sizes) < method.k else method.k
        require(guarantee.k == expected, f"k is {guarantee.k}, expected was {expected}")
    for column, least in release.evaluation.risk["l_distinct"].items():
        found = min(len({row[column] for row in group}) for group in classes.values())
        require(found == least, f"l of {column} is {found}, said was {least}")
    if method.permutes:
        for name in quasi:
            same = Counter(plain(r[name]) for r in rows) == Counter(
                plain(r[name]) for r in released
            )
            require(same, f"column {name} has other values")


def count_released(
    released: list[Row], known: list[str], person: str | None, link: str | None
) -> list[int]:
    """The sizes of the classes on all known columns; of linked records, together."""
    classes: dict[Any, list[Row]] = defaultdict(list)
    columns = [name for name in known if name != link]
    if link is None:
        for row in released:
            classes[tuple(plain(row[name]) for name in columns)].append(row)
        return [count_unit(group, person) for group in classes.values()]
    linked: dict[Any, list[Row]] = defaultdict(list)
    for place, row in enumerate(released):
        linked[plain(row[link]) or place].append(row)
    for rows in linked.values():
        texts = sorted(repr([plain(row[name]) for name in columns]) for row in rows)
        classes[tuple(texts)] += rows
    return [count_unit(group, person) for group in classes.values()]


def count_unit(group: list[Row], person: str | None) -> int:
    """The records of a class, or its people."""
    return len(group) if person is None else len({row[person] for row in group})


def plain(value: Any) -> Any:
    """A value as text; formats differ in the types that they have."""
    if value is None or value != value or value == "":
        return ""
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        return str(value)


# ---------------------------------------------------------------------- tables


def make_frame(kind: str, rows: list[Row]) -> Any:
    """The rows as a frame."""
    if kind == "pandas":
        return pd.DataFrame(rows)
    if kind == "spark":
        return start_spark().createDataFrame(pa.Table.from_pylist(rows))
    return pl.DataFrame(rows) if kind == "polars" else pa.Table.from_pylist(rows)


def start_spark() -> Any:
    """The session of all cases: small, and silent."""
    from ontomask.engines.spark.session import spark_session

    return spark_session(
        **{
            "spark.master": "local[1]",
            "spark.driver.memory": "1g",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.log.level": "OFF",
            "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than such tables
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.shuffle.partitions": "2",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
    )


def list_rows(frame: Any) -> list[Row]:
    """The rows of a frame."""
    if hasattr(frame, "toArrow"):  # of Spark
        frame = frame.toArrow()
    if isinstance(frame, pd.DataFrame):
        records: list[Row] = frame.to_dict("records")
        return records
    return list(frame.to_dicts() if isinstance(frame, pl.DataFrame) else frame.to_pylist())


def write_rows(path: Path, rows: list[Row]) -> None:
    """Write a table with other libraries than ontomask's."""
    frame = pd.DataFrame(rows)
    if ".parquet" in path.suffixes:
        frame.to_parquet(path)
    elif ".jsonl" in path.suffixes:
        frame.to_json(path, orient="records", lines=True)
    elif ".sqlite" in path.suffixes:
        import sqlite3

        database = sqlite3.connect(path)
        frame.to_sql("people", database, index=False)
        database.close()
    else:
        frame.to_csv(path, sep="\t" if ".tsv" in path.suffixes else ",", index=False)


def read_rows(path: Path) -> list[Row]:
    """Read a table with other libraries than ontomask's."""
    if ".parquet" in path.suffixes:
        return list_rows(pd.read_parquet(path))
    if ".jsonl" in path.suffixes:
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    if ".sqlite" in path.suffixes:
        import sqlite3

        database = sqlite3.connect(path)
        (name,) = database.execute("select name from sqlite_master").fetchone()
        cursor = database.execute(f'select * from "{name}"')
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
        database.close()
        return rows
    import gzip

    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if ".tsv" in path.suffixes else ","))


# ---------------------------------------------------------------------- types


def fuzz_types(chance: random.Random, folder: Path) -> str:
    """Mask a column of a random type in memory."""
    size = chance.choice([4, 10, 40])
    numbers = [chance.randint(0, 60) for _ in range(size)]
    kind, column, dates = chance.choice(list(typed_columns(chance, numbers)))
    library = kind.partition(" ")[0]
    if library == "pandas":
        frame: Any = pd.DataFrame({"x": column})
    elif library == "polars":
        frame = pl.DataFrame({"x": column})
    else:
        frame = pa.table({"x": column})
    schema = om.Schema([om.Date("x") if dates else om.Numeric("x")])
    method = chance.choice([om.Microaggregation(2), om.RankSwapping(2), om.Recoding(2)])
    release = om.mask(frame, schema, method, chance.getrandbits(128))
    require(type(release.data) is type(frame), "another kind of frame")
    counts = Counter(plain(row["x"]) for row in list_rows(release.data))
    require(sum(counts.values()) == size, "other number of records")
    require(min(counts.values()) == release.guarantee.smallest, f"{kind}: k was not counted")
    return kind


def typed_columns(chance: random.Random, numbers: list[int]) -> Iterable[tuple[str, Any, bool]]:
    """Numbers and days in many types: what it is, the column, and whether they are days."""
    days = [date(2020, 1, 1) + timedelta(number) for number in numbers]
    for name in ("int8", "uint16", "int64", "float32", "float64", "Int32", "Float64", "object"):
        yield f"pandas {name}", pd.Series(numbers).astype(name), False
    yield "pandas category", pd.Series(numbers).astype("category"), False
    yield "pandas text", pd.Series([str(number) for number in numbers], dtype="str"), False
    yield "pandas datetime", pd.Series(pd.to_datetime(days)), True
    for kind in (pl.Int8, pl.UInt32, pl.Float32, pl.Float64, pl.Int64):
        yield f"polars {kind}", pl.Series(numbers).cast(kind), False
    yield "polars date", pl.Series(days), True
    yield "polars text", pl.Series([str(number) for number in numbers]), False
    for arrow in (pa.int8(), pa.uint64(), pa.float32(), pa.float64()):
        yield f"pyarrow {arrow}", pa.array(numbers).cast(arrow), False
    yield "pyarrow decimal", pa.array([Decimal(number) for number in numbers]), False
    yield "pyarrow date32", pa.array(days, pa.date32()), True
    yield "pyarrow timestamp", pa.array(days).cast(pa.timestamp("us")), True
    yield "pyarrow dictionary", pa.array(map(str, numbers)).dictionary_encode(), False
    yield "pyarrow string_view", pa.array(map(str, numbers), pa.string_view()), False


# ---------------------------------------------------------------------- release files

RELEASE_FILE = """\
data: people.csv
output: released.csv
columns:
  id: {role: identifier}
  diagnosis: {role: quasi, taxonomy: tax.csv}
  age: {role: quasi, type: numeric}
  note: {role: keep}
  pay: {role: confidential}
method: {name: microaggregation, k: 3}
"""
SNIPPETS = [
    *(
        "k",
        ": ",
        "{",
        "}",
        "[",
        "]",
        "-1",
        "1e99",
        "null",
        "~",
        "'",
        '"',
        "\n",
        "  ",
        "\t",
        "&a",
        "*a",
    ),
    *("!!python/object:os.system", "<<", "role", "quasi", "é", "\x00", "\ud7ff", "9" * 400),
]


def fuzz_file(chance: random.Random, folder: Path) -> str:
    """Read a release file with random mistakes; it is understood or refused."""
    from ontomask.releasefile.model import load_release_file

    om.datasets.diagnoses().write(folder / "tax.csv")
    text = RELEASE_FILE
    for _ in range(chance.randint(1, 4)):
        place, length = chance.randrange(len(text)), chance.choice([0, 1, 5, 20])
        text = text[:place] + chance.choice(SNIPPETS) + text[place + length :]
    (folder / "release.yaml").write_text(text, encoding="utf-8")
    load_release_file(folder / "release.yaml").method_object()
    return "understood"


# ---------------------------------------------------------------------- kills


def fuzz_kill(chance: random.Random, folder: Path) -> str:
    """Stop a command at a random moment; its output is whole or absent, the next run is clean."""
    temporary, place = folder / "temporary", folder / "data"
    temporary.mkdir()
    place.mkdir()
    om.datasets.diagnoses().write(place / "tax.csv")
    header = "id,diagnosis,age,note,pay\n"
    lines = [
        f"{i},{chance.choice(WORDS)},{min(i, chance.randint(20, 60))},{'é' * 200},{i % 7}\n"
        for i in range(20_000)
    ]
    encoding = chance.choice(["utf-8", "cp1252"])
    (place / "people.csv").write_text(header + "".join(lines), encoding=encoding)
    dialect = f"csv: {{encoding: {encoding}}}\n"
    (place / "release.yaml").write_text(dialect + RELEASE_FILE, encoding="utf-8")
    inputs = sorted(os.listdir(place))
    outputs = ["released.csv", "released.manifest.json", "released.report.html"]
    environment = {**os.environ, "TMPDIR": str(temporary), "ONTOMASK_SEED": str(1 << 100)}
    command = [sys.executable, "-m", "ontomask", "mask", "release.yaml"]

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command,
            cwd=place,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # after nohup, too
        )

    kind = chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
    process = start()
    time.sleep(chance.uniform(0, 6))
    process.send_signal(kind)
    _, words = process.communicate()
    names = os.listdir(place)
    whole = sorted(name for name in names if name[0] != ".")
    require(whole in (inputs, sorted([*inputs, *outputs])), f"left {whole}")
    if kind != signal.SIGKILL and process.returncode in (0, 130):
        left = [name for name in names if name[0] == "."] + os.listdir(temporary)
        require(not left, f"{kind.name} left {left}")
    if whole != inputs:
        for name in outputs:
            (place / name).unlink()
    again = start()
    _, words = again.communicate()
    require(again.returncode == 0, f"the next run failed: {words.decode()[-300:]}")
    require(sorted(os.listdir(place)) == sorted([*inputs, *outputs]), "the next run is not clean")
    require(not os.listdir(temporary), "the next run left temporary files")
    manifest = json.loads((place / "released.manifest.json").read_text("utf-8"))
    with (place / "released.csv").open(encoding=encoding, newline="") as file:
        rows = list(csv.DictReader(file))
    classes = Counter((row["diagnosis"], row["age"]) for row in rows)
    require(min(classes.values()) >= manifest["guarantee"]["k"] == 3, "k was not counted")
    return f"{kind.name} {'early' if whole == inputs else 'late'}"


# ---------------------------------------------------------------------- cases

KINDS: dict[str, tuple[Callable[[random.Random, Path], str], float]] = {
    "releases": (fuzz_release, 0.58),
    "spark": (fuzz_spark, 0.02),
    "types": (fuzz_types, 0.2),
    "files": (fuzz_file, 0.17),
    "kills": (fuzz_kill, 0.03),
}


def run_case(number: int, kinds: list[str]) -> tuple[str, str, str]:
    """Run a case: its kind, how it ended (passed, refused or FAILED), and what it was."""
    chance = random.Random(number)
    kind = chance.choices(kinds, [KINDS[name][1] for name in kinds])[0]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return kind, "passed", KINDS[kind][0](chance, Path(folder))
        except InternalError:
            return kind, "FAILED", traceback.format_exc()
        except OntomaskError as error:
            return kind, "refused", type(error).__name__
        except Exception:
            return kind, "FAILED", traceback.format_exc()


def fuzz(seconds: float, kinds: list[str], first: int) -> int:
    """Run cases until the time is over; returns how many failed."""
    counts: Counter[tuple[str, str, str]] = Counter()
    failures, number, end = 0, first, time.monotonic() + seconds
    while time.monotonic() < end:
        kind, outcome, words = run_case(number, kinds)
        if outcome == "FAILED":
            failures += 1
            print(f"case {number} ({kind}) failed:\n{words}", flush=True)
            words = words.strip().splitlines()[-1][:100]
        counts[kind, outcome, words] += 1
        number += 1
    for (kind, outcome, words), count in sorted(counts.items()):
        print(f"{kind:9} {outcome:8} {count:7,}  {words}")
    print(f"{number - first:,} cases, {failures:,} failed")
    return failures


def main() -> None:
    """Read the options, and run cases."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--first", type=int, help="number of the first case; without it, random")
    parser.add_argument("--case", type=int, help="run this case alone")
    options = parser.parse_args()
    if options.case is not None:
        print(*run_case(options.case, options.kinds))
        return
    first = random.SystemRandom().getrandbits(40) if options.first is None else options.first
    print(f"first case: {first}", flush=True)
    sys.exit(min(1, fuzz(options.seconds, options.kinds, first)))


if __name__ == "__main__":
    main()

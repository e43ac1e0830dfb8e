"""Are the releases of two commits the same, byte for byte?

``python tools/compare_releases.py main~1 main`` checks both commits out, makes the same releases
with each - every method, kind of frame, file format and engine, with fixed seeds - and compares the
SHA-256 of all masked tables and the guarantees. It exits with 1 where anything differs. Without a
second commit the working tree is compared; ``--spark`` adds Spark frames, which takes a minute.
Reports and manifests are not compared: they carry the time and the version.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RECORDS, SEED = 600, 7


def main() -> None:
    """Compare two commits, or make the releases of one (in a process of its own)."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("before", help="a commit")
    parser.add_argument("after", nargs="?", help="another; the working tree without it")
    parser.add_argument("--spark", action="store_true", help="Spark frames as well")
    parser.add_argument("--digests", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.digests:
        print(json.dumps(dict(release_digests(options.spark))))
        return
    with tempfile.TemporaryDirectory() as folder:
        before = run_commit(options.before, Path(folder), options.spark)
        after = run_commit(options.after, Path(folder), options.spark)
    differing = [name for name in before | after if before.get(name) != after.get(name)]
    for name in differing:
        print(f"differs: {name}\n  {before.get(name)}\n  {after.get(name)}")
    print(f"{len(before | after) - len(differing)} releases are the same, {len(differing)} differ")
    sys.exit(bool(differing))


def run_commit(commit: str | None, folder: Path, spark: bool) -> dict[str, str]:
    """The digests of all releases made by the code of a commit."""
    tree = ROOT
    if commit is not None:
        tree = folder / commit.replace("/", "_")
        archive = subprocess.run(
            ["git", "-C", str(ROOT), "archive", commit, "src"], check=True, capture_output=True
        )
        tree.mkdir()
        subprocess.run(["tar", "-x", "-C", str(tree)], input=archive.stdout, check=True)
    command = [sys.executable, __file__, "-", "--digests", *(["--spark"] if spark else [])]
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONHASHSEED": "0"}
    finished = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    return dict(json.loads(finished.stdout))


# ---------------------------------------------------------------------- the releases of one commit


def release_digests(spark: bool) -> Iterator[tuple[str, str]]:
    """Every release by name, with the digest of its table and its guarantee."""
    import pandas as pd

    import ontomask as om

    warnings.simplefilter("ignore")
    stays = pd.DataFrame(om.datasets.discharges(n=RECORDS))
    stays["outcome"] = stays["outcome"].astype(str)
    icd9 = om.load_taxonomy("icd9cm")
    columns: list[Any] = [om.Nominal("diagnosis", icd9), om.Numeric("age")]
    plain = om.Schema(columns, confidential=["outcome"], other="drop")
    people = om.Schema(columns, person="patient", confidential=["outcome"], other="drop")
    for name, method in methods(om):
        yield f"pandas {name}", mask_frame(om, stays, plain, method)
    for name, method in methods(om, short=True):
        yield f"people {name}", mask_frame(om, stays, people, method)
        for kind, frame in frames(stays):
            yield f"{kind} {name}", mask_frame(om, frame, plain, method)
    with tempfile.TemporaryDirectory() as folder:
        for format_, path in files(stays, Path(folder)):
            for name, method in methods(om, short=True):
                yield f"{format_} {name}", mask_file(om, path, plain, method)
        yield "release file", release_file(om, Path(folder))
    if spark:
        yield from spark_digests(om, stays, plain)


def methods(om: Any, short: bool = False) -> Iterator[tuple[str, Any]]:
    """The methods with their settings; ``short`` leaves variants out."""
    yield "microaggregation", om.Microaggregation(k=5)
    yield "recoding", om.Recoding(k=5)
    yield "resampling", om.Resampling(k=5)
    yield "suppression", om.Suppression(k=3, how="drop")
    yield "rank_swapping", om.RankSwapping(window=10)
    yield "noise", om.NoiseAddition(alpha=0.3)
    if short:
        return
    yield "mdav", om.Microaggregation(k=5, algorithm="mdav")
    yield "diverse", om.Microaggregation(k=5, l=2)
    yield "synthetic", om.Microaggregation(k=5, algorithm="mdav", replacement="synthetic")
    yield "blocks", om.Microaggregation(k=5, block=100)
    yield "thorough", om.Microaggregation(k=5, effort="thorough")
    yield "blanked", om.Suppression(k=5)
    yield "strong noise", om.NoiseAddition(alpha=2.0)
    yield "wide swapping", om.RankSwapping(window=50)


def frames(stays: Any) -> Iterator[tuple[str, Any]]:
    """The same table as other kinds of frames."""
    import duckdb
    import polars as pl
    import pyarrow as pa

    yield "polars", pl.from_pandas(stays)
    yield "lazy polars", pl.from_pandas(stays).lazy()
    yield "pyarrow", pa.Table.from_pandas(stays, preserve_index=False)
    yield "duckdb", duckdb.from_df(stays)


def files(stays: Any, folder: Path) -> Iterator[tuple[str, Path]]:
    """The same table as files of every format."""
    import sqlite3

    stays.to_csv(folder / "stays.csv", index=False)
    yield "csv", folder / "stays.csv"
    stays.to_csv(folder / "semicolon.csv", index=False, sep=";", quoting=1, lineterminator="\r\n")
    yield "csv with semicolons", folder / "semicolon.csv"
    stays.to_csv(folder / "packed.csv.gz", index=False)
    yield "packed csv", folder / "packed.csv.gz"
    stays.to_parquet(folder / "stays.parquet", index=False)
    yield "parquet", folder / "stays.parquet"
    stays.to_json(folder / "stays.jsonl", orient="records", lines=True)
    yield "json lines", folder / "stays.jsonl"
    with sqlite3.connect(folder / "stays.sqlite") as database:
        stays.to_sql("stays", database, index=False)
    yield "sqlite", folder / "stays.sqlite"


def release_file(om: Any, folder: Path) -> str:
    """The table that a release file describes."""
    lines = [
        *("data: stays.csv", "output: released.csv", "other: drop", "person: patient", "columns:"),
        "  diagnosis: {role: quasi, type: nominal, taxonomy: icd9cm}",
        "  age: {role: quasi, type: numeric}",
        "  outcome: {role: confidential}",
        "method: {name: microaggregation, k: 4}",
    ]
    (folder / "release.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    run = om.run_release_file if hasattr(om, "run_release_file") else om.release
    release = run(folder / "release.yaml", SEED)
    return digest_file(folder / "released.csv") + str(release.guarantee)


def spark_digests(om: Any, stays: Any, schema: Any) -> Iterator[tuple[str, str]]:
    """The same table as a Spark frame; its rows are sorted, for they have no order."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master("local[2]").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        frame = session.createDataFrame(stays)
        for name, method in methods(om, short=True):
            release = om.mask(frame, schema, method, SEED)
            table = release.data.toPandas()
            table = table.sort_values(list(table.columns), ignore_index=True)
            yield f"spark {name}", digest(table.to_csv(index=False)) + str(release.guarantee)
    finally:
        session.stop()


def mask_frame(om: Any, frame: Any, schema: Any, method: Any) -> str:
    """The digest of a masked frame of any kind and its guarantee, or the kind of refusal."""
    import narwhals as nw

    try:
        release = om.mask(frame, schema, method, SEED)
    except Exception as error:
        return type(error).__name__
    table = release.data
    if type(table).__name__ == "DuckDBPyRelation":
        table = table.to_arrow_table()
    frame = nw.from_native(table)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    rows = frame.rows()
    return digest(repr((frame.columns, rows))) + str(release.guarantee)


def mask_file(om: Any, path: Path, schema: Any, method: Any) -> str:
    """The digest of a masked file and its guarantee, or the kind of refusal."""
    target = path.with_name(f"masked-{path.name}")
    try:
        release = om.mask(path, schema, method, SEED)
        release.write(target, force=True)
    except Exception as error:
        return type(error).__name__
    return digest_file(target) + str(release.guarantee)


def digest_file(path: Path) -> str:
    """The digest of a file; of a database, that of its dump, and of a packed file its content."""
    import gzip
    import sqlite3

    if path.suffix == ".sqlite":
        with sqlite3.connect(path) as database:
            return digest("\n".join(database.iterdump()))
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return hashlib.sha256(data).hexdigest()


def digest(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


if __name__ == "__main__":
    main()

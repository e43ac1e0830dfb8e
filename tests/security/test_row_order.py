"""Rows in the order of the original give masked values back: released files are shuffled."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter

import duckdb
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import ontomask as om
from frame_kinds import KINDS, made, rows
from manifests import assert_manifest_fits
from ontomask.errors import ParameterError, SpecError
from ontomask.releasefile.model import ReleaseFile
from ontomask.releasefile.run import evaluate_files, write_release

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

SEED = 2**70
N = 300
FORMATS = ["csv", "tsv", "csv.gz", "parquet", "jsonl", "sqlite"]
METHODS = [
    {"name": "rank_swapping", "window": 20},
    {"name": "noise_addition", "alpha": 0.1},
    {"name": "microaggregation", "k": 3},
    {"name": "suppression", "k": 5, "how": "drop"},
]


def people():
    random = np.random.default_rng(0)
    ages = np.sort(random.integers(18, 91, N)).tolist()
    return {
        "name": [f"n{i:03}" for i in range(N)],
        "age": ages,
        "id": random.permutation(N).tolist(),
    }


SORTED = "the rows keep their order and are sorted (100 % of the steps from row to row) by the {}"
AGE_OF = dict(zip(people()["id"], people()["age"], strict=True))


def write_table(path, columns):
    table = pd.DataFrame(columns)
    if path.suffix == ".parquet":
        table.to_parquet(path)
    elif path.suffix == ".jsonl":
        table.to_json(path, orient="records", lines=True)
    elif path.suffix == ".sqlite":
        with sqlite3.connect(path) as database:
            table.to_sql("people", database, index=False, if_exists="replace")
        database.close()
    else:
        table.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")


def read_table(path):
    """The rows of a file, as they come."""
    if path.is_dir():  # of Spark
        table = pq.read_table(path).to_pandas()
    elif path.suffix == ".parquet":
        table = pd.read_parquet(path)
    elif path.suffix == ".jsonl":
        table = pd.read_json(path, lines=True)
    elif path.suffix == ".sqlite":
        with sqlite3.connect(path) as database:
            table = pd.read_sql("select * from people", database)
        database.close()
    else:
        table = pd.read_csv(path, sep="\t" if path.suffix == ".tsv" else ",")
    return table.astype("int64")


def spec_of(folder, suffix, method=METHODS[0], **more):
    return ReleaseFile.from_dict(
        {
            "data": f"people.{suffix}",
            "output": f"released.{suffix}",
            "columns": {
                "name": {"role": "identifier"},
                "age": {"role": "quasi", "type": "numeric"},
                "id": {"role": "keep"},
            },
            "method": method,
            **more,
        },
        folder,
    )


def release(folder, suffix="csv", columns=None, seed=SEED, **more):
    write_table(folder / f"people.{suffix}", columns or people())
    outcome = write_release(spec_of(folder, suffix, **more), seed, force=True)
    return outcome, read_table(folder / f"released.{suffix}")


def share_given_back(table):
    """The attack: the masked ages are sorted, as the original was; how many are right."""
    true = table["id"].map(AGE_OF).to_numpy()
    return float((np.sort(table["age"].to_numpy()) == true).mean())


# ---------------------------------------------------------------- the attack


@pytest.mark.parametrize("suffix", FORMATS)
def test_sorting_the_swapped_ages_gives_nothing_back(tmp_path, suffix):
    _, table = release(tmp_path, suffix)
    assert share_given_back(table) < 0.1
    assert Counter(table["age"]) == Counter(people()["age"])
    assert sorted(table["id"]) == list(range(N))
    assert_manifest_fits(tmp_path / "released.manifest.json")
    _, kept = release(tmp_path, suffix, order="keep")
    assert share_given_back(kept) == 1
    assert kept["id"].tolist() == people()["id"]
    # Which record has which age is the same: only the order differs.
    assert Counter(map(tuple, table.to_numpy())) == Counter(map(tuple, kept.to_numpy()))


@pytest.mark.spark
def test_sorting_gives_nothing_back_of_what_spark_writes(spark, tmp_path):
    _, table = release(tmp_path, "parquet", engine="spark")
    assert share_given_back(table) < 0.1
    _, again = release(tmp_path, "parquet", engine="spark")
    assert again.equals(table)
    outcome, kept = release(tmp_path, "parquet", engine="spark", order="keep")
    assert sorted(kept["id"]) == sorted(table["id"])
    assert SORTED.format("original values of 'age', so") in " ".join(outcome.release.cautions)
    assert "released column 'id'" not in " ".join(outcome.release.cautions)


@pytest.mark.parametrize("method", METHODS, ids=lambda it: it["name"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_no_method_leaves_the_rows_in_order(tmp_path, suffix, method):
    outcome, table = release(tmp_path, suffix, method=method)
    assert len(table) == outcome.release.records
    place = table["id"].map({number: i for i, number in enumerate(people()["id"])})
    assert abs(np.corrcoef(place, np.arange(len(table)))[0, 1]) < 0.25


def test_the_same_seed_gives_the_same_bytes_whatever_the_order_was(tmp_path):
    def written(columns, seed=SEED):
        release(tmp_path, columns=columns, seed=seed)
        return (tmp_path / "released.csv").read_bytes()

    table = people()
    first = written(table)
    order = np.random.default_rng(1).permutation(N)
    moved = {name: [column[i] for i in order] for name, column in table.items()}
    assert written(table) == written(moved) == first
    assert written(table, SEED + 1) != first


def test_rows_that_are_equal_can_be_shuffled(tmp_path):
    table = {"name": ["x"] * N, "age": [30] * 100 + [40] * 200, "id": [7] * N}
    _, found = release(tmp_path, columns=table, method={"name": "noise_addition", "alpha": 1})
    _, kept = release(
        tmp_path, columns=table, method={"name": "noise_addition", "alpha": 1}, order="keep"
    )
    assert sorted(found["age"]) == sorted(kept["age"])


# ---------------------------------------------------------------- what is said


def test_the_manifest_says_which_order_the_rows_have(tmp_path):
    for order, word in (("shuffle", "shuffled"), ("keep", "kept")):
        outcome, _ = release(tmp_path, order=order)
        assert json.loads((tmp_path / "released.manifest.json").read_text())["order"] == word
        assert outcome.manifest["order"] == word


def test_keeping_the_order_is_cautioned_against_where_it_matters(tmp_path):
    outcome, _ = release(tmp_path)
    assert not any("order" in caution for caution in outcome.release.cautions)
    outcome, _ = release(tmp_path, order="keep")
    masked, removed, *_ = (it for it in outcome.release.cautions if "order" in it)
    assert "sorting the masked column 'age' gives back 100 % of its original values" in masked
    assert SORTED.format("removed column 'name', so the place of a record tells") in removed
    order = np.random.default_rng(1).permutation(N)
    moved = {name: [column[i] for i in order] for name, column in people().items()}
    outcome, _ = release(tmp_path, columns=moved, order="keep")
    assert not any("order" in caution for caution in outcome.release.cautions)


@pytest.mark.parametrize("role", ["keep", "confidential"])
def test_a_released_column_by_which_the_rows_are_sorted_is_cautioned_against(tmp_path, role):
    nearly = [*range(10), 9.5, *range(11, N - 1), 0.5]  # two steps of 299 go down
    schema = om.Schema([om.Numeric("age")], identifiers=["name"], **{role: ["id"]})
    for table in (people() | {"id": nearly}, people()):
        write_table(tmp_path / "people.csv", table)
        for source in (tmp_path / "people.csv", pd.DataFrame(table)):
            cautions = om.mask(source, schema, om.RankSwapping(window=20), SEED).cautions
            told = [caution for caution in cautions if "released column 'id'" in caution]
            if table["id"] is not nearly:
                assert not told
                continue
            (caution,) = told
            assert "sorted (99 % of the steps from row to row)" in caution
            assert "so they can be matched with another table in this order" in caution


@pytest.mark.parametrize("descending", [False, True])
def test_a_frame_and_a_file_measure_the_same(tmp_path, descending):
    """By hand: ages 1 to 4, of which sorting gives back those that were only swapped."""
    ages = [*range(1, 101)][:: -1 if descending else 1]
    schema = om.Schema([om.Numeric("age")])
    pd.DataFrame({"age": ages}).to_csv(tmp_path / "ages.csv", index=False)
    for table in (pd.DataFrame({"age": ages}), tmp_path / "ages.csv"):
        found = om.mask(table, schema, om.RankSwapping(window=5), seed=SEED)
        assert found._applied.count_restored("age") == (100, 1.0)
        steps = (0, 99) if descending else (99, 0)
        assert found._applied.count_steps(["age"]) == {"age": steps}


def test_an_order_that_is_none_is_refused(tmp_path):
    with pytest.raises(SpecError, match="order must be 'shuffle' or 'keep', got 'sorted'"):
        spec_of(tmp_path, "csv", order="sorted")
    frame = pd.DataFrame({"age": [1, 2, 3, 4]})
    found = om.mask(frame, om.Schema([om.Numeric("age")]), om.Microaggregation(k=2))
    with pytest.raises(ParameterError, match="order must be 'shuffle' or 'keep'"):
        found.write(tmp_path / "x.csv", order="sorted")


def test_shuffled_rows_are_not_matched_by_their_places(tmp_path):
    release(tmp_path)
    spec = spec_of(tmp_path, "csv")
    files = tmp_path / "people.csv", tmp_path / "released.csv"
    with pytest.raises(ParameterError, match="are in a random order, as its manifest says"):
        evaluate_files(*files, spec)
    matched = evaluate_files(*files, spec, match_by="id")
    outcome, _ = release(tmp_path, order="keep")
    kept = evaluate_files(*files, spec)
    assert matched.utility["sse"] == kept.utility["sse"]
    assert kept.utility["sse"] == pytest.approx(outcome.release.evaluation.utility["sse"])


# ---------------------------------------------------------------- frames


@pytest.mark.parametrize("kind", KINDS)
def test_frames_are_shuffled_if_asked(kind):
    schema = om.Schema([om.Numeric("age")], identifiers=["name"], keep=["id"])

    def masked(columns, **more):
        release = om.mask(made(kind, columns), schema, om.RankSwapping(window=20), SEED, **more)
        return rows(release.data)

    table = people()
    kept, shuffled = masked(table), masked(table, shuffle=True)
    assert [number for _, number in kept] == table["id"]
    assert sorted(shuffled) == sorted(kept)
    place = {number: i for i, number in enumerate(table["id"])}
    assert abs(np.corrcoef([place[number] for _, number in shuffled], np.arange(N))[0, 1]) < 0.25
    backwards = {name: column[::-1] for name, column in table.items()}
    assert masked(backwards, shuffle=True) == shuffled


def test_an_index_does_not_tell_where_rows_were():
    table = pd.DataFrame({"age": [*range(50), None], "id": range(51)})
    schema = om.Schema([om.Numeric("age")], keep=["id"], missing="drop")
    found = om.mask(table, schema, om.RankSwapping(window=5), SEED, shuffle=True).data
    assert found.index.equals(pd.RangeIndex(50))
    assert found["id"].tolist() != list(range(50))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_of_a_frame_is_shuffled(tmp_path, kind):
    schema = om.Schema([om.Numeric("age")], identifiers=["name"], keep=["id"])
    found = om.mask(made(kind, people()), schema, om.RankSwapping(window=20), SEED)
    found.write(tmp_path / "x.csv")
    assert share_given_back(read_table(tmp_path / "x.csv")) < 0.1
    found.write(tmp_path / "x.csv", force=True, order="keep")
    assert share_given_back(read_table(tmp_path / "x.csv")) == 1


def test_the_query_of_a_shuffled_file_does_not_show_its_key(tmp_path):
    write_table(tmp_path / "people.csv", people())
    schema = om.Schema([om.Numeric("age")], identifiers=["name"], keep=["id"])
    found = om.mask(tmp_path / "people.csv", schema, om.RankSwapping(window=20), SEED, shuffle=True)
    assert isinstance(found.data, duckdb.DuckDBPyRelation)
    assert found._order_key.hex() not in found.data.sql_query()
    assert found._order_key.hex() not in repr(found)

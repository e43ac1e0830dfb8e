"""The synthetic discharges are what they claim to be: coded, skewed, connected, reproducible."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import ontomask as om
from ontomask.errors import ParameterError

TEXTS = {
    *("patient", "name", "sex", "zip", "severity"),
    *("diagnosis", "secondary_diagnosis", "procedure", "outcome"),
}
NUMBERS = {"age": "int64", "length_of_stay": "int64", "charge": "float64"}
DEATHS = {"427.5", "779.85", "785.51", "785.52", "348.82"}


@pytest.fixture(scope="module")
def table():
    return om.datasets.discharges(100_000, seed=1)


@pytest.fixture(scope="module")
def procedures():
    return om.load_taxonomy("icd9cm-procedures")


def people(table):
    """The rows of each person, in the order of time."""
    order = np.lexsort((table["length_of_stay"], table["admitted"], table["patient"].astype(str)))
    starts = np.flatnonzero(table["patient"][order][1:] != table["patient"][order][:-1]) + 1
    return np.split(order, starts)


def share(table, column, codes, where):
    """How many of the rows ``where`` have a code that begins with one of these."""
    return np.mean([value.startswith(codes) for value in table[column][where]])


def starting(table, column, code):
    return np.array([value.startswith(code) for value in table[column]])


# ------------------------------------------------------------------ shape


@pytest.mark.parametrize("n", [1, 2, 3000, 140_001])
def test_every_column_has_n_values_of_its_type(n):
    table = om.datasets.discharges(n)
    assert set(table) == {*TEXTS, *NUMBERS, "admitted"}
    for name, column in table.items():
        assert column.shape == (n,)
        if name in TEXTS:
            assert column.dtype == object
            assert {type(value) for value in column} == {str}
        else:
            assert column.dtype == NUMBERS.get(name, "datetime64[D]")


def test_three_thousand_unless_told_otherwise():
    assert len(om.datasets.discharges()["age"]) == 3000


def test_no_value_is_missing(table):
    assert all(table[name].all() for name in TEXTS)
    assert np.isfinite(table["charge"]).all()
    assert not np.isnat(table["admitted"]).any()


def test_values_are_in_their_ranges(table):
    assert table["age"].min() == 0
    assert 95 <= table["age"].max() <= 100
    assert set(table["sex"]) == {"F", "M"}
    assert set(table["severity"]) == {"minor", "moderate", "major", "extreme"}
    assert table["length_of_stay"].min() == 0
    assert table["charge"].min() > 0
    years = table["admitted"].astype("datetime64[Y]").astype(str)
    assert set(years) == {"2010", "2011", "2012", "2013", "2014"}


def test_zips_are_five_digits_and_keep_their_zeros(table):
    assert all(len(code) == 5 and code.isdigit() for code in set(table["zip"]))
    assert 0.2 < share(table, "zip", "0", slice(None)) < 0.8


def test_equal_texts_are_one_object(table):
    for name in TEXTS - {"patient", "name"}:
        assert len({id(value) for value in table[name]}) < 20_000


def test_identifiers_are_made_up_and_run_through(table):
    distinct = sorted(set(table["patient"]))
    assert distinct == [f"P{number:06d}" for number in range(1, len(distinct) + 1)]
    assert all(" Synth" in name for name in set(table["name"]))


def test_a_table_of_several_blocks_numbers_people_on():
    distinct = sorted(set(om.datasets.discharges(300_000)["patient"]))
    assert distinct[0] == "P000001"
    assert distinct[-1] == f"P{len(distinct):06d}"


@pytest.mark.parametrize("column", ["diagnosis", "secondary_diagnosis", "outcome"])
def test_diagnoses_are_concepts_and_mostly_leaves(table, icd9, column):
    assert all(code in icd9.identifiers for code in set(table[column]))
    assert 0.97 < np.mean([code in icd9.leaves for code in table[column]]) <= 1


def test_procedures_are_concepts_and_mostly_leaves(table, procedures):
    assert set(table["procedure"]) <= set(procedures.identifiers)
    assert 0.97 < np.mean([code in procedures.leaves for code in table["procedure"]]) < 1


# ------------------------------------------------------------------ chance


def test_the_same_seed_gives_the_same_table():
    one, two = om.datasets.discharges(2000, seed=7), om.datasets.discharges(2000, seed=7)
    assert all((one[name] == two[name]).all() for name in one)


def test_another_seed_gives_another_table():
    one, two = om.datasets.discharges(2000, seed=7), om.datasets.discharges(2000, seed=8)
    assert all((one[name] != two[name]).any() for name in one)


def test_numpy_numbers_are_numbers():
    table = om.datasets.discharges(np.int32(5), np.int64(3))
    assert (table["charge"] == om.datasets.discharges(5, 3)["charge"]).all()


@pytest.mark.parametrize("n", [0, -1, 10_000_001, 2.0, "5", None, True])
def test_n_is_a_whole_number(n):
    with pytest.raises(ParameterError, match="n must be an integer from 1 to 10,000,000, got "):
        om.datasets.discharges(n)


@pytest.mark.parametrize("seed", [-1, 0.5, "a", None, False])
def test_the_seed_is_a_whole_number(seed):
    with pytest.raises(ParameterError, match="seed must be an integer of at least 0, got "):
        om.datasets.discharges(5, seed)


# ------------------------------------------------------------------ skew


def test_few_diagnoses_are_frequent_and_thousands_are_rare(table):
    counts = sorted(Counter(table["diagnosis"]).values(), reverse=True)
    assert 2000 < len(counts) < 4000
    assert 0.15 < sum(counts[:10]) / 100_000 < 0.30
    assert sum(count <= 5 for count in counts) > 1000


def test_few_areas_are_populous(table):
    counts = sorted(Counter(table["zip"]).values(), reverse=True)
    assert len(counts) > 300
    assert counts[0] > 20 * counts[len(counts) // 2]


def test_most_combinations_are_unique(table):
    names = ("diagnosis", "secondary_diagnosis", "procedure", "age", "sex", "zip")
    counts = Counter(zip(*(table[name] for name in names), strict=True))
    assert sum(count == 1 for count in counts.values()) > 90_000


def test_stays_and_charges_are_skewed_to_the_right(table):
    for column in (table["length_of_stay"], table["charge"]):
        assert column.mean() > 1.2 * np.median(column)
        assert column.max() > 10 * np.median(column)


# ------------------------------------------------------------------ people


def test_most_people_come_once_and_a_few_often(table):
    stays = np.array(list(Counter(table["patient"]).values()))
    assert 0.6 < np.mean(stays == 1) < 0.9
    assert 0.005 < np.mean(stays > 5) < 0.06
    assert stays.max() > 20


def test_a_person_stays_the_same(table):
    traits = set(zip(table["patient"], table["sex"], table["zip"], table["name"], strict=True))
    assert len(traits) == len(set(table["patient"]))


def test_ages_agree_with_one_date_of_birth(table):
    # Somebody of 30 on a day was born after that day 31 years ago and not after it 30 years ago.
    months = table["admitted"].astype("datetime64[M]")
    day = (table["admitted"] - months).astype(int)
    date = 10_000 * (1970 + months.astype(int) // 12) + 100 * (months.astype(int) % 12) + day
    after, until = date - 10_000 * (table["age"] + 1), date - 10_000 * table["age"]
    for rows in people(table):
        assert after[rows].max() < until[rows].min()


def test_stays_do_not_overlap_and_nobody_comes_back_from_death(table):
    gone = table["admitted"] + table["length_of_stay"]
    for rows in people(table):
        assert (gone[rows[:-1]] <= table["admitted"][rows[1:]]).all()
    died = np.isin(table["outcome"], list(DEATHS))
    often = [rows for rows in people(table) if len(rows) > 1]
    assert 0.005 < died.mean() < 0.05
    assert not any(died[rows[:-1]].any() for rows in often)


# ------------------------------------------------------------------ what goes with what


def test_appendices_are_removed(table):
    where = starting(table, "diagnosis", "540")
    assert share(table, "procedure", "47", where) > 0.7
    assert np.median(table["age"][where]) < 45


def test_births_are_of_age_zero_and_happen_once(table):
    where = starting(table, "diagnosis", "V3")
    assert where.sum() > 3000
    assert (table["age"][where] == 0).all()
    assert max(Counter(table["patient"][where]).values()) == 1


def test_deliveries_are_of_women_and_obstetric(table):
    where = starting(table, "diagnosis", ("64", "65", "66"))
    assert set(table["sex"][where]) == {"F"}
    assert table["age"][where].min() >= 12
    assert table["age"][where].max() < 56
    assert share(table, "procedure", ("72", "73", "74", "75"), where) > 0.6


def test_hearts_get_procedures_of_the_heart(table):
    heart = ("35", "36", "37", "38", "39")
    where = starting(table, "diagnosis", ("410", "414", "424"))
    assert share(table, "procedure", heart, where) > 0.5
    assert share(table, "procedure", heart, ~where) < 0.3


def test_sexes_have_their_own_codes(table):
    women, men = table["sex"] == "F", table["sex"] == "M"
    for column in ("diagnosis", "secondary_diagnosis"):
        assert share(table, column, ("185", "600", "601"), women) == 0
        assert share(table, column, ("180", "218", "64", "65", "66", "V27"), men) == 0
    assert share(table, "procedure", ("60.", "62.", "64."), women) == 0
    assert share(table, "procedure", ("68.", "72.", "74."), men) == 0


def test_hips_break_late_and_take_long(table):
    hips, births = starting(table, "diagnosis", "820"), starting(table, "diagnosis", "V30")
    assert np.median(table["age"][hips]) > 70
    assert table["length_of_stay"][hips].mean() > 2 * table["length_of_stay"][births].mean()


def test_second_diagnoses_go_with_age_and_differ_from_the_first(table):
    old, young = table["age"] > 60, table["age"] < 15
    assert share(table, "secondary_diagnosis", "401.9", old) > 0.04
    assert share(table, "secondary_diagnosis", "401.9", young) == 0
    assert (table["diagnosis"] != table["secondary_diagnosis"]).all()


def test_the_severe_stay_longer_and_pay_more(table):
    for column in ("length_of_stay", "charge"):
        means = [
            table[column][table["severity"] == severity].mean()
            for severity in ("minor", "moderate", "major", "extreme")
        ]
        assert means == sorted(means)
    assert np.corrcoef(table["length_of_stay"], table["charge"])[0, 1] > 0.4


@pytest.mark.parametrize("column", ["procedure", "secondary_diagnosis"])
def test_meanings_are_correlated(table, icd9, procedures, column):
    tax = procedures if column == "procedure" else icd9
    x, y = table["diagnosis"][:2000], table[column][:2000]
    shuffled = np.random.default_rng(0).permutation(y)
    by_chance = om.distance_correlation(x, icd9, shuffled, tax)
    assert om.distance_correlation(x, icd9, y, tax) > by_chance + 0.1


# ------------------------------------------------------------------ frames take it as it is


def test_pandas_takes_it():
    pandas = pytest.importorskip("pandas")
    table = om.datasets.discharges(50)
    frame = pandas.DataFrame(table)
    assert frame["admitted"].dtype.kind == "M"
    assert frame["zip"].tolist() == table["zip"].tolist()
    assert not frame.isna().any(axis=None)


def test_polars_takes_it():
    polars = pytest.importorskip("polars")
    table = om.datasets.discharges(50)
    frame = polars.DataFrame(table)
    assert frame.schema["admitted"] == polars.Date
    assert frame.schema["zip"] == polars.String
    assert frame.schema["age"] == polars.Int64
    assert frame["diagnosis"].to_list() == table["diagnosis"].tolist()


def test_pyarrow_takes_it():
    pyarrow = pytest.importorskip("pyarrow")
    table = om.datasets.discharges(50)
    arrow = pyarrow.table(table)
    assert arrow.schema.field("admitted").type == pyarrow.date32()
    assert arrow.schema.field("zip").type == pyarrow.string()
    assert arrow.column("charge").to_pylist() == table["charge"].tolist()

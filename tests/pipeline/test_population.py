"""A population in mask, evaluate and compare: figures recounted on the released table, errors."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import ontomask as om
from ontomask.errors import ColumnError, OntomaskError, ParameterError, SchemaError

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

METHODS = [
    om.Microaggregation(k=5),
    om.Suppression(k=5),
    om.Suppression(k=5, how="drop"),
    om.RankSwapping(window=10),
]


@pytest.fixture(scope="module")
def everybody():
    table = om.datasets.discharges(2000, seed=3)
    return pd.DataFrame({name: table[name] for name in ("diagnosis", "sex")})


@pytest.fixture(scope="module")
def survey(everybody):
    """A fifth of the people, with weights of their own."""
    chosen = everybody[::5].reset_index(drop=True)
    return chosen.assign(weight=np.random.default_rng(1).integers(30, 80, len(chosen)) / 10)


@pytest.fixture(scope="module")
def schema(icd9):
    columns = [om.Nominal("diagnosis", icd9), om.Ordinal("sex", levels=["F", "M"])]
    return om.Schema(columns, keep=["weight"])


def class_sums(released):
    """The records and the weight of each class, counted by another hand."""
    groups = released.groupby(["diagnosis", "sex"], dropna=False).weight
    return groups.count().to_numpy(), groups.sum().to_numpy()


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_weights_are_those_of_the_released_classes(survey, schema, method):
    release = om.mask(survey, schema, method, 7, population=om.Population(weight="weight"))
    figures = release.evaluation.population
    sizes, weights = class_sums(release.data)
    assert figures["matched_by"] == "sampling weights"
    assert figures["k_map"] == pytest.approx(weights.min())
    assert figures["presence_max"] == pytest.approx((sizes / weights).max())
    expected = om.risk.expected_reidentifications(sizes, weights)
    assert figures["expected_reidentifications"] == pytest.approx(expected)
    assert figures["global_risk"] == pytest.approx(expected / sizes.sum())
    assert figures["population_size"] == round(survey.weight.sum())
    assert figures["sample_uniques"] == (sizes == 1).sum()
    sizes, weights = class_sums(survey)
    before = figures["before"]
    assert before["k_map"] == pytest.approx(weights.min())
    models = om.risk.population_uniques(sizes, round(survey.weight.sum()))
    assert before["population_uniques"] == pytest.approx(models.chosen)
    assert release.evaluation.risk["journalist"] == pytest.approx(1 / figures["k_map"])
    assert json.loads(json.dumps(release.evaluation.as_dict()))["population"] == figures


def test_a_table_of_the_population_is_counted(everybody, survey, schema):
    population = om.Population(table=everybody)
    release = om.mask(survey, schema, om.Suppression(k=5, how="drop"), population=population)
    figures = release.evaluation.population
    people = everybody.value_counts(["diagnosis", "sex"])
    classes = release.data.value_counts(["diagnosis", "sex"])
    assert figures["matched_by"] == "population table"
    assert figures["k_map"] == people[classes.index].min()
    assert figures["presence_max"] == (classes / people[classes.index]).max()
    assert figures["presence_min"] == 0
    before = survey.value_counts(["diagnosis", "sex"])
    assert figures["before"]["k_map"] == people[before.index].min()
    assert figures["before"]["presence_min"] == 0  # not everybody's combination is in the survey


@pytest.mark.parametrize("method", METHODS[:2] + METHODS[3:], ids=repr)
@pytest.mark.parametrize(
    "known", ["size", "weight", "table", "weight and table"], ids=lambda known: known
)
def test_evaluate_finds_what_mask_found(everybody, survey, schema, method, known):
    population = om.Population(
        size=2500 if known == "size" else None,
        weight="weight" if "weight" in known else None,
        table=everybody if "table" in known else None,
    )
    release = om.mask(survey, schema, method, 7, population=population)
    found = om.evaluate(survey, release.data, schema, population=population).population
    expected = release.evaluation.population
    assert found["notes"] == expected["notes"]
    for figures, others in ((found, expected), (found["before"], expected["before"])):
        numbers = {name: v for name, v in figures.items() if isinstance(v, int | float)}
        assert numbers == pytest.approx({name: others[name] for name in numbers})


def test_files_give_the_figures_of_frames(everybody, survey, schema, tmp_path):
    everybody.to_csv(tmp_path / "register.csv", index=False)
    survey.to_csv(tmp_path / "survey.csv", index=False)
    method, seed = om.RankSwapping(window=10), 7
    frames, files = (
        om.mask(data, schema, method, seed, population=om.Population(table=table, weight="weight"))
        for data, table in (
            (survey, everybody),
            (tmp_path / "survey.csv", tmp_path / "register.csv"),
        )
    )
    found, expected = files.evaluation.population, frames.evaluation.population
    assert found["k_map"] == pytest.approx(expected["k_map"])
    assert found["before"]["k_map"] == pytest.approx(expected["before"]["k_map"])
    assert found["before"]["population_uniques"] == expected["before"]["population_uniques"]


# ---------------------------------------------------------------------- people with several records


@pytest.fixture(scope="module")
def stays():
    """Everybody's hospital stays, one to four a person; spellings of a name are one person."""
    random = np.random.default_rng(5)
    who = np.sort(random.integers(0, 900, 2000))
    table = pd.DataFrame(om.datasets.discharges(2000, seed=3))[["diagnosis", "sex"]]
    names = [f"P{p}" if random.random() < 0.8 else f"p{p} " for p in who]
    weight = np.random.default_rng(1).integers(30, 80, 2000) / 10
    return table.assign(diagnosis=table.diagnosis.str[:2], patient=names, weight=weight)


@pytest.fixture(scope="module")
def sampled_stays(stays):
    """All stays of a third of the people."""
    is_sampled = stays.patient.str.lower().str.strip().str[1:].astype(int) % 3 == 0
    return stays[is_sampled].reset_index(drop=True)


@pytest.fixture(scope="module")
def person_schema(stays):
    letters = sorted({*stays.diagnosis})
    columns = [om.Ordinal("diagnosis", levels=letters), om.Ordinal("sex", levels=["F", "M"])]
    return om.Schema(columns, person="patient", drop=["patient", "weight"])


def people_by_class(table, masked=None):
    """The people of each class, by the definition: a set of them."""
    classes = {}
    shown = table if masked is None else masked
    for row, name in zip(
        shown[["diagnosis", "sex"]].itertuples(index=False), table.patient, strict=True
    ):
        classes.setdefault(tuple(row), set()).add(name.lower().strip())
    return classes


def test_k_map_counts_people_of_a_population_table(stays, sampled_stays, person_schema):
    population = om.Population(table=stays)
    method = om.Suppression(k=2, how="drop")
    release = om.mask(sampled_stays, person_schema, method, population=population)
    figures = release.evaluation.population
    everybody, sample = people_by_class(stays), people_by_class(sampled_stays)
    released = {*release.data[["diagnosis", "sex"]].itertuples(index=False, name=None)}
    assert figures["k_map"] == min(len(everybody[row]) for row in released)
    shares = [len(sample[row]) / len(everybody[row]) for row in released]
    assert figures["presence_max"] == pytest.approx(max(shares))
    people, people_released = (
        set().union(*everybody.values()),
        set().union(*map(sample.get, released)),
    )
    assert figures["population_size"] == len(people) < len(stays)
    assert figures["sampling_fraction"] == pytest.approx(len(people_released) / len(people))
    assert figures["short_classes"] == 0
    before = figures["before"]
    assert before["k_map"] == min(len(everybody[row]) for row in sample)
    assert before["sample_uniques"] == sum(len(some) == 1 for some in sample.values())


def test_k_map_of_people_by_hand():
    """Ann and Bob are in the table; in the register Ann has three stays, Eve has two different."""
    table = pd.DataFrame({"who": ["Ann", "Ann", "Bob"], "age": [30, 30, 30]})
    stays = [("Ann", 30), ("Ann", 30), ("ann", 40), ("Bob", 30), ("Eve", 30), ("Eve", 50), ("", 30)]
    register = pd.DataFrame(stays, columns=["who", "age"])
    schema = om.Schema([om.Numeric("age")], person="who", drop=["who"])
    release = om.mask(table, schema, om.Suppression(k=2), population=om.Population(table=register))
    figures = release.evaluation.population
    assert (figures["k_map"], figures["population_size"]) == (3, 3)  # Ann, Bob and Eve
    assert figures["presence_max"] == 2 / 3
    assert figures["presence_min"] == 2 / 3  # everybody matches the class


def test_a_population_table_without_the_person_column_counts_records(
    stays, sampled_stays, person_schema
):
    population = om.Population(table=stays.drop(columns="patient"))
    release = om.mask(sampled_stays, person_schema, om.Suppression(k=2), population=population)
    assert any(
        "each of its records counts as a person" in it
        for it in release.evaluation.population["notes"]
    )


@pytest.mark.parametrize("method", METHODS[:3], ids=repr)
def test_a_person_counts_once_in_a_class_with_their_smallest_weight(
    sampled_stays, person_schema, method
):
    population = om.Population(weight="weight")
    schema = person_schema
    table = sampled_stays.assign(row=range(len(sampled_stays)))
    release = om.mask(
        table,
        om.Schema(
            schema.quasi_identifiers, person="patient", drop=["patient"], keep=["row", "weight"]
        ),
        method,
        7,
        population=population,
    )
    masked = release.data.merge(table[["row", "patient"]], on="row")
    who = masked.patient.str.lower().str.strip()
    columns = [masked.diagnosis, masked.sex]
    smallest = masked.weight.groupby([*columns, who], dropna=False).min()
    weights = smallest.groupby(level=[0, 1], dropna=False).sum()
    sizes = smallest.groupby(level=[0, 1], dropna=False).count()
    figures = release.evaluation.population
    assert figures["k_map"] == pytest.approx(weights.min())
    assert figures["presence_max"] == pytest.approx((sizes / weights).max())
    expected = om.risk.expected_reidentifications(sizes.to_numpy(), weights.to_numpy())
    assert figures["expected_reidentifications"] == pytest.approx(expected)
    spelt = table.patient.str.lower().str.strip()
    assert figures["population_size"] == round(table.weight.groupby(spelt).min().sum())
    if not method.drops:
        found = om.evaluate(
            table, release.data, release.schema, population=population, match_by="row"
        )
        assert found.population["k_map"] == pytest.approx(figures["k_map"])
    (point,) = om.compare(table, release.schema, [method], 7, population=population).points
    assert point.evaluation.population["k_map"] == pytest.approx(figures["k_map"])


def test_people_of_files_are_those_of_frames(stays, sampled_stays, person_schema, tmp_path):
    stays.to_csv(tmp_path / "register.csv", index=False)
    sampled_stays.to_csv(tmp_path / "stays.csv", index=False)
    frames, files = (
        om.mask(
            data,
            person_schema,
            om.Suppression(k=3),
            7,
            population=om.Population(table=table, weight="weight"),
        )
        for data, table in (
            (sampled_stays, stays),
            (tmp_path / "stays.csv", tmp_path / "register.csv"),
        )
    )
    found, expected = files.evaluation.population, frames.evaluation.population
    for figures, others in ((found, expected), (found["before"], expected["before"])):
        numbers = {name: v for name, v in figures.items() if isinstance(v, int | float)}
        assert numbers == pytest.approx({name: others[name] for name in numbers})


def test_fewer_people_than_the_table_has_are_no_population(sampled_stays, person_schema):
    people = sampled_stays.patient.str.lower().str.strip().nunique()
    om.mask(
        sampled_stays, person_schema, om.Suppression(k=3), population=om.Population(size=people)
    )
    with pytest.raises(ParameterError, match=f"at least the {people} people of the table"):
        om.mask(
            sampled_stays,
            person_schema,
            om.Suppression(k=3),
            population=om.Population(size=people - 1),
        )


def test_other_tools_generalise_and_are_matched_by_the_taxonomy(diagnoses):
    before = pd.DataFrame({"d": ["hepatitis B", "hepatitis C", "influenza", "influenza"]})
    after = pd.DataFrame({"d": ["hepatitis", "hepatitis", "influenza", "*"]})
    people = ["hepatitis B"] * 4 + ["hepatitis C"] * 3 + ["influenza"] * 9 + ["nobody knows", None]
    population = om.Population(table=pd.DataFrame({"d": people}))
    schema = om.Schema([om.Nominal("d", diagnoses)])
    figures = om.evaluate(before, after, schema, population=population).population
    assert (figures["k_map"], figures["before"]["k_map"]) == (7, 3)
    assert figures["presence_max"] == 2 / 7
    assert figures["notes"] == [
        "1 record of the population table with values that the taxonomy does not contain: matched "
        "only by empty cells"
    ]


def test_replaced_values_leave_k_map_unknown(everybody, survey, schema):
    population = om.Population(table=everybody)
    release = om.mask(survey, schema, METHODS[0], 7, population=population)
    figures = release.evaluation.population
    assert figures["k_map"] is figures["matched_by"] is None
    assert "k-map is unknown" in figures["notes"][0]
    assert figures["before"]["k_map"] is not None


def test_a_population_that_lacks_the_table_is_a_caution(everybody, survey, schema):
    population = om.Population(table=everybody[1::2])
    release = om.mask(survey, schema, METHODS[1], population=population)
    assert any("the population does not contain the table" in c for c in release.cautions)


def test_without_a_population_there_are_no_figures(survey, schema):
    release = om.mask(survey, schema, METHODS[0], 7)
    assert release.evaluation.population == {}
    assert "population" not in release.evaluation.as_dict()
    assert release.evaluation.risk["journalist"] == release.evaluation.risk["prosecutor"]


# ---------------------------------------------------------------------- comparing


def test_compare_judges_k_map(everybody, survey, schema):
    methods = [om.Microaggregation(k=5), om.Microaggregation(k=25), om.RankSwapping(window=10)]
    weighted = om.Population(weight="weight")
    points = om.compare(
        survey, schema, methods, 7, require={"k_map": 60}, workers=1, population=weighted
    ).points
    by_method = {repr(point.method): point for point in points}
    small, large, swapped = (by_method[repr(method)] for method in methods)
    release = om.mask(survey, schema, methods[0], 7, population=weighted)
    assert small.evaluation.population["k_map"] == release.evaluation.population["k_map"]
    assert small.meets is False
    assert "k_map: at least 60 people" in small.unmet[0]
    assert large.meets is True
    assert (swapped.meets, swapped.unknown) == (None, ("k_map",))
    (sampled,) = om.compare(
        survey,
        schema,
        methods[1:2],
        7,
        require={"k_map": 60},
        workers=1,
        sample=200,
        population=weighted,
    ).points
    assert sampled.unknown == ("k_map",)


# ---------------------------------------------------------------------- wrong populations

WRONG_WEIGHTS = [
    ([1.5, None, None], "column 'w' has 2 records without a value"),
    ([1.5, 0, -2], "column 'w' has 2 records with -2"),
    (["1.5", "many", "2"], "column 'w' has text such as 'many'"),
    ([1.5, float("inf"), 2], "column 'w' has infinite ones"),
]


@pytest.mark.parametrize(("weights", "words"), WRONG_WEIGHTS, ids=[w for _, w in WRONG_WEIGHTS])
def test_wrong_weights_are_refused(weights, words):
    table = pd.DataFrame({"age": [30, 40, 50], "w": weights})
    schema = om.Schema([om.Numeric("age")], drop=["w"])
    with pytest.raises(ColumnError, match=f"must be numbers greater than 0, {words}"):
        om.mask(table, schema, om.Microaggregation(k=2), population=om.Population(weight="w"))


def test_weights_in_text_are_numbers():
    table = pd.DataFrame({"age": [30, 40, 50], "w": ["1.5", "2", "4"]})
    schema = om.Schema([om.Numeric("age")], drop=["w"])
    release = om.mask(table, schema, om.Microaggregation(k=3), population=om.Population(weight="w"))
    assert release.evaluation.population["k_map"] == 7.5
    assert "w" not in release.data


@pytest.mark.parametrize(
    ("population", "error", "words"),
    [
        (om.Population(weight="weights"), SchemaError, "has no column 'weights', the sampling"),
        (om.Population(weight="age"), SchemaError, "cannot be both a quasi-identifier and the"),
        (om.Population(size=2), ParameterError, "at least the 3 records of the table, got 2"),
        (om.Population(weight="w"), ParameterError, r"got 2 \(the sum of the sampling weights\)"),
        ({"size": 9}, ParameterError, "population must be a Population, got"),
        (
            om.Population(table=pd.DataFrame({"ages": [30] * 9})),
            SchemaError,
            "the population table has no column 'age'",
        ),
        (
            om.Population(table=pd.DataFrame({"age": ["old"] * 9})),
            ColumnError,
            "population table: column 'age' has type numeric and must contain numbers",
        ),
        (
            om.Population(table=pd.DataFrame({"age": np.empty(0)})),
            ColumnError,
            "the population table has no records",
        ),
        (
            om.Population(table=pd.DataFrame({"age": [30, 40]})),
            ParameterError,
            r"got 2 \(its table\)",
        ),
    ],
    ids=range(9),
)
def test_wrong_populations_are_refused(population, error, words):
    table = pd.DataFrame({"age": [30, 40, 50], "w": [0.5, 0.5, 1]})
    schema = om.Schema([om.Numeric("age")], drop=["w"])
    for run in (
        lambda: om.mask(table, schema, om.Microaggregation(k=2), population=population),
        lambda: om.evaluate(table, table, schema, population=population),
        lambda: om.compare(table, schema, [om.Microaggregation(k=2)], population=population),
    ):
        with pytest.raises(error, match=words):
            run()


@pytest.mark.parametrize("wrong", [{}, {"size": 1.5}, {"size": True}, {"weight": ""}])
def test_a_population_says_something(wrong):
    with pytest.raises(OntomaskError, match="must"):
        om.Population(**wrong)


@pytest.mark.spark
def test_spark_counts_the_same(spark, everybody, survey, schema):
    frame, register = (
        spark.createDataFrame(pa.Table.from_pandas(table, preserve_index=False)).repartition(3)
        for table in (survey, everybody)
    )
    for method in (om.Suppression(k=5), om.RankSwapping(window=10)):
        expected, found = (
            om.mask(data, schema, method, 7, population=population).evaluation.population
            for data, population in (
                (survey, om.Population(table=everybody, weight="weight")),
                (frame, om.Population(table=register, weight="weight")),
            )
        )
        assert found["matched_by"] == expected["matched_by"]
        for name in ("k_map", "presence_max", "global_risk", "population_uniques"):
            assert found[name] == pytest.approx(expected[name])

"""Records of a person that stay linked: k people share all rows of a pseudonym, by recount."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain_risk
from frame_kinds import KINDS, made, rows
from ontomask.errors import ColumnError, ParameterError, SchemaError
from pairing import each_with
from strategies import examples, taxonomies

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")

MODES = ("equal", "drop", "split")
COLUMNS = ["patient", "dx", "sex", "age", "row"]


def made_up(seed, people, values, most=4):
    """Stays of people: a diagnosis and an age differ by stay, the sex does not."""
    random = np.random.default_rng(seed)
    records = []
    for person in range(people):
        sex = str(random.choice(["f", "m"]))
        for _ in range(random.integers(1, most + 1)):
            dx, age = str(random.choice(values)), int(random.integers(0, 9))
            records.append((f"id {person:03d}", dx, sex, age))
    random.shuffle(records)
    return {
        name: list(column)
        for name, column in zip(
            COLUMNS,
            zip(*[(*r, i) for i, r in enumerate(map(tuple, records))], strict=True),
            strict=True,
        )
    }


def schema_for(taxonomy, linked, **others):
    sexes = om.Taxonomy.from_edges([("f", "any"), ("m", "any")])
    masked = [om.Nominal("dx", taxonomy), om.Nominal("sex", sexes), om.Numeric("age")]
    return om.Schema(masked, person="patient", linked=linked, confidential=["row"], **others)


def check_release(table, released, k):
    """Recount what is promised; the links that are left between rows of a person."""
    person = dict(zip(table["row"], table["patient"], strict=True))
    bags, owner = defaultdict(Counter), defaultdict(set)
    for pseudonym, *values, row in released:
        bags[pseudonym][tuple(values)] += 1
        owner[pseudonym].add(person[row])
    assert all(len(people) == 1 for people in owner.values())
    assert not set(bags) & set(table["patient"])
    assert all(len({values[1] for values in bag}) == 1 for bag in bags.values()), "one sex"
    classes = defaultdict(set)
    for pseudonym, bag in bags.items():
        classes[frozenset(bag.items())] |= owner[pseudonym]
    assert min(map(len, classes.values())) >= k
    return len(released) - len(bags), len(set().union(*owner.values()))


@st.composite
def cases(draw):
    taxonomy = draw(taxonomies(max_concepts=10))
    people = draw(st.integers(3, 14))
    table = made_up(draw(st.integers(0, 2**32)), people, taxonomy.identifiers)
    return taxonomy, table, draw(st.integers(2, 3))


@examples(30)
@given(case=cases(), linked=st.sampled_from(MODES), centroid=st.sampled_from(["rule", "best"]))
def test_k_people_share_all_rows_of_a_pseudonym(case, linked, centroid):
    taxonomy, table, k = case
    method = om.Microaggregation(k=k, centroid=centroid)
    release = om.mask(pd.DataFrame(table), schema_for(taxonomy, linked), method, seed=1)
    assert list(release.data.columns) == COLUMNS
    links_left, people_left = check_release(table, rows(release.data), k)
    links = release.links
    assert release.records == len(release.data) == len(table["row"]) - links.lost_records
    assert links.people == len(set(table["patient"]))
    assert links.lost_people == links.people - people_left
    assert links.links == len(table["row"]) - links.people
    assert links_left == len(release.data) - links.pseudonyms
    assert links.broken == links.pseudonyms - people_left
    assert linked == "split" or links.broken == 0
    bags = defaultdict(Counter)
    for patient, *values, _ in zip(*table.values(), strict=True):
        bags[patient][tuple(values)] += 1
    shared = Counter(frozenset(bag.items()) for bag in bags.values())
    assert links.uniques_before == sum(count == 1 for count in shared.values())
    assert release.guarantee.k == k
    assert release.guarantee.smallest >= k
    assert release.guarantee.unit == "people"
    is_linked = links_left > 0  # else a class is the people with a row
    assert release.guarantee.released.link == ("patient" if is_linked else None)
    check_figures(release, table)


def check_figures(release, table):
    """Every figure of people by the plain definition, from the original and the released rows."""
    before, after, owner = defaultdict(list), defaultdict(list), {}
    for patient, *values, _ in zip(*table.values(), strict=True):
        before[patient].append(tuple(values))
    person = dict(zip(table["row"], table["patient"], strict=True))
    for pseudonym, *values, row in rows(release.data):
        after[pseudonym].append(tuple(values))
        owner[pseudonym] = person[row]
    figures = release.evaluation.risk
    itself = {patient: patient for patient in before}
    for risk, bags, owners in [(figures, after, owner), (figures["before"], before, itself)]:
        sizes = plain_risk.people_per_class(bags, owners)
        assert (risk["k"], risk["classes"]) == (sizes[0], len(sizes))
        assert risk["uniques"] == sizes.count(1)
        assert risk["class_sizes"] == sorted(map(list, Counter(sizes).items()))
        assert risk["prosecutor"] == risk["journalist"] == 1 / sizes[0]
        assert risk["marketer"] == pytest.approx(len(sizes) / sum(sizes))
        attributes = release.transitions.tuples.attributes
        right = plain_risk.people_probabilities(attributes, before, bags, owners)
        assert risk["linkage_people"] == pytest.approx(plain_risk.mean(right))
        assert risk["linkage_people_number"] == len(before)
    assert release.guarantee.classes == figures["classes"]
    assert release.guarantee.uniques == figures["uniques"]
    assert release.links.uniques_before == figures["before"]["uniques"]


@pytest.fixture(scope="module")
def stays():
    tree = om.datasets.diagnoses()
    table = made_up(5, 40, ["influenza", "hepatitis B", "broken arm", "broken leg", "cirrhosis"], 5)
    return tree, table


@pytest.mark.parametrize(("kind", "linked"), each_with(KINDS, MODES))
def test_every_frame_gives_the_same_release(stays, kind, linked):
    tree, table = stays
    schema = schema_for(tree, linked)
    expected = om.mask(pd.DataFrame(table), schema, om.Microaggregation(k=3), seed=7)
    release = om.mask(made(kind, table), schema, om.Microaggregation(k=3), seed=7)
    check_release(table, rows(release.data), 3)
    assert rows(release.data) == rows(expected.data)
    backwards = {name: column[::-1] for name, column in table.items()}
    turned = om.mask(pd.DataFrame(backwards), schema, om.Microaggregation(k=3), seed=7)
    assert sorted(rows(turned.data)) == sorted(rows(expected.data))
    other = om.mask(pd.DataFrame(table), schema, om.Microaggregation(k=3), seed=8)
    assert not set(other.data["patient"]) & set(expected.data["patient"])


def test_releases_with_one_seed_have_other_pseudonyms(stays):
    tree, table = stays
    with_ward = pd.DataFrame(table).assign(ward="a")
    wider = schema_for(tree, "equal", keep=["ward"])
    releases = [
        om.mask(pd.DataFrame(table), schema_for(tree, "equal"), om.Microaggregation(k=3), seed=7),
        om.mask(pd.DataFrame(table), schema_for(tree, "equal"), om.Microaggregation(k=4), seed=7),
        om.mask(pd.DataFrame(table), schema_for(tree, "drop"), om.Microaggregation(k=3), seed=7),
        om.mask(with_ward, wider, om.Microaggregation(k=3), seed=7),
    ]
    pseudonyms = [set(release.data["patient"]) for release in releases]
    assert len(set.union(*pseudonyms)) == sum(map(len, pseudonyms))


@pytest.mark.parametrize(("suffix", "linked"), [("csv", "split"), ("parquet", "equal")])
def test_files_are_recounted(stays, tmp_path, suffix, linked):
    tree, table = stays
    frame = pl.DataFrame(table)
    source, target = tmp_path / f"stays.{suffix}", tmp_path / f"released.{suffix}"
    getattr(frame, f"write_{suffix}")(source)
    schema = schema_for(tree, linked)
    release = om.mask(source, schema, om.Microaggregation(k=3), seed=7)
    release.write(target)
    written = getattr(pl, f"read_{suffix}")(target)
    check_release(table, written.rows(), 3)
    as_read = frame.cast(pl.String) if suffix == "csv" else frame
    in_memory = om.mask(as_read, schema, om.Microaggregation(k=3), seed=7).data
    assert sorted(written.cast(pl.String).rows()) == sorted(in_memory.cast(pl.String).rows())


@pytest.mark.spark
def test_spark_frames_are_recounted(stays, spark):
    tree, table = stays
    frame = spark.createDataFrame(list(zip(*table.values(), strict=True)), list(table))
    schema = schema_for(tree, "split")
    release = om.mask(frame, schema, om.Microaggregation(k=3), seed=7)
    released = [tuple(row) for row in release.data.collect()]
    check_release(table, released, 3)
    in_memory = om.mask(pd.DataFrame(table), schema, om.Microaggregation(k=3), seed=7)
    assert sorted(released) == sorted(rows(in_memory.data))


def test_kept_columns_are_part_of_what_is_linked(stays):
    """A kept column splits classes; the headline says so, and claims no k."""
    tree, table = stays
    frame = pd.DataFrame({**table, "ward": [i % 7 for i in table["row"]]})
    schema = schema_for(tree, "equal", keep=["ward"])
    release = om.mask(frame, schema, om.Microaggregation(k=3), seed=7)
    person = dict(zip(table["row"], table["patient"], strict=True))
    bags = defaultdict(Counter)
    for pseudonym, *values in release.data[["patient", "dx", "sex", "age", "ward"]].values.tolist():
        bags[pseudonym][tuple(values)] += 1
    shared = Counter(frozenset(bag.items()) for bag in bags.values())
    assert release.guarantee.released.uniques == sum(count == 1 for count in shared.values()) > 0
    assert release.guarantee.k is None
    assert str(release.guarantee).startswith("not 3-anonymous")
    assert len(person) == len(frame)


def test_comparing_plans_what_masking_does(stays, tmp_path):
    tree, table = stays
    schema = schema_for(tree, "split")
    comparison = om.compare(
        pd.DataFrame(table), schema, [om.Microaggregation(k=3), om.Recoding(k=3)], seed=7, workers=1
    )
    point, refused = comparison.points
    release = om.mask(pd.DataFrame(table), schema, om.Microaggregation(k=3), seed=7)
    assert point.loss == release.evaluation.utility["sse"]
    assert point.guarantee.released == release.guarantee.released
    assert point.risk == release.evaluation.risk["linkage_people"]
    for figure in ("k", "classes", "class_sizes", "uniques", "marketer", "before"):
        assert point.evaluation.risk[figure] == release.evaluation.risk[figure]
    assert "record linkage of people" in repr(comparison)
    assert "unique people" in repr(release.evaluation)
    page = tmp_path / "compare.html"
    comparison.save_page(page)
    assert "record linkage of people</th>" in page.read_text("utf-8")
    assert "cannot keep the records of a person linked" in refused.error


@pytest.mark.parametrize("linked", MODES)
def test_a_linked_table_is_evaluated_by_an_id(stays, linked):
    tree, table = stays
    frame, schema = pd.DataFrame(table), schema_for(tree, linked)
    release = om.mask(frame, schema, om.Microaggregation(k=3), seed=7, shuffle=True)
    masked = release.data
    evaluation = om.evaluate(frame, masked, schema, k=3, match_by="row")
    for part in ("utility", "risk"):
        expected = getattr(release.evaluation, part)
        for name, figure in getattr(evaluation, part).items():
            if isinstance(figure, float):
                assert figure == pytest.approx(expected[name]), name
            elif name not in ("distance_correlations", "number_correlations"):
                assert str(figure)[:200] == str(expected[name])[:200], name
    with pytest.raises(ParameterError) as refused:
        om.evaluate(frame, masked, schema, k=3)
    assert "match_by" in str(refused.value)
    assert "in its manifest" in str(refused.value)
    lost = masked.assign(patient=masked["patient"].iloc[0])
    with pytest.raises(ParameterError, match="each pseudonym in column 'patient'"):
        om.evaluate(frame, lost, schema, match_by="row")
    if release.links.lost_records:
        with pytest.raises(ParameterError, match="records of linked people were removed"):
            om.intersect_releases(frame, [masked, masked], schema, match_by="row")


def test_a_price_decides_how_many_links_are_broken(stays):
    tree, table = stays
    prices = [0.01, 0.3, 5.0]
    releases = [
        om.mask(
            pd.DataFrame(table),
            schema_for(tree, "split", link_price=price),
            om.Microaggregation(k=3),
        )
        for price in prices
    ]
    broken = [release.links.broken for release in releases]
    assert broken == sorted(broken, reverse=True)
    assert broken[0] > broken[-1]


def test_wrong_settings_are_refused(stays):
    tree, table = stays
    frame = pd.DataFrame(table)
    with pytest.raises(SchemaError, match="linked must be 'equal', 'drop' or 'split', got 'yes'"):
        schema_for(tree, "yes")
    with pytest.raises(SchemaError, match="needs person"):
        om.Schema([om.Nominal("dx", tree)], linked="equal")
    with pytest.raises(SchemaError, match="link_price is only for linked='split'"):
        schema_for(tree, "equal", link_price=0.5)
    with pytest.raises(SchemaError, match="'patient' cannot be keep with linked='equal'"):
        schema_for(tree, "equal", keep=["patient"])
    for method, reason in [
        (om.Suppression(k=2), "suppression cannot keep the records of a person linked"),
        (om.Microaggregation(k=3, algorithm="mdav"), "algorithm='mdav' cannot be used with linked"),
        (om.Microaggregation(k=99), "k must be at most the number of people, 40, got 99"),
    ]:
        with pytest.raises(ParameterError, match=reason):
            om.mask(frame, schema_for(tree, "equal"), method)
    unknown = frame.assign(patient=frame["patient"].where(frame["row"] > 1))
    with pytest.raises(ColumnError, match="2 rows have no known person in 'patient'"):
        om.mask(unknown, schema_for(tree, "equal"), om.Microaggregation(k=3))
    release = om.mask(unknown, schema_for(tree, "equal", missing="drop"), om.Microaggregation(k=3))
    assert release.dropped == 2
    assert release.records + release.links.lost_records == len(frame) - 2


@examples(20)
@given(case=cases(), linked=st.sampled_from(MODES), limit=st.sampled_from([{"l": 2}, {"t": 0.5}]))
def test_every_shared_row_is_diverse(case, linked, limit):
    taxonomy, table, k = case
    random = np.random.default_rng(k)
    table["payer"] = random.choice(["a", "a", "b", "c"], len(table["row"])).tolist()
    schema = schema_for(taxonomy, linked)
    schema = replace(schema, confidential=["row", "payer"])
    method = om.Microaggregation(k=k, protects=["payer"], **limit)
    try:
        release = om.mask(pd.DataFrame(table), schema, method, seed=1)
    except ParameterError as error:  # one payer alone, or too much was removed
        if len(set(table["payer"])) > 1 and "t must be larger for linked" not in error.message:
            raise
        return
    frame = release.data
    check_release(table, rows(frame[COLUMNS]), k) if len(frame) else None
    bags = {
        pseudonym: frozenset(
            Counter(map(tuple, part[["dx", "sex", "age"]].values.tolist())).items()
        )
        for pseudonym, part in frame.groupby("patient")
    }
    payers = defaultdict(Counter)
    for pseudonym, *values, payer in frame[
        ["patient", "dx", "sex", "age", "payer"]
    ].values.tolist():
        payers[bags[pseudonym], tuple(values)][payer] += 1
    shares = Counter(table["payer"])
    for counts in payers.values():
        assert len(counts) >= limit.get("l", 1)
        apart = sum(
            abs(counts[payer] / counts.total() - shares[payer] / shares.total()) for payer in shares
        )
        assert apart / 2 <= limit.get("t", 1) + 1e-9

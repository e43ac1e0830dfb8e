"""A first look at a table: what is counted, what is proposed, and what is never shown."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from ontomask import datasets, load_taxonomy
from ontomask.errors import ColumnError, FileFormatError, ParameterError
from ontomask.releasefile.model import ReleaseFile, load_release_file
from ontomask.releasefile.profile import column_facts as profile_facts
from ontomask.releasefile.profile.known_concepts import find_bundled_taxonomy
from ontomask.releasefile.profile.proposed_file import write_proposal
from ontomask.releasefile.profile.table_profile import profile

DATA = Path(os.environ.get("ONTOMASK_DATA", ""))
needs_data = pytest.mark.skipif(
    not os.environ.get("ONTOMASK_DATA"), reason="ONTOMASK_DATA names no folder"
)


@pytest.fixture
def looked_at(tmp_path):
    """The profile of a table, given as columns."""

    def look(ending="csv", **columns):
        path = tmp_path / f"table.{ending}"
        frame = pd.DataFrame(columns)
        frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
        return profile(path)

    return look


@pytest.fixture(scope="module")
def stays():
    return pd.DataFrame(datasets.discharges(3000))


def written(found, folder) -> tuple[ReleaseFile, str]:
    """The proposal, and the release it loads as."""
    target = folder / "release.yaml"
    write_proposal(found, target, force=True)
    return load_release_file(target), target.read_text("utf-8")


def spread(*values: str, times: int = 50) -> list[str]:
    """Each value so many times, one after the other."""
    return [value for value in values for _ in range(times)]


# ---------------------------------------------------------------------- the discharges


ROLES = {
    "patient": "person",
    "name": "identifier",
    "age": "quasi",
    "sex": "quasi",
    "zip": "quasi",
    "admitted": "quasi",
    "length_of_stay": "quasi",
    "severity": "quasi",
    "diagnosis": "quasi",
    "secondary_diagnosis": "quasi",
    "procedure": "quasi",
    "outcome": "confidential",
    "charge": "confidential",
}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_discharges(stays, ending, tmp_path):
    path = tmp_path / f"stays.{ending}"
    stays.to_csv(path, index=False) if ending == "csv" else stays.to_parquet(path)
    found = profile(path)
    assert {column.name: column.role for column in found.columns} == ROLES
    assert found["diagnosis"].suggestion.taxonomy == "icd9cm"
    assert found["procedure"].suggestion.taxonomy == "icd9cm-procedures"
    assert found["outcome"].suggestion.taxonomy == "icd9cm"
    assert not any(column.suggestion.repair_codes for column in found.columns)
    assert found["severity"].suggestion.levels == ("minor", "moderate", "major", "extreme")
    assert (found["zip"].suggestion.taxonomy_kind, found["zip"].suggestion.taxonomy_parts) == (
        "prefixes",
        (1, 3),
    )
    assert found["admitted"].type == "dates"
    assert (found.rows, found.person, found.missing, found.missing_marks) == (
        3000,
        "patient",
        "refuse",
        [],
    )
    quasi = [name for name, role in ROLES.items() if role == "quasi"]
    sizes = stays.groupby(quasi).size()
    assert found.uniques == int((sizes == 1).sum())
    assert found["age"].facts.distinct == stays["age"].nunique()
    alone = stays["age"].value_counts()
    assert found["age"].unique_share == int((alone == 1).sum()) / 3000


def test_what_is_asked_of_a_file_reaches_the_release(stays, tmp_path):
    path = tmp_path / "stays.txt"
    stays[["age", "sex"]].to_csv(path, sep=";", index=False, encoding="latin-1")
    found = profile(path, delimiter=";", encoding="latin-1", table=None)
    spec, _ = written(found, tmp_path)
    assert spec.csv is not None
    assert (spec.csv.delimiter, spec.csv.encoding) == (";", "latin-1")


# ---------------------------------------------------------------------- real tables


@pytest.mark.slow
@needs_data
def test_the_diabetes_table(tmp_path):
    (tmp_path / "diabetes_130.csv.gz").symlink_to(DATA / "diabetes_130.csv.gz")
    found = profile(tmp_path / "diabetes_130.csv.gz")  # without the taxonomies in that folder
    roles = {column.name: column.role for column in found.columns}
    assert "keep" not in roles.values()  # no column is constant
    assert roles["encounter_id"] == "identifier"
    assert found.person == "patient_nbr"
    for name in ("race", "gender", "age", "diag_1", "diag_2", "diag_3", "time_in_hospital"):
        assert roles[name] == "quasi", name
    for name in ("diag_1", "diag_2", "diag_3"):
        said = found[name].suggestion
        assert (said.taxonomy, said.repair_codes) == ("icd9cm", True)
    assert found["age"].suggestion.levels[:2] == ("[0-10)", "[10-20)")
    assert roles["weight"] == "drop"  # nearly always missing
    assert roles["readmitted"] == roles["A1Cresult"] == "confidential"
    assert found["num_procedures"].suggestion.taxonomy is None  # it counts them
    assert found.missing_marks == ["?"]
    assert found["race"].facts.missing == 2273
    spec, text = written(found, tmp_path)
    assert spec.missing == "category"
    assert spec.output == "diabetes_130.released.csv.gz"
    assert "Unknown/Invalid" not in text  # three records have it


@pytest.mark.slow
@needs_data
def test_the_census_table(tmp_path):
    (tmp_path / "adult.csv.gz").symlink_to(DATA / "adult.csv.gz")
    found = profile(tmp_path / "adult.csv.gz")  # without the taxonomies in that folder
    roles = {column.name: column.role for column in found.columns}
    assert "keep" not in roles.values()  # no column is constant
    for name in ("age", "workclass", "education", "race", "sex", "native_country", "occupation"):
        assert roles[name] == "quasi", name
    assert roles["income"] == roles["capital_gain"] == "confidential"
    assert found.person is None
    _, text = written(found, tmp_path)
    assert "Holand-Netherlands" not in text  # one record has it
    assert "Armed-Forces" not in text  # nine have


# ---------------------------------------------------------------------- kinds of columns


@pytest.mark.parametrize(
    ("written_as", "form"),
    [
        ("%Y-%m-%d", None),
        ("%d.%m.%Y", "%d.%m.%Y"),
        ("%m/%d/%Y", "%m/%d/%Y"),
        ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S"),
    ],
)
def test_dates_as_they_are_written(looked_at, written_as, form):
    days = pd.date_range("2020-01-01", periods=90).strftime(written_as)
    column = looked_at(seen=list(days))["seen"]
    assert (column.role, column.suggestion.type) == ("quasi", "date")
    assert column.suggestion.date_format == form


def test_dates_that_can_be_read_in_two_ways(looked_at):
    said = looked_at(seen=spread("01/02/2020", "03/04/2020"))["seen"].suggestion
    assert said.date_format == "%d/%m/%Y"
    assert "%m/%d/%Y?" in said.notes[0]


def test_zeros_in_front_make_text(looked_at):
    found = looked_at(batch=spread("007", "010", "111"), n=list(range(150)))
    assert found["batch"].type == "text"


def test_postal_codes_are_codes_even_as_numbers(looked_at):
    found = looked_at("parquet", zip=[10000 + i % 70 for i in range(700)])
    assert found["zip"].type == "whole numbers"
    assert found["zip"].suggestion.taxonomy_kind == "prefixes"


def test_numbers_too_long_for_a_mean(looked_at):
    found = looked_at(
        "parquet",
        serial=[2**60 + i for i in range(100)],
        twice=[2**60, 2**61] * 50,
        age=[7, 8] * 50,
    )
    assert found["serial"].role == "identifier"
    assert found["twice"].role == "drop"


@pytest.mark.parametrize(
    ("values", "levels"),
    [
        (("Mild", "Severe"), ("Mild", "Moderate", "Severe")),
        (("low", "medium", "high"), ("low", "medium", "high")),
        (("I", "II", "III"), ("I", "II", "III", "IV")),
        (("18-25", "26-40", "5-17"), ("5-17", "18-25", "26-40")),
        (("yes", "no"), ("no", "yes")),
    ],
)
def test_levels(looked_at, values, levels):
    found = looked_at(family=spread(*values))
    assert found["family"].suggestion.levels == levels


def test_booleans_of_parquet(looked_at):
    found = looked_at("parquet", married=[True, False] * 40, age=list(range(80)))
    assert (found["married"].type, found["married"].role) == ("two values", "quasi")
    assert "others may know it" in found["married"].suggestion.reason


def test_missing_values_of_all_sorts(looked_at, tmp_path):
    city = [*spread("Reus", "Malta", "Turin"), *spread("?", "unknown", "N/A", times=10), None]
    found = looked_at(city=city, age=[i % 9 for i in range(181)])
    assert found["city"].facts.missing == 31
    assert set(found.missing_marks) == {"?", "unknown", "N/A"}
    assert found.missing == "category"
    assert found.incomplete == 31
    spec, _ = written(found, tmp_path)
    assert set(spec.missing_marks) == {"?", "unknown", "N/A"}


def test_marks_of_sensitive_and_person_columns_are_proposed_too(looked_at, tmp_path):
    found = looked_at(
        patient_id=[f"P{i:03}" for i in range(75)] * 2 + ["n/a"] * 10,
        city=[*spread("Reus", "Malta", "Turin"), *spread("Reus", times=10)],
        outcome=[*spread("died", "cured", "moved"), *spread("unknown", times=10)],
    )
    assert (found.person, found["outcome"].role) == ("patient_id", "confidential")
    assert set(found.missing_marks) == {"n/a", "unknown"}
    spec, _ = written(found, tmp_path)
    assert set(spec.missing_marks) == {"n/a", "unknown"}


@pytest.mark.parametrize("separator", [";", "|", ", "])
def test_several_codes_in_a_cell_are_a_set(looked_at, tmp_path, separator):
    codes = ["250.00", "401.9", "414.01", "427.31", "486", "786.5"]
    cells = [separator.join(codes[i % 6 : i % 6 + 1 + i % 3]) for i in range(120)]
    found = looked_at(diagnoses=cells, age=[i % 40 for i in range(120)])
    suggestion = found["diagnoses"].suggestion
    assert (suggestion.role, suggestion.type, suggestion.taxonomy) == ("quasi", "set", "icd9cm")
    assert suggestion.separator == separator.strip()
    spec, _ = written(found, tmp_path)
    column = spec.columns["diagnoses"]
    assert (column.kind, column.separator or ";") == ("set", separator.strip())
    (schema_column, _) = spec.schema().quasi_identifiers
    assert schema_column.read_cell(cells[2]) == codes[2:5]


def test_words_with_a_comma_are_no_set(looked_at):
    streets = [f"{name} street, {n}" for n, name in enumerate(["High", "Mill", "King"] * 20)]
    assert looked_at(address=streets, age=[*range(60)])["address"].suggestion.type != "set"


def test_missing_numbers_keep_their_records(looked_at):
    found = looked_at("parquet", age=[None, 3.0, 4.5, float("nan"), *range(96)])
    assert found["age"].facts.missing == 2
    assert (found["age"].role, found.missing, found.incomplete) == ("quasi", "category", 2)


def test_a_number_that_is_often_missing_is_still_known_to_others(looked_at):
    found = looked_at("parquet", age=[float(i % 40) if i % 3 else None for i in range(180)])
    assert found["age"].role == "quasi"


def test_numbers_that_are_none_are_missing(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    ages = pa.array([float("nan"), None, *map(float, range(98))], from_pandas=False)
    pq.write_table(pa.table({"age": ages}), tmp_path / "ages.parquet")
    assert profile(tmp_path / "ages.parquet")["age"].facts.missing == 2


def test_what_is_rarely_missing_is_not_harmless(looked_at):
    found = looked_at(
        answer=[*spread("red", "green", "blue"), None], age=[i % 9 for i in range(151)]
    )
    assert found["answer"].role == "quasi"


def test_mixed_values_are_text_and_say_so(looked_at):
    found = looked_at(size=[*(str(i % 40) for i in range(400)), "large"])
    assert found["size"].type == "text"
    assert "are numbers" in " ".join(found["size"].suggestion.notes)


def test_paths(looked_at, tmp_path):
    values = [f"Europe|Country {i}|Town {j}" for i in range(4) for j in range(5)]
    found = looked_at(place=values * 3)
    assert found["place"].suggestion.taxonomy_kind == "paths"
    spec, _ = written(found, tmp_path)
    tree = spec.schema().quasi_identifiers[0].taxonomy
    assert tree.parents("Europe|Country 1|Town 2") == ("Europe|Country 1",)


def test_free_text_and_staff_are_not_released(looked_at):
    notes = [
        f"the patient said {i} things that nobody else would ever say about it" for i in range(60)
    ]
    found = looked_at(notes=notes, doctor=spread("House", "Wilson", times=30), age=list(range(60)))
    assert found["notes"].role in ("undecided", "identifier")
    assert found["doctor"].role == "identifier"
    assert not found["doctor"].facts.frequent


def test_of_several_numbers_one_tells_people_apart(looked_at):
    found = looked_at(
        visit_id=[i // 2 for i in range(200)],
        patient_id=[i // 3 for i in range(200)],
        age=[i % 70 for i in range(200)],
    )
    assert found.person == "patient_id"
    assert found["visit_id"].role == "identifier"


# ---------------------------------------------------------------------- taxonomies


def test_damaged_codes_are_known_once_mended():
    codes = dict.fromkeys(["8", "250", "250.8", "401", "V45", "428", "486", "5", "38"], 20)
    known = find_bundled_taxonomy(codes, frozenset({"diag"}))
    assert known is not None
    assert (known.taxonomy, known.repair_codes, known.unknown) == ("icd9cm", True, 0)


def test_procedures_and_diagnoses_are_told_apart(stays):
    for column, taxonomy in {"procedure": "icd9cm-procedures", "diagnosis": "icd9cm"}.items():
        known = find_bundled_taxonomy(stays[column].value_counts().to_dict(), frozenset({"code"}))
        assert known is not None
        assert known.taxonomy == taxonomy


def test_words_that_wordnet_knows():
    pets = ["hamster", "dachshund", "goldfish", "gerbil", "gecko", "platypus"]
    known = find_bundled_taxonomy(dict.fromkeys(pets, 20), frozenset({"pet"}))
    assert known is not None
    assert (known.taxonomy, known.of_codes) == ("wordnet", False)
    jobs = ["nurse", "doctor", "baker", "driver", "cook"]  # words with several meanings
    assert find_bundled_taxonomy(dict.fromkeys(jobs, 20), frozenset({"job"})) is None


def test_diagnoses_by_their_labels():
    tree = load_taxonomy("icd9cm")
    labels = [tree.label(code) for code in ("487", "001", "540", "410", "250", "486")]
    known = find_bundled_taxonomy(dict.fromkeys(labels, 20), frozenset({"diagnosis"}))
    assert known is not None
    assert known.taxonomy == "icd9cm"


# ---------------------------------------------------------------------- strange tables


def test_no_records(looked_at):
    with pytest.raises(ColumnError, match="no records"):
        looked_at(a=[], b=[])


def test_one_column(looked_at, tmp_path):
    found = looked_at(age=list(range(50)))
    spec, _ = written(found, tmp_path)
    assert list(spec.columns) == ["age"]


def test_nothing_but_missing_values(looked_at):
    with pytest.raises(ColumnError, match="no column looks like a quasi-identifier"):
        looked_at(a=[None, "?", "NA"], b=["x", "", None])[0]


def test_an_empty_column_is_dropped(looked_at):
    assert looked_at(a=["?"] * 30, age=[1, 2, 3] * 10)["a"].role == "drop"


def test_nothing_but_unique_values(looked_at):
    with pytest.raises(ColumnError, match="nothing to mask"):
        looked_at(token=[f"x-{i}" for i in range(100)])


def test_where_all_columns_would_be_kept_they_are_masked(looked_at, tmp_path):
    found = looked_at(answer=spread("red", "green", "blue"))
    assert found["answer"].role == "quasi"
    written(found, tmp_path)


def test_strange_names(tmp_path):
    names = [
        "näme, Größe",
        'a "quoted" one',
        "yes",
        "1",
        "колонка: #1",
        "{x}",
        "a\nb",
        "- 类别",
        "null",
    ]
    frame = pd.DataFrame({name: list(range(60)) for name in names}, dtype="float") / 7
    frame.to_parquet(tmp_path / "strange.parquet")
    spec, _ = written(profile(tmp_path / "strange.parquet"), tmp_path)
    assert list(spec.columns) == names


def test_strange_values_make_taxonomies(looked_at, tmp_path):
    values = ["a,b", 'say "x"', "c: #d", "línea", "{x}", "*"]
    spec, _ = written(looked_at(city=spread(*values)), tmp_path)
    assert spec.schema().quasi_identifiers[0].taxonomy.root == "*"


@pytest.mark.slow
def test_200_columns(tmp_path):
    frame = pd.DataFrame({f"c{i}": [(i + j) % 37 for j in range(120)] for i in range(200)})
    frame.to_csv(tmp_path / "wide.csv", index=False)
    spec, _ = written(profile(tmp_path / "wide.csv"), tmp_path)
    assert len(spec.columns) == 200


def test_large_tables_are_judged_by_a_sample(looked_at, monkeypatch):
    monkeypatch.setattr(profile_facts, "MANY_ROWS", 1000)
    monkeypatch.setattr(profile_facts, "MANY_VALUES", 500)
    monkeypatch.setattr(profile_facts, "SAMPLE", 800)
    found = looked_at(
        "parquet", record=[f"r{i}" for i in range(4000)], age=[i % 90 for i in range(4000)]
    )
    record = found["record"]
    assert not record.facts.exact
    assert record.role == "identifier"
    assert abs(record.facts.distinct - 4000) < 800
    assert record.unique_share is None
    assert any("sample" in note for note in record.suggestion.notes)
    assert found["age"].facts.exact


# ---------------------------------------------------------------------- what is never shown


def test_rare_values_and_names_are_never_shown(looked_at, tmp_path):
    people = [f"Zyxw{i:03}" for i in range(100)]
    found = looked_at(
        person_name=[*people * 4, *["Zyxw000"] * 50],
        city=[*spread("Reus", "Malta", "Turin", times=147), *["Qwert"] * 9],
        band=[*spread("10-20", "20-30", "30-40", times=149), *["90-91"] * 3],
        sex=[*spread("F", "M", times=220), *["Xyzzy"] * 10],
        answer=[*["yes"] * 441, *["Plugh"] * 9],
        income=[*["high"] * 444, *["Vexing"] * 6],
    )
    _, text = written(found, tmp_path)
    shown = text + json.dumps(found.as_dict())
    for rare in ("Zyxw", "Qwert", "90-91", "Plugh", "Vexing"):
        assert rare not in shown, rare
    assert "Reus (147)" in text
    assert "Xyzzy" in shown  # ten records carry it


def test_files_that_exist_are_kept(looked_at, tmp_path):
    found = looked_at(city=spread("Reus", "Malta", "Turin"))
    target = tmp_path / "release.yaml"
    made = write_proposal(found, target)
    assert [path.name for path in made.taxonomies] == ["release-city.taxonomy.csv"]
    assert made.taxonomies[0].stat().st_mode & 0o077 == 0  # for its owner alone
    target.unlink()
    with pytest.raises(ParameterError, match="taxonomy.csv already exists"):
        write_proposal(found, target)
    assert not target.exists()
    write_proposal(found, target, force=True)


def test_a_replaced_taxonomy_survives_a_release_file_that_cannot_be_written(looked_at, tmp_path):
    found = looked_at(city=spread("Reus", "Malta", "Turin"))
    target, mine = tmp_path / "release.yaml", tmp_path / "release-city.taxonomy.csv"
    target.mkdir()
    mine.write_text("mine", encoding="utf-8")
    with pytest.raises(FileFormatError, match="is a folder"):
        write_proposal(found, target, force=True)
    assert mine.read_text("utf-8") == "mine"


# ---------------------------------------------------------------------- families of columns

CODES = ["250.00", "401.9", "428.0", "786.50", "276.1", "V27.0", "414.01", "V45.81"]


def test_numbered_columns_of_codes_are_proposed_as_a_set(looked_at, tmp_path):
    columns = {
        f"dx{n + 1}": [
            CODES[(i + n * (i % 3)) % 8] if i % (n + 1) == 0 and i > 2 else "?" for i in range(160)
        ]
        for n in range(5)
    }
    ages = [20 + i % 40 for i in range(160)]
    found = looked_at(**columns, dx6=[None] * 160, age=list(map(str, ages)))
    (family,) = found.sets
    assert (family.name, family.columns, family.taxonomy) == ("dx", tuple(columns), "icd9cm")
    assert found["dx5"].role == "quasi"  # most of its cells are marks of missing values
    assert found["dx6"].role == "drop"
    sets = [frozenset(row) - {"?"} for row in zip(*columns.values(), strict=True)]
    records = Counter(zip(sets, ages, strict=True))
    assert found.uniques == sum(count == 1 for count in records.values()) > 0
    assert found.incomplete == sum(not held for held in sets) == 3
    spec, text = written(found, tmp_path)
    assert spec.missing == "category"
    assert list(spec.columns) == ["dx", "dx6", "age"]
    assert spec.columns["dx"].columns == family.columns
    words = " ".join(text.replace("#", " ").split())
    assert "out of columns and add the line dx1: {role: quasi, taxonomy: icd9cm}" in words


def test_a_few_numbered_columns_may_be_a_set(looked_at, tmp_path):
    columns = {f"diag_{n}": [CODES[(i * n) % 8] for i in range(160)] for n in (1, 2, 3)}
    found = looked_at(**columns, diag=["a", "b"] * 80)
    assert not found.sets
    spec, text = written(found, tmp_path)
    assert {spec.columns[name].type for name in columns} == {None}
    (line,) = (line for line in text.splitlines() if "type: set" in line)
    fields = "role: quasi, type: set, taxonomy: icd9cm, columns: [diag_1, diag_2, diag_3]"
    assert line == f"  # diag_set: {{{fields}}}"


def test_a_row_for_each_code_may_be_a_set(tmp_path):
    """The line in the comment is a release file that masks the table as sets."""
    stays = pd.DataFrame(datasets.discharges(600))
    codes = pd.concat(
        [
            stays[["patient", name]].set_axis(["patient", "code"], axis=1)
            for name in ("diagnosis", "secondary_diagnosis")
        ]
    ).dropna()
    codes.to_csv(tmp_path / "codes.csv", index=False)
    write_proposal(profile(tmp_path / "codes.csv"), tmp_path / "release.yaml")
    text = (tmp_path / "release.yaml").read_text("utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("  # code: ")]
    (single,) = [line for line in text.splitlines() if line.startswith("  code: ")]
    (tmp_path / "release.yaml").write_text(text.replace(single, line.replace("# ", "")), "utf-8")
    spec = load_release_file(tmp_path / "release.yaml")
    assert spec.schema().long_set.column == "code"
    assert spec.schema().person == "patient"

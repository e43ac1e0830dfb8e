"""Roles proposed for tables in several languages: nothing about a person is released by default."""

from __future__ import annotations

import zipfile
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
import yaml

import ontomask as om
from ontomask.errors import SpecError
from ontomask.releasefile.check import check
from ontomask.releasefile.profile import column_names
from ontomask.releasefile.profile.column_names import SubjectWords
from ontomask.releasefile.profile.proposed_file import write_proposal
from ontomask.releasefile.profile.table_profile import profile

SEED = 0x1234_5678_9ABC_DEF0_1234


def proposed(table, folder, name="table.csv"):
    """The roles that are proposed for a table, and the proposed release file."""
    path = folder / name
    table.to_csv(path, index=False)
    found = profile(path)
    write_proposal(found, folder / "release.yaml")
    return {column.name: column.role for column in found.columns}, folder / "release.yaml"


def _people(rows, seed=5):
    random = np.random.default_rng(seed)
    return {
        "age": random.integers(18, 95, rows),
        "year": random.integers(1930, 2006, rows),
        "place": random.choice([f"Ort {number}" for number in range(60)], rows),
        "code": [f"{number:05}" for number in random.integers(1000, 99999, rows)],
        "day": pd.to_datetime("2020-01-01") + pd.to_timedelta(random.integers(0, 900, rows), "D"),
        "icd": random.choice([f"E{a}{b}.{c}" for a in "01" for b in "0123" for c in "0159"], rows),
        "money": random.integers(1000, 90000, rows) / 100,
        "random": random,
    }


GERMAN = ("Alter", "Geschlecht", "Wohnort", "Familienstand", "Beruf", "Befund")
SPANISH = ("Edad", "Sexo", "Municipio", "Estado civil", "Ocupación", "Diagnóstico")
ENGLISH = ("Age", "Sex", "Town", "Marital status", "Occupation", "Finding")
WORDS = {
    GERMAN: (
        ["männlich", "weiblich"],
        ["ledig", "verheiratet", "verwitwet", "geschieden"],
        ["Bäcker", "Lehrerin", "Pfleger", "Ingenieur", "Köchin", "Maurer"],
        ["unauffällig", "Fraktur", "Pneumonie", "Diabetes", "Hypertonie"],
    ),
    SPANISH: (
        ["hombre", "mujer"],
        ["soltero", "casado", "viudo", "divorciado"],
        ["panadero", "maestra", "enfermero", "ingeniero", "cocinera", "albañil"],
        ["normal", "fractura", "neumonía", "diabetes", "hipertensión"],
    ),
    ENGLISH: (
        ["male", "female"],
        ["single", "married", "widowed", "divorced"],
        ["baker", "teacher", "nurse", "engineer", "cook", "mason"],
        ["normal", "fracture", "pneumonia", "diabetes", "hypertension"],
    ),
}


def _survey(names, rows=1000):
    people = _people(rows)
    sexes, marital, jobs, findings = WORDS[names]
    random = people["random"]
    columns = [
        people["age"],
        random.choice(sexes, rows),
        people["place"],
        random.choice(marital, rows),
        random.choice(jobs, rows),
        random.choice(findings, rows),
    ]
    return pd.DataFrame(dict(zip(names, columns, strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize("names", [GERMAN, SPANISH, ENGLISH], ids=["German", "Spanish", "English"])
def test_a_survey_is_masked_on_all_its_columns(names, tmp_path):
    """Nothing edited: every column is a quasi-identifier, and the file is 5-anonymous on them."""
    roles, spec = proposed(_survey(names), tmp_path)
    assert set(roles.values()) == {"quasi"}
    om.run_release_file(spec, SEED)
    released = pd.read_csv(tmp_path / "table.released.csv", dtype=str, keep_default_na=False)
    assert min(Counter(map(tuple, released.to_numpy())).values()) >= 5


# Headers of real tables and their variants, with content of the kind that they have.
HEADERS = {
    "Geburtsdatum": ("day", "quasi"),
    "Geburtsjahr": ("year", "quasi"),
    "PLZ": ("code", "quasi"),
    "Postleitzahl": ("code", "quasi"),
    "Staatsangehörigkeit": ("place", "quasi"),
    "Hauptdiagnose": ("icd", "quasi"),
    "Patientennummer": ("person", "person"),
    "Fallnummer": ("number", "identifier"),
    "Nachname": ("name", "identifier"),
    "Einkommen": ("money", "confidential"),
    "Date de naissance": ("day", "quasi"),
    "Année": ("year", "quasi"),
    "code_postal": ("code", "quasi"),
    "Prénom": ("name", "identifier"),
    "diagnostic_principal": ("icd", "quasi"),
    "revenu": ("money", "confidential"),
    "fecha_nacimiento": ("day", "quasi"),
    "municipio": ("place", "quasi"),
    "apellidos": ("name", "identifier"),
    "salario": ("money", "confidential"),
    "data_di_nascita": ("day", "quasi"),
    "comune": ("place", "quasi"),
    "cognome": ("name", "identifier"),
    "concelho": ("place", "quasi"),
    "numero_utente": ("person", "person"),
    "geboortedatum": ("day", "quasi"),
    "woonplaats": ("place", "quasi"),
    "patient_nbr": ("person", "person"),
    "subject_id": ("person", "person"),
    "uniquepid": ("person", "person"),
    "patientunitstayid": ("number", "identifier"),
    "hadm_id": ("number", "identifier"),
    "condition_concept_id": ("concept", "quasi"),
    "year_of_birth": ("year", "quasi"),
    "comarca": ("place", "quasi"),
    "professió": ("place", "quasi"),
    "remarks": ("text", "undecided"),
    "edad": ("age", "quasi"),
}


@pytest.fixture(scope="module")
def header_roles(tmp_path_factory):
    people = _people(600)
    random = people["random"]
    people |= {
        "person": random.integers(100000, 100300, 600),
        "number": random.permutation(np.arange(500000, 500600)),
        "name": [f"Muster{number}" for number in range(600)],
        "concept": random.choice([4112343, 192671, 201826, 4329847], 600),
        "text": [
            f"Seen by the nurse of ward {n}, complained of pain for {n} days and more."
            for n in range(600)
        ],
    }
    table = pd.DataFrame({header: people[kind] for header, (kind, _) in HEADERS.items()})
    folder = tmp_path_factory.mktemp("headers")
    # One table for each person column, since a table has one.
    roles = {}
    several = [header for header, (_, role) in HEADERS.items() if role == "person"]
    for number, header in enumerate(several):
        others = [name for name in table if name not in several or name == header]
        part = folder / str(number)
        part.mkdir()
        roles |= proposed(table[others], part)[0]
    return roles


@pytest.mark.parametrize("header", HEADERS)
def test_headers_in_eight_languages(header_roles, header):
    assert header_roles[header] == HEADERS[header][1]


def test_codes_are_never_numbers(tmp_path):
    people = _people(300)
    random = people["random"]
    table = pd.DataFrame(
        {
            "condition_concept_id": random.choice([4112343, 192671, 201826], 300),
            "Gemeindeschlüssel": random.choice([11000000, 14612000, 16055000], 300),
            "plz": random.integers(10000, 99999, 300),
            "admission_type_id": random.integers(1, 8, 300),
        }
    )
    path = tmp_path / "codes.csv"
    table.to_csv(path, index=False)
    assert [column.suggestion.type for column in profile(path).columns] == ["nominal"] * 4


def test_stays_are_counted_and_not_people(tmp_path):
    counts = np.random.default_rng(3).integers(0, 40, 300)
    path = tmp_path / "stays.csv"
    pd.DataFrame({"number_outpatient": counts, "number_inpatient": counts}).to_csv(
        path, index=False
    )
    assert [column.role for column in profile(path).columns] == ["quasi", "quasi"]


def test_icd10_codes_are_grouped_by_prefix(tmp_path):
    table = pd.DataFrame({"Hauptdiagnose": _people(300)["icd"]})
    path = tmp_path / "codes.csv"
    table.to_csv(path, index=False)
    suggestion = profile(path)["Hauptdiagnose"].suggestion
    assert suggestion.taxonomy == "icd10cm" or suggestion.taxonomy_parts == (1, 3)


# ---------------------------------------------------------------------- undecided


def test_undecided_columns_stop_a_release(tmp_path, command):
    table = _survey(ENGLISH, 200).assign(
        Remarks=[
            f"Came alone on a rainy day, number {n}, and left with her brother and two children"
            for n in range(200)
        ],
        Fee=[f"€ {n},50" for n in range(200)],
    )
    roles, spec = proposed(table, tmp_path)
    assert {name for name, role in roles.items() if role == "undecided"} == {"Remarks", "Fee"}
    with pytest.raises(SpecError, match="2 columns must have a role, but are undecided: 'Remarks'"):
        om.run_release_file(spec)
    done = command(tmp_path, "mask", "release.yaml")
    assert done.code == 2
    assert "undecided" in done.err
    assert not (tmp_path / "table.released.csv").exists()
    result = check(spec)
    assert [words for words in result.problems if "'Fee'" in words]
    assert {column.name for column in result.columns if column.role == "undecided"} == {
        "Remarks",
        "Fee",
    }
    assert result.risk is not None  # the other columns are measured


def test_a_file_with_only_undecided_columns(tmp_path):
    (tmp_path / "table.csv").write_text("a\n1\n2\n", encoding="utf-8")
    fields = {
        "data": "table.csv",
        "output": "out.csv",
        "columns": {"a": {"role": "undecided"}},
        "method": {"name": "microaggregation", "k": 2},
    }
    from ontomask.releasefile.model import ReleaseFile

    result = check(ReleaseFile.from_dict(fields, tmp_path))
    assert [words for words in result.problems if "undecided" in words]


# ---------------------------------------------------------------------- real tables


def test_an_omop_condition_table(data_folder, tmp_path):
    with zipfile.ZipFile(data_folder / "omop_synthea27nj_5.4.zip") as archive:
        (name,) = [n for n in archive.namelist() if n.lower().endswith("condition_occurrence.csv")]
        table = pd.read_csv(archive.open(name), dtype=str, keep_default_na=False)
    roles, _ = proposed(table, tmp_path)
    assert roles["person_id"] == "person"
    assert roles["condition_occurrence_id"] == "identifier"
    assert roles["condition_concept_id"] == "quasi"
    assert roles["condition_start_date"] == "quasi"
    kept = [column for column, role in roles.items() if role == "keep"]
    assert all(table[column].nunique() == 1 for column in kept)


def _eicu_patients(rows=600):
    """The 29 columns of eICU's patient table, with made-up content of the same kind."""
    random = np.random.default_rng(4)

    def choose(*values):
        return random.choice(values, rows)

    def times():
        return [
            f"{number // 60:02d}:{number % 60:02d}:00" for number in random.integers(0, 1440, rows)
        ]

    def decimals(mean, sd):
        return [f"{number:.1f}" for number in random.normal(mean, sd, rows)]

    ages = random.integers(18, 95, rows)
    return pd.DataFrame(
        {
            "patientunitstayid": random.permutation(np.arange(141_764, 141_764 + rows)),
            "patienthealthsystemstayid": random.permutation(np.arange(129_391, 129_391 + rows)),
            "gender": choose("Female", "Male"),
            "age": ["> 89" if age > 89 else str(age) for age in ages],
            "ethnicity": choose("Caucasian", "African American", "Hispanic", "Asian", ""),
            "hospitalid": choose(59, 60, 61, 63, 66, 67),
            "wardid": choose(83, 90, 91, 95, 97),
            "apacheadmissiondx": choose("Sepsis, pulmonary", "Diabetic ketoacidosis", ""),
            "admissionheight": decimals(168, 10),
            "hospitaladmittime24": times(),
            "hospitaladmitoffset": -random.integers(0, 5000, rows),
            "hospitaladmitsource": choose("Emergency Department", "Direct Admit", "Floor", ""),
            "hospitaldischargeyear": choose(2014, 2015),
            "hospitaldischargetime24": times(),
            "hospitaldischargeoffset": random.integers(0, 20_000, rows),
            "hospitaldischargelocation": choose("Home", "Death", "Skilled Nursing Facility"),
            "hospitaldischargestatus": choose("Alive", "Expired"),
            "unittype": choose("Med-Surg ICU", "MICU", "CCU-CTICU"),
            "unitadmittime24": times(),
            "unitadmitsource": choose("Emergency Department", "Operating Room", "Floor"),
            "unitvisitnumber": choose(1, 1, 1, 2, 3),
            "unitstaytype": choose("admit", "readmit", "stepdown/other", "transfer"),
            "admissionweight": decimals(80, 15),
            "dischargeweight": decimals(79, 15),
            "unitdischargetime24": times(),
            "unitdischargeoffset": random.integers(10, 20_000, rows),
            "unitdischargelocation": choose("Floor", "Home", "Death"),
            "unitdischargestatus": choose("Alive", "Expired"),
            "uniquepid": [f"002-{number}" for number in random.integers(1000, 1400, rows)],
        }
    )


@pytest.mark.slow
def test_a_table_like_the_patients_of_eicu(tmp_path):
    """Nothing edited: k people in every class of all released columns, and no identifier left."""
    table = _eicu_patients()
    roles, spec = proposed(table, tmp_path)
    assert roles["uniquepid"] == "person"
    assert roles["patientunitstayid"] == roles["patienthealthsystemstayid"] == "identifier"
    others = {name: role for name, role in roles.items() if not name.endswith(("stayid", "pid"))}
    assert set(others.values()) == {"quasi"}
    fields = yaml.safe_load(spec.read_text("utf-8"))["columns"]
    assert all(fields[name].get("type") != "numeric" for name in ("hospitalid", "wardid"))
    assert check(spec).fine
    fields = yaml.safe_load(spec.read_text("utf-8"))
    spec.write_text(yaml.safe_dump({**fields, "order": "keep"}), "utf-8")  # to know who is who
    om.run_release_file(spec, SEED)
    released = pd.read_csv(tmp_path / "table.released.csv", dtype=str, keep_default_na=False)
    assert list(released) == list(others)
    people = defaultdict(set)
    for row, person in zip(released.to_numpy(), table["uniquepid"], strict=True):
        people[tuple(row)].add(person)
    assert min(map(len, people.values())) >= 5


def test_every_word_to_guess_by_can_occur_in_a_name():
    subjects = {n: s for n, s in vars(column_names).items() if isinstance(s, SubjectWords)}
    assert len(subjects) > 8
    lost = [
        (name, word)
        for name, subject in subjects.items()
        for word in subject.words
        if not subject.has_any(column_names.words_of(word))
    ]
    assert lost == []

"""What a release file says of a column in a role that somebody chose."""

from __future__ import annotations

import pandas as pd
import pytest

from ontomask.engines.formats import connect, open_table
from ontomask.releasefile.model import ColumnSpec, load_release_file
from ontomask.releasefile.profile.column_facts import ColumnProfiler
from ontomask.releasefile.profile.column_fields import ProposedTaxonomy, fields_in_role
from ontomask.releasefile.profile.proposed_file import write_proposal
from ontomask.releasefile.profile.table_profile import profile


@pytest.fixture
def facts_of(tmp_path):
    """What is counted in a column, given by its name and values."""

    def look(name, values):
        path = tmp_path / "table.csv"
        pd.DataFrame({name: values, "beside": range(len(values))}).to_csv(path, index=False)
        connection = connect()
        with open_table(path, connection) as stored:
            found = ColumnProfiler(stored).column(name)
        connection.close()
        return found

    return look


def repeated(values, times=20):
    return [value for value in values for _ in range(times)]


@pytest.mark.parametrize(
    ("name", "values", "fields"),
    [
        ("day", ["31/12/2020", "01/02/2021"], {"type": "date", "date_format": "%d/%m/%Y"}),
        ("day", ["2020-12-31", "2021-02-01"], {"type": "date"}),
        (
            "size",
            ["low", "medium", "high"],
            {"type": "ordinal", "levels": ["low", "medium", "high"]},
        ),
        ("amount", ["1.5", "2.5"], {"type": "numeric"}),
        ("diag", ["250", "8", "428", "414"], {"taxonomy": "icd9cm", "repair_codes": True}),
    ],
)
def test_a_quasi_identifier_by_what_it_holds(facts_of, name, values, fields):
    found = fields_in_role(facts_of(name, repeated(values)), "quasi")
    assert found.fields == {"role": "quasi", **fields}
    assert (found.make, found.lacks) == (None, None)
    ColumnSpec.model_validate(found.fields)


@pytest.mark.parametrize(
    ("name", "values", "make"),
    [
        ("unit", [f"top|part {i % 3}|unit {i}" for i in range(12)], ProposedTaxonomy("paths", "|")),
        ("zip", ["10115", "10117", "80331", "80333"], ProposedTaxonomy("prefixes", lengths=(1, 3))),
        ("colour", ["red", "green", "blau"], ProposedTaxonomy("flat")),
    ],
)
def test_a_taxonomy_that_can_be_made_of_the_values(facts_of, name, values, make):
    found = fields_in_role(facts_of(name, repeated(values)), "quasi")
    assert found.fields == {"role": "quasi", "type": "nominal"}
    assert found.make == make


@pytest.mark.parametrize("role", ["identifier", "keep", "drop"])
def test_other_roles_say_nothing_more(facts_of, role):
    found = fields_in_role(facts_of("diag", repeated(["250", "8", "428"])), role)
    assert found.fields == {"role": role}
    assert (found.make, found.lacks, found.notes) == (None, None, ())


def test_what_cannot_be_masked_says_why(facts_of):
    many = facts_of("remark", [f"word {i} of many" for i in range(2_500)])
    found = fields_in_role(many, "quasi")
    assert found.fields == {"role": "quasi"}
    assert found.lacks is not None
    assert "2,500 distinct values and no taxonomy" in found.lacks


def test_it_is_what_init_writes(tmp_path):
    """In the role that is suggested, a column gets the fields that a first proposal gives it."""
    from ontomask import datasets

    path = tmp_path / "stays.parquet"
    pd.DataFrame(datasets.discharges(500)).to_parquet(path)
    write_proposal(profile(path), tmp_path / "release.yaml")
    spec = load_release_file(tmp_path / "release.yaml")
    connection = connect()
    with open_table(path, connection) as stored:
        looking = ColumnProfiler(stored)
        for name, column in spec.columns.items():
            found = fields_in_role(looking.column(name), column.role)
            if found.make is None:
                assert ColumnSpec.model_validate(found.fields) == column, name
            else:
                assert column.taxonomy is not None
    connection.close()

"""What stands in the way of a good release is said by the check, before anything is masked."""

from __future__ import annotations

import pytest
import yaml

from ontomask.releasefile.check import check


@pytest.fixture
def write_spec(tmp_path):
    """Write a table of 40 records, a flat taxonomy of four jobs, and a release file."""
    jobs = ["cook", "baker", "nurse", "doctor"]
    lines = [
        f"{place},{jobs[place % 4]},{20 + place % 5},"
        f"{'a' if place else 'b'},p{place // 2},{place % 2}"
        for place in range(40)
    ]
    header = "row,job,age,ward,who,outcome"
    (tmp_path / "people.csv").write_text("\n".join([header, *lines]), "utf-8")

    def write(groups=(), k=3, person=None, **roles):
        edges = [f"{job},all" for job in jobs if job not in dict(groups)]
        edges += [f"{job},{group}" for job, group in groups]
        edges += [f"{group},all" for group in {group for _, group in groups}]
        (tmp_path / "jobs.csv").write_text("\n".join(["child,parent", *edges]), "utf-8")
        spec = {
            "data": "people.csv",
            "output": "released.csv",
            "columns": {
                "job": {"role": "quasi", "taxonomy": "jobs.csv"},
                "age": {"role": "quasi", "type": "numeric"},
                **{column: {"role": role} for column, role in roles.items()},
            },
            "other": "drop",
            "method": {"name": "microaggregation", "k": k},
            **({"person": person} if person else {}),
        }
        (tmp_path / "release.yaml").write_text(yaml.safe_dump(spec), "utf-8")
        return tmp_path / "release.yaml"

    return write


def column_of(result, name):
    return next(column for column in result.columns if column.name == name)


def test_a_taxonomy_without_groups_has_no_meaning_yet(write_spec):
    result = check(write_spec())
    assert result.fine
    assert column_of(result, "job").flat
    (note,) = result.notes
    assert note.startswith("the taxonomy of 'job' is flat: no meaning yet.")
    assert note.endswith("Group similar values in jobs.csv")
    grouped = check(write_spec(groups=[("cook", "food"), ("baker", "food")]))
    assert not column_of(grouped, "job").flat
    assert grouped.notes == ()


def test_the_command_calls_it_flat(write_spec, command):
    path = write_spec()
    done = command(path.parent, "check", path.name)
    assert "jobs.csv (flat: no meaning yet)" in done.out
    assert "note: the taxonomy of 'job' is flat" in done.err


def test_a_k_close_to_the_size_of_the_table_is_noted(write_spec):
    groups = [("cook", "food"), ("baker", "food")]
    assert check(write_spec(groups, k=20)).notes == ()
    (note,) = check(write_spec(groups, k=21)).notes
    assert "k = 21 is close to the number of records, 40: all records will form one" in note
    (note,) = check(write_spec(groups, k=15, person="who")).notes
    assert "k = 15 is close to the number of people, 20" in note
    (problem,) = check(write_spec(groups, k=41)).problems
    assert "41" in problem


def test_kept_columns_that_single_records_out_are_warned_of(write_spec):
    (warning,) = check(write_spec(ward="keep")).warnings
    assert "cannot be 3-anonymous for an attacker who knows the kept column 'ward'" in warning
    assert "1 of 40 records is unique on them" in warning
    assert warning.endswith("for example: ward: {role: drop}")
    assert check(write_spec(outcome="keep")).warnings == ()  # two classes of twenty


def test_a_released_person_is_warned_of(write_spec):
    warnings = check(write_spec(who="keep", person="who")).warnings
    assert any(
        warning.startswith("column 'who' is released and links the records of a person.")
        and warning.endswith("write: who: {role: identifier}")
        for warning in warnings
    )
    assert not any("links" in warning for warning in check(write_spec(person="who")).warnings)

"""A release in which masking changed nothing needs an explicit word."""

from __future__ import annotations

import pytest

import ontomask as om
from ontomask.errors import RequirementNotMet

FIELDS = """\
data: people.csv
output: released.csv
columns:
  age: {role: quasi, type: numeric}
  ward: {role: keep}
method: {name: microaggregation, k: 3}
"""


@pytest.fixture
def same(tmp_path):
    """A table that is 3-anonymous already."""
    rows = "".join(f"{age},{ward}\n" for age in (30, 40) for ward in "abc")
    (tmp_path / "people.csv").write_text(f"age,ward\n{rows}", encoding="utf-8")
    (tmp_path / "release.yaml").write_text(FIELDS, encoding="utf-8")
    return tmp_path


def test_a_release_in_which_nothing_changed_is_refused(same, command):
    with pytest.raises(RequirementNotMet, match="masking changed no record"):
        om.run_release_file(same / "release.yaml")
    done = command(same, "mask", "release.yaml")
    assert done.code == 3
    assert "--allow-unchanged" in done.err
    assert not (same / "released.csv").exists()


def test_it_is_released_on_request(same, command):
    assert command(same, "mask", "release.yaml", "--allow-unchanged").code == 0
    released = (same / "released.csv").read_text(encoding="utf-8").splitlines()
    assert sorted(released) == sorted((same / "people.csv").read_text("utf-8").splitlines())
    om.run_release_file(same / "release.yaml", force=True, allow_unchanged=True)


def test_one_changed_record_is_a_change(same):
    with (same / "people.csv").open("a", encoding="utf-8") as file:
        file.write("41,d\n")
    om.run_release_file(same / "release.yaml")
    assert (same / "released.csv").exists()

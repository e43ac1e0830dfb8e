"""The release file as it is edited: saved whole, taken back, and never lost between two tabs."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontomask.errors import OntomaskError, ParameterError, SpecError
from ontomask.releasefile.model import load_release_file
from ontomask.web.draft import Draft, _serialise_fields
from ontomask.web.errors import ChangedElsewhere, OutsideError
from ontomask.web.folder import WorkingFolder

FIELDS = {
    "data": "a.csv",
    "output": "b.csv",
    "columns": {"age": {"role": "quasi", "type": "numeric"}},
    "method": {"name": "microaggregation", "k": 5},
}


@pytest.fixture
def draft(tmp_path):
    return Draft(tmp_path / "release.yaml", WorkingFolder(tmp_path, largest=1000))


def changed(**more):
    return {**copy.deepcopy(FIELDS), **more}


def test_what_is_written_is_a_release_file(draft):
    draft.write(FIELDS, draft.read().revision)
    assert load_release_file(draft.path).as_dict() == FIELDS


def test_an_incomplete_draft_is_saved_with_what_is_missing(draft):
    fields = changed(columns={"job": {"role": "quasi", "type": "nominal"}})
    state = draft.write(fields, draft.read().revision)
    assert state.fields == fields
    assert any("taxonomy" in it.sentence + it.hint for it in state.problems)
    with pytest.raises(SpecError, match="not complete"):
        draft.spec()
    with pytest.raises(SpecError):  # and the command line says no, too
        load_release_file(draft.path)


def test_a_change_to_an_older_state_is_refused(draft):
    first = draft.write(FIELDS, draft.read().revision)
    draft.write(changed(output="c.csv"), first.revision)
    with pytest.raises(ChangedElsewhere, match="nothing is lost"):
        draft.write(changed(output="d.csv"), first.revision)
    assert draft.read().fields["output"] == "c.csv"


def test_a_change_by_hand_is_seen(draft):
    first = draft.write(FIELDS, draft.read().revision)
    draft.path.write_text(draft.path.read_text() + "# by hand\n")
    with pytest.raises(ChangedElsewhere):
        draft.write(changed(output="d.csv"), first.revision)


def test_undo_gives_the_very_text_back_even_after_a_restart(draft, tmp_path):
    by_hand = "# mine\n" + _serialise_fields(FIELDS, draft.path)
    draft.path.write_text(by_hand)
    draft.write(changed(output="c.csv"), draft.read().revision)
    again = Draft(draft.path, WorkingFolder(tmp_path, largest=1000))
    assert again.read().can_undo
    state = again.undo(again.read().revision)
    assert draft.path.read_text() == by_hand
    assert not state.can_undo
    assert again.redo(state.revision).fields["output"] == "c.csv"


def test_the_first_proposal_is_where_everything_begins(draft):
    state = draft.write(FIELDS, draft.read().revision)
    assert not state.can_undo
    with pytest.raises(ParameterError, match="nothing to undo"):
        draft.undo(state.revision)


@pytest.mark.parametrize(
    "path", ["../x.csv", "/etc/passwd", "s3a://bucket/x.csv", "file:/etc/passwd", ".ontomask/x"]
)
@pytest.mark.parametrize("where", ["data", "output", "taxonomy", "mapping"])
def test_no_path_of_the_page_leads_outside(draft, where, path):
    column = {"role": "quasi", "taxonomy": "icd9cm"}
    fields = changed(columns={"d": column})
    (fields if where in fields else column)[where] = path
    with pytest.raises(OutsideError):
        draft.write(fields, draft.read().revision)
    assert not draft.path.exists()


def test_a_path_outside_that_the_file_names_may_stay(draft):
    draft.path.write_text(_serialise_fields(changed(data="../elsewhere.csv"), draft.path))
    state = draft.write(changed(data="../elsewhere.csv", output="c.csv"), draft.read().revision)
    assert state.fields["output"] == "c.csv"


def test_a_file_that_is_no_yaml_is_told_and_nothing_is_written_over_it(draft):
    draft.write(FIELDS, draft.read().revision)
    draft.write(changed(output="c.csv"), draft.read().revision)
    draft.path.write_text("columns: [unclosed")
    state = draft.read()
    assert state.fields == {}
    assert "YAML" in state.problems[0].message
    with pytest.raises(SpecError, match="nothing is changed in it"):
        draft.write(FIELDS, state.revision)
    assert draft.path.read_text() == "columns: [unclosed"
    assert draft.undo(state.revision).fields == FIELDS


@pytest.mark.parametrize(
    "fields",
    [
        {"columns": 5},
        {"columns": {"a": "quasi"}},
        {"method": "recoding"},
        {"unheard_of": 1},
        {"output": "\ud800"},
        {"data": "x" * 2_000_000},
    ],
)
def test_what_is_no_draft_is_refused(draft, fields):
    with pytest.raises(OntomaskError):
        draft.write(fields, draft.read().revision)
    assert not draft.path.exists()


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(value=plain)
def test_a_text_reads_back_or_is_refused(value, tmp_path_factory):
    from pathlib import Path

    from ontomask.releasefile.yaml_file import parse_yaml

    fields = {"missing_marks": value, "columns": {"a": {"mapping": value}}}
    try:
        text = _serialise_fields(fields, Path("release.yaml"))
    except SpecError:
        return
    assert parse_yaml(text, Path("release.yaml")).data == fields


@pytest.mark.parametrize("letters", [127, 128, 129, 500, 1000])
def test_columns_may_have_long_names(draft, letters):
    name = "How often " + "x" * letters
    fields = changed(
        columns={name: {"role": "quasi", "taxonomy": "icd9cm", "mapping": {name: "1"}}}
    )
    assert draft.write(fields, draft.read().revision).fields == fields
    assert list(load_release_file(draft.path).columns) == [name]


def test_the_latest_text_about_a_table_is_found(draft):
    for data, output in (("a.csv", "1.csv"), ("a.csv", "2.csv"), ("b.csv", "3.csv")):
        draft.write(changed(data=data, output=output), draft.read().revision)
    assert "2.csv" in draft.find_earlier_text("a.csv")
    assert draft.find_earlier_text("b.csv") is None  # it is the one of now

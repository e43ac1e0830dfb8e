"""The release file as it is edited: saved whole, taken back, and never lost between two tabs."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from ontomask._runtime.yaml_text import format_yaml
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
    with pytest.raises(SpecError, match="incomplete"):
        draft.spec()
    with pytest.raises(SpecError):  # and the command line says no, too
        load_release_file(draft.path)


def test_a_change_to_an_older_state_is_refused(draft):
    first = draft.write(FIELDS, draft.read().revision)
    draft.write(changed(output="c.csv"), first.revision)
    with pytest.raises(ChangedElsewhere, match="your change was not saved"):
        draft.write(changed(output="d.csv"), first.revision)
    assert draft.read().fields["output"] == "c.csv"


def test_a_change_by_hand_is_seen(draft):
    first = draft.write(FIELDS, draft.read().revision)
    draft.path.write_text(draft.path.read_text() + "# by hand\n")
    with pytest.raises(ChangedElsewhere):
        draft.write(changed(output="d.csv"), first.revision)


def test_undo_gives_the_very_text_back_even_after_a_restart(draft, tmp_path):
    by_hand = "# mine\n" + _serialise_fields(FIELDS)
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
@pytest.mark.parametrize("where", ["data", "output", "taxonomy", "mapping", "table"])
def test_no_path_of_the_page_leads_outside(draft, where, path):
    column = {"role": "quasi", "taxonomy": "icd9cm"}
    fields = changed(columns={"d": column}, population={"size": 9})
    named_in = {"data": fields, "output": fields, "table": fields["population"]}
    named_in.get(where, column)[where] = path
    with pytest.raises(OutsideError):
        draft.write(fields, draft.read().revision)
    assert not draft.path.exists()


def test_a_path_outside_that_the_file_names_may_stay(draft):
    draft.path.write_text(_serialise_fields(changed(data="../elsewhere.csv")))
    state = draft.write(changed(data="../elsewhere.csv", output="c.csv"), draft.read().revision)
    assert state.fields["output"] == "c.csv"


def test_a_file_that_is_no_yaml_is_told_and_nothing_is_written_over_it(draft):
    draft.write(FIELDS, draft.read().revision)
    draft.write(changed(output="c.csv"), draft.read().revision)
    draft.path.write_text("columns: [unclosed")
    state = draft.read()
    assert state.fields == {}
    assert "YAML" in state.problems[0].message
    with pytest.raises(SpecError, match="cannot be changed here"):
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
        text = _serialise_fields(fields)
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


# ---------------------------------------------------------------- comments and layout

BY_HAND = """\
# Agreed with the ethics board.
data:   a.csv
output: "b.csv"   # not the public folder

columns:
  # asked at admission
  age:    {role: quasi, type: numeric}   # in years
  # first of the three
  diagnosis: {role: quasi, taxonomy: icd9cm, mapping: {flu: "487"}}
  severity:
    role: quasi   # the nurse's word
    type: ordinal
    levels:
      - mild
      - severe

# one card per patient
person: card
other: drop  # free text

# k as in the contract
method: {name: microaggregation, k: 5}
# the end
"""


def edited(draft, change):
    draft.path.write_text(BY_HAND)
    state = draft.read()
    fields = copy.deepcopy(state.fields)
    change(fields)
    assert draft.write(fields, state.revision).fields == fields
    return draft.path.read_text()


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        (lambda fields: fields["method"].update(k=10), "k: 5}", "k: 10}"),
        (lambda fields: fields.update(output="c.csv"), '"b.csv"   #', "c.csv   #"),
        (
            lambda fields: fields["columns"]["age"].update(weight=2),
            "{role: quasi, type: numeric}",
            "{role: quasi, type: numeric, weight: 2}",
        ),
        (
            lambda fields: fields["columns"]["diagnosis"].pop("mapping"),
            ', mapping: {flu: "487"}}',
            "}",
        ),
        (
            lambda fields: fields["columns"]["severity"].update(role="confidential"),
            "role: quasi   # the nurse's",
            "role: confidential   # the nurse's",
        ),
        (
            lambda fields: fields["columns"]["severity"].update(levels=["mild", "bad", "worst"]),
            "levels:\n      - mild\n      - severe\n",
            "levels: [mild, bad, worst]\n",
        ),
        (
            lambda fields: fields["columns"]["severity"].update(weight=2),
            "      - severe\n",
            "      - severe\n    weight: 2\n",
        ),
        (
            lambda fields: fields["columns"].update(job={"role": "keep"}),
            "      - severe\n",
            "      - severe\n  job: {role: keep}\n",
        ),
        (lambda fields: fields.pop("person"), "person: card\n", ""),
        (lambda fields: fields.pop("other"), "other: drop  # free text\n", ""),
        (
            lambda fields: fields.update(require={"k": 5}),
            "k: 5}\n",
            "k: 5}\nrequire: {k: 5}\n",
        ),
    ],
)
def test_an_edit_leaves_comments_and_layout_of_everything_else(draft, change, old, new):
    assert BY_HAND.count(old) == 1
    assert edited(draft, change) == BY_HAND.replace(old, new)


def test_a_new_column_and_a_new_field_come_in_order(draft):
    draft.path.write_text("data: a.csv\ncolumns:\n  a: {role: keep}  # the last line")
    fields = {**draft.read().fields, "person": "a", "output": "b.csv"}
    fields["columns"] = {**fields["columns"], "b": {"role": "drop"}}
    draft.write(fields, draft.read().revision)
    text = draft.path.read_text()
    assert text.index("# the last line") < text.index("b: {role: drop}") < text.index("person: a")


def test_an_empty_value_is_filled_in(draft):
    draft.path.write_text("data: a.csv\nperson:\noutput: b.csv\n")
    fields = {**draft.read().fields, "person": "card"}
    draft.write(fields, draft.read().revision)
    assert draft.path.read_text() == "data: a.csv\nperson: card\noutput: b.csv\n"


@pytest.mark.parametrize(
    "text",
    [
        "columns:\n  a: &same {role: quasi, type: numeric}\n  b: *same\n",
        "columns:\n  a: &same {role: quasi, type: numeric}\n  b: {<<: *same, weight: 2}\n",
        '{"columns": {"a": {"role": "quasi"}, "b": {"role": "keep"}}}',
    ],
)
def test_what_shares_its_parts_or_is_json_is_written_anew(draft, text):
    draft.path.write_text(text)
    fields = copy.deepcopy(draft.read().fields)
    fields["columns"]["a"] = {"role": "drop"}
    fields["output"] = "b.csv"
    assert draft.write(fields, draft.read().revision).fields == fields


names = st.sampled_from(["data", "output", "person", "missing_marks", "memory"])
values = plain.filter(lambda value: not isinstance(value, dict))


@given(before=st.dictionaries(names, values), after=st.dictionaries(names, values, min_size=1))
def test_any_edit_reads_back(before, after):
    from pathlib import Path

    from ontomask.releasefile.yaml_file import parse_yaml

    try:
        text = _serialise_fields(before) if before else ""
        again = _serialise_fields(after, text)
    except SpecError:
        return
    assert parse_yaml(again, Path("release.yaml")).data == after


def test_the_old_name_of_a_setting_is_read_as_the_new_one(draft):
    fields = changed(method={"name": "rank_swapping", "k": 7})
    draft.path.write_text(format_yaml(fields), "utf-8")
    assert draft.read().fields["method"] == {"name": "rank_swapping", "window": 7}
    assert draft.spec().method_object() == om.RankSwapping(7)

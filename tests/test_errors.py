"""Hints: text and settings, written in the language of whoever reads them."""

import pickle

import pytest

import ontomask as om
from ontomask.errors import (
    ColumnError,
    Hint,
    OntomaskError,
    Placeholder,
    SchemaError,
    Setting,
    SpecError,
    raise_together,
)
from ontomask.releasefile.problems import translate_hints


@pytest.mark.parametrize(
    ("setting", "python", "yaml"),
    [
        (Setting("repair_codes", True), "repair_codes=True", "repair_codes: true"),
        (Setting("missing", "drop"), "missing='drop'", "missing: 'drop'"),
        (Setting("mapping", {"flu": "487"}), "mapping={'flu': '487'}", "mapping: {'flu': '487'}"),
        (Setting("missing_marks", ["?"]), "missing_marks=['?']", "missing_marks: ['?']"),
        (Setting("prefer", Placeholder("...")), "prefer=...", "prefer: ..."),
        (
            Setting("mapping", {"a": Placeholder("...")}),
            "mapping={'a': ...}",
            "mapping: {'a': ...}",
        ),
    ],
)
def test_a_setting_is_written_as_an_argument_and_as_a_field(setting, python, yaml):
    hint = Hint("try ", setting, "!")
    assert (hint.python, hint.yaml) == (f"try {python}!", f"try {yaml}!")
    assert hint.settings == {setting.name: setting.value}


def test_words_that_look_like_a_setting_stay_as_they_are():
    error = ColumnError("x", "the value 'missing=1' is odd")
    with pytest.raises(ColumnError, match="'missing=1' is odd"), translate_hints():
        raise error


def test_an_error_keeps_the_settings_of_its_hint():
    error = ColumnError("values are missing", Hint("use ", Setting("missing", "drop")))
    assert error.hint == "use missing='drop'"
    assert str(error) == "values are missing\n\nhint: use missing='drop'"
    copied = pickle.loads(pickle.dumps(error))  # noqa: S301
    for same in (copied, error.with_message(error.message)):
        assert type(same) is ColumnError
        assert (same.message, same.advice) == (error.message, error.advice)
    with pytest.raises(ColumnError) as raised, translate_hints():
        raise error
    assert raised.value.hint == "use missing: 'drop'"


def test_errors_raised_together_keep_their_settings():
    errors = [
        ColumnError("one", Hint("use ", Setting("missing", "drop"))),
        SchemaError("two", "look"),
        SchemaError("three", "look"),
    ]
    with pytest.raises(SpecError) as raised:
        raise_together(errors, SpecError)
    assert raised.value.message == "one\ntwo\nthree"
    assert raised.value.hint == "use missing='drop'\nlook"
    assert raised.value.advice.yaml == "use missing: 'drop'\nlook"


def test_a_schema_calls_corrections_its_mapping(tmp_path):
    diagnoses = om.datasets.diagnoses()
    frame = {"diagnosis": ["hepatits", "sprain"] * 3}
    import pandas as pd

    def mask(**settings):
        column = om.Nominal("diagnosis", diagnoses, **settings)
        return om.mask(pd.DataFrame(frame), om.Schema([column]), om.Suppression(k=2), 1)

    with pytest.raises(OntomaskError) as raised:
        mask()
    assert raised.value.hint == "did you mean mapping={'hepatits': 'hepatitis'}?"
    assert raised.value.message.count("column 'diagnosis'") == 1
    with pytest.raises(OntomaskError, match="^column 'diagnosis': mapping must map values"):
        mask(mapping={"hepatits": "nothing"})
    # A file keeps its name, whatever that is.
    with pytest.raises(OntomaskError, match="corrections.csv"):
        mask(mapping=tmp_path / "corrections.csv")


def test_the_old_name_of_run_release_file_warns(tmp_path):
    with (
        pytest.warns(DeprecationWarning, match="use ontomask.run_release_file"),
        pytest.raises(SpecError, match="does not exist"),
    ):
        om.release(tmp_path / "release.yaml")
    with pytest.raises(SpecError, match="does not exist"):
        om.run_release_file(tmp_path / "release.yaml")

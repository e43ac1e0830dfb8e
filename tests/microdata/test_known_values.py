"""How values of sensitive and person columns are counted: by hand, then by the plain definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plain_risk
from ontomask.microdata.distinct_values import DistinctValues
from ontomask.microdata.known_values import (
    LookAlikes,
    flag_unknown,
    fold_text,
    fold_value,
    merge_look_alikes,
)


@pytest.mark.parametrize(
    "alike",
    [
        ["HIV", "hiv", " HIV ", "ＨＩＶ", "H\u200bIV", "hiv\t"],
        ["type 2", "Type  2", "type\u00a02", "TYPE\n2"],
        ["é", "e\u0301", "É"],
        ["Straße", "STRASSE"],
        [1, "1", "01", "1.0", "+1", "1.", "１", "1e0", "10E-1", 1.0, np.int64(1), np.float64(1)],
        [0, "-0", "0.000", "0e7", -0.0],
        ["1e-05", 0.00001, ".00001"],
        ["100000", "1e5", 1e5],
        [True, "true", "True "],
    ],
    ids=repr,
)
def test_look_alikes_have_one_form(alike):
    assert len(set(map(fold_value, alike))) == 1


@pytest.mark.parametrize(
    "different",
    [
        ["A+", "A-", "A"],
        ["<7", ">7", "7"],
        ["1.5", "15", "-1.5", "1 5", "1.5.0", "1,5"],
        ["type 2", "type2"],
        ["12345678901234567890123456789012345678901", "12345678901234567890123456789012345678902"],
        [".", "e5", "+", "-", "0"],
        ["1e9999999999", "1e9999999998"],
        [[1, 2], [1, 3]],
    ],
    ids=repr,
)
def test_other_values_have_other_forms(different):
    assert len(set(map(fold_value, different))) == len(different)


def test_numbers_are_text_where_a_type_says_what_they_mean():
    assert fold_text("250") != fold_text("250.0")
    assert fold_text(" Ab ") == fold_text("aB")


LETTERS = st.text("aAäÄ１1０0.- \u00a0eE+ß", max_size=5)


@given(st.one_of(LETTERS, st.integers(-50, 50), st.floats(-9, 9, width=16)), LETTERS)
def test_two_values_are_one_if_and_only_if_their_plain_forms_are(a, b):
    assert (fold_value(a) == fold_value(b)) == (plain_risk.form(a) == plain_risk.form(b))


def test_blanks_and_marks_in_any_spelling_say_nothing():
    values = ["?", " ? ", "", "  ", "\u00a0", "n/a", "-9.0", -9, "9", "N A"]
    flags = flag_unknown(values, ["?", "N/A", "-9"])
    assert flags.tolist() == [True] * 8 + [False] * 2
    assert flag_unknown(values[:2], []).tolist() == [False, False]


@given(st.lists(LETTERS, min_size=1, unique=True))
def test_merged_values_are_the_plain_forms(values):
    codes = np.append(np.arange(len(values)), -1)
    merged, look_alikes = merge_look_alikes(DistinctValues(values, codes))
    forms = list(map(plain_risk.form, values))
    assert merged.codes[-1] == -1
    assert [values.index(merged.values[code]) for code in merged.codes[:-1]] == [
        forms.index(form) for form in forms
    ]
    repeated = [form for form in forms if forms.count(form) > 1]
    assert look_alikes == LookAlikes(len(repeated), len(set(repeated)))

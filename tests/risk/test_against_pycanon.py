"""k, l and t against pycanon, an independent program, on the same random tables.

Where the definitions differ:

- entropy l-diversity: pycanon cuts l to a whole number, here it keeps its decimals. Cutting is not
  safe from rounding: two equally frequent values have l = 2, and pycanon may say 1. So its number
  is ours rounded down, from a hair below or above.
- recursive (c, l)-diversity: pycanon gives a c for the distinct l; here an l is given for a c. Its
  counts are sorted ascending, so that its r_1 is the *rarest* value and its c is not that of
  Machanavajjhala et al.; only l can be compared, which is the distinct one. That one bounds ours
  from above, and is reached where c is large enough. Its c has a test that shows what it is.
- t-closeness: numbers by rank ("ordered"), words with equal distances ("equal"), as here. A column
  with one value divides by zero there; here t is 0.
- enhanced β-likeness: pycanon gives the smaller of the basic β and the greatest -ln p. That is a
  number for every table, also where the paper's condition holds for no β, because a frequent value
  gains more than its own -ln p; there it is infinite here. Where a β holds, both agree.
- δ-disclosure: pycanon leaves out the values that a class lacks, as here. In the paper they make δ
  infinite.
- (α, k): the largest share of any value, in both; Wong et al. also let one value be named.
- several confidential columns: pycanon takes the worst of them; here each has its own figure.
- a missing quasi-identifier: pycanon leaves the record out; here it is a class like another.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycanon import anonymity as pycanon

from method_tables import attribute
from ontomask import risk
from ontomask.microdata.tuples import Transitions, count_tuples

QUASI = ["a", "b"]


@st.composite
def random_tables(draw, least_values=1):
    n = draw(st.integers(2, 40))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = draw(st.integers(least_values, 6))
    table = pd.DataFrame(
        {
            "a": random.integers(0, draw(st.integers(1, 4)), n),
            "b": random.integers(0, draw(st.integers(1, 3)), n),
            "number": np.minimum(random.geometric(0.4, n), values) * 10,
        }
    )
    table["word"] = "w" + table["number"].astype(str)
    return table


def unmasked(table):
    made = [attribute(name, table[name].tolist()) for name in QUASI]
    tuples, place = count_tuples([a for a, _ in made], [codes for _, codes in made])
    every = np.arange(len(tuples))
    return Transitions.from_targets(tuples, tuples.targets(), every), place


def watched(table, column):
    _, classes = unmasked(table)
    values, codes = np.unique(table[column], return_inverse=True)
    key, counts = np.unique(classes * len(values) + codes, return_counts=True)
    return risk.Confidential(column, *np.divmod(key, len(values)), counts)


@given(table=random_tables())
def test_k(table):
    plan, _ = unmasked(table)
    assert risk.k(risk.masked_classes(plan)) == pycanon.k_anonymity(table, QUASI)


@given(table=random_tables())
def test_distinct_l(table):
    found = risk.distinct_diversity(watched(table, "word"))
    assert found == pycanon.l_diversity(table, QUASI, ["word"])


@given(table=random_tables())
def test_entropy_l(table):
    found = risk.entropy_diversity(watched(table, "word"))
    whole = pycanon.entropy_l_diversity(table, QUASI, ["word"])
    assert whole in {int(found - 1e-9), int(found + 1e-9)}


@given(table=random_tables(), c=st.sampled_from([0.5, 1, 3, 1000]))
def test_recursive_l(table, c):
    _, most = pycanon.recursive_c_l_diversity(table, QUASI, ["word"])
    found = risk.recursive_diversity(watched(table, "word"), c)
    assert found <= most
    if c == 1000:  # more than any count here: the rarest value alone is enough
        assert found == most


def test_the_c_of_pycanon_is_not_that_of_the_paper():
    table = pd.DataFrame({"a": [1] * 6, "b": [1] * 6, "word": list("xxxxxy")})
    c, l_distinct = pycanon.recursive_c_l_diversity(table, QUASI, ["word"])
    assert (c, l_distinct) == (1, 2)  # 1 / 5 rounded up
    most, least = Counter(table["word"])["x"], Counter(table["word"])["y"]
    assert not most < c * least  # the paper's condition for l = 2 does not hold
    one = watched(table, "word")
    assert (risk.recursive_diversity(one, c), risk.recursive_diversity(one, 6)) == (1, 2)


@given(table=random_tables())
def test_t_of_words(table):
    found = risk.closeness(watched(table, "word"), "equal")
    assert found == pytest.approx(pycanon.t_closeness(table, QUASI, ["word"]), abs=1e-12)


@given(table=random_tables(least_values=2))
def test_t_of_numbers(table):
    found = risk.closeness(watched(table, "number"), "ordered")
    if table["number"].nunique() == 1:
        assert found == 0
        with pytest.raises(ZeroDivisionError):
            pycanon.t_closeness(table, QUASI, ["number"])
        return
    assert found == pytest.approx(pycanon.t_closeness(table, QUASI, ["number"]), abs=1e-12)


def check_likeness(table, column):
    """α, β and δ are those of pycanon."""
    one = watched(table, column)
    expected = {
        risk.alpha: pycanon.alpha_k_anonymity(table, QUASI, [column])[0],
        risk.basic_beta_likeness: pycanon.basic_beta_likeness(table, QUASI, [column]),
        risk.delta_disclosure: pycanon.delta_disclosure(table, QUASI, [column]),
    }
    for figure, wanted in expected.items():
        assert figure(one) == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    # Theirs of enhanced likeness is the basic one, cut at -ln p of the rarest value.
    rarest = table[column].value_counts(normalize=True).min()
    theirs = pycanon.enhanced_beta_likeness(table, QUASI, [column])
    assert theirs == pytest.approx(min(risk.basic_beta_likeness(one), -np.log(rarest)), abs=1e-12)
    if risk.enhanced_beta_likeness(one) < np.inf:
        assert risk.enhanced_beta_likeness(one) == pytest.approx(theirs, abs=1e-12)


@given(table=random_tables())
def test_alpha_beta_and_delta(table):
    check_likeness(table, "word")


def test_alpha_beta_and_delta_of_adult(data_folder):
    adult = pd.read_csv(data_folder / "adult.csv.gz").sample(2_000, random_state=1)
    table = adult.assign(a=adult["education_num"], b=adult["age"] // 10).fillna("?")
    table = table.reset_index(drop=True)
    for column in ("occupation", "marital_status"):
        check_likeness(table, column)


def test_the_enhanced_beta_of_pycanon_is_a_number_where_none_holds():
    table = pd.DataFrame({"a": [1, 1, 2, 2, 2], "b": [1] * 5, "word": list("xxxxy")})
    # x has 4 of 5 and gains 1/4 in its class, above -ln(4/5) = 0.22
    assert risk.enhanced_beta_likeness(watched(table, "word")) == np.inf
    assert pycanon.enhanced_beta_likeness(table, QUASI, ["word"]) == pytest.approx(2 / 3)


@given(table=random_tables())
def test_several_columns_are_judged_one_by_one(table):
    both = pycanon.l_diversity(table, QUASI, ["word", "number"])
    assert both == min(risk.distinct_diversity(watched(table, c)) for c in ("word", "number"))


def test_a_missing_quasi_identifier_is_left_out_there():
    table = pd.DataFrame({"a": [1, 1, None], "b": [1, 1, 1]})
    assert pycanon.k_anonymity(table, QUASI) == 2
    a, codes = attribute("a", [1, 1, 9])  # here the empty cell is a value of its own
    tuples, _ = count_tuples([a], [codes])
    blank = Transitions.from_targets(tuples, np.array([[1.0], [np.nan]]), np.arange(2))
    assert risk.k(risk.masked_classes(blank)) == 1

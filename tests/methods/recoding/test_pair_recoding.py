"""k^m-anonymity of released sets, counted from the cells by the definition."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
from frame_kinds import rows
from ontomask.errors import ParameterError
from strategies import examples, taxonomies

pytestmark = pytest.mark.filterwarnings("ignore::ontomask.OntomaskWarning")


def count_holders(sets, m):
    """How many records hold each combination of at most m values; a missing set holds none."""
    return Counter(
        chosen
        for names in sets
        for size in range(1, m + 1)
        for chosen in combinations(sorted(names or ()), size)
    )


@examples(30)
@given(
    taxonomy=taxonomies(max_concepts=10),
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(2, 5),
    m=st.integers(1, 3),
)
def test_no_combination_is_rare(taxonomy, seed, k, m):
    random = np.random.default_rng(seed)
    names, size = np.array(taxonomy.identifiers, dtype=object), int(random.integers(k + 2, 40))
    sets = [
        random.choice(names, min(random.integers(1, 5), len(names)), replace=False).tolist()
        for _ in range(size)
    ]
    sets[:2] = [None, []]
    schema = om.Schema([om.NominalSet("dx", taxonomy)], missing="category")
    frame = pa.table({"dx": pa.array(sets, pa.list_(pa.string()))})
    release = om.mask(frame, schema, om.PairRecoding(k=k, m=m), seed=1)
    released = [cell for (cell,) in rows(release.data)]
    assert min(count_holders(released, m).values()) >= k
    assert released[:2] == [None, []]
    for before, after in zip(sets[2:], released[2:], strict=True):
        assert after  # something is said
        assert set(after) <= {above for name in before for above in taxonomy.ancestors(name)}
    assert release.guarantee.k is None
    assert "k^m-anonymity, not k-anonymity" in release.guarantee


def test_people_with_several_records_are_refused(diagnoses):
    table = pd.DataFrame({"dx": ["sprain", "influenza"] * 4, "who": [1, 1, 2, 3, 4, 5, 6, 7]})
    schema = om.Schema([om.NominalSet("dx", diagnoses)], person="who")
    with pytest.raises(ParameterError, match="counts records, but some people have several"):
        om.mask(table, schema, om.PairRecoding(k=2))
    once = table.drop(0)
    release = om.mask(once, schema, om.PairRecoding(k=2), seed=1)
    assert min(Counter(release.data["dx"]).values()) >= 2


def test_what_it_does_not_mask(diagnoses):
    table = pd.DataFrame({"dx": ["sprain", "influenza"] * 4, "age": range(8)})
    schema = om.Schema([om.NominalSet("dx", diagnoses), om.Numeric("age")])
    with pytest.raises(ParameterError, match="and a set, got 'dx', 'age'"):
        om.mask(table, schema, om.PairRecoding(k=2))
    with pytest.raises(ParameterError, match="m must be 1, 2 or 3, got 4"):
        om.PairRecoding(k=2, m=4)


def test_it_is_in_a_release_file(diagnoses, tmp_path):
    from ontomask.releasefile.model import ReleaseFile

    table = pd.DataFrame({"dx": ["sprain;influenza", "sprain;influenza", "sprain;cirrhosis"] * 3})
    table.to_csv(tmp_path / "t.csv", index=False)
    fields = {
        "data": "t.csv",
        "output": "out.csv",
        "columns": {"dx": {"role": "quasi", "type": "set", "taxonomy": "icd9cm"}},
        "method": {"name": "pair_recoding", "k": 3, "m": 1},
    }
    assert ReleaseFile.from_dict(fields, tmp_path).method_object() == om.PairRecoding(k=3, m=1)

"""A small table with rare words, people and a secret seed: none of them may be told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ontomask import mask
from ontomask.releasefile.model import ReleaseFile

SEED = 918273645546372819918273645
CONCEPTS = [f"Zword{place:02}" for place in range(30)]


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with a taxonomy: a tree of thirty concepts."""
    made = tmp_path_factory.mktemp("rare words")
    rows = [f"{name},{CONCEPTS[(place - 1) // 3]}" for place, name in enumerate(CONCEPTS) if place]
    (made / "words.csv").write_text("child,parent\n" + "\n".join(rows) + "\n")
    return made


def spec_of(folder, method, **more):
    return ReleaseFile.from_dict(
        {
            "data": str(folder / "patients.csv"),
            "output": "released.csv",
            "columns": {
                "word": {"role": "quasi", "taxonomy": "words.csv", "mapping": {"Ztypo": "Zword07"}},
                "age": {"role": "quasi", "type": "numeric"},
                "name": {"role": "identifier"},
                "charge": {"role": "confidential", "type": "numeric"},
            },
            "method": method,
            **more,
        },
        folder,
    )


def patients(random, n=60):
    """Words of which some are frequent and many are rare."""
    places = np.minimum(random.geometric(0.25, n), len(CONCEPTS) - 1)
    words = [CONCEPTS[place] for place in places]
    words[0] = "Ztypo"
    return pd.DataFrame(
        {
            "word": words,
            "age": random.integers(20, 90, n),
            "name": [f"Zperson{place:04}" for place in range(n)],
            "charge": random.integers(1, 9, n) * 100,
        }
    )


def released(folder, method=None, seed=1, **more):
    spec = spec_of(folder, method or {"name": "microaggregation", "k": 3}, **more)
    table = patients(np.random.default_rng(seed))
    return mask(table, spec.schema(), spec.method_object(), seed=SEED), spec, table


METHODS_TRIED = [
    {"name": "microaggregation", "k": 3},
    {"name": "microaggregation", "k": 3, "replacement": "synthetic"},
    {"name": "recoding", "k": 4},
    {"name": "resampling", "k": 3},
    {"name": "suppression", "k": 3},
    {"name": "suppression", "k": 2, "how": "drop"},
    {"name": "rank_swapping", "window": 4},
    {"name": "noise_addition", "alpha": 0.3},
]

"""Releases planned in blocks: what they say of it, and when blocks are chosen."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import ontomask as om
from ontomask.errors import BlocksChosenWarning
from ontomask.pipeline.planning import blocks as blocked
from ontomask.pipeline.planning.blocks import choose_block_size
from ontomask.utility import sse

SEED = 2**70 + 3


def table(records=600):
    random = np.random.default_rng(0)
    words = sorted(om.datasets.diagnoses().identifiers)
    return pd.DataFrame(
        {
            "diagnosis": random.choice(words, records),
            "age": random.integers(0, 90, records),
            "outcome": random.integers(0, 4, records),
        }
    )


def schema():
    return om.Schema(
        [om.Nominal("diagnosis", om.datasets.diagnoses()), om.Numeric("age")],
        confidential=["outcome"],
    )


@pytest.mark.parametrize(
    "method",
    [
        om.Microaggregation(3, block=100),
        om.Microaggregation(3, algorithm="mdav", block=100),
        om.Microaggregation(3, l=2, block=100),
        om.Recoding(3, block=100),
        om.Resampling(3, block=100),
    ],
    ids=repr,
)
def test_classes_are_of_k_and_the_release_says_what_blocks_cost(method):
    release = om.mask(table(), schema(), method, SEED)
    sizes = release.data.groupby(["diagnosis", "age"]).size()
    assert sizes.min() >= 3
    assert release.guarantee.k == 3
    cut = release.blocked
    assert cut.size == 100
    assert cut.blocks == len(method.blocks(release.transitions.tuples))
    assert 100 < cut.sample <= len(release.transitions.tuples)
    assert str(cut) in release.cautions
    assert f"planned in {cut.blocks} blocks of up to 100 combinations of values, " in str(cut)


def test_swapping_in_blocks_keeps_the_values():
    release = om.mask(table(), schema(), om.RankSwapping(3, block=100), SEED)
    for column in ("diagnosis", "age"):
        assert sorted(release.data[column]) == sorted(table()[column])
    assert release.blocked.blocks > 2


def test_what_is_said_of_the_loss_is_about_what_it_is():
    """The whole table is the sample here, so it is exactly what it is."""
    method = om.Microaggregation(20, block=60)
    release = om.mask(table(), schema(), method, SEED)
    whole = om.mask(table(), schema(), om.Microaggregation(20), SEED)
    assert release.blocked.sample == len(release.transitions.tuples)
    extra = sse(release.transitions) / sse(whole.transitions) - 1
    assert release.blocked.extra_loss == pytest.approx(extra)
    assert extra > 0


def test_a_table_that_is_planned_as_a_whole_says_nothing():
    assert om.mask(table(), schema(), om.Microaggregation(3), SEED).blocked is None
    release = om.mask(table(), schema(), om.Microaggregation(3, block=10_000), SEED)
    assert release.blocked is None
    assert not any("block" in caution for caution in release.cautions)


def test_a_table_too_large_for_memory_is_planned_in_blocks(monkeypatch):
    monkeypatch.setattr(blocked, "DEFAULT_BLOCK_SIZE", 50)
    monkeypatch.setattr(blocked, "free_memory", lambda: 1000)
    with pytest.warns(BlocksChosenWarning, match="planned in blocks of 50, .* set block"):
        release = om.mask(table(), schema(), om.Microaggregation(3), SEED)
    assert release.blocked.size == 50
    assert release.method == om.Microaggregation(3, block=50)


@pytest.mark.parametrize(
    "method", [om.Microaggregation(3), om.Microaggregation(3, algorithm="mdav"), om.Recoding(3)]
)
def test_a_compared_point_has_the_figures_of_mask_where_blocks_are_chosen(monkeypatch, method):
    monkeypatch.setattr(blocked, "DEFAULT_BLOCK_SIZE", 50)
    monkeypatch.setattr(blocked, "free_memory", lambda: 1000)
    with pytest.warns(BlocksChosenWarning):
        release = om.mask(table(), schema(), method, SEED)
    (point,) = om.compare(table(), schema(), [method], SEED, workers=1).points
    assert point.evaluation == release.evaluation
    assert point.guarantee == release.guarantee
    assert any("planned in blocks of 50" in note for note in point.notes)
    assert point.method == method
    monkeypatch.undo()
    (whole,) = om.compare(table(), schema(), [method], SEED, workers=1).points
    assert whole.loss != point.loss


def test_what_needs_no_blocks_and_what_fits_is_left_alone(monkeypatch):
    tuples = om.mask(table(), schema(), om.Recoding(3), SEED).transitions.tuples
    monkeypatch.setattr(blocked, "DEFAULT_BLOCK_SIZE", 50)
    monkeypatch.setattr(blocked, "free_memory", lambda: 1000)
    for method in (om.NoiseAddition(), om.Suppression(3), om.RankSwapping(3, strategy="fixed")):
        assert choose_block_size(method, tuples) is method
    asked = om.Recoding(3, block=70)
    assert choose_block_size(asked, tuples) is asked
    for free in (10**9, None):
        monkeypatch.setattr(blocked, "free_memory", lambda free=free: free)
        assert choose_block_size(om.Recoding(3), tuples) == om.Recoding(3)


SPEC = """
data: patients.csv
output: released.csv
columns:
  diagnosis: {role: drop}
  age: {role: quasi, type: numeric}
  outcome: {role: confidential}
method: {name: microaggregation, k: 3, block: BLOCK}
"""


@pytest.mark.parametrize("size", [20, 100])
def test_a_release_file_may_ask_for_blocks(tmp_path, size):
    table().to_csv(tmp_path / "patients.csv", index=False)
    (tmp_path / "release.yaml").write_text(SPEC.replace("BLOCK", str(size)), encoding="utf-8")
    om.run_release_file(tmp_path / "release.yaml", seed=SEED)
    said = json.loads((tmp_path / "released.manifest.json").read_text("utf-8"))
    page = (tmp_path / "released.report.html").read_text("utf-8")
    assert said["method"]["settings"]["block"] == size
    if size == 100:  # there are fewer ages than that
        assert said["blocks"] is None
        assert "blocks" not in page
    else:
        assert said["blocks"]["size"] == 20
        assert said["blocks"]["blocks"] > 2
        assert "blocks of up to 20 combinations of values" in page

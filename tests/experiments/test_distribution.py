"""The experiments are for those who have the source: in the sdist, not in the wheel."""

from __future__ import annotations

from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("builder", "included"), [(SdistBuilder, True), (WheelBuilder, False)])
def test_experiments_are_in_the_sdist_only(builder, included):
    paths = [file.relative_path for file in builder(str(ROOT)).recurse_included_files()]
    assert any(path.endswith("ontomask/__init__.py") for path in paths)
    assert ("experiments/templates/reproduce.html" in paths) is included
    assert any(path.startswith("experiments/") for path in paths) is included

"""Old names give the new ones, with a warning."""

from __future__ import annotations

import importlib

import pytest

import ontomask as om

RENAMED = [
    ("ontomask.distances", "Measure", "DistanceMeasure"),
    ("ontomask.risk", "Measure", "FigureDescription"),
    ("ontomask.utility", "Measure", "FigureDescription"),
]


@pytest.mark.parametrize(("module", "old", "new"), RENAMED)
def test_an_old_name_gives_the_new_one_with_a_warning(module, old, new):
    namespace = importlib.import_module(module)
    with pytest.warns(
        DeprecationWarning, match=f"{module}.{old} is deprecated: use {module}.{new}"
    ):
        assert getattr(namespace, old) is getattr(namespace, new)


def test_a_name_that_never_was_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Measures'"):
        om.risk.Measures  # noqa: B018

"""Experiments as one HTML page that needs nothing else: tables, charts, notes."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.chart import panels
from experiments.experiment import Outcome
from experiments.text import better_when, data_name
from ontomask._version import __version__
from ontomask.report import pages

__all__ = ["page"]


def page(outcomes: Sequence[Outcome], source: str, quick: bool = False) -> str:
    """The page of some experiments that were run on data of some source."""
    return pages.render_page(
        "reproduce.html",
        outcomes=outcomes,
        source=data_name(source),
        quick=quick,
        version=__version__,
        panels=panels,
        better_when=better_when,
    )

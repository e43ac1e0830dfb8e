"""Experiments as a self-contained HTML page with tables, charts and notes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.chart import panels
from experiments.experiment import Outcome
from experiments.text import better_when, data_name
from ontomask._version import __version__
from ontomask.report.pages import render_page

__all__ = ["page"]

TEMPLATES = Path(__file__).with_name("templates")


def page(outcomes: Sequence[Outcome], source: str, quick: bool = False) -> str:
    """Render the page of some experiments; ``source`` names the data."""
    return render_page(
        "reproduce.html",
        TEMPLATES,
        outcomes=outcomes,
        source=data_name(source),
        quick=quick,
        version=__version__,
        panels=panels,
        better_when=better_when,
    )

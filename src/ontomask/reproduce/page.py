"""Experiments as one HTML page that needs nothing else: tables, charts, notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from ontomask.reproduce.chart import COLOURS, chart
from ontomask.reproduce.experiment import Cell, Outcome, Result, Row
from ontomask.reproduce.text import better_when, data_name

__all__ = ["page"]


def _colours(theme: str) -> str:
    return " ".join(f"--line-{place}: {c};" for place, c in enumerate(COLOURS[theme]))


STYLE = f"""
:root {{ color-scheme: light dark; --page: #fff; --ink: #1b1b1b; --soft: #5c5c5c; --rule: #d9d9d9;
  {_colours("light")} }}
@media (prefers-color-scheme: dark) {{ :root {{ --page: #16181c; --ink: #e8e8e8; --soft: #a6a6a6;
  --rule: #3a3d44; {_colours("dark")} }} }}
@media print {{ :root {{ --page: #fff; --ink: #000; --soft: #444; --rule: #bbb;
  {_colours("light")} }} nav {{ display: none; }} figure, tr {{ break-inside: avoid; }}
  h2, h3 {{ break-after: avoid; }} }}
body {{ background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.6rem; }} h2 {{ font-size: 1.3rem; margin-top: 3rem; }}
h3 {{ font-size: 1rem; margin-top: 2rem; }}
a {{ color: inherit; }} .soft, .printed, li {{ color: var(--soft); }}
nav ul {{ columns: 2; }} .wide {{ overflow-x: auto; }}
figure {{ margin: 1rem 0; }} svg {{ width: 100%; height: auto; }}
svg text {{ fill: var(--soft); font: 13px system-ui, sans-serif; }}
svg polyline {{ stroke-width: 2; }} .grid {{ stroke: var(--rule); }}
.zero {{ stroke: var(--soft); }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }}
th, td {{ padding: .2rem .7rem; text-align: right; border-top: 1px solid var(--rule); }}
th {{ font-weight: 600; }} thead th {{ border-top: 0; }}
th:first-child {{ text-align: left; padding-left: 0; }}
.printed th, .printed td {{ border-top: 0; font-weight: 400; font-style: italic; }}
.printed th:first-child {{ padding-left: 1rem; }}
"""


def page(outcomes: Sequence[Outcome], source: str, quick: bool = False) -> str:
    """The page of some experiments that were run on data of some source."""
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>The papers' experiments</title>\n<style>{STYLE}</style>\n</head>\n<body>",
            "<h1>The papers' experiments</h1>",
            *_head(outcomes, source, quick),
            *(part for outcome in outcomes for part in _outcome(outcome)),
            "</body>\n</html>\n",
        ]
    )


def _head(outcomes: Sequence[Outcome], source: str, quick: bool) -> Iterator[str]:
    small = " These are small samples, for a try: figures are not the papers'." if quick else ""
    yield (
        f"<p>Run by ontomask on {escape(data_name(source))}. The papers used other data, so it is "
        f"the shape that should agree, and rarely the digits.{small} Dashed lines and lines in "
        "italics are what the papers print.</p>"
    )
    yield "<nav><ul>"
    for experiment in (outcome.experiment for outcome in outcomes):
        link = f'<a href="#{escape(experiment.name)}">{escape(experiment.name)}</a>'
        yield f"<li>{link}: {escape(experiment.title)}</li>"
    yield "</ul></nav>"


def _outcome(outcome: Outcome) -> Iterator[str]:
    experiment = outcome.experiment
    yield f'<section id="{escape(experiment.name)}">'
    yield f"<h2>{escape(experiment.title)}</h2>"
    yield f'<p class="soft">{escape(experiment.name)}, {outcome.seconds:.1f} s</p>'
    for result in outcome.results:
        yield from _result(result)
    yield "</section>"


def _result(result: Result) -> Iterator[str]:
    direction = better_when(result)
    yield f"<h3>{escape(result.title)}</h3>"
    if direction:
        yield f'<p class="soft">{escape(direction)}</p>'
    if drawing := chart(result):
        yield f"<figure>{drawing}</figure>"
    yield '<div class="wide"><table>'
    yield f"<thead>{_line(result, result.across, result.columns, 'th')}</thead><tbody>"
    for row in result.rows:
        yield from _row(result, row)
    yield "</tbody></table></div>"
    if result.notes:
        yield "<ul>" + "".join(f"<li>{escape(note)}</li>" for note in result.notes) + "</ul>"


def _row(result: Result, row: Row) -> Iterator[str]:
    yield _line(result, row.label, row.ours)
    if row.printed is not None:
        yield _line(result, "printed", row.printed, kind=' class="printed"')


def _line(
    result: Result, label: str, cells: Sequence[Cell], tag: str = "td", kind: str = ""
) -> str:
    written = "".join(f"<{tag}>{escape(result.shown(cell))}</{tag}>" for cell in cells)
    return f"<tr{kind}><th>{escape(label)}</th>{written}</tr>"

"""Tables as text, as charts and as a page: complete, escaped, and in need of nothing else."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

from ontomask.reproduce.chart import COLOURS, chart
from ontomask.reproduce.experiment import Experiment, Outcome, Result, Row
from ontomask.reproduce.page import page
from ontomask.reproduce.text import outcome_text, result_text

VOID = {"meta", "br", "link", "img"}

TABLE = Result(
    "Error <of> & all",
    "k",
    (2, 5, 10),
    [
        Row("semantic", (1.0, 2.0, 3.456), (1.1, None, 3)),
        Row("classic", (1200.5, None, 1300.0)),
        Row("mean", ("employee", "employee", "craftsman")),
    ],
    better="lower",
    notes=('A note with "quotes" & <b>',),
)


def outcome(*results):
    return Outcome(Experiment("xx-table-1", "XX", "A & B", lambda *_: []), results, 1.25)


class Wellformed(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.links = [], [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        self.links += [v for name, v in attributes if name in ("href", "src")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parsed(text):
    reader = Wellformed()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def read(drawing):
    return ET.fromstring(drawing)  # noqa: S314 - it is our own


def test_a_page_is_complete_and_needs_nothing_else():
    text = page([outcome(TABLE), outcome(TABLE)], "discharges")
    reader = parsed(text)
    assert reader.seen.count("table") == reader.seen.count("svg") == 2
    assert set(reader.links) == {"#xx-table-1"}
    for word in ("http", "//", "<script", "@import", "url("):
        assert word not in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


def test_everything_on_a_page_is_escaped():
    text = page([outcome(TABLE)], "<source>")
    assert "Error &lt;of&gt; &amp; all" in text
    assert "<b>" not in text
    assert "<of>" not in text
    assert "&lt;source&gt;" in text


def test_a_page_says_what_is_a_try():
    assert "small samples" in page([outcome(TABLE)], "diabetes", quick=True)
    assert "small samples" not in page([outcome(TABLE)], "diabetes")


def test_a_chart_has_a_point_for_every_figure():
    small = Result("t", "k", (2, 5, 10), [Row("a", (1.0, None, 3.0), (1.0, 2.0, 2.5))])
    drawing = read(chart(small))
    points = [it for it in drawing.iter() if it.find("title") is not None]
    assert [point.find("title").text for point in points] == [
        "a, k 2: 1.00",
        "a, k 10: 3.00",
        "a, printed, k 2: 1.00",
        "a, printed, k 5: 2.00",
        "a, printed, k 10: 2.50",
    ]
    dashed = [it for it in drawing.iter("polyline") if it.get("stroke-dasharray")]
    assert len(dashed) == 2  # the line, and its sample in the legend


def test_words_are_not_drawn():
    assert chart(Result("t", "k", (2, 5), [Row("a", ("x", "y"))])) == ""
    assert "craftsman" not in chart(TABLE)


def test_printed_figures_of_another_scale_are_left_to_the_table():
    def drawn(printed):
        return chart(Result("t", "k", (2, 5), [Row("a", (1.0, 2.0), printed)]))

    assert "printed" in drawn((1.0, 3.0))
    assert "printed" not in drawn((1000.0, 3000.0))


@pytest.mark.parametrize(
    "figures", [(0.0, 0.0), (5, 5), (-3.0, 4.0), (1e-9, 2e-9), (1e9, 2e9), (-2.0, -2.0)]
)
def test_points_stay_inside_the_drawing(figures):
    drawing = read(chart(Result("t", "k", (2, 5), [Row("a", figures)])))
    for point in drawing.iter("circle"):
        assert 0 < float(point.get("cx")) < 760
        assert 0 < float(point.get("cy")) < 360


def test_one_column_or_words_as_columns_make_points():
    for columns in ((2,), ("a", "b"), (5, 2)):
        drawing = read(chart(Result("t", "x", columns, [Row("r", (1.0,) * len(columns))])))
        assert len([it for it in drawing.iter() if it.find("title") is not None]) == len(columns)


def contrast(first, second):
    """WCAG 2's contrast ratio."""

    def light(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(first), light(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_lines_can_be_seen_in_light_and_in_dark():
    for theme, background in (("light", "#ffffff"), ("dark", "#16181c")):
        assert all(contrast(colour, background) >= 3 for colour in COLOURS[theme])


def test_a_table_as_text():
    lines = result_text(TABLE).splitlines()
    assert lines[0] == "  Error <of> & all (better when lower)"
    assert lines[1].split() == ["k", "2", "5", "10"]
    assert lines[2].split() == ["semantic", "1.00", "2.00", "3.46"]
    assert lines[3].split() == ["printed", "1.10", "-", "3"]
    assert lines[4].split() == ["classic", "1,200.50", "-", "1,300.00"]
    assert len({len(line) for line in lines[1:6]}) == 1
    assert lines[-1] == '  * A note with "quotes" & <b>'
    assert outcome_text(outcome(TABLE)).startswith("xx-table-1 (1.2 s): A & B\n\n  Error")


def test_no_minus_zero():
    assert TABLE.shown(-0.001) == "0.00"
    assert TABLE.shown(-0.01) == "-0.01"

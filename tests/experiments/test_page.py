"""Tables as text, as charts and as a page: complete, escaped, and in need of nothing else."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest

from experiments.chart import panels
from experiments.experiment import Experiment, Outcome, Result, Row
from experiments.page import page
from experiments.text import outcome_text, result_text
from ontomask.report.drawing.colours import PAGE_COLOURS

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
    assert reader.seen.count("table") == 2
    assert reader.seen.count("svg") == 4  # ours and the paper's
    assert set(reader.links) == {"#main", "#xx-table-1"}
    for word in ("http:", "https:", "@import", "url(", "onclick"):
        assert word not in text
    assert "default-src 'none'" in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_opens_alone_and_shows_every_result(opened, tmp_path, scheme):
    alone = Result("alone", "k", (2, 5), [Row("a", (1.0, 2.0))])
    words = Result("words", "k", (2, 5), [Row("a", ("x", "y"))])
    file = tmp_path / "papers.html"
    file.write_text(page([outcome(TABLE, alone, words)], "discharges"), encoding="utf-8")
    seen = opened(file, color_scheme=scheme)
    assert (seen.requests, seen.errors) == ([], [])
    charts = [it.get_attribute("aria-label") for it in seen.page.query_selector_all("svg")]
    other = "the paper, on its own scale"
    assert charts == [f"{TABLE.title}: ours", f"{TABLE.title}: {other}", "alone"]
    ours, paper = (it.bounding_box() for it in seen.page.query_selector_all(".side figure"))
    assert ours["y"] == paper["y"]
    assert ours["x"] + ours["width"] <= paper["x"]
    assert (
        seen.page.locator("tr.printed th").evaluate("it => getComputedStyle(it).fontStyle")
        == "italic"
    )
    ground = PAGE_COLOURS[scheme]["page"]
    shown = ", ".join(str(int(ground[i : i + 2], 16)) for i in (1, 3, 5))
    assert seen.page.evaluate("getComputedStyle(document.body).backgroundColor") == f"rgb({shown})"


def test_a_page_never_scrolls_sideways(opened, tmp_path):
    wide = Result("t" * 90, "k", range(2, 40), [Row("a long name " * 4, [1234.5] * 38)])
    file = tmp_path / "papers.html"
    file.write_text(page([outcome(wide, TABLE)], "discharges"), encoding="utf-8")
    for width in (1280, 400):
        seen = opened(file, viewport={"width": width, "height": 800})
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width


def test_everything_on_a_page_is_escaped():
    text = page([outcome(TABLE)], "<source>")
    assert "Error &lt;of&gt; &amp; all" in text
    assert "<b>" not in text
    assert "<of>" not in text
    assert "&lt;source&gt;" in text


def test_a_page_says_what_is_a_try():
    assert "small samples" in page([outcome(TABLE)], "diabetes", quick=True)
    assert "small samples" not in page([outcome(TABLE)], "diabetes")


def told(panel):
    """What the points of a drawing say when they are pointed at."""
    return [
        it.find("title").text for it in read(panel.drawing).iter() if it.find("title") is not None
    ]


def test_a_chart_has_a_point_for_every_figure():
    ours, paper = panels(
        Result(
            "t", "k", (2, 5, 10), [Row("a", (1.0, None, 3.0), (1.0, 2.0, 2.5)), Row("b", (4, 5, 6))]
        )
    )
    assert (ours.caption, paper.caption) == ("ours", "the paper")
    assert told(ours) == ["a, k 2: 1.00", "a, k 10: 3.00", "b, k 2: 4", "b, k 5: 5", "b, k 10: 6"]
    assert told(paper) == [
        "a, published, k 2: 1.00",
        "a, published, k 5: 2.00",
        "a, published, k 10: 2.50",
    ]
    dashed = [
        [it for it in read(panel.drawing).iter("polyline") if it.get("stroke-dasharray")]
        for panel in (ours, paper)
    ]
    assert [*map(len, dashed)] == [0, 2]  # the line, and its sample in the legend


def test_a_row_has_one_colour_in_both_charts():
    rows = [Row("a", (1.0, 2.0)), Row("b", ("x", "y")), Row("c", (2.0, 3.0), (2.5, 3.5))]
    drawings = [read(panel.drawing) for panel in panels(Result("t", "k", (2, 5), rows))]
    colours = [[it.get("stroke") for it in drawing.iter("polyline")] for drawing in drawings]
    assert colours[0][1] == colours[1][0] != colours[0][0]


def test_words_are_not_drawn():
    assert panels(Result("t", "k", (2, 5), [Row("a", ("x", "y"))])) == []
    assert not any("craftsman" in panel.drawing for panel in panels(TABLE))


def test_where_nothing_is_printed_ours_stands_alone():
    (only,) = panels(Result("t", "k", (2, 5), [Row("a", (1.0, 2.0), (None, "-"))]))
    assert only.caption == ""
    assert "published" not in only.drawing


def test_one_scale_for_both_unless_one_would_be_flat():
    def scales(printed):
        ours, paper = panels(Result("t", "k", (2, 5), [Row("a", (1.0, 2.0), printed)]))
        return [
            [it.text for it in read(panel.drawing).iter("text") if it.get("text-anchor") == "end"]
            for panel in (ours, paper)
        ], paper.caption

    (ours, paper), caption = scales((1.0, 7.0))
    assert ours == paper == ["0", "2", "4", "6", "8"]
    assert caption == "the paper"
    (ours, paper), caption = scales((1000.0, 7000.0))
    assert (ours[-1], paper[-1]) == ("2", "8,000")
    assert caption == "the paper, on its own scale"
    assert scales((0.0, 0.0))[1] == "the paper, on its own scale"


@pytest.mark.parametrize(
    "figures", [(0.0, 0.0), (5, 5), (-3.0, 4.0), (1e-9, 2e-9), (1e9, 2e9), (-2.0, -2.0)]
)
def test_points_stay_inside_the_drawing(figures):
    (panel,) = panels(Result("t", "k", (2, 5), [Row("a", figures)]))
    drawing = read(panel.drawing)
    points = [*drawing.iter("circle")]
    assert len(points) == 3  # and the sample in the legend
    for point in points:
        assert 0 < float(point.get("cx")) < float(drawing.get("width"))
        assert 0 < float(point.get("cy")) < float(drawing.get("height"))


def test_one_column_or_words_as_columns_make_points():
    for columns in ((2,), ("a", "b"), (5, 2)):
        (panel,) = panels(Result("t", "x", columns, [Row("r", (1.0,) * len(columns))]))
        assert len(told(panel)) == len(columns)


def test_a_table_as_text():
    lines = result_text(TABLE).splitlines()
    assert lines[0] == "  Error <of> & all (lower is better)"
    assert lines[1].split() == ["k", "2", "5", "10"]
    assert lines[2].split() == ["semantic", "1.00", "2.00", "3.46"]
    assert lines[3].split() == ["published", "1.10", "-", "3"]
    assert lines[4].split() == ["classic", "1,200.50", "-", "1,300.00"]
    assert len({len(line) for line in lines[1:6]}) == 1
    assert lines[-1] == '  * A note with "quotes" & <b>'
    assert outcome_text(outcome(TABLE)).startswith("xx-table-1 (1.2 s): A & B\n\n  Error")


def test_no_minus_zero():
    assert TABLE.format_cell(-0.001) == "0.00"
    assert TABLE.format_cell(-0.01) == "-0.01"

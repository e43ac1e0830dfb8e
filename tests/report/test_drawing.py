"""Drawings say what they were given: places in proportion, gaps as gaps, text as text."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.lines import Series, draw_lines
from ontomask.report.drawing.bars import Bar, Pair, draw_bars, draw_paired_bars
from ontomask.report.drawing.colours import CONTRAST_TURN, LINE_COLOURS, PAGE_COLOURS
from ontomask.report.drawing.heatmap import draw_heatmap
from ontomask.report.drawing.svg import LETTER, axis_ticks, shorten_text

NASTY = "<script>alert('\"&')</script>"
NUMBERS = st.floats(-1e6, 1e6).filter(lambda v: v == 0 or abs(v) > 1e-3)


def read(drawing):
    """The drawing as XML without name spaces, after what holds for every drawing."""
    root = ET.fromstring(drawing)  # noqa: S314 - it is our own
    assert root.tag == "svg"
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert not [it for it in root.iter() if it.get("id") or it.tag == "script"]
    return root


def told(root):
    """What can be pointed at, by what it says then."""
    return {it.find("title").text: it for it in root.iter() if it.find("title") is not None}


def words(root):
    return ["".join(it.itertext()) for it in root.iter("text")]


def centre(marker):
    """Where a circle stands."""
    return float(marker.get("cx")), float(marker.get("cy"))


def size(root):
    return float(root.get("width")), float(root.get("height"))


def in_proportion(places, values):
    """Whether places are a straight line over values: the same step for the same difference."""
    (low, first), (high, last) = (pick(zip(values, places, strict=True)) for pick in (min, max))
    slope = (last - first) / ((high - low) or 1)
    for place, value in zip(places, values, strict=True):
        expected = first + slope * (value - low)
        assert place == pytest.approx(expected, abs=0.11)  # places have one decimal


# lines


def test_points_of_a_line_are_in_proportion_both_ways():
    x, y = [2, 3, 5, 10, 40], [0.5, 4, 1.25, 3, 9]
    points = [*map(centre, told(read(draw_lines("t", x, [Series("a", y)], across="k"))).values())]
    in_proportion([p[0] for p in points], x)
    in_proportion([p[1] for p in points], y)
    assert points[-1][1] < points[0][1]  # more is higher


def labelled(root, anchor):
    """Where the words of an axis stand."""
    found = [it for it in root.iter("text") if it.get("text-anchor") == anchor]
    return {it.text: (float(it.get("x")), float(it.get("y"))) for it in found}


def test_points_and_bars_agree_with_the_axes():
    root = read(draw_lines("t", [2, 5, 10], [Series("a", [1, 3, 2])]))
    for (x, y), across, up in zip(
        map(centre, told(root).values()), ("2", "5", "10"), ("1", "3", "2"), strict=True
    ):
        assert labelled(root, "middle")[across][0] == x
        assert labelled(root, "end")[up][1] == pytest.approx(y + 4)  # the middle of its letters
    root = read(draw_paired_bars("t", [Pair("p", 20, 40)]))
    for value, bar in zip(("20", "40"), told(root).values(), strict=True):
        top = float(bar.get("y"))
        assert labelled(root, "end")[value][1] == pytest.approx(top + 4)
        assert abs(labelled(root, "middle")["p"][0] - float(bar.get("x"))) < 60


def test_markers_say_series_place_and_value():
    drawn = draw_lines("t", [2, 5], [Series("a", [1, 0.25]), Series("b", [None, 3])], across="k")
    assert [*told(read(drawn))] == ["a, k 2: 1", "a, k 5: 0.250", "b, k 5: 3"]
    own = Series("a", [1.0, 2.0], tooltip=["one", "two"])
    assert [*told(read(draw_lines("t", [2, 5], [own])))] == ["one", "two"]


def test_a_gap_parts_the_line():
    root = read(draw_lines("t", [1, 2, 3, 4, 5, 6], [Series("", [1, 2, None, 4, 5, float("nan")])]))
    assert [len(line.get("points").split()) for line in root.iter("polyline")] == [2, 2]
    assert len([*root.iter("circle")]) == 4


@pytest.mark.parametrize("x", [["a", "b", "c"], [5, 2, 9], [1, 1, 2]])
def test_nothing_joins_words_or_numbers_out_of_order(x):
    root = read(draw_lines("t", x, [Series("a", [1, 2, 3])]))
    assert not [*root.iter("polyline")]
    across = [centre(it)[0] for it in told(root).values()]
    in_proportion(across, [0, 1, 2])


def test_series_may_have_places_of_their_own():
    series = [Series("a", [3, 1], x=[10, 40]), Series("b", [4], x=[25], colour=0)]
    points = [*map(centre, told(read(draw_lines("t", (), series, across="loss"))).values())]
    in_proportion([p[0] for p in points], [10, 40, 25])
    assert "loss 25: 4" in [*told(read(draw_lines("t", (), series, across="loss")))][-1]


def test_one_span_is_one_scale():
    def heights(values, span):
        return [
            centre(it)[1]
            for it in told(read(draw_lines("t", [1, 2], [Series("", values)], span=span))).values()
        ]

    span = (0.5, 40)
    in_proportion(heights([0.5, 2], span) + heights([8, 40], span), [0.5, 2, 8, 40])
    assert heights([0.5, 2], None) != heights([0.5, 2], span)


def test_dashes_and_hollow_markers():
    root = read(
        draw_lines("t", [1, 2], [Series("a", [1, 2]), Series("b", [2, 1], colour=0, dashed=True)])
    )
    dashed = [line.get("stroke-dasharray") is not None for line in root.iter("polyline")]
    assert dashed == [False, True, False, True]  # the lines, and their samples in the legend
    fills = [it.get("fill") for it in told(root).values()]
    assert fills == ["var(--line-0)"] * 2 + ["var(--page)"] * 2


def test_without_numbers_there_is_no_drawing():
    assert draw_lines("t", [1, 2], [Series("a", [None, float("inf")])]) == ""
    assert (
        draw_lines("t", [], [])
        == draw_bars("t", [])
        == draw_paired_bars("t", [])
        == draw_heatmap("t", [], [])
        == ""
    )


@given(st.lists(NUMBERS, min_size=1, max_size=6))
def test_points_stay_inside_the_drawing_whatever_the_values(values):
    root = read(draw_lines("t", [*range(len(values))], [Series("a", values)]))
    (width, height), points = size(root), [*map(centre, told(root).values())]
    assert len(points) == len(values)
    assert all(0 < x < width and 0 < y < height for x, y in points)
    in_proportion([p[1] for p in sorted(points)], values)


@given(st.lists(NUMBERS, min_size=1, max_size=6))
def test_the_axis_encloses_the_values_in_few_equal_steps(values):
    found = axis_ticks(values)
    slack = (found[-1] - found[0]) * 1e-6
    assert found[0] - slack <= min(values) <= max(values) <= found[-1] + slack
    assert 2 <= len(found) <= 9
    in_proportion(found, [*range(len(found))])


def test_numbers_below_the_axis_do_not_touch():
    root = read(draw_lines("t", [1, 2, 3, *range(1000, 3000, 7)], [Series("", [1.0] * 289)]))
    below = [it for it in root.iter("text") if it.get("text-anchor") == "middle" and it.text]
    ends = [(float(it.get("x")), LETTER * len(it.text) / 2) for it in below]
    assert all(b - q > a + p for (a, p), (b, q) in pairwise(ends))


# bars


def test_paired_bars_are_as_high_as_their_values():
    root = read(draw_paired_bars("t", [Pair("a", 10, 40), Pair("b", 0, 25)], up="records"))
    heights = {name: float(it.get("height")) for name, it in told(root).items()}
    assert [*heights] == ["a, original: 10", "a, masked: 40", "b, original: 0", "b, masked: 25"]
    in_proportion([*heights.values()], [10, 40, 0, 25])
    assert heights["b, original: 0"] == 0
    bottoms = {float(it.get("y")) + float(it.get("height")) for it in told(root).values()}
    assert max(bottoms) - min(bottoms) < 0.11


def test_withheld_is_an_outline_that_tells_nothing():
    def outlines_of(other):
        root = read(draw_paired_bars("t", [Pair("a", None, None), Pair("b", other, None)]))
        outlines = [it for it in told(root).values() if it.get("fill") == "none"]
        assert words(root).count("withheld") == 2  # one for both of a, one for b
        return [(it.get("height"), it.find("title").text) for it in outlines]

    assert outlines_of(3) == outlines_of(30000)
    assert [name for _, name in outlines_of(3)] == [
        "a, original: withheld",
        "a, masked: withheld",
        "b, masked: withheld",
    ]


def test_very_small_bars_can_be_seen():
    drawn = told(read(draw_paired_bars("t", [Pair("a", 1, 1e6)])))
    assert float(drawn["a, original: 1"].get("height")) > 1
    assert float(told(read(draw_bars("t", [Bar("a", 1), Bar("b", 1e6)])))["a: 1"].get("width")) > 1


def test_horizontal_bars_are_as_long_as_their_values():
    rows = [Bar("a", 8), Bar("b", 2), Bar("c", 0), Bar("d", None), Bar("e", 5, "five of them")]
    root = read(draw_bars("t", rows))
    lengths = {name: float(it.get("width")) for name, it in told(root).items()}
    assert [*lengths] == ["a: 8", "b: 2", "c: 0", "d: withheld", "five of them"]
    in_proportion([*lengths.values()], [8, 2, 0, 0, 5])
    assert words(root) == ["a", "8", "b", "2", "c", "0", "d", "withheld", "e", "5"]


def test_a_long_name_keeps_its_ends_and_is_whole_when_pointed_at():
    long = "disorders of the nervous system and of the sense organs, " * 3 + "unspecified"
    for drawing in (
        draw_bars("t", [Bar(long, 1)]),
        draw_heatmap("t", [long, "b"], [[1, 0], [0, 1]]),
    ):
        root = read(drawing)
        names = [it for it in root.iter("text") if it.find("title") is not None]
        assert names
        for it in names:
            assert it.find("title").text == long
            seen = it.find("title").tail
            assert seen.startswith("disorder")
            assert seen.endswith("unspecified"[-8:])
            assert LETTER * len(seen) < size(root)[0]


@given(st.text(max_size=40), st.integers(1, 30))
def test_shortened_is_never_longer_than_asked(text, letters):
    short = shorten_text(text, letters)
    assert len(short) <= letters
    assert (short == text) == (len(text) <= letters) or text == "…"


# heat map


def test_squares_are_in_rows_and_columns_with_their_values():
    table = [[1, 0.256, None], [0.256, 1, 0], [None, 0, 1]]
    root = read(draw_heatmap("t", ["a", "b", "c"], table))
    squares = {it.find("title").text: it for it in root.iter("g")}
    assert [*squares][:4] == ["a, a: 1", "a, b: .26", "a, c: withheld", "b, a: .26"]
    assert [it.find("text").text for it in squares.values()][3:] == [".26", "1", "0", "–", "0", "1"]
    rect = squares["a, b: .26"].find("rect")
    assert "var(--high) 25.6%" in rect.get("style")
    x = [float(it.find("rect").get("x")) for it in squares.values()]
    assert x[:3] == x[3:6] == sorted(set(x))


@pytest.mark.parametrize("many", [1, 2, 5, 24])
def test_a_heat_map_fits_a_page_and_its_figures_fit_the_squares(many):
    names = [f"column_{place}_of_the_table" for place in range(many)]
    root = read(draw_heatmap("t", names, [[0.25] * many] * many))
    assert max(size(root)) < 1112  # the width of a page
    sides = {float(it.get("width")) for it in root.iter("rect")}
    assert len(sides) == 1
    assert sides.pop() > LETTER * len(".25")
    for it in root.iter("rect"):
        assert float(it.get("x")) + float(it.get("width")) <= size(root)[0]
        assert float(it.get("y")) + float(it.get("height")) <= size(root)[1]


def parts(colour):
    return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def contrast(first, second):
    """WCAG 2's contrast ratio."""

    def light(colour):
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in colour]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(first), light(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_figure_of_a_heat_map_can_be_read(theme):
    colours = {name: parts(colour) for name, colour in PAGE_COLOURS[theme].items()}
    for share in (place / 200 for place in range(201)):
        pairs = zip(colours["low"], colours["high"], strict=True)
        square = [low + (high - low) * share for low, high in pairs]
        over = colours["on-high" if share > CONTRAST_TURN else "on-low"]
        assert contrast(over, square) >= 4.5, share  # WCAG 2's demand on text


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_bars_and_words_can_be_seen(theme):
    page = parts(PAGE_COLOURS[theme]["page"])
    for colour in (
        *LINE_COLOURS[theme],
        PAGE_COLOURS[theme]["before"],
        PAGE_COLOURS[theme]["after"],
    ):
        assert contrast(parts(colour), page) >= 3  # its demand on drawings
    for name in ("ink", "soft", "accent", "good", "bad"):
        assert contrast(parts(PAGE_COLOURS[theme][name]), page) >= 4.5
        assert (
            contrast(parts(PAGE_COLOURS[theme][name]), parts(PAGE_COLOURS[theme]["panel"])) >= 4.5
        )


# text is text


@pytest.mark.parametrize(
    "drawing",
    [
        draw_lines(NASTY, [NASTY, "b"], [Series(NASTY, [1, 2])], across=NASTY, up=NASTY),
        draw_lines(
            NASTY, [1, 2], [Series("a", [1, 2], tooltip=[NASTY, "b"])], ticks=lambda _: NASTY
        ),
        draw_paired_bars(
            NASTY, [Pair(NASTY, 1, None)], names=(NASTY, NASTY), across=NASTY, up=NASTY
        ),
        draw_paired_bars(NASTY, [Pair(NASTY, 1, 2)] * 30, shown=lambda _: NASTY),
        draw_bars(NASTY, [Bar(NASTY, 1, NASTY), Bar(NASTY * 9, None)], shown=lambda _: NASTY),
        draw_heatmap(NASTY, [NASTY, NASTY * 9], [[1, None], [None, 1]], shown=lambda _: NASTY),
    ],
)
def test_text_from_data_stays_text(drawing):
    root = read(drawing)  # which finds no script
    assert root.get("aria-label") == NASTY
    assert "<script" not in drawing
    assert NASTY in "".join(root.itertext())


# in a browser


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_heat_map_is_coloured_by_its_values(opened, tmp_path, scheme):
    from ontomask.report.pages.render import render_page

    (tmp_path / "base.html").write_text(
        render_page("base.html").replace(
            '<main id="main">',
            '<main id="main">' + draw_heatmap("t", ["a", "b"], [[1, 0], [0, 0.5]]),
        ),
        encoding="utf-8",
    )
    seen = opened(tmp_path / "base.html", color_scheme=scheme)
    assert (seen.requests, seen.errors) == ([], [])
    fills = seen.page.eval_on_selector_all(
        "rect", "them => them.map(it => getComputedStyle(it).fill)"
    )
    ends = [
        f"color(srgb {' '.join(f'{p:.6g}' for p in parts(PAGE_COLOURS[scheme][name]))})"
        for name in ("high", "low")
    ]
    assert fills[:2] == ends
    assert len(set(fills)) == 3

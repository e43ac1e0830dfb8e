"""The browser that pages are tested in does notice what it is there to notice."""

from __future__ import annotations


def test_requests_and_errors_are_written_down(opened, tmp_path):
    bad = tmp_path / "bad.html"
    bad.write_text(
        '<!doctype html><link rel="stylesheet" href="https://example.org/a.css">'
        '<img src="beside.png" alt=""><script>console.warn("careful"); missing();</script>'
    )
    seen = opened(bad)
    beside = (tmp_path / "beside.png").as_uri()
    assert sorted(seen.requests) == [beside, "https://example.org/a.css"]
    assert any("careful" in it for it in seen.errors)
    assert any("missing is not defined" in it for it in seen.errors)


def test_a_page_that_is_fine_has_neither(opened, tmp_path):
    (tmp_path / "a page.html").write_text("<!doctype html><title>t</title><p id=a>fine")
    seen = opened(tmp_path / "a page.html", color_scheme="dark")
    assert (seen.requests, seen.errors) == ([], [])
    assert seen.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert seen.page.inner_text("#a") == "fine"

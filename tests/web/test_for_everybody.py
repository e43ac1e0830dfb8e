"""Can everybody use the pages: axe-core's rules on every screen, in both themes and on a tablet."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from workbench import COMPLETE, tab_of

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

VIEWS = {
    "a laptop": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"},
    "a tablet, dark": {
        "viewport": {"width": 1024, "height": 768},
        "color_scheme": "dark",
        "has_touch": True,
    },
}


def serious(page):
    """What axe finds that keeps somebody from using the page."""
    # The policy of the page lets no script in; the browser's own tools may.
    found = axe.Axe().run(page).response["violations"]
    return [
        (it["id"], [node["target"] for node in it["nodes"]][:5])
        for it in found
        if it["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_serious_is_found(chromium, served, view):
    for page in tab_of(chromium, served, bypass_csp=True, **VIEWS[view]):
        page.goto(f"{served.address}/method")
        page.click("#run:enabled")
        page.wait_for_selector("#to-result")
        found = {}
        for screen in COMPLETE:
            page.goto(f"{served.address}/{screen}")
            page.locator(COMPLETE[screen]).first.wait_for()
            found[screen] = serious(page)
            wide = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert wide <= 0, f"{screen} is {wide} pixels wider than {view}"
        assert found == {screen: [] for screen in COMPLETE}, found


def test_the_steps_are_reached_by_keys_alone(tab, served):
    tab.goto(f"{served.address}/data")
    for _ in range(12):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.getAttribute('href')") == "/roles":
            break
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(f"{served.address}/roles")

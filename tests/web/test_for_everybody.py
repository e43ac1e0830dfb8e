"""Can everybody use the pages: axe-core's rules on every screen, in both themes and on a tablet."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from workbench import (
    COMPLETE,
    ServedHere,
    change_fields,
    tab_of,
    talking_to,
    visit,
    waited,
    write_discharges,
)

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

#: How the pages are looked at, and the rules that may be broken by that: all, or those of colours.
VIEWS = {
    "a laptop": ({"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"}, None),
    "a tablet, dark": (
        {"viewport": {"width": 1024, "height": 768}, "color_scheme": "dark", "has_touch": True},
        {"runOnly": ["color-contrast"]},
    ),
}


def serious(page, rules):
    """What axe finds that keeps somebody from using the page."""
    # The policy of the page lets no script in; the browser's own tools may.
    return [
        (violation["id"], [node["target"] for node in violation["nodes"]][:5])
        for violation in axe.Axe().run(page, options=rules).response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]


@pytest.fixture(scope="module")
def masked(tmp_path_factory):
    """The discharges, served, with a run."""
    folder = tmp_path_factory.mktemp("masked")
    write_discharges(folder / "discharges.csv")
    served = ServedHere(folder, "discharges.csv")
    bench = served.bench
    waited(lambda: not bench.opening)
    change_fields(bench, lambda fields: fields.update(method={"name": "recoding", "k": 5}))
    assert talking_to(bench).post("/api/work", json={"kind": "run"}).status_code == 200
    assert bench.work.wait().state == "done"
    yield served
    served.end()


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_serious_is_found(chromium, masked, view):
    look, rules = VIEWS[view]
    for page in tab_of(chromium, masked, bypass_csp=True, **look):
        violations = {}
        for screen in COMPLETE:
            visit(page, masked, screen)
            violations[screen] = serious(page, rules)
            wide = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert wide <= 0, f"{screen} is {wide} pixels wider than {view}"
        assert violations == {screen: [] for screen in COMPLETE}, violations


def test_the_steps_are_reached_by_keys_alone(tab, served):
    visit(tab, served, "data")
    for _ in range(12):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.getAttribute('href')") == "/roles":
            break
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(f"{served.address}/roles")

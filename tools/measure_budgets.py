r"""Measure how fast ontomask is, and write the tables of docs/speed.md.

Run by hand, from the root of the repository, on a machine with nothing else to do; takes about a
quarter of an hour::

    ONTOMASK_DATA=downloads python tools/measure_budgets.py --quiet-machine

It runs ``python -m benchmarks`` for the files named below and replaces what stands between the
comments of the page. Without ``--quiet-machine`` the page says that others were working, too.
``--only SECTION`` measures some of the sections; ``--python FILE`` does so with another Python, for
peers that want an environment of their own; ``--from FILE`` writes what was measured before, as
``python -m benchmarks --json FILE`` keeps it. Sections for which nothing was measured stay as they
are.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "speed.md"
sys.path.insert(0, str(ROOT))

from benchmarks.__main__ import (  # noqa: E402
    shares,
    shown,
    shown_budgets,
    shown_memory,
    shown_number,
    shown_time,
)

Result = dict[str, Any]
Table = Iterator[str]


# ------------------------------------------------------------------ tables


def budgets(results: Sequence[Result]) -> Table:
    """Time, memory and figures, with what they may come to."""
    yield "| work | time | processor | peak memory | budget | share of the budget |"
    yield "|---|---:|---:|---:|---:|---:|"
    for result in results:
        if not result["budgets"]:
            continue
        cells = [described(result), *outcome(result)]
        cells.append(", ".join(shown_budgets(result["budgets"])))
        cells.append(", ".join(used(result)))
        yield f"| {' | '.join(cells)} |"


def described(result: Result) -> str:
    """What was done, in words."""
    params = ", ".join(shown(value) for value in result["params"].values())
    if result["work"] == "work":
        return params
    question = {"memory": "distance table, 10,000 concepts, ", "loss": "loss of merge, columns: "}
    return question[result["work"]] + params


def outcome(result: Result) -> list[str]:
    """Time, processor time and memory, or a figure, or why there is none."""
    for word in ("failed", "skipped"):
        if word in result:
            return [f"{word}: {result[word]}", "", ""]
    if "figure" in result:
        return [f"{shown_number(result['figure'])} {result['unit']}", "", ""]
    times = [shown_time(result[key]) for key in ("seconds", "cpu_seconds")]
    return [*times, shown_memory(result["peak_bytes"])]


def used(result: Result) -> Iterator[str]:
    """The share of each budget; what is over it stands out."""
    for name, share in shares(result).items():
        text = f"{100 * share:.0f} %"
        if share > 1:
            text = f"**{text}**"
        if name == "seconds" and share > 1:
            text += f" (processor {100 * result['cpu_seconds'] / result['budgets'][name]:.0f} %)"
        yield text


def growth(results: Sequence[Result]) -> Table:
    """Exponents: a row for each method, a column for each kind of data."""
    found = {tuple(it["params"].values()): it for it in results if it["work"] == "growth"}
    kinds = list(dict.fromkeys(data for _, data in found))
    yield f"| method | {' | '.join(kinds)} |"
    yield "|---" + "|---:" * len(kinds) + "|"
    for method in dict.fromkeys(method for method, _ in found):
        cells = [short(found[method, data]) for data in kinds]
        yield f"| {' | '.join([method, *cells])} |"


def short(result: Result) -> str:
    """A figure with two decimals."""
    return f"{result['figure']:.2f}" if "figure" in result else outcome(result)[0]


def ratios(results: Sequence[Result]) -> Table:
    """Ours in milliseconds, and what another takes beside it: a row for each work."""
    yield "| work | ontomask | other | comparison |"
    yield "|---|---:|---:|---|"
    rows: dict[tuple[str, str], dict[str, Result]] = {}
    for result in results:
        params = [f"{shown(value)} {name}" for name, value in result["params"].items()]
        row = (NAMES.get(result["question"], ""), ", ".join(params).removesuffix(" of"))
        rows.setdefault(row, {})[result["work"]] = result
    for row, by in rows.items():
        ours, ratio, *more = (figured(it) for it in by.values())
        work = ", ".join(filter(None, row))
        yield f"| {work} | {ours} | {ratio} | {', '.join(more)} |"


#: What the questions of the peers are about.
NAMES = {
    "How long does MDAV take in anonypyx, on the same rows of six numbers?": "MDAV",
    "How long does anjana take to make two columns of words 5-anonymous, and what is lost?": (
        "5-anonymous words"
    ),
    "How long does pycanon take to say k, l and t of the same table?": "k, l and t",
}


def figured(result: Result) -> str:
    """The figure with its unit."""
    if "figure" not in result:
        return outcome(result)[0]
    if result["unit"] == "at most":
        return f"differs by at most {shown_number(result['figure'])}"
    return f"{shown_number(result['figure'])} {result['unit']}"


#: For each section of the page: the file of benchmarks, and what makes a table of its results.
SECTIONS: dict[str, tuple[str, Callable[[Sequence[Result]], Table]]] = {
    "budgets": ("budgets", budgets),
    "growth": ("budgets", growth),
    "plain": ("plain_definitions", ratios),
    "peers": ("peers_on_the_same_tables", ratios),
}


# ------------------------------------------------------------------ the page


def where(machine: Result, quiet: bool) -> str:
    """Where the figures of a table come from."""
    alone = "idle" if quiet else "**with other work on the machine**"
    packages = machine["packages"]
    versions = ", ".join(f"{name} {packages[name]}" for name in ("numpy", "numba", "duckdb"))
    system = machine["system"].partition("-")[0]
    return (
        f"Measured on {machine['processors']} cores, {alone}: {system}, "
        f"Python {machine['python']}, {versions}."
    )


def replaced(page: str, section: str, lines: str) -> str:
    """The page with what stands between the two comments of a section replaced."""
    begin, end = f"<!-- {section}: measured -->", f"<!-- {section}: end -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"{PAGE.name} has no comments for {section}: {begin} and {end}")
    return pattern.sub(lambda _: f"{begin}\n{lines}\n{end}", page)


def measured(python: str, files: Sequence[str]) -> Result:
    """Run the benchmarks; one that fails is a row that says so."""
    with TemporaryDirectory() as folder:
        kept = Path(folder, "results.json")
        command = [python, "-m", "benchmarks", *files, "--json", str(kept)]
        subprocess.run(command, cwd=ROOT, check=False)
        found: Result = json.loads(kept.read_text())
    return found


def main() -> None:
    """Measure, and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", choices=SECTIONS, action="append", help="this section (all)")
    parser.add_argument("--python", default=sys.executable, help="the Python that measures")
    parser.add_argument("--from", dest="kept", metavar="FILE", help="results, measured before")
    parser.add_argument("--quiet-machine", action="store_true", help="nobody else is working")
    asked = parser.parse_args()
    sections = asked.only or list(SECTIONS)
    files = list(dict.fromkeys(SECTIONS[name][0] for name in sections))
    found = (
        json.loads(Path(asked.kept).read_text()) if asked.kept else measured(asked.python, files)
    )
    page = PAGE.read_text(encoding="utf-8")
    for name in sections:
        file, table = SECTIONS[name]
        results = [it for it in found["results"] if it["file"] == file]
        if all("skipped" in it for it in results):
            print(f"{name}: nothing was measured; left as it is", file=sys.stderr)
            continue
        lines = [where(found["machine"], asked.quiet_machine), "", *table(results)]
        page = replaced(page, name, "\n".join(lines))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

"""Run benchmarks, each measurement in a process of its own, and print what came out.

Figures go to stdout, progress to stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks._measuring import Measurement, files, measure, measurements

Result = dict[str, Any]

#: Programs that make or judge k-anonymous tables; peers_on_the_same_tables asks them.
GROUPERS = ("anonypyx", "anjana", "pycanon")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; 1 if a benchmark failed, 2 for a name that no file has."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="*", help="run the files whose name contains this")
    parser.add_argument("--json", metavar="FILE", help="also write the results here")
    parser.add_argument("--measure", help=argparse.SUPPRESS)  # how it calls itself
    options = parser.parse_args(arguments)
    if options.measure:
        with redirect_stdout(sys.stderr):  # whatever the work prints is not a result
            result = measure(Measurement(*json.loads(options.measure)))
        print(json.dumps(result))
        return 0
    chosen = [f for f in files() if not options.name or any(part in f for part in options.name)]
    if not chosen:
        print(f"no file is called so; there are {', '.join(files())}", file=sys.stderr)
        return 2
    every = [measurement for file in chosen for measurement in measurements(file)]
    results: list[Result] = []
    counted = enumerate(every, start=1)
    for _, group in groupby(counted, key=lambda numbered: numbered[1][:2]):
        of_group = []
        for number, measurement in group:
            settings = ", ".join(f"{value}" for value in measurement.params.values())
            print(
                f"{number}/{len(every)} {measurement.file} {measurement.method} {settings}",
                file=sys.stderr,
            )
            of_group.append(in_fresh_process(measurement))
        print("\n".join(table(of_group)), end="\n\n", flush=True)
        results += of_group
    if options.json:
        Path(options.json).write_text(
            json.dumps({"machine": machine(), "results": results}, indent=1)
        )
    return int(any("failed" in result for result in results))


def in_fresh_process(measurement: Measurement) -> Result:
    """One result: what was measured, and the figures, or why there are none."""
    kind, _, work = measurement.method.partition("_")
    result: Result = {
        "file": measurement.file,
        "question": measurement.question,
        "kind": kind,
        "work": work,
        "params": measurement.params,
        "budgets": measurement.budgets,
    }
    command = [sys.executable, "-m", "benchmarks", "--measure", json.dumps(measurement)]
    try:
        run = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=measurement.timeout,
            cwd=Path(__file__).parent.parent,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return result | {"failed": f"took longer than {measurement.timeout} s"}
    except subprocess.CalledProcessError as error:
        print(error.stderr, file=sys.stderr)
        return result | {"failed": (error.stderr.strip().splitlines() or ["no word why"])[-1]}
    figures: Result = json.loads(run.stdout)
    return result | figures


def table(results: Sequence[Result]) -> Iterator[str]:
    """The results of one class as lines of text: a row for each work and its parameters."""
    yield f"{results[0]['file']}: {results[0]['question']}"
    names = list(results[0]["params"])
    rows: dict[tuple[Any, ...], Result] = {}
    for result in results:
        key = (result["work"], *result["params"].values())
        rows[key] = rows.get(key, {}) | result
    columns = ("time", "processor", "peak memory", "of it the work", "figure", "budget", "of it")
    lines = [["work", *names, *columns]]
    for (work, *params), result in rows.items():
        cells = dict.fromkeys(columns, "")
        if "seconds" in result:
            cells["time"] = shown_time(result["seconds"])
        if "cpu_seconds" in result:
            cells["processor"] = shown_time(result["cpu_seconds"])
        if "peak_bytes" in result:
            cells["peak memory"] = shown_memory(result["peak_bytes"])
            cells["of it the work"] = shown_memory(result["own_bytes"])
        if "figure" in result:
            cells["figure"] = f"{shown_number(result['figure'])} {result['unit']}"
        for word in ("skipped", "failed"):
            if word in result:
                cells["figure"] = f"{word}: {result[word]}"
        cells["budget"] = ", ".join(shown_budgets(result["budgets"]))
        cells["of it"] = ", ".join(f"{100 * share:.0f} %" for share in shares(result).values())
        lines.append([work.replace("_", " "), *map(shown, params), *cells.values()])
    used = [place for place in range(len(lines[0])) if any(line[place] for line in lines[1:])]
    width = {place: max(len(line[place]) for line in lines) for place in used}
    for line in lines:
        yield "  " + "  ".join(line[place].ljust(width[place]) for place in used).rstrip()


def shown(value: object) -> str:
    """A parameter as people write it."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def shown_time(seconds: float) -> str:
    """A time in the unit that suits it."""
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1000:.2f} ms"


def shown_memory(size: float) -> str:
    """Bytes in millions."""
    return f"{size / 1e6:,.0f} MB"


def shown_budgets(budgets: Mapping[str, float]) -> Iterator[str]:
    """Each budget in its unit."""
    units = {"seconds": lambda seconds: f"{seconds:g} s", "peak_bytes": shown_memory}
    for name, budget in budgets.items():
        yield units.get(name, shown_number)(budget)


def shares(result: Result) -> dict[str, float]:
    """How much of each budget is used, where the figure is there."""
    budgets: Mapping[str, float] = result["budgets"]
    return {name: result[name] / budget for name, budget in budgets.items() if name in result}


def shown_number(number: float) -> str:
    """Three digits, or all of a large number's."""
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def machine() -> dict[str, Any]:
    """Where the figures come from."""
    versions = {}
    for package in (
        "ontomask",
        "numpy",
        "numba",
        "scipy",
        "duckdb",
        "nltk",
        "nxontology",
        *GROUPERS,
    ):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
        "processors": os.cpu_count(),
        "packages": versions,
    }


if __name__ == "__main__":
    sys.exit(main())

"""A release to try commands on, and a command in a process of its own."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Done(NamedTuple):
    code: int
    out: str
    err: str


def environment(**more: str) -> dict[str, str]:
    """The environment of a command, without a seed that somebody may have set."""
    usual = {name: it for name, it in os.environ.items() if name != "ONTOMASK_SEED"}
    return {**usual, "ONTOMASK_CACHE": "off", "PYTHONUTF8": "1", **more}


def process(
    folder: Path,
    *arguments: object,
    seed: str = "",
    temporary: Path | None = None,
    **options,
) -> subprocess.Popen[str]:
    """A command in a process of its own, as it begins; perhaps with a temporary folder."""
    more = {"TMPDIR": str(temporary)} if temporary else {}
    return subprocess.Popen(
        [sys.executable, "-m", "ontomask", *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(ONTOMASK_SEED=seed, **more),
        **options,
    )


def finished(command: subprocess.Popen[str]) -> Done:
    """How it ended."""
    out, err = command.communicate()
    return Done(command.returncode, out, err)


WORDS = ["flu", "hepatitis B", "hepatitis C", "sprain", "broken arm", "Sprains"]


def records(n: int) -> list[dict[str, object]]:
    """Made up, and the same every time; other columns hold what a careless writer would spoil."""
    spoilt = ['say "no"', "a, b", "Ménière", " blanks ", "007", "1e5", "null", "ü\tß"]
    return [
        {
            "id": f"{i:05}",
            "diagnosis": WORDS[i * i % 7 % len(WORDS)],
            "age": 20 + i * 7 % 45,
            "note": spoilt[i % len(spoilt)],
            "pay": f"{i * 3 % 11}.50",
        }
        for i in range(n)
    ]


def write_table(path: Path, n: int, long: str = "") -> None:
    """The records as CSV."""
    rows = records(n)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({**row, "note": f"{row['note']}{long}"} for row in rows)


SPEC = """\
data: people.csv
output: released.csv
columns:
  id: {role: identifier}
  diagnosis: {role: quasi, taxonomy: tax.csv}
  age: {role: quasi, type: numeric}
  note: {role: keep}
  pay: {role: confidential}
method: {name: microaggregation, k: 3}
"""


def write_spec(path: Path, *changes: tuple[str, str]) -> None:
    """The release file with some words changed, each of which must be there."""
    text = SPEC
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")

"""Characters that a terminal obeys are never printed: names and values come from anywhere."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys

import pytest

import ontomask as om
from release_commands import environment

#: A new title, a cleared screen (with one character and with two), text from right to left, a
#: line that is overwritten.
ATTACKS = ["\x1b]0;owned\x07", "\x1b[2J", "\x9b2J", "\u202egnp.exe", "\u2066x", "\rOK", "\x08\x08"]
ATTACK = "".join(ATTACKS)
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

NAME = "note" + ATTACK.replace("\r", "")

SPEC = {
    "data": "people.csv",
    "output": "released.csv",
    "columns": {
        "diagnosis": {"role": "quasi", "taxonomy": "tax.csv"},
        NAME: {"role": "keep"},
    },
    "method": {"name": "microaggregation", "k": 2},
}


@pytest.fixture
def place(tmp_path):
    om.datasets.diagnoses().write(tmp_path / "tax.csv")
    rows = [f"diagnosis,{NAME}", "flu,x", "flu,y", "sprain,z", "sprain,x"]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n", newline="")
    (tmp_path / "unknown.csv").write_text(f'diagnosis\nflu\n"{ATTACK}"\n', newline="")
    (tmp_path / "release.yaml").write_text(json.dumps(SPEC))
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("init", "people.csv", "--output", "new.yaml"),
        ("check", "release.yaml"),
        ("mask", "release.yaml"),
        ("map", "unknown.csv", "--column", "diagnosis", "--taxonomy", "tax.csv"),
        ("map", "unknown.csv", "--column", ATTACK, "--taxonomy", "tax.csv"),
        ("map", "unknown.csv", "--column", "diagnosis", "--taxonomy", "tax.csv", "--output", "-"),
        ("explain", "release.yaml", ATTACK),
        ("taxonomy", "search", "tax.csv", ATTACK),
        ("check", f"{ATTACK}.yaml"),
        (ATTACK,),
    ],
)
def test_no_command_prints_what_a_terminal_obeys(place, command, arguments):
    done = command(place, *arguments)
    assert done.out + done.err
    assert not OBEYED.search(done.out), done.out
    assert not OBEYED.search(done.err), done.err


def test_values_are_printed_in_full(place, command):
    done = command(
        place, "map", "unknown.csv", "--column", "diagnosis", "--taxonomy", "tax.csv", "--json"
    )
    assert not OBEYED.search(done.out)
    assert ATTACK in [value["value"] for value in json.loads(done.out)["values"]]
    shown = command(place, "map", "unknown.csv", "--column", "diagnosis", "--taxonomy", "tax.csv")
    assert r"\u001b]0;owned\u0007\u001b[2J\u009b2J\u202egnp.exe\u2066x\u000dOK" in shown.out


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminal")
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_progress_and_errors_at_a_terminal(place, encoding):
    (place / "release.yaml").write_text(json.dumps({**SPEC, "data": f"[red]{ATTACK}.csv"}))
    ours, theirs = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "ontomask", "check", "release.yaml"],
        cwd=place,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(TERM="xterm", PYTHONIOENCODING=encoding),
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    done.wait()
    assert done.returncode == 2
    assert rb"\u001b]0;owned" in shown
    for attack in ATTACKS:
        assert attack.encode() not in shown

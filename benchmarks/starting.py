"""What it costs to start: a word of help, the first run ever, any later one."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from benchmarks._measuring import unit
from ontomask.releasefile.demo import write_demo
from ontomask.releasefile.profile.proposed_file import write_proposal
from ontomask.releasefile.profile.table_profile import profile

#: How a release is made of the files in a folder.
MASK = ["-m", "ontomask", "mask", "release.yaml", "--force"]
#: What is asked for, in which folder, and whether loops compiled earlier are at hand.
COMMANDS = {
    "import": (["-c", "import ontomask"], "demo", True),
    "help": (["-m", "ontomask", "--help"], "demo", True),
    "mask": (MASK, "demo", True),
    "mask, the first time": (MASK, "demo", False),
    "mask 500 records": (MASK, "small", True),
}
#: How the demo's table is masked: by the method whose loops take longest to compile.
METHOD = "method: {name: microaggregation, k: 5, algorithm: merge}\n"
#: The small table: this many of the demo's records, and three of its columns.
RECORDS, COLUMNS = 500, ("diagnosis", "secondary_diagnosis", "outcome")
SMALL = """\
data: discharges.csv
output: discharges.released.csv
columns:
""" + "".join(f"  {column}: {{role: quasi, taxonomy: icd9cm}}\n" for column in COLUMNS)


class Starting:
    """How long does a command take whose work is small, and how long when nothing is compiled?

    The table of ``ontomask demo``: 3,000 records, 9 quasi-identifiers; and 500 of these with 3
    columns of codes. Masked, measured, and written with its report, by a process of its own.

    The first time is what ``ontomask._runtime.compiled`` and ``ontomask.pipeline.compile_ahead``
    are for: 18.5 s of CPU time for all of ``ontomask demo``, where ``numba.njit(cache=True)`` alone
    takes 37.2 s. The process that compiles ahead is not waited for, and not counted.
    """

    param_names = ("command",)
    params = (list(COMMANDS),)

    def setup(self, command: str) -> None:
        self.room = tempfile.TemporaryDirectory(prefix="ontomask-starting-")  # goes with this
        self.folder = Path(self.room.name)
        data = write_demo(self.folder / "demo")
        spec = write_proposal(profile(data), data.with_name("release.yaml")).file
        lines = spec.read_text().splitlines(keepends=True)
        spec.write_text("".join(METHOD if line.startswith("method:") else line for line in lines))
        write_small(data, self.folder / "small")
        self.asked, self.where, self.warm = COMMANDS[command]
        self.runs = 0
        if self.warm:
            self.run()

    def run(self) -> None:
        """Run the command; loops are kept where the next run finds them, or does not."""
        self.runs += 1
        loops = self.folder / ("loops" if self.warm else f"loops-{self.runs}")
        subprocess.run(
            [sys.executable, *self.asked],
            cwd=self.folder / self.where,
            # What is installed is compiled to bytecode once, whatever this shell says.
            env={**os.environ, "NUMBA_CACHE_DIR": str(loops), "PYTHONDONTWRITEBYTECODE": ""},
            check=True,
            capture_output=True,
        )

    def time_command(self, command: str) -> None:
        self.run()

    @unit("s of processors")
    def track_work(self, command: str) -> float:
        before = getrusage(RUSAGE_CHILDREN)
        self.run()
        after = getrusage(RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write_small(data: Path, folder: Path) -> None:
    """The first records of a table, three columns of them, and a release file."""
    folder.mkdir()
    with data.open(newline="") as read, (folder / "discharges.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(islice(csv.DictReader(read), RECORDS))
    (folder / "release.yaml").write_text(SMALL + METHOD)

"""What it costs to start: a word of help, the first run ever, any later one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from benchmarks._measuring import unit
from ontomask.release.demo import write_demo
from ontomask.release.profile import profile
from ontomask.release.proposed_file import propose

#: What is asked for, and whether loops compiled earlier are at hand.
COMMANDS = {
    "import": (["-c", "import ontomask"], True),
    "help": (["-m", "ontomask", "--help"], True),
    "mask": (["-m", "ontomask", "mask", "release.yaml", "--force"], True),
    "mask, the first time": (["-m", "ontomask", "mask", "release.yaml", "--force"], False),
}
#: How the demo's table is masked: by the method whose loops take longest to compile.
METHOD = "method: {name: microaggregation, k: 5, algorithm: merge}\n"


class Starting:
    """How long does a command take whose work is small, and how long when nothing is compiled?

    The table of ``ontomask demo``: 3,000 records, 9 quasi-identifiers. Masked, measured, and
    written with its report, by a process of its own.
    """

    param_names = ("command",)
    params = (list(COMMANDS),)

    def setup(self, command: str) -> None:
        self.room = tempfile.TemporaryDirectory(prefix="ontomask-starting-")  # goes with this
        self.folder = Path(self.room.name)
        data = write_demo(self.folder / "demo")
        spec = propose(profile(data), data.with_name("release.yaml")).file
        lines = spec.read_text().splitlines(keepends=True)
        spec.write_text("".join(METHOD if it.startswith("method:") else it for it in lines))
        self.asked, self.warm = COMMANDS[command]
        self.runs = 0
        if self.warm:
            self.run()

    def run(self) -> None:
        """Run the command; loops are kept where the next run finds them, or does not."""
        self.runs += 1
        kept = self.folder / ("loops" if self.warm else f"loops-{self.runs}")
        subprocess.run(
            [sys.executable, *self.asked],
            cwd=self.folder / "demo",
            # What is installed is compiled to bytecode once, whatever this shell says.
            env={**os.environ, "NUMBA_CACHE_DIR": str(kept), "PYTHONDONTWRITEBYTECODE": ""},
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

"""From a large file to a released one, with its manifest."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks._measuring import unit
from ontomask.releasefile.run import write_release

SPEC = """
data: {data}
output: {output}
columns:
  diagnosis: {{role: quasi, taxonomy: icd9cm}}
  sex: {{role: quasi, taxonomy: sexes.csv}}
  severity: {{role: quasi, type: ordinal, levels: [minor, moderate, major, extreme]}}
  patient: {{role: drop}}
  name: {{role: drop}}
  charge: {{role: confidential, type: numeric}}
other: keep
method: {{name: microaggregation, algorithm: merge, k: 5}}
require: {{k: 5}}
memory: {memory}
"""

MAKE = """
import sys
import pyarrow as pa, pyarrow.csv, pyarrow.parquet as pq
import ontomask as om
target, millions = sys.argv[1], int(sys.argv[2])
writer = None
for part in range(millions):
    table = pa.table({k: pa.array(v) for k, v in om.datasets.discharges(1_000_000, part).items()})
    if writer is None:
        kinds = {".csv": pa.csv.CSVWriter, ".parquet": pq.ParquetWriter}
        writer = kinds["." + target.rsplit(".", 1)[1]](target, table.schema)
    writer.write_table(table)
writer.close()
"""


def made(suffix: str, millions: int) -> Path:
    """Synthetic discharges in a file: made once, by another process, whose memory is not ours."""
    folder = Path(tempfile.gettempdir()) / "ontomask-benchmarks"
    folder.mkdir(exist_ok=True)
    path = folder / f"discharges-{millions}m.{suffix}"
    if not path.exists():
        unfinished = path.with_name(f"unfinished-{path.name}")
        subprocess.run([sys.executable, "-c", MAKE, str(unfinished), str(millions)], check=True)
        unfinished.replace(path)
    (folder / "sexes.csv").write_text("child,parent\nF,person\nM,person\n")
    return path


def write_release_file(format: str, millions: int, memory: str) -> Path:
    """A release file for synthetic discharges in a file."""
    data = made(format, millions)
    spec = data.with_name(f"release-{format}-{millions}m.yaml")
    output = f"released-{millions}m.{format}"
    spec.write_text(SPEC.format(data=data.name, output=output, memory=memory))
    return spec


class WholeRelease:
    """How long does it take to release 10,000,000 records, and in how much memory?

    Some 50,000 distinct tuples of diagnosis, sex and severity of synthetic discharges: counted,
    planned, masked, verified, measured, written, verified again. ``memory`` is what DuckDB may use.
    """

    param_names = ("format", "memory")
    params = (["parquet", "csv"], ["700MB"])

    def setup(self, format: str, memory: str) -> None:
        self.spec = write_release_file(format, 10, memory)

    def time_release(self, format: str, memory: str) -> None:
        write_release(self.spec, seed=2**64, force=True)

    peakmem_release = time_release


class CsvAgainstParquet:
    """How much more CPU time does a release from CSV take than the same one from Parquet?

    Both in the same process, one after the other and ``RUNS`` times, of which the best counts: a
    machine that is busy with other things slows both down.
    """

    RUNS = 3
    param_names = ("millions",)
    params = ([2, 10],)
    timeout = 3_600
    figure_budgets = {(2,): 1.5, (10,): 1.5}  # noqa: RUF012

    def setup(self, millions: int) -> None:
        self.specs = [
            write_release_file(format, millions, "700MB") for format in ("csv", "parquet")
        ]
        write_release(
            write_release_file("csv", 2, "700MB"), seed=2**64, force=True
        )  # loops, caches

    @unit("times the CPU time")
    def track_csv_against_parquet(self, millions: int) -> float:
        csv, parquet = (
            min(times)
            for times in zip(*(map(cpu_seconds, self.specs) for _ in range(self.RUNS)), strict=True)
        )
        return csv / parquet


def cpu_seconds(spec: Path) -> float:
    """The CPU time of a release, with that of its threads and workers."""
    before = os.times()
    write_release(spec, seed=2**64, force=True)
    return sum(after - earlier for after, earlier in zip(os.times()[:4], before[:4], strict=True))

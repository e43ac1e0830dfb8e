"""From a large file to a released one, with its manifest."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

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


class WholeRelease:
    """How long does it take to release 10,000,000 records, and in how much memory?

    Some 50,000 distinct tuples of diagnosis, sex and severity of synthetic discharges: counted,
    planned, masked, verified, measured, written, verified again. ``memory`` is what DuckDB may use.
    """

    param_names = ("format", "memory")
    params = (["parquet", "csv"], ["700MB"])

    def setup(self, format: str, memory: str) -> None:
        data = made(format, 10)
        self.spec = data.with_name(f"release-{format}.yaml")
        output = f"released.{format}"
        self.spec.write_text(SPEC.format(data=data.name, output=output, memory=memory))

    def time_release(self, format: str, memory: str) -> None:
        write_release(self.spec, seed=0, force=True)

    peakmem_release = time_release

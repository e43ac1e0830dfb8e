"""From a Spark frame that is never on the driver to a released one."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import ontomask as om
from benchmarks._inputs import diabetes
from benchmarks._measuring import CannotRun, unit
from ontomask.errors import OntomaskError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COLUMNS = ("diag_1", "diag_2", "diag_3")

#: Distinct triples of diagnoses to draw from.
TUPLES = 50_000


def session() -> SparkSession:
    """Spark on all cores of this machine, with 2 GB for everything it does."""
    from ontomask.engines.spark.session import spark_session

    try:
        return spark_session(
            **{
                "spark.master": "local[*]",
                "spark.driver.memory": "2g",
                "spark.ui.enabled": "false",
                "spark.ui.showConsoleProgress": "false",
                "spark.log.level": "ERROR",
            }
        )
    except OntomaskError as error:
        raise CannotRun(error.message) from None


def drawn(spark: SparkSession, records: int) -> DataFrame:
    """Diagnoses of ``diabetes_130`` drawn by Spark, with columns that are nobody else's."""
    import pyarrow as pa
    from pyspark.sql import functions as F

    known = list(dict.fromkeys(zip(*diabetes(*COLUMNS), strict=True)))[:TUPLES]
    few = {
        name: list(column) for name, column in zip(COLUMNS, zip(*known, strict=True), strict=True)
    }
    tuples = spark.createDataFrame(pa.table({"place": range(len(known)), **few}))
    # As in real tables, each next one is a little rarer: from hundreds of records down to one.
    share = (F.pmod(F.xxhash64("id"), F.lit(1 << 40)) + 1) / (1 << 40)
    place = F.least(F.floor(-F.log(share) * (TUPLES / 8)), F.lit(len(known) - 1))
    return (
        spark.range(records)
        .withColumn("place", place)
        .join(F.broadcast(tuples), "place")
        .drop("place")
        .withColumn("charge", F.pmod(F.xxhash64("id", F.lit(1)), F.lit(100_000)) / 100)
        .withColumn("name", F.concat(F.lit("patient number "), F.col("id")))
    )


class _Watched:
    """What Java takes for a release, which is not part of this process."""

    spark: SparkSession

    def _memory_of_java(self) -> float:
        """The most there was at a time, in MB."""
        peak = re.search(r"VmHWM:\s+(\d+)", self._java("status"))
        return int(peak[1]) / 1024 if peak else float("nan")

    def _time_of_java(self) -> float:
        """Processor time, in seconds."""
        user, system = self._java("stat").rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def _java(self, file: str) -> str:
        """What the system says of the Java process (Linux)."""
        jvm = self.spark.sparkContext._jvm
        assert jvm is not None
        java = jvm.java.lang.ProcessHandle.current().pid()
        return Path(f"/proc/{java}/{file}").read_text()


class SparkRelease(_Watched):
    """How long does a Spark frame of 10,000,000 records take, and in how much memory?

    Up to 50,000 distinct triples of diagnoses, and records that Spark makes as they are needed:
    counted, planned, masked, verified, and masked again for whoever takes them. With ``local[*]``
    the executors are in the same Java process as the driver, which may take 2 GB.
    """

    param_names = ("method", "records")
    params = (["Microaggregation", "Resampling"], [10_000_000])

    def setup(self, method: str, records: int) -> None:
        icd9 = om.load_taxonomy("icd9cm")
        columns = [om.Nominal(name, icd9, repair_codes=True) for name in COLUMNS]
        self.schema = om.Schema(columns, drop=["name"], keep=["id", "charge"])
        self.method = getattr(om, method)(k=5)
        self.spark = session()
        self.frame = drawn(self.spark, records)

    def time_release(self, method: str, records: int) -> None:
        release = om.mask(self.frame, self.schema, self.method, seed=0)
        release.data.write.format("noop").mode("overwrite").save()

    peakmem_release = time_release

    @unit("MB")
    def track_memory_of_java(self, method: str, records: int) -> float:
        self.time_release(method, records)
        return self._memory_of_java()

    @unit("s")
    def track_processor_time_of_java(self, method: str, records: int) -> float:
        before = self._time_of_java()
        self.time_release(method, records)
        return self._time_of_java() - before


class SparkNoise(_Watched):
    """What does noise on a Spark frame cost, where a target is shared by many records and by few?

    Of one column of diagnoses there are few pairs of value and target; of three, about as many as
    records, and all of them come to the driver. Spark may take 2 GB.
    """

    param_names = ("columns", "records")
    params = ([1, 3], [1_000_000])
    timeout = 600

    def setup(self, columns: int, records: int) -> None:
        icd9 = om.load_taxonomy("icd9cm")
        quasi = [om.Nominal(name, icd9, repair_codes=True) for name in COLUMNS[:columns]]
        self.schema = om.Schema(quasi, drop=["name", *COLUMNS[columns:]], keep=["id", "charge"])
        self.spark = session()
        self.frame = drawn(self.spark, records)

    def time_release(self, columns: int, records: int) -> om.Release:
        release = om.mask(self.frame, self.schema, om.NoiseAddition(), seed=0)
        release.data.write.format("noop").mode("overwrite").save()
        return release

    peakmem_release = time_release

    @unit("MB")
    def track_memory_of_java(self, columns: int, records: int) -> float:
        self.time_release(columns, records)
        return self._memory_of_java()

    @unit("s")
    def track_processor_time_of_java(self, columns: int, records: int) -> float:
        before = self._time_of_java()
        self.time_release(columns, records)
        return self._time_of_java() - before

    @unit("pairs")
    def track_pairs(self, columns: int, records: int) -> float:
        return len(self.time_release(columns, records).transitions.count)


class SparkBlocks(_Watched):
    """What does the driver take for a million distinct combinations, planned in blocks by tasks?

    Two records of each, with three columns of a thousand numbers; blocks of 20,000 combinations.
    """

    param_names = ("records",)
    params = ([2_000_000],)
    timeout = 600

    def setup(self, records: int) -> None:
        self.spark = session()
        numbers = [f"pmod(xxhash64(id % {records // 2}, {j}), 1000) as n{j}" for j in range(3)]
        self.frame = self.spark.range(records).selectExpr("id", *numbers)
        self.schema = om.Schema([om.Numeric(f"n{j}") for j in range(3)], keep=["id"])

    def time_release(self, records: int) -> None:
        om.mask(self.frame, self.schema, om.Microaggregation(k=5, block=20_000), seed=0)

    peakmem_release = time_release

    @unit("MB")
    def track_memory_of_java(self, records: int) -> float:
        self.time_release(records)
        return self._memory_of_java()

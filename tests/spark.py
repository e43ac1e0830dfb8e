"""One Spark session for all tests that need it: two threads of this machine, nothing more."""

from __future__ import annotations

import os
import shutil
import warnings

import pytest

SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.session.timeZone": "Europe/Madrid",  # not that of the machine, probably
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",  # short lives
    "spark.log.level": "OFF",
    "spark.sql.codegen.wholeStage": "false",  # for tables this small, Spark compiles for longer
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",  # than it works
    "spark.sql.warehouse.dir": "/nowhere",
}


def java_is_there() -> bool:
    home = os.environ.get("JAVA_HOME")
    return shutil.which("java", path=f"{home}/bin" if home else None) is not None


@pytest.fixture(scope="session")
def spark():
    if not java_is_there():
        pytest.skip("there is no Java, which Spark runs on: NOTHING of the Spark engine is tested")
    from ontomask.engines.spark.session import spark_session

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Spark's own, of what is installed beside it
        session = spark_session(**SETTINGS)
        session.range(1).toArrow()
    yield session
    session.stop()

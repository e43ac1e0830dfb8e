"""``ontomask mask`` with ``engine: spark``, in a process of its own that starts and stops Spark."""

from __future__ import annotations

import pandas as pd
import pytest

from manifests import assert_manifest_fits
from release_commands import process, write_spec
from spark import java_is_there

ENGINE = (
    "released.csv\n",
    """released.parquet
engine:
  name: spark
  master: local[2]
  config:
    spark.driver.memory: 1g
    spark.sql.shuffle.partitions: 2
    spark.ui.enabled: false
    spark.sql.codegen.wholeStage: false
    spark.sql.codegen.factoryMode: NO_CODEGEN
    spark.driver.extraJavaOptions: -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
""",
)


@pytest.mark.spark
@pytest.mark.skipif(not java_is_there(), reason="there is no Java, which Spark runs on")
def test_five_lines_are_the_result_and_spark_is_quiet(jobs):
    write_spec(jobs / "release.yaml", ENGINE)
    running = process(jobs, "mask", "release.yaml", seed=str(2**70))
    out, err = running.communicate()
    assert running.returncode == 0, err
    assert out.startswith("diagnosis, age: 60 records, ")
    assert out.endswith("released.parquet, released.manifest.json, released.report.html\n")
    assert out.count("\n") == 5  # two of them are the guarantee, with the kept column and without
    said = [line for line in err.splitlines() if "incubator modules" not in line]  # Java's own
    assert said == [], err
    masked = pd.read_parquet(jobs / "released.parquet")
    assert masked.groupby(["diagnosis", "age"]).size().min() >= 3
    assert_manifest_fits(jobs / "released.manifest.json")


def test_other_commands_need_a_file(jobs, command):
    address = ("people.csv", "s3a://user:word@bucket/people.parquet")
    write_spec(jobs / "release.yaml", ENGINE, address)
    for arguments in (["check"], ["explain", "diagnosis=flu"], ["compare"]):
        name, *more = arguments
        done = command(jobs, name, "release.yaml", *more)
        assert done.code == 2
        assert "got the address of people.parquet; only ontomask mask reads addresses" in done.err
        assert "word" not in done.err


def test_what_spark_cannot_do_is_said_before_it_starts(jobs, command):
    write_spec(jobs / "release.yaml", ENGINE, ("people.csv", "people.sqlite"))
    done = command(jobs, "mask", "release.yaml")
    assert done.code == 2
    assert "for engine: spark, got .sqlite" in done.err


@pytest.mark.spark
def test_without_java_that_is_said(jobs, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    write_spec(jobs / "release.yaml", ENGINE)
    running = process(jobs, "mask", "release.yaml")
    _, err = running.communicate()
    assert running.returncode == 2
    assert "Error: Spark could not start Java\n" in err
    assert "Traceback" not in err
    assert not list(jobs.glob("*released*"))

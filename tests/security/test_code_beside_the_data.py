"""A file that is named like a package and lies beside the data is never run."""

import subprocess
import sys

import pytest

import ontomask as om
from ontomask._runtime.workers import start_python
from workbench import ServedProcess, waited, write_discharges

#: Modules that are imported by ours, early and late, in this process or another one.
PACKAGES = ("numpy", "numba", "duckdb", "pyarrow", "pydantic", "yaml", "jinja2", "signal", "json")

SPEC = """
data: discharges.csv
output: released.csv
columns:
  diagnosis: {role: quasi, taxonomy: icd9cm}
  age: {role: quasi, type: numeric}
other: drop
method: {name: microaggregation, k: 3}
"""


@pytest.fixture
def trap(tmp_path):
    """A folder with data, and with files that leave a mark when they are run."""
    write_discharges(tmp_path / "discharges.csv", 60)
    (tmp_path / "release.yaml").write_text(SPEC)
    for package in PACKAGES:
        (tmp_path / f"{package}.py").write_text(
            f"open({str(tmp_path / 'ran')!r}, 'a').write({package!r})\nraise SystemExit(1)\n"
        )
    return tmp_path


def assert_nothing_ran(folder):
    assert not (folder / "ran").exists(), (folder / "ran").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["mask", "release.yaml"], ["compare", "release.yaml"]])
def test_commands_run_nothing_of_the_folder(trap, arguments):
    done = subprocess.run(
        [sys.executable, "-m", "ontomask", *arguments],
        cwd=trap,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert_nothing_ran(trap)


@pytest.mark.slow
def test_the_workbench_and_its_runs_run_nothing_of_the_folder(trap, chromium):
    served = ServedProcess(trap, "release.yaml")
    try:
        with chromium.open_page() as page:
            page.goto(served.link)
            page.wait_for_selector("#table b", state="attached")
            page.goto(f"{served.address}/method")
            page.click("#run:enabled")
            waited(lambda: any((trap / ".ontomask").glob("runs/*")))
    finally:
        served.end()
    assert_nothing_ran(trap)


def test_processes_import_nothing_of_the_current_folder(trap, monkeypatch):
    monkeypatch.chdir(trap)
    monkeypatch.setattr(sys, "path", ["", ".", *sys.path])  # as in an interactive session
    process = start_python("import numpy, numba, yaml", subprocess.DEVNULL, subprocess.DEVNULL)
    assert process.wait(300) == 0
    assert_nothing_ran(trap)


def test_a_taxonomy_file_or_a_cached_taxonomy_is_never_unpickled(monkeypatch, tmp_path):
    """Nothing that is read from a file goes through pickle."""
    import pickle

    def refuse(*_, **__):
        raise AssertionError("a pickle was read")

    monkeypatch.setenv("ONTOMASK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(pickle, "load", refuse)
    monkeypatch.setattr(pickle, "loads", refuse)
    rows = "".join(f"c{i},c{i // 3}\n" for i in range(1, 120_000))
    (tmp_path / "large.csv").write_text("child,parent\n" + rows)
    for _ in range(2):  # parsed, then from the cache
        assert len(om.load_taxonomy(tmp_path / "large.csv")) == 120_000

"""What the tests of commands share."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ontomask.cli import main
from release_commands import Done, write_spec, write_table


@pytest.fixture
def ontomask(tmp_path):
    """Run the real command in a folder of its own, and expect an exit code."""

    def run(*arguments, code=0, **options):
        done = subprocess.run(
            [sys.executable, "-m", "ontomask", *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={**os.environ, "ONTOMASK_CACHE": "off", "PYTHONUTF8": "1"},
            **options,
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run


@pytest.fixture
def command(monkeypatch, capsys):
    """Run a command here: the same function that the command line calls, without a new process."""

    def run(folder, *arguments):
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["ontomask", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        return Done(end.value.code or 0, said.out, said.err)

    return run


@pytest.fixture
def jobs(tmp_path, diagnoses):
    """A folder with a table of 60 people, a taxonomy, and a release file that is fine."""
    diagnoses.write(tmp_path / "tax.csv")
    write_table(tmp_path / "people.csv", 60)
    write_spec(tmp_path / "release.yaml")
    return tmp_path

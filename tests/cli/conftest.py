"""What the tests of commands share."""

from __future__ import annotations

from subprocess import CompletedProcess

import pytest

from release_commands import write_spec, write_table


@pytest.fixture
def ontomask(tmp_path, command):
    """Run a command in a folder of its own, and expect an exit code."""

    def run(*arguments, code=0):
        done = command(tmp_path, *arguments)
        assert done.code == code, done.err
        assert "Traceback" not in done.err
        return CompletedProcess(arguments, done.code, done.out, done.err)

    return run


@pytest.fixture
def jobs(tmp_path, diagnoses):
    """A folder with a table of 60 people, a taxonomy, and a release file that is fine."""
    diagnoses.write(tmp_path / "tax.csv")
    write_table(tmp_path / "people.csv", 60)
    write_spec(tmp_path / "release.yaml")
    return tmp_path

"""The fault table: whatever happens to a release, its output is whole or absent.

Nothing that others can read is left behind, and nothing at all after the next run.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest

import ontomask as om
from release_commands import Done, finished, process, write_spec, write_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and limits are others there"),
]

OUTPUTS = ("released.csv", "released.manifest.json", "released.report.html")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> Path:
    """A folder with a release file and its table."""
    folder = tmp_path_factory.mktemp("inputs")
    om.datasets.diagnoses().write(folder / "tax.csv")
    # Not UTF-8: it is copied before it is read.
    write_table(folder / "utf-8.csv", 25_000, long="ä" * 300)
    text = (folder / "utf-8.csv").read_text(encoding="utf-8")
    (folder / "people.csv").write_text(text, encoding="cp1252")
    (folder / "utf-8.csv").unlink()
    encoding = ("released.csv\n", "released.csv\ncsv: {encoding: cp1252}\n")
    write_spec(folder / "release.yaml", encoding)
    return folder


class Place:
    """A folder with a release file and its table, and a temporary folder of its own."""

    def __init__(self, path: Path, inputs: Path) -> None:
        self.folder, self.temporary = path / "data", path / "temporary"
        shutil.copytree(inputs, self.folder)
        self.temporary.mkdir()
        self.inputs = self.names()

    def start(self, *options: str, **limits):
        """Start a release."""
        seed = str(0x1234_5678_9ABC_DEF0_1234)
        arguments = ["mask", "release.yaml", "--allow-unchanged", *options]  # it is 3-anonymous
        return process(self.folder, *arguments, seed=seed, temporary=self.temporary, **limits)

    def names(self) -> list[str]:
        return sorted(os.listdir(self.folder))

    def left(self) -> list[Path]:
        """Work folders that are there."""
        places = (self.folder, self.temporary)
        return [place / name for place in places for name in os.listdir(place) if name[0] == "."]

    def copies(self) -> list[Path]:
        """Copies of the table in the temporary folder."""
        return list(self.temporary.glob(".ontomask.*/utf-8.csv"))

    def wait_for(self, moment: str, command) -> None:
        """Wait until the table is being copied, or is being written."""
        end = time.monotonic() + 300
        while not (self.copies() if moment == "reading" else self.is_writing()):
            assert command.poll() is None, command.communicate()
            assert time.monotonic() < end
            time.sleep(0.001)

    def is_writing(self) -> bool:
        return any(name.startswith(".ontomask.") for name in os.listdir(self.folder))

    def assert_absent(self) -> None:
        """There is no output, and nothing that others could read."""
        assert [name for name in self.names() if name[0] != "."] == self.inputs
        assert all(folder.stat().st_mode & 0o077 == 0 for folder in self.left())

    def assert_next_run_is_clean(self, *options: str) -> None:
        done = finished(self.start(*options))
        assert done.code == 0, done.err
        assert self.names() == sorted([*self.inputs, *OUTPUTS])
        assert not os.listdir(self.temporary)


@pytest.fixture
def place(tmp_path, inputs):
    return Place(tmp_path, inputs)


@pytest.mark.parametrize(
    ("sign", "moment"),
    [
        (signal.SIGINT, "reading"),
        (signal.SIGINT, "writing"),
        (signal.SIGTERM, "writing"),
        (signal.SIGHUP, "reading"),
    ],
)
def test_a_signal_stops_a_release_and_leaves_nothing(place, sign, moment):
    command = place.start()
    place.wait_for(moment, command)
    command.send_signal(sign)
    assert finished(command) == Done(130, "", "stopped\n")
    assert place.names() == place.inputs
    assert not os.listdir(place.temporary)


@pytest.mark.parametrize("moment", ["reading", "writing"])
def test_what_a_killed_release_leaves_is_private_and_gone_after_the_next_run(place, moment):
    command = place.start()
    place.wait_for(moment, command)
    command.kill()
    assert finished(command).code == -signal.SIGKILL
    place.assert_absent()
    assert place.left()
    place.assert_next_run_is_clean()


def test_a_release_under_nohup_survives_its_terminal(place):
    command = place.start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    place.wait_for("reading", command)
    command.send_signal(signal.SIGHUP)
    done = finished(command)
    assert done.code == 0, done.err
    assert place.names() == sorted([*place.inputs, *OUTPUTS])


def test_a_full_disk(place):
    import resource

    def no_large_files():  # what is written beyond this fails, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))

    done = finished(place.start(preexec_fn=no_large_files))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: people.csv cannot be read: ")
    assert place.names() == place.inputs
    assert not os.listdir(place.temporary)


def test_a_disk_that_is_full_when_the_table_is_written(place):
    import resource

    write_spec(place.folder / "release.yaml")
    write_table(place.folder / "people.csv", 25_000, long="x" * 300)

    def no_large_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))

    done = finished(place.start(preexec_fn=no_large_files))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: released.csv cannot be written: ")
    assert place.names() == place.inputs
    assert not os.listdir(place.temporary)


@pytest.mark.parametrize("megabytes", [500, 1500])
def test_too_little_memory_is_one_sentence(place, megabytes):
    import resource

    def little_memory():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    done = finished(place.start(preexec_fn=little_memory))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: not enough memory\n\nhint: ")
    assert place.names() == place.inputs
    assert not os.listdir(place.temporary)


def test_a_folder_that_cannot_be_written_to(place):
    def obey_permissions():  # as root does not, unless it gives up the right not to
        if os.geteuid() == 0:
            ctypes.CDLL(None).prctl(24, 1)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE

    if os.geteuid() == 0 and sys.platform != "linux":
        pytest.skip("root can write everywhere")
    place.folder.chmod(0o500)
    try:
        done = finished(place.start(preexec_fn=obey_permissions))
    finally:
        place.folder.chmod(0o700)
    assert (done.code, done.out) == (2, "")
    assert "released.csv cannot be written: Permission denied" in done.err
    assert place.names() == place.inputs
    assert not os.listdir(place.temporary)


def test_a_table_that_changes_while_it_is_masked(place):
    command = place.start()
    place.wait_for("writing", command)
    with (place.folder / "people.csv").open("ab") as file:
        file.write(b"99999,flu,30,x,1.50\n")
    done = finished(command)
    assert (done.code, done.out) == (2, "")
    assert "people.csv changed while it was read" in done.err
    assert place.names() == place.inputs
    assert not os.listdir(place.temporary)


def test_two_writers_of_one_output(place):
    commands = [place.start(), place.start()]
    done = [finished(command) for command in commands]
    assert sorted(ended.code for ended in done) == [0, 2]
    assert "already exists" in next(ended.err for ended in done if ended.code == 2)
    assert place.names() == sorted([*place.inputs, *OUTPUTS])
    assert not os.listdir(place.temporary)
    manifest = json.loads((place.folder / "released.manifest.json").read_text())
    content = (place.folder / "released.csv").read_bytes()
    assert manifest["output"]["sha256"] == hashlib.sha256(content).hexdigest()


def test_a_path_that_is_not_utf_8_is_one_sentence(place):
    write_table(place.folder / "people.csv", 60)
    write_spec(place.folder / "release.yaml")
    other = os.path.join(os.fsencode(place.folder.parent), b"caf\xe9")
    os.rename(place.folder, other)
    place.folder = Path(os.fsdecode(other))
    done = finished(place.start())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: the path ")
    assert "caf\\udce9/people.csv' is not valid UTF-8" in done.err
    assert place.names() == place.inputs

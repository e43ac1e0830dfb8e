"""Work folders: private, removed at the end, and swept when their process is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ontomask._runtime.files.atomic_files import atomic_write, write_files_atomically
from ontomask._runtime.files.work_folders import make_work_folder, sweep_abandoned, work_folder
from ontomask.errors import FileFormatError

posix = pytest.mark.skipif(os.name != "posix", reason="signals and owners of POSIX")

#: Like the name of a work folder of a process that is gone.
NAME = ".ontomask.1.0123456789abcdef"


def make_abandoned(parent: Path, name: str = NAME) -> Path:
    """A work folder as a killed process leaves it."""
    folder = parent / name
    folder.mkdir(mode=0o700)
    (folder / ".lock").touch()
    (folder / "records.csv").write_text("name,diagnosis\n")
    return folder


def start_owner(parent: Path, then: str) -> tuple[subprocess.Popen[str], Path]:
    """A process that makes a work folder, and then does something."""
    code = f"""
import os, signal, sys
from pathlib import Path
from ontomask._runtime.files.work_folders import make_work_folder
folder = make_work_folder(Path({str(parent)!r}))
(folder / "records.csv").write_text("x")
print(folder, flush=True)
{then}
"""
    owner = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    return owner, Path(owner.stdout.readline().strip())


def end(owner: subprocess.Popen[str]) -> None:
    owner.communicate()


@posix
def test_a_work_folder_is_for_its_owner_and_gone_after_the_block(tmp_path):
    with work_folder(tmp_path) as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert f".{os.getpid()}." in folder.name
        (folder / "a").mkdir()
        (folder / "a" / "b").write_text("x")
    assert not list(tmp_path.iterdir())


@posix
def test_a_folder_whose_process_was_killed_is_swept_by_the_next_one(tmp_path):
    owner, folder = start_owner(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    end(owner)
    assert (folder / "records.csv").exists()
    with work_folder(tmp_path) as other:
        assert list(tmp_path.iterdir()) == [other]


def test_a_folder_of_a_living_process_stays(tmp_path):
    owner, folder = start_owner(tmp_path, "sys.stdin.read()")
    sweep_abandoned(tmp_path)
    assert (folder / "records.csv").exists()
    end(owner)  # which removes it
    assert not folder.exists()


def test_a_folder_of_this_process_stays(tmp_path):
    with work_folder(tmp_path) as folder:
        sweep_abandoned(tmp_path)
        assert folder.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_removes_nothing_of_its_parent(tmp_path):
    child = "pid = os.fork()\nif not pid: sys.exit(0)\nos.waitpid(pid, 0)\nsys.stdin.read()"
    owner, folder = start_owner(tmp_path, f"{child}\nassert (folder / 'records.csv').exists()")
    end(owner)
    assert owner.returncode == 0
    assert not folder.exists()


def test_folders_are_removed_when_python_ends(tmp_path):
    owner, folder = start_owner(tmp_path, "")
    end(owner)
    assert not folder.exists()


@pytest.mark.parametrize("name", ["data", ".ontomask", ".ontomask.abc", f"{NAME}.csv", f"x{NAME}"])
def test_other_folders_stay(tmp_path, name):
    folder = make_abandoned(tmp_path, name)
    sweep_abandoned(tmp_path)
    assert (folder / "records.csv").exists()


def test_a_folder_without_a_lock_is_removed_only_if_it_is_empty(tmp_path):
    empty, other = tmp_path / NAME, tmp_path / NAME.replace("1", "2")
    empty.mkdir()
    other.mkdir()
    (other / "x").touch()
    sweep_abandoned(tmp_path)
    assert list(tmp_path.iterdir()) == [other]


@posix
def test_links_are_not_followed(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    there = tmp_path / "there"
    there.mkdir()
    (there / NAME).symlink_to(tmp_path / "mine", target_is_directory=True)
    sweep_abandoned(there)
    assert (tmp_path / "mine" / "file").exists()
    folder = make_abandoned(there, NAME.replace("1", "2"))
    (folder / "inside").symlink_to(tmp_path / "mine", target_is_directory=True)
    sweep_abandoned(there)
    assert not folder.exists()
    assert (tmp_path / "mine" / "file").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs another user")
def test_a_folder_of_another_user_stays(tmp_path):
    folder = make_abandoned(tmp_path)
    os.chown(folder, 12345, 12345)
    sweep_abandoned(tmp_path)
    assert (folder / "records.csv").exists()


def test_a_folder_that_was_put_aside_is_put_back_when_its_process_was_killed(tmp_path):
    folder = make_abandoned(tmp_path)
    for name in ("old", "replaced"):
        (folder / ".replaced" / name).mkdir(parents=True)
    (tmp_path / "replaced").mkdir()
    (tmp_path / "replaced" / "new").touch()
    sweep_abandoned(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old", "replaced"]
    assert (tmp_path / "replaced" / "new").exists()


def test_what_is_written_takes_its_name_from_a_work_folder(tmp_path):
    with atomic_write(tmp_path / "a.txt") as file:
        file.write("x")
        (folder,) = tmp_path.iterdir()
        assert folder.name.startswith(f".ontomask.{os.getpid()}.")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@posix
def test_the_files_of_two_writers_do_not_mix(tmp_path, monkeypatch):
    from ontomask._runtime.files import atomic_files

    move = atomic_files._move_into_place
    codes = []

    def move_while_another_waits(folder, targets):
        code = (
            "import fcntl, os, sys\n"
            "fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)"
        )
        other = [sys.executable, "-c", code, str(tmp_path)]
        codes.append(subprocess.run(other, capture_output=True).returncode)
        move(folder, targets)

    monkeypatch.setattr(atomic_files, "_move_into_place", move_while_another_waits)
    with write_files_atomically([tmp_path / "a"]) as folder:
        (folder / "a").touch()
    assert codes == [1]  # it could not have renamed anything at this moment
    assert (tmp_path / "a").exists()


def test_a_table_does_not_take_its_place_before_its_manifest(tmp_path):
    targets = [tmp_path / "table.csv", tmp_path / "table.manifest.json"]
    with pytest.raises(FileFormatError), write_files_atomically(targets) as folder:
        (folder / "table.csv").write_text("a")  # and no manifest: moving it fails
    assert list(tmp_path.iterdir()) == []


def test_folders_that_cannot_be_made_are_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        make_work_folder(tmp_path / "missing")
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        make_work_folder(tmp_path / "file")


def test_an_interrupted_block_leaves_nothing(tmp_path):
    def write():
        with write_files_atomically([tmp_path / "a"]) as folder:
            (folder / "a").touch()
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        write()
    assert not list(tmp_path.iterdir())

"""The workbench as a process: its link, its end, its start over."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from urllib.error import HTTPError

import pytest

from workbench import SEED, waited, write_discharges


@pytest.fixture
def served(tmp_path, starting):
    """The discharges, served by a process of its own."""
    write_discharges(tmp_path / "discharges.csv")
    return starting(tmp_path, "discharges.csv")


def asked(served, path, known=True):
    """The answer to a request, of somebody who has opened the link."""
    if known and not served.cookie:
        with urllib.request.urlopen(served.link, timeout=300) as answer:
            served.cookie = answer.headers["set-cookie"].partition(";")[0]
    headers = {"cookie": served.cookie} if known else {}
    request = urllib.request.Request(f"{served.address}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=300) as answer:
        return answer.read().decode()


def test_the_link_is_all_there_is_on_standard_output(served):
    asked(served, "/api/session")
    served.stop()
    assert served.process.stdout.read() == ""


def test_nobody_else_is_answered(served):
    with pytest.raises(HTTPError) as refused:
        asked(served, "/api/session", known=False)
    assert refused.value.code == 403
    refused.value.close()


def test_it_listens_on_this_machine_alone(served):
    port = int(served.address.rpartition(":")[2])
    others = [
        it[4][0]
        for it in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
        if not it[4][0].startswith("127.")
    ]
    if not others:
        pytest.skip("this machine has no address but its own")
    with socket.socket() as other:
        other.settimeout(2)
        assert other.connect_ex((others[0], port)) != 0


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_when_asked_and_leaves_nothing_behind(served, sign):
    waited(lambda: '"opening":null' in asked(served, "/api/session"))
    assert served.stop(sign) in (0, 130)
    left = {it for it in os.listdir(served.folder) if it.startswith(".")}
    assert left == {".ontomask"}
    assert "Traceback" not in served.process.stderr.read()


def test_the_page_is_there_while_a_large_table_is_read(tmp_path, starting):
    write_discharges(tmp_path / "large.csv", 60_000)
    served = starting(tmp_path, "large.csv")
    assert "Choose a table" in asked(served, "/data")
    waited(lambda: '"records":60000' in asked(served, "/api/session"))


def test_a_port_that_is_taken_is_said(served, tmp_path):
    port = served.address.rpartition(":")[2]
    done = subprocess.run(
        [sys.executable, "-m", "ontomask", "workbench", "--no-browser", "--port", port],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert f"port {port}" in done.stderr
    assert done.stdout == ""


def test_a_release_file_or_a_folder_can_be_named(tmp_path, starting, served):
    waited(lambda: (tmp_path / "release.yaml").exists())
    served.stop()
    for named in ("release.yaml", "."):
        again = starting(tmp_path, named)
        waited(lambda again=again: '"records":400' in asked(again, "/api/session"))
        again.stop()


@pytest.mark.slow
def test_a_file_that_is_not_there_is_said(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "ontomask", "workbench", "--no-browser", "nothing.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "ONTOMASK_SEED": str(SEED)},
    )
    assert done.returncode == 2
    assert "nothing.csv does not exist" in done.stderr

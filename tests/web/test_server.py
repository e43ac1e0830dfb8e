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


def asked(served, path, known=True):
    """The answer to a request, of somebody who has opened the link."""
    if known and not served.cookie:
        with urllib.request.urlopen(served.link, timeout=300) as answer:
            served.cookie = answer.headers["set-cookie"].partition(";")[0]
    headers = {"cookie": served.cookie} if known else {}
    request = urllib.request.Request(f"{served.address}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=300) as answer:
        return answer.read().decode()


def test_it_answers_on_this_machine_whoever_has_the_link(tmp_path, starting, command):
    write_discharges(tmp_path / "discharges.csv")
    served = starting(tmp_path, "discharges.csv")
    with pytest.raises(HTTPError) as refused:
        asked(served, "/api/session", known=False)
    assert refused.value.code == 403
    refused.value.close()
    port = served.address.rpartition(":")[2]
    for other in other_addresses():
        with socket.socket() as connection:
            connection.settimeout(2)
            assert connection.connect_ex((other, int(port))) != 0
    # A second one says that the port is taken.
    done = command(tmp_path, "workbench", "--no-browser", "--port", port)
    assert (done.code, done.out) == (2, "")
    assert f"port {port}" in done.err


def other_addresses():
    """The addresses of this machine for others, if it has any."""
    found = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    return [it[4][0] for it in found if not it[4][0].startswith("127.")]


@pytest.mark.parametrize(
    ("named", "sign"),
    [("discharges.csv", signal.SIGINT), ("release.yaml", signal.SIGTERM), (".", signal.SIGHUP)],
)
def test_it_opens_what_is_named_and_leaves_nothing_behind(tmp_path, starting, command, named, sign):
    write_discharges(tmp_path / "discharges.csv")
    if named != "discharges.csv":
        assert command(tmp_path, "init", "discharges.csv").code == 0
    served = starting(tmp_path, named)
    waited(lambda: '"records":400' in asked(served, "/api/session"))
    assert served.stop(sign) in (0, 130)
    left = {it for it in os.listdir(tmp_path) if it.startswith(".")}
    assert left == {".ontomask"}
    assert "Traceback" not in served.process.stderr.read()
    assert served.process.stdout.read() == ""  # the link was all


def test_the_page_is_there_while_a_large_table_is_read(tmp_path, starting):
    write_discharges(tmp_path / "large.csv", 20_000)
    served = starting(tmp_path, "large.csv")
    assert "Choose a table" in asked(served, "/data")
    waited(lambda: '"records":20000' in asked(served, "/api/session"))


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

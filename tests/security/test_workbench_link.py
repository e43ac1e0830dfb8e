"""The workbench's link works once, and no other account of the machine can read it."""

import os
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit

import pytest

from workbench import SEED, waited, write_discharges

pytestmark = pytest.mark.slow


@pytest.fixture
def opened_in(tmp_path):
    """A workbench whose browser only writes down what it was started with."""
    folder = tmp_path / "data"
    folder.mkdir()
    write_discharges(folder / "discharges.csv", 60)
    arguments, browser = tmp_path / "arguments", tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {arguments}.part\nmv {arguments}.part {arguments}\n'
    )
    browser.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "ontomask", "workbench", "discharges.csv"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "ONTOMASK_SEED": str(SEED), "BROWSER": f"{browser} %s"},
    )
    printed = process.stdout.readline().strip()
    waited(arguments.exists)
    yield process, printed, arguments.read_text().strip()
    process.kill()
    process.wait()
    process.stdout.close()


def token_of(text):
    return text.partition("token=")[2].partition('"')[0]


def test_the_browser_is_given_a_file_that_only_this_user_can_read(opened_in):
    process, printed, argument = opened_in
    assert "token" not in argument
    page = Path(unquote(urlsplit(argument).path))
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    link = page.read_text().partition("url=")[2].partition('"')[0]
    assert token_of(link) != token_of(printed)
    for line in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout:
        assert token_of(link) not in line
    with urllib.request.urlopen(link, timeout=300) as answer:
        assert "ontomask-" in answer.headers["set-cookie"]
    with pytest.raises(HTTPError) as refused:
        urllib.request.urlopen(link, timeout=300)
    assert refused.value.code == 403
    refused.value.close()
    process.terminate()
    process.wait(300)
    assert not page.exists()


def test_a_real_browser_gets_in_from_the_file(opened_in, chromium):
    _, _, argument = opened_in
    with chromium.open_page() as page:
        page.goto(argument)
        page.wait_for_selector("#table b", state="attached")
        assert "token" not in page.url

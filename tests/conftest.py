"""What tests share: where real data lies, and how hard hypothesis tries."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import ontomask as om
from browser import chromium, opened  # noqa: F401 - here once, so that there is one browser
from rare_words import folder  # noqa: F401

# The first example may compile a loop; a shared machine has slow moments. No deadlines.
# In CI the same examples are tried every time, so that a change is blamed for what it did;
# elsewhere new ones are.
settings.register_profile(
    "ontomask",
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.load_profile("ontomask")


@pytest.fixture(autouse=True, scope="session")
def _no_cache():
    """Tests parse what they read, and leave nothing in anybody's cache."""
    os.environ["ONTOMASK_CACHE"] = "off"


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with the public data sets; tests on them are skipped where it is not named."""
    named = os.environ.get("ONTOMASK_DATA")
    if not named:
        pytest.skip("ONTOMASK_DATA does not name the folder with the public data sets")
    there = Path(named)
    if not there.is_dir():
        pytest.fail(f"ONTOMASK_DATA names {there}, which is not a folder")
    return there


@pytest.fixture(scope="session")
def icd9():
    return om.load_taxonomy("icd9cm")


@pytest.fixture(scope="session")
def wordnet():
    return om.load_taxonomy("wordnet")


@pytest.fixture
def diagnoses():
    return om.datasets.diagnoses()


@pytest.fixture
def file(tmp_path, request):
    """Writes a small file; a test module says in ``FILE`` what it is usually called."""

    def write(content, name=None):
        path = tmp_path / (name or request.module.FILE)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write

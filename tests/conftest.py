"""What tests share: slow kinds and who runs them, real data, how hard hypothesis tries."""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import ontomask as om
from browser import chromium, opened  # noqa: F401 - here once, so that there is one browser
from rare_words import folder  # noqa: F401
from release_commands import Done
from spark import spark  # noqa: F401 - here once, so that there is one session

# A shell has it ignored in what it starts in the background.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # ignored under nohup, and so by every command that is started
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# The first example may compile a loop; a shared machine has slow moments. No deadlines. How many
# examples a test cannot use depends on chance, and is no failure.
# In CI the same examples are tried every time, so that a change is blamed for what it did;
# elsewhere new ones are.
for profile, examples in {"ontomask": 10, "fast": 5, "thorough": 150}.items():
    settings.register_profile(
        profile,
        deadline=None,
        max_examples=examples,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
        derandomize="CI" in os.environ,
    )
settings.load_profile("ontomask")

#: What a test needs says which slow kind it is of.
MARKERS_OF_FIXTURES = {
    "chromium": "browser",
    "spark": "spark",
    "data_folder": "slow",  # public data sets
    "icd10": "slow",  # a package that takes seconds to load
    "scratch": "slow",  # processes that mask
    "site": "slow",  # mkdocs
    "small": "slow",  # a table that is masked from the workbench
    "starting": "slow",  # processes of the workbench
    "two": "slow",  # two runs
    "wheel": "slow",
    "work": "slow",  # processes that work for another
}
SLOW_FOLDERS = ("experiments",)


#: Modules with tests of these kinds come first: a long one that began last would be waited for.
LONGEST_FIRST = ("spark", "browser", "slow")


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by marker
def pytest_collection_modifyitems(items):
    """Mark slow kinds, and put modules with slow tests first."""
    places = {}
    for item in items:
        for fixture, marker in MARKERS_OF_FIXTURES.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(marker)
        if item.path.parent.name in SLOW_FOLDERS:
            item.add_marker("slow")
        kinds = [place for place, kind in enumerate(LONGEST_FIRST) if item.get_closest_marker(kind)]
        place = min(kinds, default=len(LONGEST_FIRST))
        places[item.path] = min(place, places.get(item.path, place))
    items.sort(key=lambda item: places[item.path])


def pytest_collection_finish():
    """What is loaded by now stays, so the garbage collector need not look at it again."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)  # at new things it need not look often either


def pytest_unconfigure():
    gc.unfreeze()  # extension modules report what is never freed


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """One worker more than cores: tests of pages, of Spark and of processes wait a lot.

    Without those, every further worker only collects and loads the same once more.
    """
    return (os.cpu_count() or 1) + (0 if "not browser" in config.option.markexpr else 1)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """One worker has all of Spark, and all tests of a module that share a fixture.

    Marks of groups would say the same; pytest-xdist 3.8 does not heed them with pytest 9.2.
    """
    from xdist.scheduler import LoadScopeScheduling

    config.option.loadscopereorder = False  # they are in order already

    class Scheduler(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            if "spark" in nodeid:
                return "spark"
            file = nodeid.partition("::")[0]
            return file if _shares_fixtures(config.rootpath / file) else nodeid

    return Scheduler(config, log)


@cache
def _shares_fixtures(file):
    return 'scope="module"' in file.read_text(encoding="utf-8")


@pytest.fixture(autouse=True, scope="session")
def _no_cache():
    """Tests parse what they read, and leave nothing in anybody's cache."""
    os.environ["ONTOMASK_CACHE"] = "off"


@pytest.fixture(autouse=True, scope="session")
def _short_seeds_are_known():
    """Tests use short seeds: the one warning of a process would come in any of them."""
    from ontomask.pipeline import randomness

    randomness._has_warned = True


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
def command(monkeypatch, capsys):
    """Run a command here: the same function that the command line calls, without a new process.

    ``app`` is another program than ``ontomask``.
    """
    from ontomask.cli import app as ontomask_app
    from ontomask.cli import main, stopping

    monkeypatch.setattr(stopping, "_stop_requested", False)  # and so it is again after the test

    def run(place, *arguments, app=ontomask_app):
        monkeypatch.chdir(place)
        monkeypatch.setattr(sys, "argv", ["ontomask", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(app)
        printed = capsys.readouterr()
        return Done(end.value.code or 0, printed.out, printed.err)

    return run


@pytest.fixture
def script(monkeypatch, capsys):
    """Run a script here, without a new process, and return what it prints."""

    def run(place, text):
        monkeypatch.chdir(place)
        capsys.readouterr()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # as a script does that nobody watches
            exec(compile(text, "script", "exec", dont_inherit=True), {"__name__": "__main__"})
        return capsys.readouterr().out

    return run


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

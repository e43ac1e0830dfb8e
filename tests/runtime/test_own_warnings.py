"""Warnings are collected by the thread that reads, and by no other."""

import warnings
from threading import Barrier, Thread

import pytest

from ontomask._runtime.own_warnings import collect_warnings, warn
from ontomask.errors import HeaderWarning


def test_another_thread_keeps_its_warnings():
    both, collected = Barrier(2), {}

    def read(name):
        with collect_warnings() as own:
            both.wait()
            warn(HeaderWarning(name))
            both.wait()
            collected[name] = [str(warning) for warning in own]

    threads = [Thread(target=read, args=[name]) for name in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert collected == {"first": ["first"], "second": ["second"]}


def test_what_others_warn_of_is_not_collected():
    with collect_warnings() as own:
        warn(HeaderWarning("ours"))
        with pytest.warns(UserWarning, match="of another library"):
            warnings.warn("of another library", UserWarning, stacklevel=1)
    assert [str(warning) for warning in own] == ["ours"]


def test_without_a_collector_it_is_an_ordinary_warning_of_the_caller():
    with pytest.warns(HeaderWarning, match="ours") as caught:
        warn(HeaderWarning("ours"))
    assert caught[0].filename == __file__

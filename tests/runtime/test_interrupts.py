"""Ctrl-C while a loop that hears nothing is running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from threading import Event, Thread, current_thread, main_thread

import numpy as np
import pytest

from ontomask._runtime import interrupts
from ontomask._runtime.compiled import jit
from ontomask._runtime.interrupts import early_stopping, run_interruptibly
from ontomask._runtime.progress import listen_to_progress, report_progress


@jit
def spin(times):
    """A compiled loop that Python cannot interrupt."""
    x = np.uint64(1)
    for _ in range(times):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
    return x


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def test_what_is_done_and_what_goes_wrong_comes_through():
    assert run_interruptibly(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        run_interruptibly(lambda: 1 / 0)
    heard = []
    with listen_to_progress(heard.append):
        run_interruptibly(lambda: report_progress("hello"))
    assert heard == ["hello"]


@pytest.mark.slow
def test_a_compiled_loop_is_left_at_once():
    script = """
import os, signal, sys, time
from threading import Timer
from test_interrupts import spin
from ontomask._runtime.interrupts import run_interruptibly
spin(1)
interrupt = Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
try:
    run_interruptibly(lambda: (interrupt.start(), spin(10**12)))  # a quarter of an hour
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "stopped\n", done.stderr


def test_work_that_can_stop_early_is_asked_to():
    def work():
        with early_stopping() as asked:
            interrupt()
            while not asked():
                time.sleep(0.01)
        return "the best so far"

    assert run_interruptibly(work) == "the best so far"


def test_asked_twice_it_is_left():
    stopped = Event()

    def work():
        try:
            with early_stopping() as asked:
                interrupt()
                while not asked():
                    time.sleep(0.01)
                interrupt()
                while True:
                    time.sleep(0.01)
        finally:
            stopped.set()

    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(work)
    assert stopped.wait(300)


def test_an_interrupt_while_the_work_is_being_started_stops_it(monkeypatch):
    stopped = Event()

    class InterruptedThread(Thread):
        def start(self):
            super().start()
            raise KeyboardInterrupt

    def work():
        try:
            while True:
                time.sleep(0.01)
        finally:
            stopped.set()

    monkeypatch.setattr(interrupts, "Thread", InterruptedThread)
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(work)
    assert stopped.wait(300)


def test_in_another_thread_and_inside_itself_it_is_plain_work():
    found = []
    thread = Thread(target=lambda: found.append(run_interruptibly(current_thread)))
    thread.start()
    thread.join()
    assert found == [thread]
    assert run_interruptibly(lambda: run_interruptibly(current_thread) is current_thread())
    assert run_interruptibly(current_thread) is not main_thread()


def test_a_warning_is_given_where_the_work_was_asked_for():
    def work():
        warnings.warn("mind", UserWarning, stacklevel=1)
        return 7

    with pytest.warns(UserWarning, match="mind") as caught:
        assert run_interruptibly(work) == 7
    assert [it.filename for it in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="mind"):
            run_interruptibly(work)

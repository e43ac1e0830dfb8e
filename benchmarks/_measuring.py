"""One measurement of one benchmark, and what it is made of: time, memory, a number."""

from __future__ import annotations

import ctypes
import gc
import re
import resource
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from inspect import isclass
from itertools import product
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple, TypeVar

__all__ = ["CannotRun", "Measurement", "best_time", "measure", "measurements", "memory", "unit"]

#: What a method's name begins with, and so how it is measured.
KINDS = ("time", "peakmem", "cost", "track")
#: Where a class says its budgets: for which figure, by its parameters.
BUDGETS = {"seconds": "budgets", "peak_bytes": "memory_budgets", "figure": "figure_budgets"}
#: A measurement that takes longer than this many seconds has failed, unless its class is patient.
PATIENCE = 180

Method = TypeVar("Method", bound=Callable[..., float])


class CannotRun(NotImplementedError):
    """Raised in ``setup`` where something is missing; the message says what (as in asv)."""


def unit(name: str) -> Callable[[Method], Method]:
    """Say what the number of a ``track_*`` method counts."""

    def set_unit(method: Method) -> Method:
        method.unit = name  # type: ignore[attr-defined]
        return method

    return set_unit


class Measurement(NamedTuple):
    """Which method of which class, with which of its parameters (by place)."""

    file: str
    group: str
    method: str
    place: int

    @property
    def benchmark(self) -> type[Any]:
        """The class itself."""
        benchmark: type[Any] = getattr(import_module(f"benchmarks.{self.file}"), self.group)
        return benchmark

    @property
    def params(self) -> dict[str, Any]:
        """Parameters by name."""
        names: Sequence[str] = getattr(self.benchmark, "param_names", ())
        combinations = list(product(*getattr(self.benchmark, "params", ())))
        return dict(zip(names, combinations[self.place], strict=True))

    @property
    def question(self) -> str:
        """What the class asks: the first sentence of its docstring."""
        return " ".join((self.benchmark.__doc__ or "").partition("\n\n")[0].split())

    @property
    def budgets(self) -> dict[str, float]:
        """What the figures may come to, where the class says so: ``{"seconds": 3}``."""
        key = tuple(self.params.values())
        said = {name: getattr(self.benchmark, where, {}) for name, where in BUDGETS.items()}
        return {name: budgets[key] for name, budgets in said.items() if key in budgets}

    @property
    def timeout(self) -> float:
        """After how many seconds it has failed, setting up included."""
        patience: float = getattr(self.benchmark, "timeout", PATIENCE)
        return patience


def files() -> list[str]:
    """Every file that asks a question."""
    here = Path(__file__).parent
    return sorted(path.stem for path in here.glob("*.py") if not path.stem.startswith("_"))


def measurements(file: str) -> list[Measurement]:
    """Everything there is to measure in a file, in the order in which it is written."""
    module = import_module(f"benchmarks.{file}")
    results = []
    for group, benchmark in vars(module).items():
        if not isclass(benchmark) or benchmark.__module__ != module.__name__:
            continue
        methods = [name for name in vars(benchmark) if name.partition("_")[0] in KINDS]
        places = range(len(list(product(*getattr(benchmark, "params", ())))))
        results += [Measurement(file, group, name, place) for place in places for name in methods]
    return results


def measure(measurement: Measurement) -> dict[str, Any]:
    """Set up and measure; to be called in a fresh process."""
    benchmark, params = measurement.benchmark(), tuple(measurement.params.values())
    try:
        if hasattr(benchmark, "setup"):
            benchmark.setup(*params)
        method = getattr(benchmark, measurement.method)
        kind = measurement.method.partition("_")[0]
        if kind == "time":
            return {"seconds": best_time(lambda: method(*params))}
        if kind == "peakmem":
            peak, own = memory(lambda: method(*params))
            return {"peak_bytes": peak, "own_bytes": own}
        if kind == "cost":
            return cost(lambda: method(*params))
        return {"figure": float(method(*params)), "unit": getattr(method, "unit", "")}
    except CannotRun as reason:
        return {"skipped": str(reason)}


def best_time(work: Callable[[], object], seconds: float = 1.5) -> float:
    """The shortest of several runs: as many as fit into the time, at most 20.

    At least three, because the first one often waits for the system to find memory; fewer only
    where they are long.
    """
    times: list[float] = []
    while len(times) < 20 and sum(times) < (seconds if len(times) >= 3 else 4 * seconds):
        begun = perf_counter()
        work()
        times.append(perf_counter() - begun)
    return min(times)


def cost(work: Callable[[], object]) -> dict[str, float]:
    """Time and memory at once, for long work: memory of the first run, time of the best.

    Processor time stands beside the time on the clock; other work on the machine lengthens both,
    the clock more. Work on several processors has more of it.
    """
    runs: list[tuple[float, float]] = []

    def timed() -> None:
        clock, processor = perf_counter(), process_time()
        work()
        runs.append((perf_counter() - clock, process_time() - processor))

    peak, own = memory(timed)
    if runs[0][0] < 6:
        best_time(timed)
    clocks, processors = zip(*runs, strict=True)
    return {
        "seconds": min(clocks),
        "cpu_seconds": min(processors),
        "peak_bytes": peak,
        "own_bytes": own,
    }


def memory(work: Callable[[], object]) -> tuple[int, int]:
    """The most memory in use while the work runs, and how much of that was not there before.

    In bytes. The peak of everything earlier in the process is forgotten first, where the system
    can do that (Linux); elsewhere work that stays below an earlier peak seems to need nothing.
    """
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)  # what was freed must not serve the work unseen
    before = _forget_peak()
    work()
    peak = _peak()
    return peak, max(0, peak - before)


def _forget_peak() -> int:
    """What is in use now, after the peak was set back to it."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> int:
    try:  # not inherited from the process that started this one, as the other is
        match = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    except OSError:
        match = None
    if match:
        return int(match[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024

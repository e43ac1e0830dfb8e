"""Loops are compiled whole, with what they call inside them, once for each kind of arguments."""

import subprocess
import sys

import numpy as np
import pytest

from ontomask._runtime import compiled as how
from ontomask._runtime.compiled import jit


@jit
def _halved(numbers, at):
    if at == 3:
        raise ValueError("three is not halved")
    return numbers[at] / 2


@jit
def _twice(numbers, at):
    return 2 * _halved(numbers, at) + _halved(numbers, 1)


@jit
def _summed(numbers, most):
    total = 0.0
    for at in range(most):
        total += _twice(numbers, at) + _halved(numbers, 0) + _halved(numbers, 2)
    return total


def _by_hand(numbers, most):
    return sum(numbers[at] + (numbers[0] + numbers[1] + numbers[2]) / 2 for at in range(most))


NUMBERS = np.array([1.0, 2.0, 4.0, 8.0])


def test_what_a_loop_calls_is_inside_it():
    assert _summed(NUMBERS, 3) == _by_hand(NUMBERS, 3)


def test_what_is_called_by_a_loop_can_be_called_from_python_too():
    _summed(NUMBERS, 1)  # compiled as parts of it
    assert _twice(NUMBERS, 2) == 5.0
    assert _halved(NUMBERS, 2) == 2.0
    assert _summed(NUMBERS, 2) == _by_hand(NUMBERS, 2)


def test_an_error_inside_a_part_is_the_loops():
    with pytest.raises(ValueError, match="three is not halved"):
        _summed(NUMBERS, 4)
    with pytest.raises(ValueError, match="three is not halved"):
        _halved(NUMBERS, 3)


LOOPS = """
from ontomask._runtime.compiled import jit

@jit
def inner(x):
    if x == 7:
        raise ValueError("seven")
    return x + 1

@jit
def outer(x):
    return inner(x) + inner(4)
"""


def test_numbers_written_in_a_caller_are_no_types_of_their_own():
    loops: dict = {}
    exec(LOOPS, loops)  # from no file, hence compiled here and not taken from the disk
    assert loops["outer"](4) == 10
    assert len(loops["inner"].signatures) == 1  # for 4 and for what the caller says


ASKED = """
import loops
print(loops.outer(4), sum(loops.outer.stats.cache_hits.values()))
try:
    loops.outer(7)
except ValueError as error:
    print(error)
print(loops.inner(1))
"""


ASKED_TOGETHER = """
import loops
print(flush=True)
input()
loops.outer(4)
print(loops.outer.stats.cache_hits.total())
"""


@pytest.mark.slow
def test_processes_that_need_a_loop_at_the_same_time_compile_it_once(tmp_path):
    (tmp_path / "loops.py").write_text(LOOPS)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", ASKED_TOGETHER],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in processes:
        process.stdout.readline()
    for process in processes:
        process.stdin.write("now\n")
        process.stdin.flush()
    found = [int(process.communicate()[0]) for process in processes]
    assert sorted(found) == [0, 1]


@pytest.mark.slow
def test_a_loop_is_compiled_again_when_a_loop_of_another_module_changes(tmp_path):
    start = "from ontomask._runtime.compiled import jit\n"
    (tmp_path / "outer_kernels.py").write_text(
        f"{start}from inner_kernels import inner\n@jit\ndef outer(x):\n    return inner(x)\n"
    )
    said = []
    for added in ("1", "20"):
        (tmp_path / "inner_kernels.py").write_text(
            f"{start}@jit\ndef inner(x):\n    return x + {added}\n"
        )
        asked = [sys.executable, "-c", "import outer_kernels; print(outer_kernels.outer(4))"]
        said.append(subprocess.run(asked, cwd=tmp_path, check=True, capture_output=True).stdout)
    assert [int(it) for it in said] == [5, 24]


def _cut(content):
    return content[: len(content) // 2]


def _empty(content):
    return b""


def _change(content):
    middle = len(content) // 2
    return content[:middle] + bytes(255 - byte for byte in content[middle:][:100]) + (
        content[middle + 100 :]
    )  # fmt: skip


@pytest.mark.slow
def test_a_loop_is_kept_with_all_that_it_needs_and_a_damaged_cache_heals_itself(tmp_path):
    (tmp_path / "loops.py").write_text(LOOPS)

    def ask():
        done = subprocess.run(
            [sys.executable, "-c", ASKED], cwd=tmp_path, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.split()

    assert ask() == ["10", "0", "seven", "2"]  # no hit of the cache
    for ending, damage in (("nbi", _cut), ("nbc", _empty), ("nbi", _change), ("nbc", _change)):
        damaged = list(tmp_path.rglob(f"*.{ending}"))
        assert damaged
        for path in damaged:
            path.write_bytes(damage(path.read_bytes()))
        assert ask() == ["10", "0", "seven", "2"], (ending, damage)  # compiled again
    assert ask() == ["10", "1", "seven", "2"]  # and kept


def test_a_numba_of_unknown_workings_is_left_to_itself(monkeypatch):
    monkeypatch.setattr(how, "KNOWN_NUMBA", ((0, 1), (0, 2)))

    @how.jit
    def outer(x):
        return 2 * x

    assert type(outer).__name__ == "CPUDispatcher"
    assert type(_summed).__name__ == "_Loop"
    assert outer(4) == 8


def test_a_numba_without_a_private_part_is_left_to_itself(monkeypatch):
    monkeypatch.setitem(sys.modules, "ontomask._runtime.compiled_whole", None)

    @how.jit
    def outer(x):
        return 2 * x

    assert type(outer).__name__ == "CPUDispatcher"
    assert outer(4) == 8


@pytest.mark.parametrize("known", [how.KNOWN_NUMBA, ((0, 1), (0, 2))])
def test_a_loop_stands_for_others_by_the_type_of_its_first_argument(monkeypatch, known):
    from numba.core import types

    monkeypatch.setattr(how, "KNOWN_NUMBA", known)

    @how.choose_by_type
    def size(x):
        raise NotImplementedError

    @how.jit
    def halve(x):
        return x // 2

    @how.jit
    def size_of_number(x):
        return halve(x)

    @how.jit
    def size_of_array(x):
        return x.size

    @how.jit
    def ask(x):
        return size(x) + 1

    how.stand_for(size, types.Integer, size_of_number)
    how.stand_for(size, types.Array, size_of_array)
    assert ask(8) == 5
    assert ask(np.zeros(6)) == 7

"""A process that does pieces of work: told once what to do, then one piece after another.

It talks through the pipes it was started with, and ends when there is nobody to talk to.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Listen, work, answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this decides when it ends
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not get among the answers
    work, shared = pickle.load(requests)  # noqa: S301 - from the process that started this one
    _send_answer(answers, "ready")
    while True:
        try:
            piece = pickle.load(requests)  # noqa: S301
        except EOFError:
            return
        _send_answer(answers, work(shared, piece))


def _send_answer(answers: object, answer: object) -> None:
    pickle.dump(answer, answers)  # type: ignore[arg-type]
    answers.flush()  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()

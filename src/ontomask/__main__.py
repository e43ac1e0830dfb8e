"""``python -m ontomask`` is the command ``ontomask``."""

from ontomask.cli import run

run()

"""``python -m ontomask.cli`` is the command ``ontomask``."""

from ontomask.cli import run

run()

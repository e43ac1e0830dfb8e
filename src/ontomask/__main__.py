"""``python -m ontomask`` is the command ``ontomask``."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the current folder: a file numpy.py beside the data would be run

from ontomask.cli import run

run()

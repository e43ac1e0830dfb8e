"""``python -m experiments``: the same as ``ontomask reproduce``."""

import sys

from ontomask.cli import main

if __name__ == "__main__":
    sys.argv[1:1] = ["reproduce"]
    main()

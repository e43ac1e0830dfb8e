"""``python -m experiments``: run the papers' experiments."""

from experiments.command import app
from ontomask.cli import main

if __name__ == "__main__":
    main(app)

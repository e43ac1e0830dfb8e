"""The report of a release: one page that says what was done, what it promises and what it cost."""

from ontomask.report.page import report

__all__ = ["report"]

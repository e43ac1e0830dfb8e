"""The report of a release: one page that says what was done, what it promises and what it cost."""

from ontomask.release.report.page import report, save_report

__all__ = ["report", "save_report"]

"""The report of a release: one page with the guarantees, the disclosure risk and the utility."""

from ontomask.report.page import report

__all__ = ["report"]

"""Pages that stand alone: one HTML file with its drawings, that opens offline and prints well."""

from ontomask.report.pages.render import render_page

__all__ = ["render_page"]

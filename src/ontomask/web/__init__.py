"""The workbench: a release made by hand, in the browser; a thin door to the library.

It edits a release file. What is done in it can be done again with ``ontomask mask``.
"""

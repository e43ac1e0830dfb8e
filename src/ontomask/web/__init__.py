"""The workbench: prepare a release in the browser.

It edits a release file, so ``ontomask mask`` can repeat everything that is done in it.
"""

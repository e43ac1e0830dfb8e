"""Errors of the workbench, in addition to those of the library."""

from __future__ import annotations

from ontomask.errors import OntomaskError

__all__ = ["Busy", "ChangedElsewhere", "NotThere", "OutsideError", "TooLarge"]


class NotThere(OntomaskError):
    """There is no such column, file, run or concept."""

    status = 404


class ChangedElsewhere(OntomaskError):
    """The release file was changed elsewhere since the page read it."""

    status = 409


class Busy(OntomaskError):
    """Another task is running."""

    status = 409


class OutsideError(OntomaskError):
    """A path is outside of the working folder."""

    status = 422


class TooLarge(OntomaskError):
    """A request or a file is too large."""

    status = 413

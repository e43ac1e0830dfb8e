"""What can go wrong between the page and the workbench, besides what the library refuses."""

from __future__ import annotations

from ontomask.errors import OntomaskError

__all__ = ["Busy", "ChangedElsewhere", "NotThere", "OutsideError", "TooLarge"]


class NotThere(OntomaskError):
    """There is no such column, file, run or concept."""

    status = 404


class ChangedElsewhere(OntomaskError):
    """The release file is not what the page thinks it is: somebody else has changed it."""

    status = 409


class Busy(OntomaskError):
    """Something else is being done."""

    status = 409


class OutsideError(OntomaskError):
    """A path leads out of the working folder."""

    status = 422


class TooLarge(OntomaskError):
    """More is sent than is taken."""

    status = 413

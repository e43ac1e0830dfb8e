"""A release: what each column is, and a table masked by a method, verified.

The package can be called: ``ontomask.release("release.yaml")`` masks the table that a release file
names, and writes it with its manifest and its report.
"""

import sys
from os import PathLike
from types import ModuleType
from typing import TYPE_CHECKING

from ontomask.release.compare import Comparison, Point, compare
from ontomask.release.evaluation import Evaluation, evaluate
from ontomask.release.guarantee import Guarantee, Measured
from ontomask.release.mask import Release, mask
from ontomask.release.schema import Date, Nominal, Numeric, Ordinal, Schema

if TYPE_CHECKING:
    from ontomask.release.spec import Spec

__all__ = [
    "Comparison",
    "Date",
    "Evaluation",
    "Guarantee",
    "Measured",
    "Nominal",
    "Numeric",
    "Ordinal",
    "Point",
    "Release",
    "Schema",
    "compare",
    "evaluate",
    "mask",
]


class _Callable(ModuleType):
    """The chapter and the function have one name, ``ontomask.release``, so it is both."""

    def __call__(
        self,
        spec: "str | PathLike[str] | Spec",
        seed: int | None = None,
        *,
        force: bool = False,
        private: bool = False,
    ) -> Release:
        """Mask the table that a release file names, and write it with its manifest and its report.

        See :func:`ontomask.release.run.release_file`.
        """
        from ontomask.release.run import release_file

        return release_file(spec, seed, force=force, private=private).release


sys.modules[__name__].__class__ = _Callable

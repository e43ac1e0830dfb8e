"""The population that a table is a sample of, as a user describes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ontomask.errors import ParameterError

__all__ = ["Population"]


@dataclass(frozen=True)
class Population:
    """The population that a table is a sample of, for k-map, δ-presence and population uniques.

    Args:
        size: Number of people of the population. Without it, the people of ``table``, or the sum
            of the sampling weights. If the schema has no person column, every record is a person.
        table: A table of the population with original values: a frame or a file, as in
            :func:`~ontomask.mask`. It has the quasi-identifiers under their names, and the
            person column of the schema if people have several records. The released records should
            be among its records.
        weight: The column of the masked table with sampling weights: how many people of the
            population each record stands for. Its role in the schema says whether it is released;
            it must not be a quasi-identifier.

    >>> Population(size=0)
    Traceback (most recent call last):
      ...
    ontomask.errors.ParameterError: size must be an integer of at least 1, got 0
    """

    size: int | None = None
    table: Any = field(default=None, repr=False, compare=False)
    weight: str | None = None

    def __post_init__(self) -> None:
        size: Any = self.size
        weight: Any = self.weight
        if size is not None and (not isinstance(size, int) or isinstance(size, bool) or size < 1):
            raise ParameterError(f"size must be an integer of at least 1, got {size!r}")
        if weight is not None and (not isinstance(weight, str) or not weight):
            raise ParameterError(f"weight must be the name of a column, got {weight!r}")
        if size is None and self.table is None and weight is None:
            raise ParameterError(
                "a population must have a size, a table or a weight, got none of them",
                "write for example Population(size=83_000_000) or Population(weight='weight')",
            )

"""What holds for a released table: what follows from the method, and what was only measured."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import InternalError, WeakProtectionWarning
from ontomask.methods.method import Method
from ontomask.methods.settings import changed_settings
from ontomask.microdata.attributes import NumericalAttribute
from ontomask.microdata.tuples import Transitions

if TYPE_CHECKING:
    from ontomask.risk import Confidential

__all__ = [
    "Guarantee",
    "MeasuredRisk",
    "make_guarantee",
    "format_percent",
    "format_method",
]

Longs = NDArray[np.int64]

#: What rounding may take from a sum.
SLIGHT = 1e-9


@dataclass(frozen=True)
class MeasuredRisk:
    """What was found where a method promises no class sizes; shares from 0 to 1, better when lower.

    ``unchanged``: records left as they were. ``unpaired``: values of each attribute that kept their
    place because there was none to swap them with (swapping alone). ``linked``: records linked
    rightly by an attacker who has the original table and takes the nearest record, ties sharing the
    probability; ``linked_uniques``: of the records that nobody shared (None: there were none);
    ``linked_above``: records linked rightly with a probability above 1/k (None without a k).
    """

    unchanged: float
    unpaired: dict[str, float]
    linked: float
    linked_uniques: float | None
    linked_above: float | None


class Guarantee(str):
    """What holds for a released table, in words; and the numbers behind it.

    ``k`` is the promise (None where there is none), ``smallest`` the smallest class as counted on
    the table, in ``unit`` (records or people), ``classes`` how many there are. ``measured`` is what
    was found out where no k is promised; ``warnings`` say where that is bad.
    """

    k: int | None
    smallest: int
    classes: int
    unit: str
    measured: MeasuredRisk | None
    warnings: tuple[str, ...]

    def __new__(
        cls,
        words: str,
        k: int | None = None,
        smallest: int = 0,
        classes: int = 0,
        unit: str = "",
        measured: MeasuredRisk | None = None,
        warnings: Sequence[str] = (),
    ) -> Guarantee:
        guarantee = super().__new__(cls, words)
        guarantee.k, guarantee.smallest = k, smallest
        guarantee.classes, guarantee.unit = classes, unit
        guarantee.measured, guarantee.warnings = measured, tuple(warnings)
        return guarantee


def make_guarantee(
    columns: Sequence[str],
    method: Method,
    plan: Transitions,
    sizes: Longs,
    unit: str,
    confidential: Sequence[Confidential] = (),
) -> Guarantee:
    """Make the guarantee from the class sizes counted on the table, in records or people.

    ``confidential`` are the counts of confidential columns by class, where a method promises
    something of them.
    """
    k, names = method.promised_k, ", ".join(columns)
    smallest = int(sizes.min()) if len(sizes) else 0
    plural = {"record": "records", "person": "people"}[unit]
    size_text = f"{smallest:,} {unit if smallest == 1 else plural}"
    numbers: dict[str, Any] = {"smallest": smallest, "classes": len(sizes), "unit": plural}
    if not len(sizes):
        return Guarantee(f"no records are released on {names}", k, **numbers)
    if k is None:
        measured = _measure_risk(method, plan)
        warning = ""
        if method.permutes and len(plan.tuples) > 1:  # a single one has been warned of
            warning = _warn_of_weak_protection(method, measured)
        words = (
            f"not k-anonymous: {format_method(method)} promises no class sizes; on {names} the "
            "smallest "
            f"class has {size_text}{_describe_construction(method)}"
            f"{_describe_measured(method, measured)}"
        )
        return Guarantee(
            words, None, measured=measured, warnings=[warning] if warning else (), **numbers
        )
    if smallest < k:
        raise InternalError(f"{k}-anonymity was promised, and a class has {size_text}")
    promises = _verify_sensitive(method, confidential)
    return Guarantee(
        f"{k}-anonymous on {names}: smallest class {size_text}{promises}", k, **numbers
    )


def _verify_sensitive(method: Method, confidential: Sequence[Confidential]) -> str:
    """Verify what the method promises of sensitive columns, and say it in words."""
    from ontomask.risk import closeness, distinct_diversity, entropy_diversity

    promise, words = method.sensitive_promise, ""
    for column in confidential if promise is not None else ():
        assert promise is not None
        if not promise.holds_for(column.name):
            continue
        if promise.l is not None:
            diversity = (entropy_diversity if promise.entropy else distinct_diversity)(column)
            if diversity < promise.l - SLIGHT:
                raise InternalError(
                    f"l = {promise.l} was promised of {column.name!r}, not {diversity:g}"
                )
            unit = "values by entropy" if promise.entropy else "different values"
            words += f"; {column.name}: at least {promise.l} {unit} in every class"
        if promise.t is not None:
            ordered = isinstance(column.attribute, NumericalAttribute)
            distance = closeness(column, "ordered" if ordered else "equal")
            if distance > promise.t + SLIGHT:
                raise InternalError(
                    f"t = {promise.t} was promised of {column.name!r}, not {distance:g}"
                )
            words += f"; {column.name}: no class farther than {promise.t:g} from the whole table"
    return words


def _describe_construction(method: Method) -> str:
    return f". By construction: {method.promise}" if method.promise else ""


def _measure_risk(method: Method, plan: Transitions) -> MeasuredRisk:
    from ontomask import risk

    linkage = risk.linkage_nearest(plan, k=method.target_k)
    attributes, n = plan.tuples.attributes, plan.tuples.records
    return MeasuredRisk(
        unchanged=linkage.unchanged,
        unpaired={
            a.name: unpaired / n for a, unpaired in zip(attributes, plan.unpaired, strict=False)
        },
        linked=linkage.linked,
        linked_uniques=linkage.among_uniques,
        linked_above=linkage.above,
    )


def _describe_measured(method: Method, measured: MeasuredRisk) -> str:
    """The measured figures in words."""
    parts = [f"{format_percent(measured.unchanged)} of the records are unchanged"]
    if any(measured.unpaired.values()):
        most = max(measured.unpaired.values())
        parts.append(f"up to {format_percent(most)} of a column's values found no partner")
    links = (
        f"{format_percent(measured.linked)} of the records are linked to their original by distance"
    )
    if measured.linked_uniques is not None:
        links += f", {format_percent(measured.linked_uniques)} of those nobody shared"
    if measured.linked_above is not None:
        above = format_percent(measured.linked_above)
        links += f"; {above} with a probability above 1/{method.target_k}"
    parts.append(links)
    return f". Measured: {'; '.join(parts)}. A cleverer attacker may link more"


def format_percent(share: float) -> str:
    """Format a share as a percentage."""
    return f"{100 * share:.1f} %"


def _warn_of_weak_protection(method: Method, measured: MeasuredRisk) -> str:
    """Warn where a method without a promised k protects little."""
    k = method.target_k
    reasons = []
    if measured.unchanged > 0.5:
        reasons.append(
            f"{format_percent(measured.unchanged)} of the records are unchanged"
            + (f": where {k} records share a value they swap it among themselves" if k else "")
        )
    if k and measured.linked_uniques is not None and measured.linked_uniques > 1 / k:
        reasons.append(
            f"{format_percent(measured.linked_uniques)} of the records that nobody shared are "
            f"linked to their original, more than 1/{k}"
        )
    if not reasons:
        return ""
    words = (
        f"{format_method(method)} protects little here: {'; '.join(reasons)}. "
        f"{method.protection_advice}"
    )
    warnings.warn(words, WeakProtectionWarning, stacklevel=6)
    return words


def format_method(method: Any) -> str:
    """Format a method with the settings that differ from its defaults."""
    if not is_dataclass(method):
        return type(method).__name__
    settings = [f"{name}={value!r}" for name, value in changed_settings(method).items()]
    return f"{type(method).__name__}({', '.join(settings)})"

"""The guarantee of a released table: what the method guarantees, and what was only measured."""

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
    """The measured risk of a method that promises no class sizes.

    All shares are from 0 to 1; lower is better.

    Attributes:
        unchanged: Share of records that were not changed.
        unpaired: By attribute, share of values that found no partner to swap with (swapping only).
        linked: Share of records linked correctly by an attacker who has the original table and
            takes the nearest record. If several are equally near, each counts with an equal share.
        linked_uniques: The same among records that were unique; None if there are none.
        linked_above: Share of records linked correctly with a probability above 1/k; None without a
            k.
    """

    unchanged: float
    unpaired: dict[str, float]
    linked: float
    linked_uniques: float | None
    linked_above: float | None


class Guarantee(str):
    """What holds for a released table: a sentence, with the numbers behind it.

    Attributes:
        k: The promised size of equivalence classes; None if the method promises none.
        smallest: Size of the smallest equivalence class, counted on the masked records.
        classes: Number of equivalence classes.
        unit: What ``smallest`` counts: records or people.
        measured: The measured risk if no k is promised; otherwise None.
        warnings: Warnings about a high measured risk.
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
            f"not k-anonymous: {format_method(method)} does not guarantee class sizes. The "
            f"smallest equivalence class on {names} has {size_text}"
            f"{_describe_construction(method)}{_describe_measured(method, measured)}"
        )
        return Guarantee(
            words, None, measured=measured, warnings=[warning] if warning else (), **numbers
        )
    if smallest < k:
        raise InternalError(f"{k}-anonymity was guaranteed, but a class has {size_text}")
    promises = _verify_sensitive(method, confidential)
    return Guarantee(
        f"{k}-anonymous on {names}: smallest equivalence class {size_text}{promises}",
        k,
        **numbers,
    )


def _verify_sensitive(method: Method, confidential: Sequence[Confidential]) -> str:
    """Verify what the method guarantees for sensitive attributes, and describe it."""
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
                    f"l = {promise.l} was guaranteed for {column.name!r}, got {diversity:g}"
                )
            kind = "entropy " if promise.entropy else ""
            words += f"; {kind}{promise.l}-diverse in {column.name}"
        if promise.t is not None:
            ordered = isinstance(column.attribute, NumericalAttribute)
            distance = closeness(column, "ordered" if ordered else "equal")
            if distance > promise.t + SLIGHT:
                raise InternalError(
                    f"t = {promise.t} was guaranteed for {column.name!r}, got {distance:g}"
                )
            words += f"; {promise.t:g}-close in {column.name}"
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
        parts.append(f"up to {format_percent(most)} of the values of a column were not swapped")
    links = f"record linkage finds {format_percent(measured.linked)} of the records"
    if measured.linked_uniques is not None:
        links += f" and {format_percent(measured.linked_uniques)} of the originally unique records"
    parts.append(links)
    if measured.linked_above is not None:
        above = format_percent(measured.linked_above)
        parts.append(f"{above} are linked with a probability above 1/{method.target_k}")
    return f". Measured: {'; '.join(parts)}. A stronger attacker may link more"


def format_percent(share: float) -> str:
    """Format a share as a percentage."""
    return f"{100 * share:.1f} %"


def _warn_of_weak_protection(method: Method, measured: MeasuredRisk) -> str:
    """Warn if a method without a guaranteed k protects the table only weakly."""
    k = method.target_k
    reasons = []
    if measured.unchanged > 0.5:
        reasons.append(
            f"{format_percent(measured.unchanged)} of the records are unchanged"
            + (f" (if {k} records share a value, they swap it among themselves)" if k else "")
        )
    if k and measured.linked_uniques is not None and measured.linked_uniques > 1 / k:
        reasons.append(
            f"record linkage finds {format_percent(measured.linked_uniques)} of the originally "
            f"unique records, more than 1/{k}"
        )
    if not reasons:
        return ""
    words = (
        f"{format_method(method)} protects this table only weakly: {'; '.join(reasons)}. "
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

"""The guarantee of a released table: what the method guarantees, and what was only measured."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import (
    InternalError,
    ParameterError,
    WeakProtectionWarning,
    format_count,
    format_percent,
)
from ontomask.methods.method import Method
from ontomask.methods.settings import changed_settings
from ontomask.microdata.grouped_rows import ClassCounts
from ontomask.microdata.tuples import Transitions
from ontomask.risk.released_classes import ReleasedClasses

if TYPE_CHECKING:
    from ontomask.pipeline.planning.linked_people import LinkFigures
    from ontomask.risk import Confidential

__all__ = [
    "Guarantee",
    "MeasuredRisk",
    "make_guarantee",
    "summarise_guarantee",
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
        k: The promised size of equivalence classes; None if the method promises none, or if a
            released column links the records of a person and the classes of linked records are
            smaller.
        smallest: Size of the smallest equivalence class, counted on the masked records.
        classes: Number of equivalence classes.
        unit: What ``smallest`` counts: records or people.
        uniques: Number of equivalence classes of one record or person.
        released: The equivalence classes on the quasi-identifiers and the kept columns together,
            or of linked records; None without kept columns.
        homogeneous: By sensitive attribute, the number of records, or of people, in equivalence
            classes with a single known value of it; whoever is in such a class has that value.
        verified: What the method promises of values and combinations of them, as verified on the
            masked table; empty if it promises nothing of this kind.
        headline: The most important sentences, the worst first.
        measured: The measured risk if neither a k nor anything verified is promised.
        warnings: Warnings about a high measured risk.
    """

    k: int | None
    smallest: int
    classes: int
    unit: str
    uniques: int
    released: ReleasedClasses | None
    homogeneous: Mapping[str, int]
    verified: str
    headline: tuple[str, ...]
    measured: MeasuredRisk | None
    warnings: tuple[str, ...]

    def __new__(
        cls,
        words: str,
        k: int | None = None,
        smallest: int = 0,
        classes: int = 0,
        unit: str = "",
        uniques: int = 0,
        released: ReleasedClasses | None = None,
        homogeneous: Mapping[str, int] | None = None,
        headline: Sequence[str] = (),
        measured: MeasuredRisk | None = None,
        warnings: Sequence[str] = (),
        verified: str = "",
    ) -> Guarantee:
        guarantee = super().__new__(cls, words)
        guarantee.headline = tuple(headline) or (words,)
        guarantee.homogeneous, guarantee.verified = dict(homogeneous or {}), verified
        guarantee.k, guarantee.smallest, guarantee.uniques = k, smallest, uniques
        guarantee.classes, guarantee.unit, guarantee.released = classes, unit, released
        guarantee.measured, guarantee.warnings = measured, tuple(warnings)
        return guarantee

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """The kept columns that ``smallest`` counts, too, because records are linked."""
        linked = self.released is not None and self.released.link is not None
        return self.released.columns if self.released is not None and linked else ()


def make_guarantee(
    columns: Sequence[str],
    method: Method,
    plan: Transitions,
    sizes: Longs,
    unit: str,
    confidential: Sequence[Confidential] = (),
    released: ReleasedClasses | None = None,
    links: LinkFigures | None = None,
    verified: str = "",
) -> Guarantee:
    """Make the guarantee from the class sizes counted on the table, in records or people.

    ``confidential`` are the counts of sensitive columns by class, ``released`` the classes on all
    that somebody may know. ``links`` says what linked records lost, and ``verified`` what the
    method has verified on the table.
    """
    k, names = method.promised_k, ", ".join(columns)
    counts = ClassCounts.of_sizes(sizes)
    plural = {"record": "records", "person": "people"}[unit]
    numbers: dict[str, Any] = {**asdict(counts), "unit": plural, "released": released}
    if not counts.classes:
        return Guarantee(f"no records are released on {names}", k, **numbers)
    size_text = _format_size(counts.smallest, plural)
    if released is not None and released.link is not None:
        # The classes of single records say little then.
        numbers |= {name: getattr(released, name) for name in (*asdict(counts), "unit")}
    if k is None:
        if verified:
            uniques = [] if released is None else [_describe_uniques(names, released)]
            headline = [verified, *uniques]
            words = ". ".join(headline)
            return Guarantee(words, headline=headline, verified=verified, **numbers)
        measured = _measure_risk(method, plan)
        warning = ""
        if method.permutes and len(plan.tuples) > 1:  # a single one has been warned of
            warning = _warn_of_weak_protection(method, measured)
        headline = [
            f"not k-anonymous: {format_method(method)} does not guarantee class sizes. The "
            f"smallest equivalence class on {names} has {size_text}",
        ]
        if released is not None:
            headline.append(_describe_uniques(names, released))
        details = f"{_describe_construction(method)}{_describe_measured(method, measured)}"
        return Guarantee(
            ". ".join([*headline, details]),
            headline=headline,
            measured=measured,
            warnings=[warning] if warning else (),
            **numbers,
        )
    if counts.smallest < k:
        raise InternalError(f"{k}-anonymity was guaranteed, but a class has {size_text}")
    if links is not None and released is not None and not released.columns:
        _verify_linked(k, released)
    lost = 0 if links is None else links.lost_records
    promises = _verify_sensitive(method, confidential, lost)
    alone = f"{k}-anonymous on {names}: smallest equivalence class {size_text}{promises}"
    headline = [alone]
    if released is not None and released.smallest >= k:
        headline = [_describe_whole(k, names, released, promises)]
    elif released is not None:
        worst = f"not {k}-anonymous: {_describe_uniques(names, released)}"
        if released.link is None:
            headline = [worst, f"On the quasi-identifiers alone: {alone}"]
        else:
            headline, k = [worst, f"Without {released.link}: {alone}"], None
    if links is not None:
        headline.append(_describe_links(links))
    homogeneous = _count_homogeneous(confidential, plural)
    headline += _describe_homogeneous(homogeneous, plural)
    return Guarantee(". ".join(headline), k, headline=headline, homogeneous=homogeneous, **numbers)


def _count_homogeneous(confidential: Sequence[Confidential], unit: str) -> dict[str, int]:
    """Count those in classes with a single known value, by sensitive attribute."""
    from ontomask.risk import homogeneous_records

    return {
        column.name: column.homogeneous_people
        if unit == "people" and column.homogeneous_people is not None
        else homogeneous_records(column)
        for column in confidential
    }


def _describe_homogeneous(homogeneous: Mapping[str, int], unit: str) -> list[str]:
    """Say of which sensitive attributes a class gives the value away."""
    parts = [
        f"{_format_size(count, unit)} in equivalence classes with a single value of {column}"
        for column, count in homogeneous.items()
        if count
    ]
    return [f"Attribute disclosure: {', '.join(parts)}"] if parts else []


def summarise_guarantee(guarantee: Guarantee) -> list[str]:
    """The guarantee in a few words, the worst first: what holds on which columns."""
    k, released = guarantee.k, guarantee.released
    promise = guarantee.verified or ("not k-anonymous" if k is None else f"{k}-anonymous")
    if released is None or (k is not None and released.smallest >= k):
        return [promise]
    together = "by linked records" if released.link else "with kept columns"
    uniques = f"{released.uniques:,} unique {released.unit} {together}"
    return [uniques, promise if k is None else f"{promise} on the quasi-identifiers alone"]


def _describe_whole(k: int, names: str, released: ReleasedClasses, promises: str) -> str:
    """Say that the classes on all that somebody may know have at least k members."""
    size_text = _format_size(released.smallest, released.unit)
    kept = f" and the kept {_list_columns(released.columns)}" if released.columns else ""
    linked = (
        f", all records of a person together ({released.link!r} is released)"
        if released.link is not None
        else ""
    )
    return (
        f"{k}-anonymous on {names}{kept}{linked}: smallest equivalence class {size_text}{promises}"
    )


def _verify_linked(k: int, released: ReleasedClasses) -> None:
    """Refuse linked records that fewer than k people share."""
    if released.smallest < k:
        raise InternalError(f"{k} people were to share all their records, got {released.smallest}")


def _describe_links(links: LinkFigures) -> str:
    """Say what was lost to keep the records of a person linked."""
    records = links.links + links.people
    before = (
        f"Before masking, {links.uniques_before:,} of {links.people:,} people were unique by all "
        "their records"
    )
    if not links.links:
        return before
    return (
        f"{before}. {links.lost_records:,} of {format_count(records, 'record')} were "
        f"removed, and {links.broken:,} of {format_count(links.links, 'link')} between records of "
        "a person were broken"
    )


def _describe_uniques(names: str, released: ReleasedClasses) -> str:
    """Say how many are unique on all that somebody may know, and the smallest class."""
    size_text = _format_size(released.smallest, released.unit)
    kept = f" and the kept {_list_columns(released.columns)}" if released.columns else ""
    are = "is" if released.uniques == 1 else "are"
    counts = f"{released.uniques:,} of {released.total:,} {released.unit} {are} unique"
    if released.link is None:
        return f"{counts} on {names}{kept}; smallest equivalence class {size_text}"
    return (
        f"the released column {released.link!r} links the records of a person, and {counts} by "
        f"all their records on {names}{kept}; smallest equivalence class {size_text}"
    )


def _list_columns(columns: Sequence[str]) -> str:
    return f"{'column' if len(columns) == 1 else 'columns'} {', '.join(map(str, columns))}"


def _format_size(size: int, unit: str) -> str:
    one = {"records": "record", "people": "person"}[unit]
    return f"{size:,} {one if size == 1 else unit}"


def _verify_sensitive(method: Method, confidential: Sequence[Confidential], lost: int) -> str:
    """Verify what the method guarantees for sensitive attributes, and describe it.

    Of linked records, ``lost`` are removed. The values of the released table then differ from those
    that the method has compared its groups with, and t may be out of reach.
    """
    from ontomask.risk import closeness, distinct_diversity, entropy_diversity
    from ontomask.risk.t_closeness import is_close

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
            if not is_close(column, promise.t + SLIGHT):
                if lost:
                    raise ParameterError(
                        f"t must be larger for linked records: {format_count(lost, 'record')} had "
                        f"to be removed, and the values of {column.name!r} in a class then differ "
                        f"from the released table by {closeness(column, column.ground):.3g}, more "
                        f"than {promise.t:g}",
                        "use a larger t, or l instead",
                    )
                raise InternalError(
                    f"t = {promise.t} was guaranteed for {column.name!r}, got "
                    f"{closeness(column, column.ground):g}"
                )
            meaning = " by meaning" if column.ground == "semantic" else ""
            words += f"; {promise.t:g}-close in {column.name}{meaning}"
    return words


def _describe_construction(method: Method) -> str:
    return f"By construction: {method.promise}. " if method.promise else ""


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
    return f"Measured: {'; '.join(parts)}. A stronger attacker may link more"


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

"""Arrays bundled into one structure, which the loops pass on as a single pointer.

A named tuple would be taken apart into hundreds of arguments at every call, and compiling that
takes minutes. These share their arrays with the named tuples that Python sees.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from numba.core import cgutils, imputils, types
from numba.experimental import structref
from numba.extending import lower_getattr

from ontomask._runtime.compiled import jit
from ontomask.methods.microaggregation.merging import groups_kernels
from ontomask.methods.microaggregation.merging.groups_kernels import Scratch
from ontomask.methods.microaggregation.merging.merge_kernels import GroupState
from ontomask.methods.microaggregation.merging.rules_kernels import Rules
from ontomask.methods.microaggregation.merging.space import TupleSpace
from ontomask.methods.microaggregation.merging.space_kernels import (
    answer_for_rows_with,
    answer_with,
)

__all__ = ["Bundle", "bundle_arrays", "lend_arrays"]


class Bundle(types.StructRef):
    """The type of some bundle."""

    def preprocess_fields(self, fields: Any) -> Any:
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


@structref.register
class SpaceType(Bundle):
    """The type of a space."""


@structref.register
class ScratchType(Bundle):
    """The type of work space."""


@structref.register
class RulesType(Bundle):
    """The type of rules."""


@structref.register
class GroupsType(Bundle):
    """The type of groups."""


class SpaceBundle(structref.StructRefProxy):
    """A space."""


class ScratchBundle(structref.StructRefProxy):
    """Work space."""


class RulesBundle(structref.StructRefProxy):
    """Rules."""


class GroupsBundle(structref.StructRefProxy):
    """Groups."""


structref.define_proxy(SpaceBundle, SpaceType, TupleSpace._fields)
structref.define_proxy(ScratchBundle, ScratchType, Scratch._fields)
structref.define_proxy(RulesBundle, RulesType, Rules._fields)
structref.define_proxy(GroupsBundle, GroupsType, GroupState._fields)


def lend_arrays(kind: type, fields: Sequence[str]) -> None:
    """Let loops use the arrays of a kind of bundles without counting references to them.

    Who calls a loop holds its bundles all the while. Counting took half of the time of
    :func:`~ontomask.methods.microaggregation.merging.space_kernels.group_cost`.
    """
    with suppress(ImportError):
        from numba.experimental.structref import _Utils

        for field in fields:
            lower_getattr(kind, field)(_lend(_Utils, field))


def _lend(utils: Any, field: str) -> Any:
    def read_field(context: Any, builder: Any, kind: Any, bundle: Any) -> Any:
        value = getattr(utils(context, builder, kind).get_data_struct(bundle), field)
        field_kind = kind.field_dict[field]
        if not isinstance(field_kind, types.Array):
            return imputils.impl_ret_borrowed(context, builder, field_kind, value)
        array = context.make_array(field_kind)(context, builder, value=value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        return array._getvalue()

    return read_field


for kind, arrays in (
    (SpaceType, TupleSpace),
    (ScratchType, Scratch),
    (RulesType, Rules),
    (GroupsType, GroupState),
):
    lend_arrays(kind, arrays._fields)

answer_with(
    SpaceType,
    groups_kernels.tuple_distance,
    groups_kernels.record_cost,
    groups_kernels.group_cost,
    groups_kernels.keep_centre,
)
answer_for_rows_with(
    SpaceType,
    groups_kernels.write_centre,
    groups_kernels.store_centre,
    groups_kernels.move_centres,
)


def bundle_arrays(arrays: TupleSpace | Scratch | Rules | GroupState) -> Any:
    """Bundle the arrays of a named tuple for the loops."""
    make: dict[type, Any] = {
        TupleSpace: _bundle_space,
        Scratch: _bundle_scratch,
        Rules: _bundle_rules,
        GroupState: _bundle_groups,
    }
    return make[type(arrays)](*arrays)


@jit
def _bundle_space(
    codes: Any,
    rank: Any,
    target: Any,
    weight: Any,
    kind: Any,
    scale: Any,
    table: Any,
    first: Any,
    width: Any,
    metric: Any,
    value_first: Any,
    place: Any,
    number: Any,
    above_start: Any,
    above: Any,
    by_variance: Any,
    cost: Any,
    choice: Any,
    most_candidates: Any,
    most_values: Any,
) -> Any:
    return SpaceBundle(
        codes,
        rank,
        target,
        weight,
        kind,
        scale,
        table,
        first,
        width,
        metric,
        value_first,
        place,
        number,
        above_start,
        above,
        by_variance,
        cost,
        choice,
        most_candidates,
        most_values,
    )


@jit
def _bundle_scratch(
    records: Any,
    seen: Any,
    values: Any,
    candidates: Any,
    sums: Any,
    ties: Any,
    many_ties: Any,
    rest: Any,
    centre: Any,
    pairs: Any,
) -> Any:
    return ScratchBundle(
        records, seen, values, candidates, sums, ties, many_ties, rest, centre, pairs
    )


@jit
def _bundle_rules(
    k: Any,
    kind: Any,
    limit: Any,
    optional: Any,
    start: Any,
    value: Any,
    often: Any,
    own: Any,
    first: Any,
    share: Any,
    parent: Any,
    length: Any,
    far: Any,
    seen: Any,
    distinct: Any,
) -> Any:
    return RulesBundle(
        k,
        kind,
        limit,
        optional,
        start,
        value,
        often,
        own,
        first,
        share,
        parent,
        length,
        far,
        seen,
        distinct,
    )


@jit
def _bundle_groups(
    of: Any,
    head: Any,
    after: Any,
    before: Any,
    records: Any,
    many: Any,
    cost: Any,
    centre: Any,
    version: Any,
    changed: Any,
    moments: Any,
    members: Any,
    others: Any,
    seen: Any,
    partner: Any,
    price: Any,
    own: Any,
    own_moment: Any,
) -> Any:
    return GroupsBundle(
        of,
        head,
        after,
        before,
        records,
        many,
        cost,
        centre,
        version,
        changed,
        moments,
        members,
        others,
        seen,
        partner,
        price,
        own,
        own_moment,
    )

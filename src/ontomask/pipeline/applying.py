"""The third step of a release: a plan is applied to the records, and the result verified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from ontomask.engines.memory.values import canonical_text
from ontomask.engines.protocol import Applied
from ontomask.errors import InternalError
from ontomask.microdata.distinct_values import OutputColumn
from ontomask.microdata.tuples import Transitions
from ontomask.microdata.value_coding import CodedColumn
from ontomask.pipeline.counting import Counted
from ontomask.pipeline.planning.linked_people import LinkedPlan
from ontomask.pipeline.planning.plan import Plan
from ontomask.pipeline.randomness import derive_key

__all__ = ["apply_plan"]


def apply_plan(
    counted: Counted, plan: Plan, secret: bytes, pseudonyms: Sequence[str] | None = None
) -> Applied:
    """Give every record its target, and verify the masked table before it is returned.

    Where records of one tuple become different things, ``secret`` says which of them each becomes.
    ``pseudonyms`` are those of the plan where other tables have them, too.
    """
    schema = counted.schema
    transitions = plan.transitions if plan.linked is None else plan.linked.transitions
    # A plan may hold more concepts than the values' own hierarchy.
    columns = [
        column.with_attribute(attribute)
        for column, attribute in zip(counted.columns, transitions.tuples.attributes, strict=True)
    ]
    outputs: dict[str, OutputColumn] = {}
    removed = schema.removed(counted.engine.names)
    for column, targets in zip(columns, transitions.targets.T, strict=True):
        outputs |= column.output_columns(targets)
    if plan.linked is not None and schema.person is not None:
        names = list(pseudonyms or _name_pseudonyms(counted, plan, plan.linked, secret))
        outputs[schema.person] = OutputColumn(names, plan.linked.pseudonym, text=True)
    applied = counted.records.apply(transitions, outputs, removed, secret, plan.drops)
    applied.verify()
    if plan.method.permutes:
        _check_multisets(columns, transitions, applied)
    return applied


def _name_pseudonyms(counted: Counted, plan: Plan, linked: LinkedPlan, secret: bytes) -> list[str]:
    """The pseudonyms of a table, which depend on its settings and its released columns."""
    schema, columns = counted.schema, counted.engine.names
    settings = (plan.method, schema.linked, schema.link_price)
    released = sorted(set(columns) - set(schema.removed(columns)))
    key = derive_key(secret, f"pseudonyms {settings!r} {released!r}")
    return make_pseudonyms(linked, counted.people_names, key)


def make_pseudonyms(plan: LinkedPlan, people: Sequence[str], key: bytes) -> list[str]:
    """Make the pseudonyms of a release: keyed hashes of the people and their pieces.

    Each release has a key of its own, so that two cannot be put together by their pseudonyms.
    """
    names = [
        "p"
        + blake2b(
            f"{piece}\0{people[person]}".encode("utf-8", "surrogatepass"), digest_size=8, key=key
        ).hexdigest()
        for person, piece in zip(plan.person.tolist(), plan.piece.tolist(), strict=True)
    ]
    if len(set(names)) < len(names):
        raise InternalError("two pseudonyms are the same")
    return names


def _check_multisets(columns: Sequence[CodedColumn], plan: Transitions, applied: Applied) -> None:
    """Where values are only permuted, each must be in the released table as often as before."""
    for j, column in enumerate(columns):
        attribute, counts = column.attribute, plan.tuples.value_counts(j).tolist()
        original = column.output_columns(attribute.target_of(np.arange(attribute.size)))
        for name, before in original.items():
            expected: Counter[str] = Counter()
            for place, count in zip(before.places, counts, strict=True):
                expected[canonical_text(before.values[place] if place >= 0 else None)] += count
            distinct = applied.value_counts(name)
            texts = map(canonical_text, distinct.values)
            released = Counter(dict(zip(texts, distinct.counts.tolist(), strict=True)))
            released[canonical_text(None)] += plan.tuples.records - int(distinct.counts.sum())
            if +released != +expected:
                raise InternalError(f"column {name!r} has other values than before swapping")

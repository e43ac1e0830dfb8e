"""Mask several tables of the same people: count each, plan all together, apply, verify."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from ontomask._runtime.interrupts import run_interruptibly
from ontomask._runtime.progress import ignore_progress, listen_to_progress
from ontomask.errors import OntomaskError, ParameterError, SchemaError, format_count, quote_names
from ontomask.methods.method import Method
from ontomask.methods.microaggregation import Microaggregation
from ontomask.microdata.linked_records import LINK_PRICE, LINKED, Linked
from ontomask.microdata.schema import Schema
from ontomask.pipeline.applying import apply_plan, make_pseudonyms
from ontomask.pipeline.counting import Counted, count_table, open_engine, translate_file_errors
from ontomask.pipeline.guarantees.guarantee import Guarantee, make_guarantee
from ontomask.pipeline.mask import check_arguments
from ontomask.pipeline.planning.linked_people import LinkFigures, number_joint_bags
from ontomask.pipeline.planning.plan import Plan, plan_linked_tables
from ontomask.pipeline.randomness import (
    check_seed,
    derive_joint_secret,
    derive_key,
    derive_secret,
    warn_about_short_seed,
)
from ontomask.pipeline.release import Release, make_release
from ontomask.pipeline.tables.people import number_people_together
from ontomask.pipeline.tables.recount import (
    FinishedTable,
    count_joint_classes,
    refuse_links_between_tables,
)
from ontomask.pipeline.tables.release import TablesRelease
from ontomask.risk.classes import canonical_targets

__all__ = ["mask_tables"]


def mask_tables(
    tables: Mapping[str, Any],
    schemas: Mapping[str, Schema],
    method: Method,
    seed: int | None = None,
    *,
    person: str | Mapping[str, str],
    linked: Linked = "equal",
    link_price: float = LINK_PRICE,
    shuffle: bool = False,
    progress: Callable[[str], None] | None = None,
    files: Mapping[str, Mapping[str, Any]] | None = None,
) -> TablesRelease:
    """Mask several tables of the same people, such as persons, stays and prescriptions.

    A pseudonym replaces the person, the same in all tables, and at least k people share all rows of
    a pseudonym: in each table the same rows, the same number of times. People may be missing from a
    table: that is known, too, so k people are missing there.

    Args:
        tables: The tables by name, each as in :func:`mask`: a frame or the path of a file.
        schemas: By table, the role of every column, without ``person`` and ``linked``.
        method: The masking method: ``Microaggregation`` with its usual algorithm.
        seed: As in :func:`mask`.
        person: The column that identifies a person, in all tables or by table.
        linked: What becomes of people with different numbers of rows, as in
            :class:`~ontomask.Schema`; the numbers in each table count.
        link_price: With ``"split"``, what a link between two rows of a person is worth.
        shuffle: As in :func:`mask`.
        progress: A function that is called with a short text at every step.
        files: By table, the settings of a file, as in :func:`mask`.

    Returns:
        The masked tables, with what holds for all of them together.

    >>> import pandas as pd
    >>> from ontomask import datasets
    >>> from ontomask.methods import Microaggregation
    >>> from ontomask.microdata import Nominal, Numeric, Schema
    >>> persons = pd.DataFrame({"id": [1, 2, 3, 4], "age": [30, 32, 60, 64]})
    >>> stays = pd.DataFrame({"id": [1, 2, 2], "dx": ["influenza", "common cold", "broken arm"]})
    >>> release = mask_tables(
    ...     {"persons": persons, "stays": stays},
    ...     {"persons": Schema([Numeric("age")]),
    ...      "stays": Schema([Nominal("dx", datasets.diagnoses())])},
    ...     Microaggregation(k=2),
    ...     person="id",
    ...     linked="drop",
    ... )
    >>> release.data["persons"]["age"].tolist()
    [31, 31, 62, 62]
    >>> release.guarantee.k, release.guarantee.smallest, release.links.lost_records
    (2, 2, 1)
    """
    columns = _check_tables(tables, schemas, method, person, linked, files)
    used_seed = check_seed(seed)
    warn_about_short_seed(seed, stacklevel=2)
    linked_schemas = _link_schemas(schemas, columns, linked, link_price)
    report = progress or ignore_progress

    def run() -> TablesRelease:
        with ExitStack() as stack:
            counted = {}
            for name in sorted(tables):  # in an order of their own: the plan does not depend on it
                report(f"counting {name}")
                with _name_table(name), translate_file_errors(tables[name]):
                    engine = open_engine(tables[name], (files or {}).get(name, {}))
                    stack.enter_context(engine.refuse_changes())
                    counted[name] = count_table(engine, linked_schemas[name])
            release = _run_pipeline(counted, method, used_seed, shuffle, report)
        return replace(
            release,
            releases={name: release.releases[name] for name in tables},
            person={name: columns[name] for name in tables},
        )

    return run_interruptibly(run)


def _run_pipeline(
    tables: Mapping[str, Counted],
    method: Method,
    seed: int,
    shuffle: bool,
    progress: Callable[[str], None],
) -> TablesRelease:
    refuse_links_between_tables(tables)
    secret = derive_joint_secret(
        {name: derive_secret(seed, counted.tuples) for name, counted in tables.items()}
    )
    counted_tables = dict(zip(tables, number_people_together(list(tables.values())), strict=True))
    progress(f"planning {format_count(len(tables), 'table')} together")
    with listen_to_progress(progress):
        inputs = [counted.plan_input for counted in counted_tables.values()]
        plans, figures = plan_linked_tables(inputs, method)
    plans = _number_bags(plans)
    pseudonyms = _name_pseudonyms(counted_tables, plans, secret)
    releases: dict[str, Release] = {}
    finished: list[FinishedTable] = []
    for plan, (name, counted) in zip(plans, counted_tables.items(), strict=True):
        progress(f"masking and verifying {name}")
        with _name_table(name):
            own = derive_key(secret, f"table {name}")
            applied = apply_plan(counted, plan, derive_key(own, "records"), pseudonyms)
            releases[name] = make_release(counted, plan, applied, derive_key(own, "order"), shuffle)
        assert plan.linked is not None
        finished.append(FinishedTable(name, counted.schema, applied, plan.linked, pseudonyms))
    progress("counting people over all tables")
    guarantee = _make_joint_guarantee(finished, releases, method, figures)
    return TablesRelease(releases, guarantee, figures, method, {})


def _number_bags(plans: Sequence[Plan]) -> list[Plan]:
    """The plans with the class of the whole bag of each pseudonym, in all tables."""
    linked = [plan.linked for plan in plans if plan.linked is not None]
    bags = number_joint_bags(linked, [canonical_targets(plan.transitions) for plan in plans])
    return [
        replace(plan, linked=replace(own, bags=bags))
        for plan, own in zip(plans, linked, strict=True)
    ]


def _name_pseudonyms(
    tables: Mapping[str, Counted], plans: Sequence[Plan], secret: bytes
) -> list[str]:
    """The pseudonyms of all pieces of people, which depend on all that is released."""
    some = next(iter(tables.values()))
    settings = (plans[0].method, some.schema.linked, some.schema.link_price)
    released = {
        name: sorted(set(counted.engine.names) - set(counted.schema.removed(counted.engine.names)))
        for name, counted in tables.items()
    }
    key = derive_key(secret, f"pseudonyms {settings!r} {released!r}")
    assert plans[0].linked is not None
    return make_pseudonyms(plans[0].linked, some.people_names, key)


def _make_joint_guarantee(
    finished: Sequence[FinishedTable],
    releases: Mapping[str, Release],
    method: Method,
    figures: LinkFigures,
) -> Guarantee:
    """The guarantee over all tables, from the classes that were counted on the finished ones."""
    link = ", ".join(dict.fromkeys(str(table.schema.person) for table in finished))
    sizes, released = count_joint_classes(finished, link)
    names = [
        f"{table.name}.{quasi.column}"
        for table in finished
        for quasi in table.schema.quasi_identifiers
    ]
    sensitive = {
        f"{name}.{column.name}": column
        for name, release in releases.items()
        for column in (release._sensitive_counts[0] if release.records else ())
    }
    if isinstance(method, Microaggregation) and method.protects is not None:
        promised = [name for name, column in sensitive.items() if column.name in method.protects]
        method = (
            replace(method, protects=promised)
            if promised
            else replace(method, l=None, t=None, protects=None)  # nothing is left that has them
        )
    some = next(iter(releases.values()))
    confidential = [replace(column, name=name) for name, column in sensitive.items()]
    return make_guarantee(
        names, method, some.transitions, sizes, "person", confidential, released, figures
    )


# ---------------------------------------------------------------------- what is given


def _check_tables(
    tables: Any,
    schemas: Any,
    method: Any,
    person: Any,
    linked: Any,
    files: Mapping[str, Any] | None,
) -> dict[str, str]:
    """Refuse arguments that do not fit together; the column of the person by table."""
    for argument, value in (("tables", tables), ("schemas", schemas)):
        if not isinstance(value, Mapping):
            raise ParameterError(
                f"{argument} must be a dict by the names of the tables, got {type(value).__name__}"
            )
    if len(tables) < 2:
        raise ParameterError(
            f"tables must be at least two tables, got {len(tables)}", "use mask for a single one"
        )
    by_table = person if isinstance(person, Mapping) else dict.fromkeys(tables, person)
    for argument, names in (("schemas", schemas), ("person", by_table)):
        if set(names) != set(tables):
            raise ParameterError(
                f"{argument} must have an entry for each of the tables {quote_names(tables)}, got "
                f"{quote_names(names) or 'none'}",
                "use the same names for tables, schemas and person",
            )
    unknown = [name for name in files or {} if name not in tables]
    if unknown:
        raise ParameterError(
            f"files must be settings of the tables {quote_names(tables)}, got those of "
            f"{quote_names(unknown)}"
        )
    if linked not in LINKED:
        raise ParameterError(f"linked must be {quote_names(LINKED)}, got {linked!r}")
    for schema in schemas.values():
        check_arguments(schema, method)
    return dict(by_table)


def _link_schemas(
    schemas: Mapping[str, Schema], columns: Mapping[str, str], linked: Linked, price: float
) -> dict[str, Schema]:
    """The schemas with the person and what becomes of people with different numbers of rows."""
    linked_schemas = {}
    for name, schema in schemas.items():
        with _name_table(name):
            if schema.linked is not None or schema.person not in (None, columns[name]):
                raise SchemaError(
                    "the schema must not say who the person is, or what is linked",
                    "give person and linked to mask_tables, for all tables",
                )
            linked_schemas[name] = replace(
                schema, person=columns[name], linked=linked, link_price=price
            )
    return linked_schemas


@contextmanager
def _name_table(name: str) -> Iterator[None]:
    """Say in errors which table they are about."""
    try:
        yield
    except OntomaskError as error:
        raise error.with_message(f"table {name!r}: {error.message}") from error.__cause__

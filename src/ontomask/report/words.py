"""The sentences of a report: guarantees, measurements and the summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ontomask.errors import format_count, format_people, format_percent
from ontomask.methods.method import Method
from ontomask.microdata.measures import describe_records
from ontomask.report.pages.numbers import format_integer
from ontomask.taxonomy.about import FLAT

__all__ = [
    "list_guarantees",
    "summarise_release",
    "worst_classes",
    "join_names",
    "describe_linkage",
    "describe_population",
    "list_measurements",
]


def join_names(names: Sequence[str]) -> str:
    """Join names as in a sentence.

    >>> join_names(["age"]), join_names(["age", "sex", "zip"])
    ('age', 'age, sex and zip')
    """
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


# ---------------------------------------------------------------------- guarantees, measurements


def list_guarantees(facts: Mapping[str, Any], method: Method) -> list[str]:
    """List what is guaranteed; class sizes and other cells were verified on the table."""
    guarantee = facts["guarantee"]
    sentences: list[str] = []
    if guarantee["k"] is not None and guarantee["classes"]:
        sentences += _describe_k(guarantee, join_names(_columns_with_role(facts, "quasi")))
    if facts.get("links"):
        sentences.append(_describe_links(facts["links"]))
    if method.promise:
        sentences.append(f"{method.promise[0].upper()}{method.promise[1:]}.")
    removed = _removed_columns(facts)
    if removed:
        sentences.append(
            f"The {_column_noun(removed)} {join_names(removed)} {_is_or_are(removed)} not released."
        )
    left_out = facts["records"]["dropped"] or facts["method"]["drops"]
    sentences.append(
        f"All {'other ' if facts.get('links') else ''}columns that are not masked are unchanged"
        + ("; some records were removed." if left_out else ".")
    )
    if facts.get("order") == "shuffled":
        sentences.append("The rows are in a random order.")
    return sentences


def _describe_k(guarantee: Mapping[str, Any], masked: str) -> list[str]:
    """Say what k-anonymity means on this table; first where it does not hold."""
    k, unit, released = format_integer(guarantee["k"]), guarantee["unit"], guarantee["released"]
    known, worse = masked, []
    if released is not None and released["smallest"] < guarantee["k"]:
        worse = [_to_sentence(guarantee["headline"][0])]
    elif released is not None and released["columns"]:
        known += f", together with the kept {_column_noun(released['columns'])} "
        known += join_names(released["columns"])
    smallest = guarantee["smallest"] if worse or not released else released["smallest"]
    if released is not None and released["link"] is not None and not worse:
        return [
            f"{k}-anonymity of linked records: all records with a pseudonym in {released['link']}, "
            f"with their values of {known}, are shared by at least {k} {unit}. The smallest "
            f"equivalence class has {format_integer(smallest)} {unit}.",
        ]
    return [
        *worse,
        f"{k}-anonymity: every combination of values of {known} is shared by at least {k} {unit}. "
        f"The smallest equivalence class has {format_integer(smallest)} {unit}.",
    ]


def _describe_links(links: Mapping[str, int]) -> str:
    """Say what was lost to keep the records of a person linked."""
    records = links["links"] + links["people"]
    stand = f"{format_integer(links['pseudonyms'])} pseudonyms stand for the people of the table."
    if not links["links"]:
        return stand
    return (
        f"{stand} To "
        f"link their records, {format_integer(links['lost_records'])} of {format_integer(records)} "
        f"records were removed, and {format_integer(links['broken'])} of "
        f"{format_integer(links['links'])} links between records of a person were broken."
    )


def _to_sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def worst_classes(guarantee: Mapping[str, Any]) -> tuple[int, int, str, str]:
    """The smallest class and the uniques on all that somebody may know, and what they count.

    The last is a phrase that says what is known besides the quasi-identifiers; often nothing.
    """
    released = guarantee.get("released")
    if released is None:
        return guarantee["smallest"], guarantee.get("uniques", 0), guarantee["unit"], ""
    known = " on quasi-identifiers and kept columns" if released["columns"] else ""
    known = " by linked records" if released["link"] is not None else known
    return released["smallest"], released["uniques"], released["unit"], known


def describe_linkage(facts: Mapping[str, Any]) -> str:
    """Say how many records an attacker links to their originals by record linkage."""
    risk = {name: entry["value"] for name, entry in facts["risk"].items()}
    of_records = (
        "an attacker who has the original values and links every released record "
        f"to the most similar original record is right for "
        f"{format_percent(risk['linkage_nearest'])} of the records (before masking: "
        f"{format_percent(risk['before']['linkage_nearest'])})"
        f"{_estimate_interval(risk, 'linkage_nearest')}."
    )
    if risk.get("linkage_people") is None:
        return f"Record linkage: {of_records}"
    return (
        "Record linkage of people: an attacker who knows all records of a person and takes the "
        "pseudonym with the most similar records is right for "
        f"{format_percent(risk['linkage_people'])} of the people (before masking: "
        f"{format_percent(risk['before']['linkage_people'])})"
        f"{_estimate_interval(risk, 'linkage_people')}. Record by record, {of_records}"
    )


def list_measurements(facts: Mapping[str, Any]) -> list[str]:
    """List what was measured on this table; a stronger attacker may do better."""
    risk = {name: entry["value"] for name, entry in facts["risk"].items()}
    before = risk["before"]
    sentences: list[str] = []
    if facts["guarantee"]["k"] is None:
        sentences += map(_to_sentence, facts["guarantee"]["headline"])
        uniques = risk["uniques"]
        linked = risk.get("linkage_people") is not None
        who = format_people(uniques) if linked else format_count(uniques, "record")
        sentences.append(
            f"{who} {'is' if uniques == 1 else 'are'} unique in the masked columns"
            f"{', by all their records' if linked else ''} (before masking: "
            f"{format_integer(before['uniques'])})."
        )
    sentences.append(describe_linkage(facts))
    has_classes = facts["guarantee"]["k"] and facts["guarantee"]["classes"]
    for column, fewest in risk["l_distinct"].items() if has_classes else ():
        sentences.append(
            f"l-diversity: every equivalence class has at least {fewest:,} different values of "
            f"{column}."
            if fewest > 1
            else _describe_disclosure(column, fewest, risk)
        )
    if facts.get("order") != "shuffled":
        unless = (
            "" if facts.get("output") else ", unless they were shuffled when the file was written"
        )
        sentences.append(
            f"The rows are in their original order{unless}. The order may reveal masked values or "
            "removed columns, such as the date of admission."
        )
    return sentences


def _describe_disclosure(column: str, fewest: int, risk: Mapping[str, Any]) -> str:
    """Say how many records are in classes with a single value of a column, or that one has none."""
    concerned = risk["homogeneous_records"][column]
    people = risk["homogeneous_people"].get(column)
    of_whom = "" if people is None else f" (of {format_people(people)})"
    single = (
        f"{format_count(concerned, 'record')}{of_whom} {'is' if concerned == 1 else 'are'} in "
        f"equivalence classes with a single value of {column}. Anybody who knows that a person is "
        "in such a class knows the value."
    )
    unknown = f"At least one equivalence class has no known value of {column}."
    sentences = [*([single] if concerned else []), *([] if fewest else [unknown])]
    return f"Attribute disclosure: {' '.join(sentences)}"


def _estimate_interval(risk: Mapping[str, Any], figure: str) -> str:
    interval = risk[f"{figure}_interval"]
    if interval is None:
        return ""
    low, high = interval
    interval = f"{format_percent(low)} to {format_percent(high)}"
    return f", estimated from a sample; 95 % confidence interval: {interval}"


# ---------------------------------------------------------------------- to paste elsewhere


def summarise_release(facts: Mapping[str, Any]) -> str:
    """Summarise a release in a paragraph for a data-protection file; it may be published."""
    return " ".join(
        sentence
        for sentence in (
            *_describe_masking(facts),
            *_describe_risk(facts),
            *_describe_remaining_risk(facts),
        )
        if sentence
    )


def _describe_masking(facts: Mapping[str, Any]) -> list[str]:
    masked, removed = _columns_with_role(facts, "quasi"), _removed_columns(facts)
    untouched = _columns_with_role(facts, "confidential") + _columns_with_role(facts, "keep")
    output = facts.get("output") or {}
    table = f"The table {output['name']}" if output else "The table"
    quasi = "quasi-identifier" if len(masked) == 1 else "quasi-identifiers"
    sentences = [
        f"{table} has {_describe_released_records(facts)}.",
        f"The {quasi} {join_names(masked)} {'was' if len(masked) == 1 else 'were'} masked with "
        f"ontomask {facts['versions']['ontomask']} by {_describe_method(facts)}.",
        _describe_taxonomies(facts),
    ]
    if removed:
        were = "was" if len(removed) == 1 else "were"
        sentences.append(f"The {_column_noun(removed)} {join_names(removed)} {were} removed.")
    if untouched:
        were = "was" if len(untouched) == 1 else "were"
        sentences.append(
            f"The {_column_noun(untouched)} {join_names(untouched)} {were} released unchanged."
        )
    return [*sentences, _describe_left_out(facts)]


def _describe_method(facts: Mapping[str, Any]) -> str:
    """The method with its main setting and, where it has one, its description."""
    return ": ".join(filter(None, [facts["method"]["title"], facts["method"]["description"]]))


def _describe_taxonomies(facts: Mapping[str, Any]) -> str:
    """The taxonomies that define semantic distances; nothing if all columns are numbers."""
    by_name: dict[str, list[str]] = {}
    for column, taxonomy in facts["taxonomies"].items():
        if facts["columns"].get(column, {}).get("role") == "quasi":
            by_name.setdefault(_describe_taxonomy(taxonomy), []).append(column)
    parts = [f"{name} for {join_names(columns)}" for name, columns in by_name.items()]
    if not parts or not facts["method"]["compares_values"]:
        return ""
    return f"Semantic distances were computed with these taxonomies: {'; '.join(parts)}."


def _describe_taxonomy(taxonomy: Mapping[str, Any]) -> str:
    name = taxonomy["name"] or taxonomy["source"] or "a taxonomy"
    edition = f", {taxonomy['version']}" if taxonomy["version"] else ""
    edition += f" ({FLAT})" if taxonomy.get("flat") else ""
    if taxonomy["concepts"] is None:
        return f"{name}{edition}"
    return f"{name}{edition} ({format_count(taxonomy['concepts'], 'concept')})"


def _describe_risk(facts: Mapping[str, Any]) -> list[str]:
    risk = {name: entry["value"] for name, entry in facts["risk"].items()}
    before, guarantee = risk["before"], facts["guarantee"]
    first, *more = guarantee["headline"]
    who, link, figure = (
        "Records that are unique in these columns",
        "every released record to the most similar original record",
        "linkage_nearest",
    )
    if risk.get("linkage_people") is not None:
        who, link, figure = (
            "People who are unique in these columns by all their records",
            "all records of a person to the pseudonym with the most similar records",
            "linkage_people",
        )
    return [
        f"The released table is {first}." if guarantee["classes"] else _to_sentence(first),
        *map(_to_sentence, more),
        f"{who}: {format_integer(before['uniques'])} "
        f"({format_percent(before['unique_share'])}) before, {format_integer(risk['uniques'])} "
        f"({format_percent(risk['unique_share'])}) after.",
        f"In a simulated record linkage attack, which links {link}, "
        f"{format_percent(risk[figure])} of the links were "
        f"correct (before masking: {format_percent(before[figure])}).",
    ]


def _describe_remaining_risk(facts: Mapping[str, Any]) -> list[str]:
    return [
        "Masking reduces the risk of re-identification but does not exclude it. Columns that are "
        "released unchanged are not protected.",
        *(f"Caution: {caution}." for caution in facts["cautions"]),
    ]


def name_released_records(facts: Mapping[str, Any]) -> str:
    """What the number of released records counts: records, or the people of a long table."""
    rows = facts["records"].get("rows")
    if rows is None:
        return "records released"
    return f"people released in {format_count(rows['released'], 'row')}"


def _describe_released_records(facts: Mapping[str, Any]) -> str:
    records, rows = facts["records"]["released"], facts["records"].get("rows")
    return describe_records(records, None if rows is None else rows["released"])


def _describe_left_out(facts: Mapping[str, Any]) -> str:
    records, rows = facts["records"], facts["records"].get("rows")

    def count(number: int) -> tuple[str, str]:
        noun = format_count(number, "record") if rows is None else format_people(number)
        return noun, "was" if number == 1 else "were"

    sentences = []
    if rows is not None and rows["removed"]:
        were = "was" if rows["removed"] == 1 else "were"
        without = format_count(rows["removed"], "row")
        sentences.append(f"{without} without a known person {were} removed.")
    if records["dropped"]:
        dropped, were = count(records["dropped"])
        sentences.append(f"{dropped} with missing values {were} removed.")
    if records["suppressed"]:
        suppressed, were = count(records["suppressed"])
        removed = facts["method"]["drops"]
        sentences.append(
            f"{suppressed} {were} removed."
            if removed
            else f"The masked columns of {suppressed} {were} left blank."
        )
    return " ".join(sentences)


def _columns_with_role(facts: Mapping[str, Any], *roles: str) -> list[str]:
    return [
        name_with_columns(name, column)
        for name, column in facts["columns"].items()
        if column["role"] in roles
    ]


def name_with_columns(name: str, column: Mapping[str, Any]) -> str:
    """The name of a column; of a set over several columns, with their names."""
    return f"{name} ({join_names(column['columns'])})" if column.get("columns") else name


def _removed_columns(facts: Mapping[str, Any]) -> list[str]:
    return _columns_with_role(facts, "identifier", "drop")


def _column_noun(names: Sequence[str]) -> str:
    return "column" if len(names) == 1 else "columns"


def _is_or_are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def describe_population(figures: Mapping[str, Any]) -> str:
    """The population in words: its size, the share that is released, and how people are matched."""
    size = format_integer(round(figures["population_size"]))
    share = format_percent(figures["sampling_fraction"])
    source = {
        "population table": "; people who match are counted in its table",
        "sampling weights": "; people who match are estimated from the sampling weights",
    }.get(figures["matched_by"] or "", "")
    return f"{size} records, of which {share} are in the table{source}"

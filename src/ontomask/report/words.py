"""What a report says in sentences, for people who do not read figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ontomask.errors import many
from ontomask.methods.method import Method
from ontomask.report.pages.numbers import figure, percent, whole

__all__ = ["guaranteed", "in_short", "listed", "measured", "method_in_words", "method_title"]

TITLES = {
    "microaggregation": "microaggregation",
    "recoding": "recoding",
    "resampling": "resampling",
    "suppression": "suppression",
    "rank_swapping": "rank swapping",
    "noise_addition": "noise addition",
}

#: What a method does, for somebody who has never heard of it.
METHODS = {
    "microaggregation": "groups of at least {k} similar records took the values in the middle of "
    "their group",
    "recoding": "rare combinations of values were replaced by the most similar ones until each was "
    "shared by at least {k} records",
    "resampling": "groups of at least {k} records, formed across random samples that were sorted "
    "by similarity, took the values in the middle of their group",
    "suppression": "combinations of values that fewer than {k} records share were suppressed",
    "rank_swapping": "values were exchanged between similar records (interval {k})",
    "noise_addition": "values were moved by random distances (alpha {alpha}); numbers and levels "
    "may have stayed where they were",
}
SYNTHETIC = (
    "groups of at least {k} similar records were formed, and values were replaced by others that "
    "lie as near as those of their group"
)


def method_title(known: Mapping[str, Any]) -> str:
    """The method and its chief setting: "microaggregation, k = 5"."""
    settings = known["method"]["settings"]
    chief = [f"{name} = {figure(settings[name])}" for name in ("k", "alpha") if name in settings]
    return ", ".join([TITLES.get(known["method"]["name"], known["method"]["name"]), *chief])


def method_in_words(known: Mapping[str, Any]) -> str:
    """What the method does, in one clause."""
    name, settings = known["method"]["name"], known["method"]["settings"]
    synthetic = settings.get("replacement") == "synthetic"
    words = SYNTHETIC if synthetic else METHODS.get(name, "")
    return words.format(**{key: figure(it) for key, it in settings.items() if _is_number(it)})


def _is_number(it: Any) -> bool:
    return isinstance(it, int | float) and not isinstance(it, bool)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["age"]), listed(["age", "sex", "zip"])
    ('age', 'age, sex and zip')
    """
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


# ---------------------------------------------------------------------- what holds, what was found


def guaranteed(known: Mapping[str, Any], method: Method) -> list[str]:
    """What holds by construction; class sizes and untouched cells were counted on the table."""
    promise = known["guarantee"]
    masked = listed(_with_role(known, "quasi"))
    found = []
    if promise["k"] is not None and promise["classes"]:
        found.append(
            f"Every combination of {masked} is shared by at least {whole(promise['k'])} "
            f"{promise['unit']}; the smallest class has {whole(promise['smallest'])}."
        )
    if method.promise:
        found.append(f"{method.promise[0].upper()}{method.promise[1:]}.")
    removed = _removed(known)
    if removed:
        found.append(f"The {_columns(removed)} {listed(removed)} {_are(removed)} not released.")
    left_out = known["records"]["dropped"] or known["method"]["settings"].get("how") == "drop"
    found.append(
        "All other cells are as they were, row by row and in the same order"
        + (", but for the records that were left out." if left_out else ".")
    )
    return found


def measured(known: Mapping[str, Any]) -> list[str]:
    """What was found on this table, and promises nothing about an attacker who does more."""
    risk = {name: it["value"] for name, it in known["risk"].items()}
    was = risk["before"]
    found = []
    if known["guarantee"]["k"] is None:
        found.append(
            f"No class sizes are promised; {many(risk['uniques'], 'record')} "
            f"{'is' if risk['uniques'] == 1 else 'are'} alone with the masked values (before: "
            f"{whole(was['uniques'])})."
        )
    found.append(
        f"An attacker who has the original values and links every released record to the most "
        f"similar one is right for {percent(risk['linkage_nearest'])} of the records (in the "
        f"original table: {percent(was['linkage_nearest'])}){_estimate(risk)}."
    )
    for column, fewest in risk["l_distinct"].items() if known["guarantee"]["k"] else ():
        found.append(
            f"A class has at least {many(fewest, 'different value')} of {column}"
            + (": who is known to be in it is known to have it." if fewest == 1 else ".")
        )
    found.append(
        "Rows stand in the order they had. If it tells something, as a date of admission, shuffle "
        "them before you publish."
    )
    return found


def _estimate(risk: Mapping[str, Any]) -> str:
    interval = risk["linkage_nearest_interval"]
    if interval is None:
        return ""
    low, high = interval
    return f", estimated from a sample: {percent(low)} to {percent(high)} with 95 % confidence"


# ---------------------------------------------------------------------- to paste elsewhere


def in_short(known: Mapping[str, Any]) -> str:
    """A paragraph for a data-protection file; everything in it may be published."""
    return " ".join(
        sentence for sentence in (*_done(known), *_held(known), *_left(known)) if sentence
    )


def _done(known: Mapping[str, Any]) -> list[str]:
    masked, removed = _with_role(known, "quasi"), _removed(known)
    untouched = _with_role(known, "confidential") + _with_role(known, "keep")
    output = known.get("output") or {}
    table = f"The table {output['name']}" if output else "The table"
    sentences = [
        f"{table} holds {many(known['records']['released'], 'record')}.",
        f"The {_columns(masked)} {listed(masked)} {'was' if len(masked) == 1 else 'were'} masked "
        f"with ontomask {known['versions']['ontomask']} by {method_title(known)}: "
        f"{method_in_words(known)}.",
        _taxonomies(known),
    ]
    if removed:
        were = "was" if len(removed) == 1 else "were"
        sentences.append(f"The {_columns(removed)} {listed(removed)} {were} removed.")
    if untouched:
        were = "was" if len(untouched) == 1 else "were"
        sentences.append(
            f"The {_columns(untouched)} {listed(untouched)} {were} released unchanged."
        )
    return [*sentences, _left_out(known)]


def _taxonomies(known: Mapping[str, Any]) -> str:
    """How similarity was judged; nothing where all columns are numbers."""
    by_name: dict[str, list[str]] = {}
    for column, it in known["taxonomies"].items():
        if known["columns"].get(column, {}).get("role") == "quasi":
            by_name.setdefault(_taxonomy(it), []).append(column)
    parts = [f"that of {listed(columns)} by {name}" for name, columns in by_name.items()]
    judged = known["method"]["name"] != "suppression"
    return f"Similarity was judged by meaning: {'; '.join(parts)}." if parts and judged else ""


def _taxonomy(it: Mapping[str, Any]) -> str:
    name = it["name"] or it["source"] or "a taxonomy"
    edition = f", {it['version']}" if it["version"] else ""
    return f"{name}{edition} ({many(it['concepts'], 'concept')})"


def _held(known: Mapping[str, Any]) -> list[str]:
    risk = {name: it["value"] for name, it in known["risk"].items()}
    was, promise = risk["before"], known["guarantee"]
    if promise["k"] is not None:
        first = (
            f"Counted on the released table, every combination of the masked columns is shared by "
            f"at least {whole(promise['smallest'])} {promise['unit']}."
        )
    else:
        first = "The method promises no smallest number of records that look alike."
    return [
        first,
        f"Records that are unique in these columns: {whole(was['uniques'])} "
        f"({percent(was['unique_share'])}) before, {whole(risk['uniques'])} "
        f"({percent(risk['unique_share'])}) after.",
        f"In a simulated attack that links every released record to the most similar original one, "
        f"{percent(risk['linkage_nearest'])} of the records were linked correctly "
        f"(before masking: {percent(was['linkage_nearest'])}).",
    ]


def _left(known: Mapping[str, Any]) -> list[str]:
    fewest = known["risk"]["l_distinct"]["value"].items() if known["guarantee"]["k"] else ()
    alike = [column for column, values in fewest if values == 1]
    shared = [
        f"Some class shares a single value of {column}: to be in it is to have that value."
        for column in alike
    ]
    return [
        "Masking can lower the risk that a person is recognised; it does not exclude it, and "
        "columns released unchanged are not protected.",
        *shared,
        *(f"To be considered: {caution}." for caution in known["cautions"]),
    ]


def _left_out(known: Mapping[str, Any]) -> str:
    records = known["records"]
    sentences = []
    if records["dropped"]:
        were = "was" if records["dropped"] == 1 else "were"
        dropped = many(records["dropped"], "record")
        sentences.append(f"{dropped} with missing values {were} left out.")
    if records["suppressed"]:
        were = "was" if records["suppressed"] == 1 else "were"
        gone = many(records["suppressed"], "record")
        removed = known["method"]["settings"].get("how") == "drop"
        sentences.append(
            f"{gone} {were} removed."
            if removed
            else f"In {gone} the masked columns were left blank."
        )
    return " ".join(sentences)


def _with_role(known: Mapping[str, Any], *roles: str) -> list[str]:
    return [name for name, it in known["columns"].items() if it["role"] in roles]


def _removed(known: Mapping[str, Any]) -> list[str]:
    return _with_role(known, "identifier", "drop")


def _columns(names: Sequence[str]) -> str:
    return "column" if len(names) == 1 else "columns"


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"

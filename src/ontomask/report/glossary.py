"""Short definitions of the terms that reports and the workbench use."""

from __future__ import annotations

__all__ = ["GLOSSARY"]

#: One sentence for each term, in alphabetical order.
GLOSSARY: dict[str, str] = {
    "attribute disclosure": (
        "An attacker learns a sensitive value of a person, with or without finding the person's "
        "record."
    ),
    "concept": (
        "A node of a taxonomy: the meaning of a value, such as one diagnosis or a group of "
        "diagnoses."
    ),
    "data utility": (
        "How useful the masked table still is: how close its values and statistics are to those "
        "of the original table."
    ),
    "direct identifier": (
        "A column that identifies a person by itself, such as a name or an insurance number; it "
        "is removed."
    ),
    "disclosure risk": (
        "The risk that a released table reveals who a record belongs to (identity disclosure) or "
        "a sensitive value of a person (attribute disclosure)."
    ),
    "equivalence class": (
        "All records that have the same values in every masked quasi-identifier; an attacker "
        "cannot distinguish them by these values."
    ),
    "generalisation": "A value is replaced by a broader one, such as a city by its country.",
    "identity disclosure": "An attacker finds out which person a released record belongs to.",
    "individual risk": (
        "The expected value of 1 divided by the number of people in the population who match a "
        "record."
    ),
    "information loss": (
        "How much the masked values differ from the original ones; the opposite of data utility."
    ),
    "journalist risk": (
        "The highest probability of re-identifying a record if the attacker does not know whether "
        "the person is in the table: 1 divided by the size of the smallest equivalence class, "
        "counted in the population."
    ),
    "k-anonymity": (
        "Every equivalence class has at least k records (or k people, if a person column is set)."
    ),
    "k-map": (
        "Every record matches at least k people of the population; weaker than k-anonymity, which "
        "counts the records of the table."
    ),
    "l-diversity": "Every equivalence class has at least l different known sensitive values.",
    "marketer risk": (
        "The share of records that an attacker who links all of them re-identifies on average: "
        "the number of equivalence classes divided by the number of records."
    ),
    "microaggregation": (
        "Records are grouped with at least k - 1 similar ones, and each group gets one common "
        "combination of values."
    ),
    "microdata": "A table with one record per person or event, as opposed to a table of totals.",
    "noise addition": "Each value is replaced by one at a random distance from it.",
    "population": (
        "All people whom the table could contain; the table is a sample of them if it contains "
        "only some."
    ),
    "population unique": (
        "A person whose combination of quasi-identifier values nobody else in the population has."
    ),
    "prosecutor risk": (
        "The highest probability of re-identifying a record if the attacker knows that the person "
        "is in the table: 1 divided by the size of the smallest equivalence class."
    ),
    "quasi-identifier": (
        "A column that others may know about a person, such as age, place or diagnosis; several "
        "of them together can identify the person, so they are masked."
    ),
    "rank swapping": (
        "Records exchange values that are close to each other, so each column keeps all its values "
        "and only their combinations change."
    ),
    "re-identification risk": (
        "The probability that an attacker finds the record of a person; it is stated for a "
        "prosecutor, a journalist and a marketer, who know different things."
    ),
    "record": "One row of the table.",
    "record linkage": (
        "An attacker who has the original values links each masked record to the most similar "
        "original; the figure is the share of records that are linked correctly."
    ),
    "resampling": (
        "Groups of at least k records are formed from sorted random samples, and each group gets "
        "one common combination of values."
    ),
    "sampling weight": "The number of people of the population that a record stands for.",
    "seed": "The number that the random draws start from; it must be kept secret.",
    "sensitive attribute": (
        "A column that users want to study but that nobody should link to a person, such as an "
        "outcome; it is released unchanged. Its role in a release file is confidential."
    ),
    "SSE": (
        "Sum of squared errors: the squared distance between each record and its masked version, "
        "summed over all records; a measure of information loss."
    ),
    "suppression": "Values or records that are too rare are removed instead of being replaced.",
    "t-closeness": (
        "In every equivalence class, the known sensitive values are distributed as in the whole "
        "table, up to a distance of t."
    ),
    "taxonomy": (
        "A hierarchy of concepts, from general to specific, that says which values have a similar "
        "meaning."
    ),
    "uniqueness": (
        "A record is unique if no other record has the same combination of quasi-identifier values."
    ),
    "δ-presence": (
        "The probability that a person who matches a record is in the table is between two limits, "
        "so an attacker does not learn who is in it."
    ),
}

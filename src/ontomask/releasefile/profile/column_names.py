"""What the names of columns say: lists of English words, to guess by and no more."""

from __future__ import annotations

import re

__all__ = [
    "CATEGORY_WORDS",
    "CODE_WORDS",
    "CONFIDENTIAL_WORDS",
    "CONFIDENTIAL_WORD_PARTS",
    "COUNT_WORDS",
    "IDENTIFIER_WORDS",
    "NUMBER_WORDS",
    "TRAIT_WORDS",
    "PLACE_WORDS",
    "TIME_WORDS",
    "PERSON_WORDS",
    "POSTAL_WORDS",
    "STAFF_WORDS",
    "word_at",
    "words_of",
]


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PERSON_WORDS = _split_words("""
    patient person subject member customer client user participant respondent student employee
    citizen resident household insured pid mrn ssn
""")
IDENTIFIER_WORDS = _split_words("""
    ssn mrn email mail phone telephone tel mobile fax address street iban passport licence
    license url ip username login surname firstname lastname forename nhs dni nif uuid guid
""")
NUMBER_WORDS = _split_words("id ids nbr nr no number uuid guid key mrn identifier")
TRAIT_WORDS = _split_words("""
    age sex gender race ethnicity ethnic marital education school degree occupation job
    profession religion nationality nation country native birth born dob birthday birthdate
    birthplace year height weight language citizenship relationship family household children
    industry workclass employer disability veteran
""")
PLACE_WORDS = _split_words("""
    zip zipcode postal postcode plz city town region state county province district area place
    address municipality ward hospital clinic site location neighbourhood latitude longitude
""")
TIME_WORDS = _split_words("date time day days month week hours stay duration los admitted")
POSTAL_WORDS = _split_words("zip zipcode postal postcode plz")
CONFIDENTIAL_WORDS = _split_words("""
    charge charges cost costs amount price salary income wage wages pay payment payments revenue
    balance debt gain loss capital outcome result results readmitted readmission death died
    deceased mortality survival survived score glucose serum hba1c cholesterol creatinine
    haemoglobin hemoglobin pressure hiv viral tumour tumor stage prognosis verdict grade
""")
CONFIDENTIAL_WORD_PARTS = ("result", "salary", "income", "outcome", "readmi")
CODE_WORDS = _split_words("""
    diagnosis diagnoses diag dx icd icd9 icd10 procedure procedures proc px code codes cause
    disease
""")
COUNT_WORDS = ("num", "number", "count", "n", "nr", "no", "times")  # as a first word
STAFF_WORDS = _split_words("doctor physician provider surgeon nurse therapist prescriber author")
CATEGORY_WORDS = _split_words("id type code class category group kind status source flag")


def words_of(name: str) -> frozenset[str]:
    """The words that a name is made of.

    >>> sorted(words_of("A1Cresult")), sorted(words_of("Patient_ID2")), sorted(words_of("zipCode"))
    (['a1cresult'], ['id', 'patient'], ['code', 'zip'])
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    parts = re.findall(r"[^\W_]+", apart)
    words = {part.lower() for part in parts}
    return frozenset(
        word if word in CODE_WORDS else word.rstrip("0123456789") or word for word in words
    )


def word_at(name: str, place: int) -> str:
    """One word of a name, without its digits: -1 is the last."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    words = re.findall(r"[^\W\d_]+", apart)
    return words[place].lower() if words else ""

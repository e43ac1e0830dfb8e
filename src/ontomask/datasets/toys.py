"""Toys: a taxonomy and a table that fit on a page."""

from __future__ import annotations

from ontomask.taxonomy import About, Taxonomy

__all__ = ["diagnoses", "patients"]


def diagnoses() -> Taxonomy:
    """A small taxonomy of fourteen diagnoses for examples. One concept has two parents.

    >>> diagnoses()
    Taxonomy('diagnoses': 14 concepts, root 'disease', 4 levels, 8 leaves, 1 with several parents)
    >>> diagnoses().parents("hepatitis")
    ('liver disease', 'viral infection')
    """
    children = {
        "disease": ["viral infection", "liver disease", "injury"],
        "viral infection": ["influenza", "common cold", "hepatitis"],
        "liver disease": ["hepatitis", "cirrhosis"],
        "hepatitis": ["hepatitis B", "hepatitis C"],
        "injury": ["fracture", "sprain"],
        "fracture": ["broken arm", "broken leg"],
    }
    labels = {
        "influenza": ["influenza", "flu", "grippe"],
        "common cold": ["common cold", "cold", "coryza"],
        "hepatitis B": ["hepatitis B", "viral hepatitis B", "serum hepatitis"],
        "hepatitis C": ["hepatitis C", "viral hepatitis C"],
        "broken arm": ["broken arm", "fracture of arm"],
        "broken leg": ["broken leg", "fracture of leg"],
    }
    return Taxonomy.from_edges(
        [(child, parent) for parent, below in children.items() for child in below],
        labels,
        about=About("diagnoses", "ontomask.datasets"),
    )


def patients() -> dict[str, list[str]]:
    """A table of twelve invented patients: ICD-9-CM codes of a diagnosis and of a procedure.

    Like real tables it has errors: some codes have lost a zero or the point, and one diagnosis is a
    word.

    >>> patients()["diagnosis"][:4]
    ['540.0', '5409', '540.1', '574.20']
    """
    rows = [
        ("540.0", "47.01"),  # acute appendicitis with peritonitis: laparoscopic appendectomy
        ("5409", "4701"),  # without mention of peritonitis; points lost
        ("540.1", "47.09"),
        ("574.20", "51.23"),  # gallstones: laparoscopic cholecystectomy
        ("574.10", "51.22"),
        ("Acute cholecystitis", "51.23"),
        ("8.45", "45.23"),  # 008.45, zeros lost: colonoscopy
        ("562.11", "45.23"),
        ("410.71", "36.07"),  # heart attack: stent
        ("410.11", "36.06"),
        ("414.01", "36.12"),  # bypass of two coronary arteries
        ("813.42", "79.02"),  # broken forearm: closed reduction
    ]
    return {"diagnosis": [row[0] for row in rows], "procedure": [row[1] for row in rows]}

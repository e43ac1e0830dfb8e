"""What the values of a column mean, and taxonomies made of them: for the steward's eyes alone."""

from ontomask.pipeline.meaning.column import (
    Apart,
    ColumnMeaning,
    Facts,
    Found,
    Lost,
    Masses,
    Named,
    meaning_of,
)
from ontomask.taxonomy.from_values import Made, free_file, of_values, taxonomy_file, write_made
from ontomask.taxonomy.outline import outline_of, read_outline

__all__ = [
    "Apart",
    "ColumnMeaning",
    "Facts",
    "Found",
    "Lost",
    "Made",
    "Masses",
    "Named",
    "free_file",
    "meaning_of",
    "of_values",
    "outline_of",
    "read_outline",
    "taxonomy_file",
    "write_made",
]

"""The meaning of the values of a column: only for the data steward."""

from ontomask.pipeline.meaning.column import (
    AcceptedTerm,
    BranchCounts,
    ColumnMeaning,
    ConceptFacts,
    ConceptHit,
    NamedConcept,
    ReadingCount,
    UnmappedTerm,
    ValueDistance,
    find_column_meaning,
)
from ontomask.taxonomy.from_values import (
    SavedTaxonomy,
    free_taxonomy_path,
    save_taxonomy,
    taxonomy_of_values,
    taxonomy_path,
)
from ontomask.taxonomy.outline import outline_of, read_outline

__all__ = [
    "AcceptedTerm",
    "ValueDistance",
    "ColumnMeaning",
    "ConceptFacts",
    "ConceptHit",
    "UnmappedTerm",
    "SavedTaxonomy",
    "BranchCounts",
    "NamedConcept",
    "ReadingCount",
    "free_taxonomy_path",
    "find_column_meaning",
    "taxonomy_of_values",
    "outline_of",
    "read_outline",
    "taxonomy_path",
    "save_taxonomy",
]

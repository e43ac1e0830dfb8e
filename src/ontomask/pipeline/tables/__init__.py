"""Several tables of the same people, masked together under one pseudonym for each person."""

from ontomask.pipeline.tables.mask import mask_tables
from ontomask.pipeline.tables.release import TablesRelease

__all__ = ["TablesRelease", "mask_tables"]

"""Several tables of the same people, masked together under one pseudonym for each person."""

from ontomask.pipeline.tables.mask import mask_tables
from ontomask.pipeline.tables.people import count_joint_uniques
from ontomask.pipeline.tables.release import TablesRelease

__all__ = ["TablesRelease", "count_joint_uniques", "mask_tables"]

"""The pipeline of a release: count, plan, apply, verify; and what is built on it."""

from ontomask.pipeline.comparing.compare import Comparison, Point, compare
from ontomask.pipeline.comparing.intersection import Intersection, intersect_releases
from ontomask.pipeline.comparing.table_pairs import evaluate
from ontomask.pipeline.evaluation import Evaluation
from ontomask.pipeline.guarantees.guarantee import Guarantee, MeasuredRisk
from ontomask.pipeline.mask import mask
from ontomask.pipeline.records import RecordCentroid, Records
from ontomask.pipeline.release import Release
from ontomask.pipeline.tables import TablesRelease, mask_tables

__all__ = [
    "Comparison",
    "Evaluation",
    "Guarantee",
    "Intersection",
    "MeasuredRisk",
    "Point",
    "RecordCentroid",
    "Records",
    "Release",
    "TablesRelease",
    "compare",
    "evaluate",
    "intersect_releases",
    "mask",
    "mask_tables",
]

"""The pipeline of a release: count, plan, apply, verify; and what is built on it."""

from ontomask.pipeline.compare import Comparison, Point, compare
from ontomask.pipeline.evaluation import Evaluation, evaluate
from ontomask.pipeline.guarantee import Guarantee, MeasuredRisk
from ontomask.pipeline.mask import Release, mask

__all__ = [
    "Comparison",
    "Evaluation",
    "Guarantee",
    "MeasuredRisk",
    "Point",
    "Release",
    "compare",
    "evaluate",
    "mask",
]

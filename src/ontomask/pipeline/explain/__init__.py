"""Explanations: why a value of the original table was masked as it was."""

from ontomask.pipeline.explain.explanation import MaskingExplanation, explain

__all__ = ["MaskingExplanation", "explain"]

"""Rank swapping: values are exchanged between records whose values are close."""

from ontomask.methods.swapping.rank_swapping import RankSwapping

__all__ = ["RankSwapping"]

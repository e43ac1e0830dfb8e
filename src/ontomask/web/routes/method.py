"""The Method screen: every method with its settings, in words."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter
from pydantic import BaseModel

from ontomask.web.asking import ERROR_RESPONSES
from ontomask.web.method_words import MethodDescription, describe_methods

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["method"], responses=ERROR_RESPONSES)


class MethodList(BaseModel):
    """Every method there is, the one to begin with first."""

    methods: list[MethodDescription]


@router.get("/methods")
def list_methods() -> MethodList:
    """Every method: what it promises, what it costs, and what can be set."""
    return _cached_methods()


@cache
def _cached_methods() -> MethodList:
    return MethodList(methods=describe_methods())

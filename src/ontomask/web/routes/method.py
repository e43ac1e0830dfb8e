"""The Method screen: every method with its settings, in words."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter
from pydantic import BaseModel

from ontomask.web.asking import ERRORS
from ontomask.web.method_words import MethodShown, methods_shown

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["method"], responses=ERRORS)


class MethodList(BaseModel):
    """Every method there is, the one to begin with first."""

    methods: list[MethodShown]


@router.get("/methods")
def list_methods() -> MethodList:
    """Every method: what it promises, what it costs, and what can be set."""
    return _cached_methods()


@cache
def _cached_methods() -> MethodList:
    return MethodList(methods=methods_shown())

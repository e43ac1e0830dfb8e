"""The Method screen: every method with its settings, in words."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter
from pydantic import BaseModel

from ontomask.web.asking import ERRORS
from ontomask.web.method_words import MethodShown, methods_shown

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["method"], responses=ERRORS)


class AllMethods(BaseModel):
    """Every method there is, the one to begin with first."""

    methods: list[MethodShown]


@router.get("/methods")
def methods() -> AllMethods:
    """Every method: what it promises, what it costs, and what can be set."""
    return _methods()


@cache
def _methods() -> AllMethods:
    return AllMethods(methods=methods_shown())

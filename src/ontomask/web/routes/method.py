"""The Method screen: every method with its settings and their descriptions."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter
from pydantic import BaseModel

from ontomask.methods.method import Method
from ontomask.methods.registry import METHODS
from ontomask.methods.settings import MethodSetting, read_settings
from ontomask.web.requests import ERROR_RESPONSES

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["method"], responses=ERROR_RESPONSES)


class MethodDescription(BaseModel):
    """A masking method with its descriptions and settings."""

    name: str
    title: str
    summary: str
    help: str
    promises_k: bool
    varied_by: str | None
    settings: list[MethodSetting]


class MethodList(BaseModel):
    """All methods, the recommended one first."""

    methods: list[MethodDescription]


@router.get("/methods")
def list_methods() -> MethodList:
    """All methods with their descriptions and settings."""
    return _cached_methods()


@cache
def _cached_methods() -> MethodList:
    return MethodList(methods=[_describe(kind) for kind in METHODS.available().values()])


def _describe(kind: type[Method]) -> MethodDescription:
    return MethodDescription(
        name=kind.name,
        title=kind.title[0].upper() + kind.title[1:],
        summary=kind.summary,
        help=kind.help,
        promises_k=kind.promises_k,
        varied_by=kind.varied_by,
        settings=[setting for setting in read_settings(kind) if setting.kind != "any"],
    )

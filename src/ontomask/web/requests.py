"""What every request shares: the workbench it is about, and how it is told what is wrong."""

from __future__ import annotations

import sys
import traceback
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from ontomask.errors import OntomaskError
from ontomask.web.errors import Busy, ChangedElsewhere, NotThere
from ontomask.web.session import Workbench

__all__ = [
    "RequestModel",
    "Bench",
    "Busy",
    "ChangedElsewhere",
    "NotThere",
    "ChangeRequest",
    "ErrorResponse",
    "register_error_handlers",
]


def _get_workbench(request: Request) -> Workbench:
    workbench: Workbench = request.app.state.workbench
    return workbench


#: The workbench of a request.
Bench = Annotated[Workbench, Depends(_get_workbench)]


class RequestModel(BaseModel):
    """Something the page sends; a field that nobody knows is refused."""

    model_config = ConfigDict(extra="forbid")


class ChangeRequest(RequestModel):
    """Which state of the release file a change is made to."""

    revision: str = Field(max_length=64, description="As the session gave it.")


class ErrorResponse(BaseModel):
    """What is wrong, and what to do about it."""

    error: str
    message: str
    hint: str = ""


def register_error_handlers(app: FastAPI) -> None:
    """Register handlers that answer every error in the same form."""
    app.add_exception_handler(OntomaskError, _answer_library_error)
    app.add_exception_handler(RequestValidationError, _answer_invalid_request)
    app.add_exception_handler(HTTPException, _answer_http_error)
    app.add_exception_handler(Exception, _answer_internal_error)


def _error_response(status: int, error: str, message: str, hint: str = "") -> JSONResponse:
    return JSONResponse({"error": error, "message": message, "hint": hint}, status)


def _answer_library_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, OntomaskError)
    status = getattr(error, "status", 422)
    return _error_response(status, type(error).__name__, error.message, error.hint)


def _answer_invalid_request(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    mistakes = [f"{'.'.join(map(str, m['loc']))}: {m['msg']}" for m in error.errors()]
    return _error_response(422, "InvalidRequest", "; ".join(mistakes)[:2000])


def _answer_http_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return JSONResponse(
        {"error": "HTTP", "message": str(error.detail), "hint": ""},
        error.status_code,
        headers=error.headers,
    )


def _answer_internal_error(_: Request, error: Exception) -> JSONResponse:
    """Answer a bug of ours: the terminal gets the traceback, the page only the kind of error."""
    sys.stderr.write("".join(traceback.format_exception(error)))
    return _error_response(
        500,
        "InternalError",
        f"the workbench made a mistake: {type(error).__name__}",
        "what happened is in the terminal; please report it",
    )


#: How errors are described in the interface.
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    code: {"model": ErrorResponse, "description": description}
    for code, description in (
        (400, "It is no request."),
        (403, "Who asks is not known."),
        (404, "There is no such thing."),
        (409, "It has changed elsewhere, or something else is being done."),
        (413, "It is too much."),
        (422, "It is wrong; what to do is said."),
    )
}

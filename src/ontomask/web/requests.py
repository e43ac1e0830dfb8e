"""What every request shares: its workbench, and the form in which errors are returned."""

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
from ontomask.web.control_hints import control_hint
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
    """The body of a request; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class ChangeRequest(RequestModel):
    """A change, with the revision of the release file that it applies to."""

    revision: str = Field(max_length=64, description="The revision that the session returned.")


class ErrorResponse(BaseModel):
    """What is wrong, and how to correct it."""

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
    return _error_response(status, type(error).__name__, error.message, control_hint(error))


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
        f"internal error in the workbench: {type(error).__name__}",
        "the terminal shows the details; please report them",
    )


#: How errors are described in the interface.
ERROR_RESPONSES: dict[int | str, dict[str, Any]] = {
    code: {"model": ErrorResponse, "description": description}
    for code, description in (
        (400, "The request is malformed."),
        (403, "The request is not authorised."),
        (404, "Not found."),
        (409, "The release file was changed elsewhere, or another task is running."),
        (413, "The request is too large."),
        (422, "The request is invalid; the hint says how to correct it."),
    )
}

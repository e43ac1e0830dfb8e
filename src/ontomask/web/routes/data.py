"""The session, the release file, and the files of the working folder."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi import Path as InPath
from pydantic import BaseModel, Field, WithJsonSchema

from ontomask.releasefile.model import ReleaseFile
from ontomask.web.control_hints import control_hint, describe_problem
from ontomask.web.draft import DraftState
from ontomask.web.errors import Busy
from ontomask.web.requests import Bench, ChangeRequest, ErrorResponse, RequestModel
from ontomask.web.session import Workbench

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["data"])


# ---------------------------------------------------------------------- the session


class DraftProblem(BaseModel):
    """Something that is wrong or missing in the release file."""

    where: list[str]
    what: str
    hint: str
    lacks: str = Field(description="The missing field, if it is known.")


class SessionState(BaseModel):
    """The release file, the open table and the background work."""

    folder: str
    file: str
    data: str | None = Field(description="The table that is open.")
    records: int | None
    columns: int | None
    opening: str | None = Field(description="Progress of opening a table.")
    not_opened: ErrorResponse | None = Field(description="Why the last table could not be opened.")
    fields: dict[str, Any] = Field(description="The fields of the release file.")
    revision: str
    problems: list[DraftProblem]
    can_undo: bool
    can_redo: bool
    work: int = Field(description="Grows whenever background work starts or ends.")
    working: bool
    largest_upload: int


def describe_session(bench: Workbench, state: DraftState | None = None) -> SessionState:
    """Describe the session for the page: the release file, the open table, the background work."""
    now = state or bench.draft.read()
    table, error = bench.table, bench.not_opened
    return SessionState(
        folder=str(bench.folder.path),
        file=bench.draft.path.name,
        data=bench.data,
        records=table.profile.rows if table else None,
        columns=len(table.profile.columns) if table else None,
        opening=bench.opening,
        not_opened=None
        if error is None
        else ErrorResponse(
            error=type(error).__name__, message=error.message, hint=control_hint(error)
        ),
        fields=now.fields,
        revision=now.revision,
        problems=[
            DraftProblem(where=list(problem.where), what=what, hint=hint, lacks=problem.lacks)
            for problem in now.problems
            for what, hint in [describe_problem(problem, now.fields)]
        ],
        can_undo=now.can_undo,
        can_redo=now.can_redo,
        work=bench.work.version,
        working=bench.work.busy,
        largest_upload=bench.folder.largest,
    )


@router.get("/session")
def get_session(bench: Bench) -> SessionState:
    """The release file, the open table and the background work."""
    return describe_session(bench)


def _draft_schema() -> dict[str, Any]:
    """The JSON schema of a release file in which no field is required yet."""
    schema = ReleaseFile.model_json_schema()
    definitions = schema.pop("$defs", {})

    def resolve_references(node: Any) -> Any:
        if isinstance(node, list):
            return [resolve_references(inner) for inner in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return resolve_references(definitions[node["$ref"].rpartition("/")[2]])
        return {name: resolve_references(inner) for name, inner in node.items()}

    schema.pop("required", None)
    resolved: dict[str, Any] = resolve_references(schema)
    return resolved


class ReleaseFileEdit(ChangeRequest):
    """The release file as the page has changed it."""

    fields: Annotated[dict[str, Any], WithJsonSchema(_draft_schema())] = Field(
        description="All fields of the release file, which may be incomplete."
    )


@router.put("/release")
def save_release_file(edit: ReleaseFileEdit, bench: Bench) -> SessionState:
    """Save the release file; refused if it was changed elsewhere in the meantime."""
    return describe_session(bench, bench.draft.write(edit.fields, edit.revision))


@router.post("/undo")
def undo_change(at: ChangeRequest, bench: Bench) -> SessionState:
    """Undo the last change to the release file."""
    return describe_session(bench, bench.draft.undo(at.revision))


@router.post("/redo")
def redo_change(at: ChangeRequest, bench: Bench) -> SessionState:
    """Redo the change that was undone last."""
    return describe_session(bench, bench.draft.redo(at.revision))


# ---------------------------------------------------------------------- files


class FolderFile(BaseModel):
    """A file that may be opened."""

    name: str
    bytes: int


class TableFiles(BaseModel):
    """The tables in the working folder."""

    folder: str
    tables: list[FolderFile]
    open: str | None
    largest_upload: int


@router.get("/files")
def list_files(bench: Bench) -> TableFiles:
    """The tables in the working folder."""
    tables = [
        FolderFile(name=path.name, bytes=path.stat().st_size) for path in bench.folder.tables()
    ]
    return TableFiles(
        folder=str(bench.folder.path),
        tables=tables,
        open=bench.data,
        largest_upload=bench.folder.largest,
    )


@router.put(
    "/files/{name}",
    status_code=201,
    openapi_extra={
        "requestBody": {
            "content": {"application/octet-stream": {"schema": {"type": "string"}}},
            "description": "The content of the file.",
        }
    },
)
async def upload_file(
    name: Annotated[str, InPath(max_length=300)], request: Request, bench: Bench
) -> FolderFile:
    """Store a file in the working folder; an existing file is never overwritten."""
    path = await bench.folder.store_upload(name, request.stream())
    return FolderFile(name=path.name, bytes=path.stat().st_size)


class OpenTableRequest(RequestModel):
    """A table to open, and options for reading it."""

    file: str = Field(max_length=1000)
    table: str | None = Field(
        None, max_length=200, description="The table in a database or a workbook."
    )
    delimiter: str | None = Field(None, min_length=1, max_length=1)
    encoding: str | None = Field(None, max_length=40)


@router.post("/data")
def open_table(request: OpenTableRequest, bench: Bench) -> SessionState:
    """Open a table; if it has no release file yet, one is proposed."""
    if bench.work.busy:
        raise Busy("a table is being masked", "wait until it is done, or cancel it")
    settings = request.model_dump(include={"table", "delimiter", "encoding"}, exclude_none=True)
    return describe_session(bench, bench.open(request.file, **settings))

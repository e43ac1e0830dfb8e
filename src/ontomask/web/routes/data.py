"""The session, the release file, and the files of the working folder."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi import Path as InPath
from pydantic import BaseModel, Field, WithJsonSchema

from ontomask.releasefile.model import Spec
from ontomask.web.asking import Asked, Bench, Revision, Wrong
from ontomask.web.draft import State
from ontomask.web.errors import Busy
from ontomask.web.session import Workbench

__all__ = ["router"]

router = APIRouter(prefix="/api", tags=["data"])


# ---------------------------------------------------------------------- the session


class Missing(BaseModel):
    """Something that is wrong with the release file, or not there yet."""

    where: list[str]
    what: str
    hint: str


class Session(BaseModel):
    """The release as its file says it, and what is going on."""

    folder: str
    file: str
    data: str | None = Field(description="The table that is open.")
    records: int | None
    columns: int | None
    opening: str | None = Field(description="What is being done to open a table.")
    not_opened: Wrong | None = Field(description="Why the last table could not be opened.")
    fields: dict[str, Any] = Field(description="The fields of the release file.")
    revision: str
    problems: list[Missing]
    can_undo: bool
    can_redo: bool
    work: int = Field(description="Counts what happens to the background work.")
    working: bool
    largest_upload: int


def session_of(bench: Workbench, state: State | None = None) -> Session:
    """What the page knows."""
    now = state or bench.draft.read()
    table, error = bench.table, bench.not_opened
    return Session(
        folder=str(bench.folder.path),
        file=bench.draft.path.name,
        data=bench.data,
        records=table.profile.rows if table else None,
        columns=len(table.profile.columns) if table else None,
        opening=bench.opening,
        not_opened=None
        if error is None
        else Wrong(error=type(error).__name__, message=error.message, hint=error.hint),
        fields=now.fields,
        revision=now.revision,
        problems=[
            Missing(where=list(it.where), what=it.sentence, hint=it.hint) for it in now.problems
        ],
        can_undo=now.can_undo,
        can_redo=now.can_redo,
        work=bench.work.version,
        working=bench.work.busy,
        largest_upload=bench.folder.largest,
    )


@router.get("/session")
def session(bench: Bench) -> Session:
    """The release and what is going on."""
    return session_of(bench)


def _fields_of_a_release() -> dict[str, Any]:
    """The schema of a release file, none of whose fields must be there yet."""
    schema = Spec.model_json_schema()
    parts = schema.pop("$defs", {})

    def whole(it: Any) -> Any:
        if isinstance(it, list):
            return [whole(inner) for inner in it]
        if not isinstance(it, dict):
            return it
        if "$ref" in it:
            return whole(parts[it["$ref"].rpartition("/")[2]])
        return {name: whole(inner) for name, inner in it.items()}

    made: dict[str, Any] = whole({name: it for name, it in schema.items() if name != "required"})
    return made


class Edited(Revision):
    """The release file, changed."""

    fields: Annotated[dict[str, Any], WithJsonSchema(_fields_of_a_release())] = Field(
        description="All fields of the release file, which may be incomplete."
    )


@router.put("/release")
def save(edited: Edited, bench: Bench) -> Session:
    """Save the release file; nothing is written where it was changed elsewhere meanwhile."""
    return session_of(bench, bench.draft.write(edited.fields, edited.revision))


@router.post("/undo")
def undo(at: Revision, bench: Bench) -> Session:
    """The release file as it was before the last change."""
    return session_of(bench, bench.draft.undo(at.revision))


@router.post("/redo")
def redo(at: Revision, bench: Bench) -> Session:
    """The release file as it was before the last undoing."""
    return session_of(bench, bench.draft.redo(at.revision))


# ---------------------------------------------------------------------- files


class FileOfFolder(BaseModel):
    """A file that may be opened."""

    name: str
    bytes: int


class Files(BaseModel):
    """The tables in the working folder."""

    folder: str
    tables: list[FileOfFolder]
    open: str | None
    largest_upload: int


@router.get("/files")
def list_files(bench: Bench) -> Files:
    """The tables in the working folder."""
    found = [FileOfFolder(name=it.name, bytes=it.stat().st_size) for it in bench.folder.tables()]
    return Files(
        folder=str(bench.folder.path),
        tables=found,
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
async def upload(
    name: Annotated[str, InPath(max_length=300)], request: Request, bench: Bench
) -> FileOfFolder:
    """Store a file in the working folder; one that is there already is never overwritten."""
    path = await bench.folder.receive(name, request.stream())
    return FileOfFolder(name=path.name, bytes=path.stat().st_size)


class Chosen(Asked):
    """A table to open, and how it is read where that cannot be seen."""

    file: str = Field(max_length=1000)
    table: str | None = Field(None, max_length=200, description="Of a database or a workbook.")
    delimiter: str | None = Field(None, min_length=1, max_length=1)
    encoding: str | None = Field(None, max_length=40)


@router.post("/data")
def open_table(chosen: Chosen, bench: Bench) -> Session:
    """Open a table; a release file is proposed for it unless there is one."""
    if bench.work.busy:
        raise Busy("a table is being masked", "wait for it, or cancel it")
    said = {"table": chosen.table, "delimiter": chosen.delimiter, "encoding": chosen.encoding}
    given = {name: it for name, it in said.items() if it is not None}
    return session_of(bench, bench.open(chosen.file, **given))

"""The pages and the interface behind them, put together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from markupsafe import Markup
from starlette.staticfiles import StaticFiles

from ontomask import __version__
from ontomask.report.drawing.colours import colours_as_css
from ontomask.report.glossary import GLOSSARY
from ontomask.report.pages.render import make_environment
from ontomask.web.errors import NotThere
from ontomask.web.requests import ERROR_RESPONSES, Bench, register_error_handlers
from ontomask.web.routes import data, meaning, method, release, result, roles, runs, work
from ontomask.web.safety import Guard
from ontomask.web.session import Workbench

__all__ = ["SCREENS", "create_app", "guard_app", "link_term", "term_anchor"]

#: The screens in the order of the work, each with its title and its purpose.
SCREENS = {
    "data": ("Data", "choose the table"),
    "roles": ("Roles", "choose the role of each column, such as quasi-identifier"),
    "meaning": ("Meaning", "assign taxonomies and concepts to the values"),
    "method": ("Method", "choose the masking method and its settings"),
    "result": ("Result", "disclosure risk and information loss of each run"),
    "release": ("Release", "set requirements and write the files"),
}

DESCRIPTION = (
    "The requests that the pages of the workbench make. Answers contain counts and aggregates; of "
    "the table itself, only the first rows and the released files are sent."
)


def create_app(workbench: Workbench) -> FastAPI:
    """Create the application of a workbench; it must be guarded before it is served."""

    @asynccontextmanager
    async def close_at_shutdown(_: FastAPI) -> AsyncIterator[None]:
        yield
        workbench.close()

    app = FastAPI(
        title="ontomask workbench",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,  # these would load scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=ERROR_RESPONSES,
        lifespan=close_at_shutdown,
    )
    app.state.workbench = workbench
    register_error_handlers(app)
    for screen in (data, roles, meaning, method, work, runs, result, release):
        app.include_router(screen.router)
    _add_pages(app)
    return app


def guard_app(app: FastAPI, *, port: int) -> Guard:
    """Wrap the application in the guard that checks every request."""
    bench: Workbench = app.state.workbench
    return Guard(app, port=port, largest=bench.folder.largest)


def _add_pages(app: FastAPI) -> None:
    environment = make_environment("ontomask.web")
    environment.globals["term"] = link_term

    @app.get("/", include_in_schema=False)
    def redirect_to_first_screen(bench: Bench) -> RedirectResponse:
        has_table = bench.data is not None or bench.opening is not None
        return RedirectResponse("/roles" if has_table else "/data", 303)

    @app.get("/assets/colours.css", include_in_schema=False)
    def colours_css() -> Response:
        return Response(_theme_css(), media_type="text/css")

    # Modules that the pages of reports use as well.
    app.mount("/assets/shared", _serve_folder("ontomask.report", "assets", "shared"))
    app.mount("/assets", _serve_folder("ontomask.web", "assets"))

    @app.get("/glossary", include_in_schema=False)
    def glossary_page(bench: Bench) -> HTMLResponse:
        entries = [(term, term_anchor(term), text) for term, text in GLOSSARY.items()]
        return HTMLResponse(render("glossary", bench, entries=entries))

    @app.get("/{screen}", include_in_schema=False)
    def screen_page(screen: str, bench: Bench) -> HTMLResponse:
        if screen not in SCREENS:
            raise NotThere(f"page not found: /{screen[:60]}", "open /data")
        return HTMLResponse(render(screen, bench))

    def render(screen: str, bench: Workbench, **values: object) -> str:
        return environment.get_template(f"{screen}.html").render(
            screen=screen,
            screens=SCREENS,
            folder=bench.folder.path.name,
            file=bench.draft.path.name,
            **values,
        )


def _serve_folder(package: str, *folder: str) -> StaticFiles:
    """Serve the files of a folder in a package of ours."""
    return StaticFiles(directory=Path(str(files(package).joinpath(*folder))))


def _theme_css() -> str:
    """CSS with the colours of the reports, for both themes."""
    light, dark = colours_as_css("light"), colours_as_css("dark")
    return (
        f":root {{ color-scheme: light; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) "
        f"{{ color-scheme: dark; {dark} }} }}\n"
        f":root[data-theme=dark] {{ color-scheme: dark; {dark} }}\n"
    )


# ---------------------------------------------------------------------- terms of the glossary


def term_anchor(term: str) -> str:
    """The anchor of a term on the glossary page.

    >>> term_anchor("re-identification risk")
    're-identification-risk'
    """
    return term.lower().replace(" ", "-")


def link_term(term: str, text: str | None = None) -> Markup:
    """A link to the definition of a term, which is also its tooltip; ``text`` is what is shown."""
    return Markup(
        '<a class="term" href="/glossary#{}" target="_blank" rel="noopener" title="{}">{}</a>'
    ).format(term_anchor(term), GLOSSARY[term], text or term)

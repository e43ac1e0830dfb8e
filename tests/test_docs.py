"""What the documentation shows is what happens, and what is public is documented.

Every ``python`` block of README.md and of docs/ runs, the blocks of a page in order and in one
namespace, in a folder that holds ``patients.csv``, the table of ``datasets.patients()``. A block
with ``>>>`` is a doctest, any other simply runs. A ``text`` block right after a ``python`` block
that begins like ``CycleError: ...`` or ``HeaderWarning: ...`` is the error or the warning that the
``python`` block must give.

A ``csv`` or ``yaml`` block after a line that ends in `` `name`: `` is a file of that name in the
folder. A ``console`` block whose commands are all ``ontomask ...`` runs too, each command in a
process of its own: what it prints, standard error last, is what the page shows. A line ``...``
stands for anything, and ``echo $?`` is the exit code of the command before it.
"""

from __future__ import annotations

import csv
import dataclasses
import doctest
import functools
import importlib
import inspect
import re
import shlex
import warnings
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

import ontomask
from ontomask import (
    cli,
    datasets,
    distances,
    errors,
    methods,
    microdata,
    pipeline,
    releasefile,
    risk,
    statistics,
    taxonomy,
    utility,
)
from ontomask.methods.registry import METHODS
from ontomask.releasefile.model import (
    ColumnSpec,
    CsvSpec,
    EngineSpec,
    MethodSpec,
    ReleaseFile,
    Requirements,
)
from release_commands import Done

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
REFERENCE = sorted(ROOT.glob("docs/reference/*.md"))
COMMANDS = ROOT / "docs" / "commands.md"
RELEASE_FILE = ROOT / "docs" / "reference-release-file.md"
FIGURES = ROOT / "docs" / "concepts" / "utility-and-risk.md"

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"`([\w.-]+)`:\s*$")
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
TROUBLE = re.compile(r"\w+(Error|Warning): ")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
TARGET = re.compile(r"\bmake ([a-z]+)\b")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# ------------------------------------------------------------------ snippets run


class Snippet(NamedTuple):
    kind: str  # python, console or csv, which is any file
    code: str
    line: int  # of the first line of code, counted from 1
    trouble: str = ""  # the error or the warning it must give; empty for none
    file: str = ""  # the name that the text before gives to it


def snippets(page: Path) -> Iterator[Snippet]:
    text = page.read_text(encoding="utf-8")
    blocks = list(FENCE.finditer(text))
    for block, following in zip_longest(blocks, blocks[1:]):
        line = text.count("\n", 0, block.start(2)) + 1
        if block[1] == "python":
            trouble = ""
            if following and following[1] == "text" and TROUBLE.match(following[2]):
                neighbours = not text[block.end() : following.start()].strip()
                trouble = following[2] if neighbours else ""
            yield Snippet("python", block[2], line, trouble)
        elif block[1] in ("csv", "yaml"):
            named = FILE_NAME.search(text[: block.start()])
            assert named, f"{name_of(page)}, line {line}: a block without a file name"
            yield Snippet("csv", block[2], line, file=named[1])
        elif block[1] == "console":
            yield Snippet("console", block[2], line)


def run(snippet: Snippet, page: Path, namespace: dict[str, Any]) -> None:
    """Run code as it stands; a traceback shows the line of the page."""
    padded = "\n" * (snippet.line - 1) + snippet.code
    exec(compile(padded, name_of(page), "exec", dont_inherit=True), namespace)


def run_doctest(snippet: Snippet, page: Path, namespace: dict[str, Any]) -> None:
    name = name_of(page)
    parsed = doctest.DocTestParser().get_doctest(snippet.code, {}, name, name, snippet.line - 1)
    parsed.globs = namespace  # a doctest works on a copy otherwise
    complaints: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    if runner.run(parsed, out=complaints.append, clear_globs=False).failed:
        pytest.fail("".join(complaints), pytrace=False)


def trouble_with(snippet: Snippet, page: Path, namespace: dict[str, Any]) -> str:
    """What the snippet complains of, as Python would show it."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            run(snippet, page, namespace)
        except ontomask.OntomaskError as error:
            return f"{type(error).__name__}: {error}"
    return "\n".join(f"{type(w.message).__name__}: {w.message}" for w in given)


class Command(NamedTuple):
    typed: str
    shown: list[str]  # the lines below it


def commands(block: str) -> list[Command]:
    """The commands of a console block; a backslash at the end carries on with the next line."""
    found: list[Command] = []
    for line in re.sub(r"\\\n\s*", "", block).splitlines():
        if line.startswith("$ "):
            found.append(Command(line[2:], []))
        else:
            found[-1].shown.append(line)
    return found


def is_ours(command: Command) -> bool:
    return command.typed.startswith("ontomask") or command.typed == "echo $?"


def is_like(printed: str, shown: list[str]) -> bool:
    """The same words, where a line ``...`` is any number of them."""
    parts = re.split(r"^\.\.\.$", "\n".join(shown), flags=re.MULTILINE)
    pattern = r"(?:.*\s)?".join("".join(rf"{re.escape(w)}\s" for w in p.split()) for p in parts)
    return re.fullmatch(pattern, " ".join(printed.split()) + " ", re.DOTALL) is not None


def run_console(snippet: Snippet, where: str, command: Callable[..., Done]) -> None:
    """Run commands of ours; what is printed to standard error comes last."""
    typed = commands(snippet.code)
    if not all(map(is_ours, typed)):
        assert not any(map(is_ours, typed)), f"{where}: commands of ours and others in one block"
        return
    code = 0
    for line, shown in typed:
        if line == "echo $?":
            printed = f"{code}\n"
        else:
            code, out, err = command(Path(), *shlex.split(line)[1:])
            printed = out + err
        assert is_like(printed, shown), f"{where}: $ {line}\n{printed}"


def marked(page: Path) -> Any:
    return pytest.param(page, marks=pytest.mark.spark) if page.stem == "spark" else page


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [marked(page) for page in PAGES if any(snippets(page))], ids=name_of
)
def test_every_snippet_does_what_the_page_says(page, tmp_path, monkeypatch, request, command):
    if page.stem == "spark":
        request.getfixturevalue("spark")  # skipped where there is no Java
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with Path("patients.csv").open("w", encoding="utf-8", newline="") as file:
        patients = datasets.patients()
        csv.writer(file).writerows([list(patients), *zip(*patients.values(), strict=True)])
    for snippet in snippets(page):
        where = f"{name_of(page)}, line {snippet.line}"
        if snippet.kind == "csv":
            Path(snippet.file).write_text(snippet.code, encoding="utf-8")
        elif snippet.kind == "console":
            run_console(snippet, where, command)
        elif snippet.trouble:
            given = trouble_with(snippet, page, namespace)
            assert given.split() == snippet.trouble.split(), f"{where}: {given or 'no trouble'}"
        elif ">>>" in snippet.code:
            run_doctest(snippet, page, namespace)
        else:
            run(snippet, page, namespace)


def test_a_line_of_dots_stands_for_anything():
    assert is_like("a\n b c\n", ["a b", "c"])
    assert is_like("a\nb\nc\n", ["a", "...", "c"])
    assert is_like("a\nc\n", ["a", "...", "c"])
    assert is_like("a\nb\n", ["..."])
    assert not is_like("a\nbc\n", ["a", "...", "c"])
    assert not is_like("a\nb\n", ["a"])


# ------------------------------------------------------------------ what is public is documented


DIRECTIVE = re.compile(r"^::: (\S+)", re.MULTILINE)  # mkdocstrings: the docstring of that name


def documented_names(page: Path) -> set[str]:
    """Every word in code type on a page."""
    shown = CODE.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    return {word for code in shown for word in re.findall(r"\w+", code)}


def first_cells(page: Path) -> set[str]:
    """Every word in code type that begins a row of a table, or heads one."""
    return set(re.findall(r"^\| `(\w+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE))


def resolve(path: str) -> Any:
    """The object with a dotted path; a function may have the name of its module."""
    module, parts = ontomask, path.split(".")[1:]
    for place, part in enumerate(parts):
        try:
            module = importlib.import_module(".".join(["ontomask", *parts[: place + 1]]))
        except ModuleNotFoundError:
            return functools.reduce(getattr, parts[place:], module)
        if place == len(parts) - 2 and not hasattr(module, parts[-1]):
            raise AttributeError(part)
    return module


def reference_entries() -> dict[str, Any]:
    """What the API reference documents, by path."""
    pages = [page.read_text(encoding="utf-8") for page in REFERENCE]
    return {path: resolve(path) for text in pages for path in DIRECTIVE.findall(text)}


PUBLIC_MODULES = [
    ontomask,
    datasets,
    distances,
    methods,
    microdata,
    pipeline,
    releasefile,
    risk,
    statistics,
    taxonomy,
    utility,
]


def public_objects(module: Any) -> dict[str, Any]:
    """What a module offers, other than modules and the version."""
    offered = {name: getattr(module, name) for name in module.__all__}
    return {
        name: public
        for name, public in offered.items()
        if not inspect.ismodule(public) and not isinstance(public, str) and public is not str
    }


def public_callables() -> dict[str, Callable[..., Any]]:
    """Public functions and classes, and the public methods of these classes."""
    found: dict[str, Callable[..., Any]] = {}
    for module in PUBLIC_MODULES:
        for name, public in public_objects(module).items():
            if inspect.isclass(public) and not issubclass(public, BaseException):
                found[name] = public
                found.update(
                    (f"{name}.{member}", routine)
                    for member, routine in inspect.getmembers(
                        public, lambda it: inspect.isfunction(it) or inspect.ismethod(it)
                    )
                    if not member.startswith("_") and member in vars(public)
                )
            elif inspect.isfunction(public):
                found[f"{module.__name__}.{name}"] = public
    return found


PUBLIC_CALLABLES = public_callables()

#: Classes that users get and do not construct.
MADE_BY_FUNCTIONS = {"Guarantee", "Taxonomy"}


@pytest.mark.parametrize("module", PUBLIC_MODULES, ids=lambda module: module.__name__)
def test_the_reference_has_every_public_name(module):
    documented = [*reference_entries().values()]
    lost = [
        name
        for name, public in public_objects(module).items()
        if not any(public is entry for entry in documented)
    ]
    assert lost == []


def test_the_reference_has_every_error_and_warning():
    classes = inspect.getmembers(errors, inspect.isclass)
    ours = {public for _, public in classes if issubclass(public, BaseException)}
    assert (
        ours - {entry for entry in reference_entries().values() if inspect.isclass(entry)} == set()
    )


def test_every_public_attribute_is_explained():
    """By a docstring of its own or of the class it overrides, or in the docstring of the class."""
    kinds = {
        public
        for module in PUBLIC_MODULES
        for public in public_objects(module).values()
        if inspect.isclass(public)
    }
    assert [name for kind in kinds for name in unexplained_attributes(kind)] == []


def unexplained_attributes(kind: type) -> list[str]:
    ours = {*vars(kind), *inspect.get_annotations(kind)} - {*vars(tuple), *vars(dict)}
    return [
        f"{kind.__name__}.{name}"
        for name in ours
        if not name.startswith("_")
        and not re.search(rf"^ *{name}: ", str(kind.__doc__), re.MULTILINE)
        and not has_docstring(kind, name)
        and not has_comment(kind, name)
    ]


def has_docstring(kind: type, name: str) -> bool:
    """Whether a method or a property has one, of its own or of a base class."""
    static = inspect.getattr_static(kind, name, None)
    explains_itself = callable(static) or isinstance(
        static, property | functools.cached_property | classmethod | staticmethod
    )
    return explains_itself and bool(inspect.getdoc(getattr(kind, name)))


def has_comment(kind: type, name: str) -> bool:
    """Whether a ``#:`` comment stands above an attribute, in the class or a base of it."""
    pattern = re.compile(rf"#: .*\n *{name}: ")
    ours = [base for base in kind.__mro__ if base.__module__.startswith("ontomask")]
    return any(pattern.search(inspect.getsource(base)) for base in ours)


def test_no_public_signature_shows_an_address():
    """As ``<function <lambda> at 0x7f...>``, which ``help`` would print."""
    for name, public in PUBLIC_CALLABLES.items():
        shown = str(inspect.signature(public))
        assert " at 0x" not in shown, name
        assert "SettingHelp(" not in shown, name


def test_three_arguments_or_more_are_explained_one_by_one():
    for name in PUBLIC_CALLABLES.keys() - MADE_BY_FUNCTIONS:
        public = PUBLIC_CALLABLES[name]
        parameters = [
            parameter
            for parameter in inspect.signature(public).parameters
            if parameter != "self" and not parameter.startswith("_")
        ]
        if len(parameters) > 2:
            text = str(inspect.getdoc(public))
            assert re.search(r"^(Args|Attributes):$", text, re.MULTILINE), (name, text)
            lost = [p for p in parameters if not re.search(rf"^    \**{p}: ", text, re.MULTILINE)]
            assert lost == [], name


@pytest.mark.parametrize("module", [risk, utility], ids=lambda module: module.__name__)
def test_the_page_on_evaluation_has_every_figure(module):
    assert set(module.DESCRIPTIONS) - documented_names(FIGURES) == set()


@pytest.mark.parametrize(
    "kind",
    [ReleaseFile, ColumnSpec, CsvSpec, EngineSpec, MethodSpec, Requirements],
    ids=lambda kind: kind.__name__,
)
def test_the_page_of_the_release_file_has_every_field(kind):
    assert set(kind.model_fields) - first_cells(RELEASE_FILE) == set()


@pytest.mark.parametrize("name", METHODS)
def test_the_page_of_the_release_file_has_every_setting(name):
    settings = {it.name for it in dataclasses.fields(METHODS[name]) if it.init}
    assert {name, *settings} - documented_names(RELEASE_FILE) == set()


# ------------------------------------------------------------------ every command has its place


def every_command(command: Any, name: str = "ontomask") -> Iterator[tuple[str, set[str]]]:
    """Each command by its full name, with its options."""
    yield name, {option for it in command.params for option in it.opts if option.startswith("-")}
    for word, it in getattr(command, "commands", {}).items():
        yield from every_command(it, f"{name} {word}")


ALL_COMMANDS = dict(every_command(typer.main.get_command(cli.app)))


def options_shown(text: str) -> set[str]:
    return {option for code in CODE.findall(FENCE.sub("", text)) for option in OPTION.findall(code)}


def section(name: str) -> str:
    """What the page of commands says about one of them; the whole page for a group."""
    text = COMMANDS.read_text(encoding="utf-8")
    found = re.search(rf"^## `{name}`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found or any(other.startswith(f"{name} ") for other in ALL_COMMANDS), name
    return found[1] if found else text


@pytest.mark.parametrize("name", ALL_COMMANDS)
def test_the_page_of_commands_has_every_option(name):
    assert ALL_COMMANDS[name] - options_shown(section(name)) == set()


def test_the_page_of_commands_shows_no_option_that_does_not_exist():
    known = set().union(*ALL_COMMANDS.values(), {"--help"})
    assert options_shown(COMMANDS.read_text(encoding="utf-8")) <= known


# ------------------------------------------------------------------ pages hold together


ALL_PAGES = [*sorted(ROOT.glob("*.md")), *PAGES[1:]]


def test_every_link_leads_somewhere():
    for page in ALL_PAGES:
        links = LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
        inside = [link.partition("#")[0] for link in links if not re.match(r"https?://|#", link)]
        lost = [link for link in inside if not (page.parent / link).exists()]
        assert lost == [], name_of(page)


def test_the_index_leads_to_every_page():
    index = ROOT / "docs" / "index.md"
    links = LINK.findall(index.read_text(encoding="utf-8"))
    pages = {page.relative_to(index.parent).as_posix() for page in PAGES[1:] if page != index}
    assert pages - {*links} == set()


def test_every_make_command_exists():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    for page in ALL_PAGES:
        text = page.read_text(encoding="utf-8")
        shown = [block[2] for block in FENCE.finditer(text) if block[1] != "text"]
        shown += CODE.findall(text)
        assert {target for code in shown for target in TARGET.findall(code)} <= targets, page

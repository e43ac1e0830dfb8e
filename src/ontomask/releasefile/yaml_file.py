"""YAML as plain data, with the line of every field; nothing in a file is ever run.

Plain words are read as in YAML 1.2: ``true`` and ``false`` are the only two that are not text, so
that a level called no stays a word, and a code with a leading zero keeps it.

An edit replaces the text of the fields that change and copies everything else, so that comments
and layout stay as they are. The round trip of ruamel.yaml does not: it drops the comment that
follows a removed field, and lays out the spaces of all other lines anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

import yaml

from ontomask._runtime.yaml_text import format_field, format_flow_value, format_yaml
from ontomask.errors import SpecError
from ontomask.releasefile.problems import FieldPath, Problem

__all__ = ["MAX_FILE_BYTES", "YamlDocument", "edit_yaml", "parse_yaml", "read_yaml"]

#: A release file is a page or two; what is larger is something else.
MAX_FILE_BYTES = 1_000_000
#: Names that refer to names that refer to names can make millions of fields out of a few lines.
MOST_NODES = 100_000

_TAG_PREFIX = "tag:yaml.org,2002:"
_PLAIN_TAGS = frozenset(
    _TAG_PREFIX + name for name in ("null", "bool", "int", "float", "str", "seq", "map")
)
_MERGE_TAG = _TAG_PREFIX + "merge"


class _Loader(yaml.SafeLoader):
    """The safe loader with the plain words of YAML 1.2, dates left as text."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as in the parent class


for _kind, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:0|[1-9][0-9]{0,17})", list("-+0123456789")),
    (
        "float",
        r"[-+]?(?:(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{0,20}|(?=[eE]))|\.[0-9]{1,20})"
        r"(?:[eE][-+]?[0-9]{1,3})?",
        list("-+.0123456789"),
    ),
    ("merge", r"<<", ["<"]),
):
    _Loader.add_implicit_resolver(_TAG_PREFIX + _kind, re.compile(rf"^(?:{_pattern})$"), _first)


@dataclass
class YamlDocument:
    """Content of a YAML file, the line and text of every field, and problems found so far.

    There is no data where something in the file is not plain.
    """

    data: Any = None
    lines: dict[FieldPath, int] = field(default_factory=dict)
    texts: dict[FieldPath, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def read_yaml(path: Path) -> YamlDocument:
    """Read the only document of a YAML file."""
    return parse_yaml(_read_text(path), path)


def parse_yaml(text: str, path: Path) -> YamlDocument:
    """Parse the only document of a text; ``path`` names its file in errors."""
    document = YamlDocument()
    try:
        _parse_document(text, path, document)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise SpecError(
            f"{path}{line}: invalid YAML: {error.problem or error.context}",
            "check the indentation, unclosed brackets and quotes, and tabs",
        ) from None
    except (yaml.YAMLError, ValueError):  # whose words would quote the value
        raise SpecError(f"{path}: invalid YAML", "write it as plain text") from None
    except RecursionError:
        raise SpecError(f"{path} is nested too deeply") from None
    return document


def _parse_document(text: str, path: Path, document: YamlDocument) -> None:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            raise SpecError(
                f"{path} is empty", "a release file has the fields data, output, columns and method"
            )
        visitor = _NodeVisitor(document)
        visitor.visit(node, (), ())
        if visitor.is_plain:
            document.data = loader.construct_document(node)
    finally:
        loader.dispose()


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise SpecError(f"{path} does not exist", "check the path") from None
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror or error}") from None
    if len(raw) > MAX_FILE_BYTES:
        raise SpecError(
            f"{path} is too large for a release file",
            "name the release file, not the data; put a long mapping in a table of its own",
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SpecError(f"{path} is not UTF-8 text", "save it as UTF-8") from None


class _NodeVisitor:
    """Records the line of every field; repeated fields and tags are problems."""

    def __init__(self, document: YamlDocument) -> None:
        self.document = document
        self.nodes_left = MOST_NODES
        self.is_plain = True

    def visit(self, node: yaml.Node, where: FieldPath, inside: tuple[int, ...]) -> None:
        """Note a value and all that is in it."""
        self.nodes_left -= 1
        if self.nodes_left < 0 or id(node) in inside:
            raise SpecError(
                "the release file has too many YAML references, or a circular one",
                "write the fields without references",
            )
        self.document.lines.setdefault(where, node.start_mark.line + 1)
        if node.tag not in _PLAIN_TAGS:
            self._refuse_tag(node, where)
            return
        inside = (*inside, id(node))
        if isinstance(node, yaml.MappingNode):
            self._visit_mapping(node, where, inside)
        elif isinstance(node, yaml.SequenceNode):
            for number, item in enumerate(node.value):
                self.visit(item, (*where, str(number)), inside)
        elif isinstance(node, yaml.ScalarNode):
            self.document.texts.setdefault(where, node.value)

    def _visit_mapping(
        self, node: yaml.MappingNode, where: FieldPath, inside: tuple[int, ...]
    ) -> None:
        first: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if key.tag == _MERGE_TAG:
                self.visit(value, where, inside)
                continue
            if not isinstance(key, yaml.ScalarNode) or key.tag not in _PLAIN_TAGS:
                raise SpecError(
                    f"line {line}: the name of a field must be text", "write name: value"
                )
            here = (*where, key.value)
            if key.value in first:
                self.document.problems.append(
                    Problem(
                        here,
                        f"is repeated: line {first[key.value]} and line {line}",
                        "keep one of them",
                    )
                )
            first.setdefault(key.value, line)
            self.document.lines.setdefault(here, line)
            self.visit(value, here, inside)

    def _refuse_tag(self, node: yaml.Node, where: FieldPath) -> None:
        self.is_plain = False
        tag = str(node.tag).replace(_TAG_PREFIX, "!!")
        self.document.problems.append(
            Problem(
                where,
                f"has the tag {tag[:40]!r}",
                "remove the tag: a release file may only contain plain text and numbers",
            )
        )


# ---------------------------------------------------------------------- editing


def edit_yaml(text: str, fields: Mapping[str, Any]) -> str:
    r"""The text of a release file with other fields; what does not change stays as it is.

    A value is replaced where it stands, a removed field goes with its line, a new one comes after
    the last one of its group. A text that shares parts between fields (``&``, ``*``, ``<<``) may
    not read back as the fields: the caller checks it.

    >>> print(edit_yaml("k:  5   # at least\ntable: a\n", {"k": 10, "person": "id"}), end="")
    k:  10   # at least
    person: id
    """
    loader = _Loader(text)
    try:
        root = loader.get_single_node()
        assert isinstance(root, yaml.MappingNode)
        current = loader.construct_document(root)
    finally:
        loader.dispose()
    replacements = list(_edit_group(text, root, current, fields, format_yaml))
    edited = text
    # From the end, so that places stay right; of two at one place the later one comes first.
    for start, end, replacement in sorted(reversed(replacements), key=_start, reverse=True):
        edited = edited[:start] + replacement + edited[end:]
    return edited


#: From where to where a text is replaced, and by what.
_Replacement = tuple[int, int, str]
_start = itemgetter(0)


def _edit_group(
    text: str,
    group: yaml.MappingNode,
    current: Mapping[str, Any],
    wanted: Mapping[str, Any],
    format_fields: Callable[[Mapping[str, Any]], str],
) -> Iterator[_Replacement]:
    """Replacements that turn one group of fields into another, field by field."""
    for key, value in group.value:
        name = key.value
        if name not in wanted:
            yield text.rfind("\n", 0, key.start_mark.index) + 1, _line_end(text, value), ""
        elif name not in current or current[name] == wanted[name]:
            continue
        elif _can_be_edited_inside(value, current[name], wanted[name]):
            yield from _edit_group(text, value, current[name], wanted[name], _format_fields)
        else:
            start, before = _value_start(text, key, value)
            yield start, _end(text, value), before + format_flow_value(wanted[name])
    new_fields = {name: value for name, value in wanted.items() if name not in current}
    if new_fields:
        first_key, last_value = group.value[0][0], group.value[-1][1]
        place = _line_end(text, last_value)
        indent = " " * first_key.start_mark.column
        lines = format_fields(new_fields).splitlines(keepends=True)
        line_break = "" if text[place - 1] == "\n" else "\n"
        yield place, place, line_break + "".join(indent + line for line in lines)


def _format_fields(fields: Mapping[str, Any]) -> str:
    return "".join(f"{line}\n" for name in fields for line in format_field(name, fields[name]))


def _can_be_edited_inside(value: yaml.Node, current: Any, wanted: Any) -> bool:
    """Whether a group changes field by field; in brackets, no field may come or go."""
    if not isinstance(value, yaml.MappingNode) or not isinstance(wanted, Mapping):
        return False
    return bool(current.keys() & wanted.keys()) and (
        not value.flow_style or current.keys() == wanted.keys()
    )


def _value_start(text: str, key: yaml.Node, value: yaml.Node) -> tuple[int, str]:
    """Where the new value begins, and what comes before it: right after the key if possible."""
    between = text[key.end_mark.index : value.start_mark.index]
    if between.strip() == ":" and ("\n" in between or between == ":"):
        return key.end_mark.index, ": "
    return value.start_mark.index, ""


def _end(text: str, node: yaml.Node) -> int:
    """Where the text of a value ends, without the comments and empty lines that follow it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(node, yaml.MappingNode) else last)
    start = int(node.start_mark.index)
    return start + len(text[start : node.end_mark.index].rstrip())


def _line_end(text: str, node: yaml.Node) -> int:
    """Where the last line of a value ends, its line break included."""
    line_break = text.find("\n", _end(text, node))
    return len(text) if line_break < 0 else line_break + 1

"""Parse what to compare: ranges of k, methods with settings; write a release file for each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask._runtime.files.atomic_files import atomic_path
from ontomask._runtime.yaml_text import format_yaml
from ontomask.errors import ParameterError
from ontomask.methods.method import Method
from ontomask.methods.registry import METHODS, changed_settings, name_of
from ontomask.methods.settings import read_settings
from ontomask.pipeline.comparing.comparison import method_as_yaml
from ontomask.releasefile.fields import map_file_names
from ontomask.releasefile.methods import problems_of_settings, rename_old_settings
from ontomask.releasefile.model import COMPRESSION_SUFFIXES, ReleaseFile
from ontomask.releasefile.problems import choices_hint
from ontomask.releasefile.validation import is_remote

if TYPE_CHECKING:
    from ontomask.pipeline.comparing.points import Point

__all__ = [
    "comparable_methods",
    "release_file_text",
    "parse_methods",
    "contains_table_values",
    "parse_numbers",
    "release_file_paths",
    "parse_whole_numbers",
    "write_release_files",
]

#: More points than these are surely a mistake.
MAX_POINTS = 1_000

_KEYWORDS = {"true": True, "false": False, "none": None, "null": None}


# ---------------------------------------------------------------------- what is asked for


def parse_whole_numbers(text: str, option: str = "k") -> list[int]:
    """Parse a list of whole numbers and ranges, with optional steps.

    >>> [parse_whole_numbers(text) for text in ("2,5,10", "2..5", "2..12:5,50")]
    [[2, 5, 10], [2, 3, 4, 5], [2, 7, 12, 50]]
    """
    numbers: list[int] = []
    for part in text.split(","):
        parsed = re.fullmatch(r"\s*(\d{1,9})(?:\s*\.\.\s*(\d{1,9})(?::(\d{1,9}))?)?\s*", part)
        if parsed is None:
            raise ParameterError(
                f"{option} must be a list or range of integers, got {text!r}",
                "write 5, or 2,5,10, or 2..20, or 2..20:3 for every third integer",
            )
        first, last, step = parsed.groups()
        steps = range(int(first), int(last or first) + 1, max(1, int(step or 1)))
        if not steps or step == "0":
            raise ParameterError(
                f"{option} must be an ascending range such as 2..20 or 2..20:3, got {text!r}"
            )
        if len(steps) > MAX_POINTS:
            raise ParameterError(
                f"{option} must have at most {MAX_POINTS:,} values, got {len(steps):,}"
            )
        numbers += steps
    return list(dict.fromkeys(numbers))


def parse_numbers(text: str, option: str = "alpha") -> list[float]:
    """Parse a list of numbers.

    >>> parse_numbers("0.1, 0.3,1")
    [0.1, 0.3, 1.0]
    """
    try:
        return list(dict.fromkeys(float(part) for part in text.split(",")))
    except ValueError:
        raise ParameterError(
            f"{option} must be a list of numbers such as 0.1,0.3, got {text!r}"
        ) from None


def comparable_methods(own_method: str | None = None) -> list[str]:
    """The methods that are compared by default and need no settings, and ``own_method``."""
    return [
        name
        for name, kind in METHODS.available().items()
        if name == own_method
        or (kind.compared_by_default and not any(s.required for s in read_settings(kind)))
    ]


def parse_methods(
    words: Sequence[str],
    values: Mapping[str, Sequence[float]] | None = None,
    own_method: tuple[str, Mapping[str, Any]] | None = None,
) -> list[Method]:
    """Parse names of methods; each is made with every value of the setting it is varied by.

    ``values`` are those to vary a setting by, as ``{"k": [2, 3]}``; without them it is varied by
    its usual ones. A method may carry settings: ``rank_swapping:strategy=dynamic:complete=true``;
    one that says its k is taken with that alone. ``own_method`` is a method's name and its
    settings unless others are named.

    >>> parse_methods(["suppression:how=drop", "recoding:k=7"], {"k": [2, 3]})
    [Suppression(k=2, how='drop'), Suppression(k=3, how='drop'),
     Recoding(k=7, distance='semantic', heuristics='h1+h2+h3', weighted=False, ...)]
    """
    methods: list[Method] = []
    for word in words:
        name, *rest = word.strip().split(":")
        if name not in METHODS:
            raise ParameterError(
                f"there is no method {name!r}", choices_hint(name, METHODS, "the methods are")
            )
        settings = rename_old_settings(
            {**dict(_parse_setting(word, part) for part in rest), "name": name}
        )
        del settings["name"]
        defaults = {} if own_method is None or own_method[0] != name else dict(own_method[1])
        methods += _vary_method(name, {**defaults, **settings}, settings, values or {})
    if len(methods) > MAX_POINTS:
        raise ParameterError(
            f"a comparison must have at most {MAX_POINTS:,} points, got {len(methods):,}"
        )
    return list(dict.fromkeys(methods))


def _vary_method(
    name: str,
    settings: Mapping[str, Any],
    fixed: Mapping[str, Any],
    values: Mapping[str, Sequence[float]],
) -> Iterator[Method]:
    """The method with every value of the setting that it is varied by, unless that is fixed."""
    kind = METHODS[name]
    varied = {setting.name: setting for setting in read_settings(kind)}.get(kind.varied_by or "")
    variants: list[dict[str, Any]] = [{**settings}]
    if varied is not None and varied.name not in fixed:
        numbers = values.get(varied.name, varied.usual)
        variants = [{**settings, varied.name: number} for number in numbers] or variants
    for settings in variants:
        for problem in problems_of_settings({"name": name, **settings}):
            named = replace(problem, where=(name, *problem.where[1:]))
            raise ParameterError(named.sentence, problem.hint)
        yield kind(**settings)


def _parse_setting(word: str, part: str) -> tuple[str, Any]:
    name, equals, value = part.partition("=")
    if not equals or not name:
        raise ParameterError(
            f"{word!r} must give a value for every setting",
            "write for example rank_swapping:strategy=dynamic:complete=true",
        )
    if value.lower() in _KEYWORDS:
        return name, _KEYWORDS[value.lower()]
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            pass
    return name, value


# ---------------------------------------------------------------------- release files


def write_release_files(
    spec: ReleaseFile, points: Sequence[Point], folder: Path, *, force: bool = False
) -> list[Path]:
    """Write a complete release file for every method that could be run, into a folder.

    Each one releases to a file of its own, beside the output of the original.
    """
    files = release_file_paths([point.method for point in points], folder)
    written: list[Path] = []
    is_new_folder = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        with ExitStack() as unfinished:  # all take their names together
            for path, point in zip(files, points, strict=True):
                if not point.error:
                    file = unfinished.enter_context(atomic_path(path, force=force))
                    text = format_yaml(_fields_for_method(spec, point.method, folder))
                    file.write_text(text, encoding="utf-8", newline="")
                    written.append(path)
    except BaseException:
        if is_new_folder:
            folder.rmdir()
        raise
    return written


def release_file_paths(methods: Sequence[Method], folder: Path) -> list[Path]:
    """The release file of each method: ``recoding-k5.yaml``."""
    return [folder / f"{_file_stem(method)}.yaml" for method in methods]


def release_file_text(spec: ReleaseFile, method: Method) -> str:
    """Text of a release file with another method, for the folder of the original.

    Where the original cannot be shown, it is only the part that replaces its method.
    """
    if contains_table_values(spec):
        return method_as_yaml(method)
    return format_yaml(_fields_for_method(spec, method, spec.folder))


def contains_table_values(spec: ReleaseFile) -> bool:
    """Whether a release file names values that may be in the table: in a mapping, or as levels."""
    return any(
        isinstance(column.mapping, Mapping) or column.levels for column in spec.columns.values()
    )


def _file_stem(method: Method) -> str:
    """A method and its settings as part of a file name."""
    settings = changed_settings(method)
    varied = method.varied_by
    strength = f"-{varied}{settings.pop(varied):g}" if varied in settings else ""
    others = "".join(
        f"-{name}" if value is True else f"-{name}-{value}" for name, value in settings.items()
    )
    return re.sub(r"[^A-Za-z0-9_.+-]+", "_", f"{name_of(method)}{others}{strength}")


def _fields_for_method(spec: ReleaseFile, method: Method, folder: Path) -> dict[str, Any]:
    """The release file with another method, for another folder."""
    fields = spec.as_dict()
    output = spec.output_path
    plain = output.with_suffix("") if output.suffix in COMPRESSION_SUFFIXES else output
    suffix = output.name.removeprefix(plain.stem)
    fields["data"] = _relative_to_folder(folder, spec, fields["data"])
    output_name = f"{plain.stem}.{_file_stem(method)}{suffix}"
    fields["output"] = _relative_to_folder(
        folder, spec, os.path.join(os.path.dirname(fields["output"]), output_name)
    )
    for column in fields["columns"].values():
        column |= map_file_names(column, lambda name: _relative_to_folder(folder, spec, name))
    fields["method"] = {"name": name_of(method), **changed_settings(method)}
    fields.pop("attacker", None)  # the method says it
    return fields


def _relative_to_folder(folder: Path, spec: ReleaseFile, path: str) -> str:
    """A path of the release file, relative to another folder."""
    same_folder = folder.absolute() == spec.folder.absolute()
    if same_folder or os.path.isabs(path) or is_remote(path):
        return path
    return Path(os.path.relpath(spec.path(path).absolute(), folder.absolute())).as_posix()

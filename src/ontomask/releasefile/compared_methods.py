"""What is compared, in words: ranges of k, methods with settings; a release file for each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask._runtime.atomic_files import written_beside
from ontomask._runtime.yaml_text import as_yaml
from ontomask.errors import ParameterError
from ontomask.methods.method import Method
from ontomask.methods.registry import METHODS, name_of, settings_of, unusual
from ontomask.pipeline.comparing.comparison import method_as_yaml
from ontomask.releasefile.checks import is_elsewhere
from ontomask.releasefile.methods import problems_of_settings
from ontomask.releasefile.model import PACKED, Spec
from ontomask.releasefile.problems import allowed
from ontomask.taxonomy.readers.bundled import KNOWN

if TYPE_CHECKING:
    from ontomask.pipeline.comparing.points import Point

__all__ = [
    "ALPHAS",
    "KS",
    "file_for_page",
    "methods_called",
    "names_values",
    "numbers_in",
    "spec_files",
    "whole_numbers_in",
    "write_specs",
]

#: What is compared unless something else is asked for.
KS = (2, 3, 5, 10, 20, 50)
ALPHAS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0)

#: More points than these are a mistake of the one who asked.
MOST = 1_000

_WORDS = {"true": True, "false": False, "none": None, "null": None}


# ---------------------------------------------------------------------- what is asked for


def whole_numbers_in(text: str, option: str = "k") -> list[int]:
    """Whole numbers as a person writes them: one by one, or from .. to, in steps.

    >>> whole_numbers_in("2,5,10"), whole_numbers_in("2..5"), whole_numbers_in("2..12:5,50")
    ([2, 5, 10], [2, 3, 4, 5], [2, 7, 12, 50])
    """
    found: list[int] = []
    for part in text.split(","):
        parsed = re.fullmatch(r"\s*(\d{1,9})(?:\s*\.\.\s*(\d{1,9})(?::(\d{1,9}))?)?\s*", part)
        if parsed is None:
            raise ParameterError(
                f"{option} is {text!r}", "write 5, or 2,5,10, or 2..20, or 2..20:3 for every third"
            )
        first, last, step = parsed.groups()
        steps = range(int(first), int(last or first) + 1, max(1, int(step or 1)))
        if not steps or step == "0":
            raise ParameterError(f"{option} is {text!r}", "a range goes up, as 2..20 or 2..20:3")
        if len(steps) > MOST:
            raise ParameterError(f"{option} asks for {len(steps):,} values", "ask for fewer")
        found += steps
    return list(dict.fromkeys(found))


def numbers_in(text: str, option: str = "alpha") -> list[float]:
    """Numbers one by one.

    >>> numbers_in("0.1, 0.3,1")
    [0.1, 0.3, 1.0]
    """
    try:
        return list(dict.fromkeys(float(part) for part in text.split(",")))
    except ValueError:
        raise ParameterError(f"{option} is {text!r}", "write numbers, as 0.1,0.3") from None


def methods_called(
    words: Sequence[str],
    ks: Sequence[int] = KS,
    alphas: Sequence[float] = ALPHAS,
    own: tuple[str, Mapping[str, Any]] | None = None,
) -> list[Method]:
    """Every method with every k, or alpha where it has that.

    A method may carry settings: ``rank_swapping:strategy=dynamic:complete=true``; one that says its
    k is taken with that alone. ``own`` are a method's name and the settings it has unless others
    are given.

    >>> methods_called(["suppression:how=drop", "recoding:k=7"], ks=[2, 3])
    [Suppression(k=2, how='drop'), Suppression(k=3, how='drop'),
     Recoding(k=7, distance='semantic', heuristics='h1+h2+h3', weighted=False, ...)]
    """
    found: list[Method] = []
    for word in words:
        name, *rest = word.strip().split(":")
        if name not in METHODS:
            raise ParameterError(f"there is no method {name!r}", allowed(name, METHODS))
        given = dict(_setting(word, part) for part in rest)
        usual = {} if own is None or own[0] != name else dict(own[1])
        found += _varied(name, usual, given, ks, alphas)
    if len(found) > MOST:
        raise ParameterError(f"these are {len(found):,} points", f"ask for {MOST:,} at most")
    return list(dict.fromkeys(found))


def _varied(
    name: str,
    usual: dict[str, Any],
    given: dict[str, Any],
    ks: Sequence[int],
    alphas: Sequence[float],
) -> Iterator[Method]:
    strength = "k" if "k" in settings_of(METHODS[name]()) else "alpha"
    values: Sequence[Any] = ks if strength == "k" else alphas
    for value in [given[strength]] if strength in given else values:
        settings = {**usual, **given, strength: value}
        for problem in problems_of_settings({"name": name, **settings}):
            raise ParameterError(problem.sentence.replace("method", name, 1), problem.hint)
        yield METHODS[name](**settings)


def _setting(word: str, part: str) -> tuple[str, Any]:
    name, equals, value = part.partition("=")
    if not equals or not name:
        raise ParameterError(
            f"{word!r} has a setting without a value",
            "write settings as rank_swapping:strategy=dynamic:complete=true",
        )
    if value.lower() in _WORDS:
        return name, _WORDS[value.lower()]
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            pass
    return name, value


# ---------------------------------------------------------------------- release files


def write_specs(
    spec: Spec, points: Sequence[Point], folder: Path, *, force: bool = False
) -> list[Path]:
    """Write a complete release file for every method that could be run, into a folder.

    Each one releases to a file of its own, beside the output of the original.
    """
    files = spec_files([point.method for point in points], folder)
    written: list[Path] = []
    made = not folder.exists()
    folder.mkdir(exist_ok=True)
    try:
        for path, point in zip(files, points, strict=True):
            if not point.error:
                with written_beside(path, force=force) as file:
                    file.write(as_yaml(_fields(spec, point.method, folder)))
                written.append(path)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        if made:
            folder.rmdir()
        raise
    return written


def spec_files(methods: Sequence[Method], folder: Path) -> list[Path]:
    """The release file of each method: ``recoding-k5.yaml``."""
    return [folder / f"{_called(method)}.yaml" for method in methods]


def file_for_page(spec: Spec, method: Method) -> str:
    """The release file of a method, to stand beside the one it was made from.

    Where that one cannot be shown, it is only what is to be put in place of its own method.
    """
    if names_values(spec):
        return method_as_yaml(method)
    return as_yaml(_fields(spec, method, spec.folder))


def names_values(spec: Spec) -> bool:
    """Whether a release file names values that may be in the table: in a mapping, or as levels."""
    return any(isinstance(it.mapping, Mapping) or it.levels for it in spec.columns.values())


def _called(method: Method) -> str:
    """A method and its settings, as far as they may stand in a file's name."""
    settings = unusual(method)
    strength = "".join(f"-{it}{settings.pop(it):g}" for it in ("k", "alpha") if it in settings)
    others = "".join(
        f"-{name}" if value is True else f"-{name}-{value}" for name, value in settings.items()
    )
    return re.sub(r"[^A-Za-z0-9_.+-]+", "_", f"{name_of(method)}{others}{strength}")


def _fields(spec: Spec, method: Method, folder: Path) -> dict[str, Any]:
    """The release file with another method, for another folder."""
    fields = spec.as_dict()
    output = spec.output_path
    plain = output.with_suffix("") if output.suffix in PACKED else output
    ending = output.name.removeprefix(plain.stem)
    fields["data"] = _from(folder, spec, fields["data"])
    named = f"{plain.stem}.{_called(method)}{ending}"
    fields["output"] = _from(folder, spec, os.path.join(os.path.dirname(fields["output"]), named))
    for column in fields["columns"].values():
        for name in ("taxonomy", "mapping"):
            if isinstance(column.get(name), str) and column[name] not in KNOWN:
                column[name] = _from(folder, spec, column[name])
    fields["method"] = {"name": name_of(method), **unusual(method)}
    return fields


def _from(folder: Path, spec: Spec, named: str) -> str:
    """A path of the release file, seen from another folder."""
    here = folder.absolute() == spec.folder.absolute()
    if here or os.path.isabs(named) or is_elsewhere(named):
        return named
    return Path(os.path.relpath(spec.path(named).absolute(), folder.absolute())).as_posix()

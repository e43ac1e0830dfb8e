"""The manifest of a release: what was done, with what, and what is known of the result.

It goes beside the released table and may be published with it. It holds no seed, no record, no
path, and names nothing that fewer records carry than the threshold. Figures that would tell what
happened to so few records are left out: the mean of a column before and after tells the original
value where a single record was changed.
"""

from __future__ import annotations

import hashlib
import json
import math
import platform
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask._version import __version__
from ontomask.attributes import MISSING, NominalAttribute
from ontomask.errors import FileFormatError, many
from ontomask.files import written_beside
from ontomask.release.schema import Nominal
from ontomask.release.spec_methods import name_of, settings_of
from ontomask.tuples import Transitions

if TYPE_CHECKING:
    from ontomask.measures import Measure
    from ontomask.release.mask import Release
    from ontomask.release.spec import Spec
    from ontomask.taxonomy import Taxonomy, TermMap

__all__ = [
    "FORMAT",
    "FileFacts",
    "check_manifest",
    "coverage",
    "facts_of",
    "fingerprint",
    "manifest",
    "read_manifest",
    "write_manifest",
]

#: The layout of a manifest; a reader refuses a newer one.
FORMAT = 1

#: Figures of single columns that tell how far their values have moved, or from what to what.
OF_COLUMNS = (
    "attribute_sse",
    "rmse",
    "mean_absolute_distance",
    "mean_shift",
    "variance_difference",
    "distance_variance_difference",
    "number_means",
    "number_variances",
)
#: Means over the columns: from one of these and all columns but one, that one follows.
OVER_COLUMNS = ("semantic_quality", "il1s")
MATRICES = ("distance_correlations", "number_correlations")


@dataclass(frozen=True)
class FileFacts:
    """What is said of a file: its name without the folder, its size and its SHA-256."""

    name: str
    bytes: int
    sha256: str


def facts_of(path: str | PathLike[str]) -> FileFacts:
    """The facts of a file, read from it."""
    file = Path(path)
    try:
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        return FileFacts(file.name, file.stat().st_size, digest)
    except OSError as error:
        raise FileFormatError(f"{file} cannot be read: {error.strerror or error}") from None


# ---------------------------------------------------------------------- making one


def manifest(
    release: Release,
    spec: Spec,
    source: FileFacts | None,
    output: FileFacts | None,
    *,
    mappings: Mapping[str, TermMap] | None = None,
    private: Collection[str] = (),
    when: datetime | None = None,
) -> dict[str, Any]:
    """Everything that may be known of a release, ready for JSON.

    ``mappings`` are the concepts found for the values of nominal columns, where they are at hand;
    ``private`` names files with original values that were written as well.
    """
    notes: list[str] = []
    made = {
        "format": FORMAT,
        "made": (when or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds"),
        "versions": _versions(),
        "input": asdict(source) if source else None,
        "output": asdict(output) if output else None,
        "release": _as_given(spec, notes),
        "columns": {name: {"role": it.role, "type": it.kind} for name, it in spec.columns.items()},
        "method": {"name": name_of(release.method), "settings": settings_of(release.method)},
        "guarantee": _guarantee(release),
        "records": {
            "released": release.records,
            "dropped": release.dropped,
            "suppressed": release.suppressed,
        },
        **_figures(release, spec.threshold, notes),
        "taxonomies": _taxonomies(spec, mappings or {}),
        "report_threshold": spec.threshold,
        "private_files": [_name(it) for it in private],
        "notes": notes,
    }
    if private:
        notes.append("the private files hold original values and must not be published")
    return dict(_strict(made))


def write_manifest(
    path: str | PathLike[str], made: Mapping[str, Any], *, force: bool = False
) -> None:
    """Write a manifest, completely or not at all."""
    with written_beside(Path(path), force=force) as file:
        json.dump(_strict(made), file, ensure_ascii=False, indent=2, allow_nan=False)
        file.write("\n")


def _versions() -> dict[str, str]:
    others = {name: version(name) for name in ("numpy", "duckdb")}
    return {"ontomask": __version__, "python": platform.python_version(), **others}


def _as_given(spec: Spec, notes: list[str]) -> dict[str, Any]:
    """The release file without folders, and without the values that it names."""
    given = spec.as_dict()
    for field in ("data", "output"):
        given[field] = _name(given[field])
    for column in given["columns"].values():
        if column.get("taxonomy"):
            column["taxonomy"] = _name(column["taxonomy"])
        if isinstance(column.get("mapping"), str):
            column["mapping"] = _name(column["mapping"])
        for field in ("mapping", "levels"):
            if isinstance(column.get(field), dict | list):
                column[field] = many(len(column[field]), "value")
                notes.append("values that the release file names are counted, not named")
    notes[:] = dict.fromkeys(notes)
    return given


def _name(path: str) -> str:
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1]


def _guarantee(release: Release) -> dict[str, Any]:
    found = release.guarantee
    return {
        "text": str(found),
        "k": found.k,
        "smallest": found.smallest,
        "unit": found.unit,
        "classes": found.classes,
        "measured": asdict(found.measured) if found.measured else None,
    }


def _strict(value: Any) -> Any:
    """What JSON can hold: no numpy numbers, no NaN."""
    if isinstance(value, Mapping):
        return {str(key): _strict(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(inner) for inner in value]
    if isinstance(value, np.ndarray | np.generic):
        return _strict(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


# ---------------------------------------------------------------------- figures


def _figures(release: Release, threshold: int, notes: list[str]) -> dict[str, Any]:
    from ontomask import risk, utility

    found = release.evaluation
    worth = _cautious(found.utility, release.transitions, threshold, notes)
    return {
        "utility": _described(worth, utility.DESCRIPTIONS),
        "risk": _described(found.risk, risk.DESCRIPTIONS),
    }


def _described(figures: Mapping[str, Any], meanings: Mapping[str, Measure]) -> dict[str, Any]:
    return {name: {"value": value, **asdict(meanings[name])} for name, value in figures.items()}


def _cautious(
    figures: Mapping[str, Any], plan: Transitions, threshold: int, notes: list[str]
) -> dict[str, Any]:
    """The figures without what tells of fewer records than the threshold."""
    kept = dict(figures)
    records = plan.tuples.records
    few = [name for name, share in figures["changed"].items() if 0 < share * records < threshold]
    for figure in OF_COLUMNS:
        kept[figure] = {
            name: None if name in few else value for name, value in figures[figure].items()
        }
    for figure in MATRICES:
        kept[figure] = _without(figures[figure], few)
    if few:
        kept.update(dict.fromkeys(OVER_COLUMNS))
        columns = ", ".join(few)
        notes.append(
            f"fewer than {threshold:,} records were changed in {columns}: no figures of their own"
        )
    if 0 < figures["changed_records"] * records < threshold:
        kept["sse"] = None
        notes.append(f"fewer than {threshold:,} records were changed: no SSE")
    kept["number_means"] = _of_enough(kept["number_means"], plan, threshold)
    kept["number_variances"] = _of_enough(kept["number_variances"], plan, threshold)
    kept["mean_shift"] = _named(kept["mean_shift"], plan, threshold, notes)
    return kept


def _without(matrix: Mapping[str, Any], few: Sequence[str]) -> dict[str, Any]:
    """Correlations without those of some columns."""
    gone = {place for place, name in enumerate(matrix["columns"]) if name in few}
    cut = {
        side: [
            [None if {i, j} & gone and i != j else cell for j, cell in enumerate(row)]
            for i, row in enumerate(matrix[side])
        ]
        for side in ("before", "after", "difference")
    }
    return {**matrix, **cut}


def _of_enough(figures: Mapping[str, Any], plan: Transitions, threshold: int) -> dict[str, Any]:
    """Figures of columns in which enough records still hold a number."""
    held = {
        attribute.name: int(plan.count[~np.isnan(plan.targets[plan.target, j])].sum())
        for j, attribute in enumerate(plan.tuples.attributes)
    }
    return {name: it if held[name] >= threshold else None for name, it in figures.items()}


def _named(
    shifts: Mapping[str, Any], plan: Transitions, threshold: int, notes: list[str]
) -> dict[str, Any]:
    """Means before and after; a concept that too few released records hold is not named."""
    often = {
        attribute.name: _released(plan, j)
        for j, attribute in enumerate(plan.tuples.attributes)
        if isinstance(attribute, NominalAttribute)
    }
    kept: dict[str, Any] = {}
    for name, shift in shifts.items():
        if shift is None:
            kept[name] = None
            continue
        rare = [side for side in ("before", "after") if often[name].get(shift[side], 0) < threshold]
        if any(shift[side] is not None for side in rare):
            notes.append(
                f"a mean of {name} is a concept that fewer than {threshold:,} released records "
                "hold: it is not named"
            )
        kept[name] = {**shift, **dict.fromkeys(rare)}
    return kept


def _released(plan: Transitions, j: int) -> dict[str, int]:
    """How many records of the released table hold each concept of an attribute."""
    attribute = plan.tuples.attributes[j]
    assert isinstance(attribute, NominalAttribute)
    targets = plan.targets[plan.target, j]
    held = ~np.isnan(targets)
    counts = np.bincount(targets[held].astype(np.int64), weights=plan.count[held])
    return {
        attribute.candidates[place]: int(count)
        for place, count in enumerate(counts)
        if count and attribute.candidates[place] != MISSING
    }


# ---------------------------------------------------------------------- taxonomies


def _taxonomies(spec: Spec, mappings: Mapping[str, TermMap]) -> dict[str, Any]:
    """The taxonomy of each nominal column, and how the values found their concepts."""
    schema = spec.schema()
    marks: dict[int, str] = {}
    facts: dict[str, Any] = {}
    for column in (*schema.quasi_identifiers, *schema.confidential):
        if not isinstance(column, Nominal):
            continue
        taxonomy = column.taxonomy
        if id(taxonomy) not in marks:
            marks[id(taxonomy)] = fingerprint(taxonomy)
        found = mappings.get(column.column)
        facts[column.column] = {
            "name": taxonomy.name,
            "source": _name(taxonomy.about.source),
            "version": taxonomy.about.version,
            "concepts": len(taxonomy),
            "fingerprint": marks[id(taxonomy)],
            "mapping": coverage(found) if found is not None else None,
        }
    return facts


def fingerprint(taxonomy: Taxonomy) -> str:
    """The SHA-256 of all concepts with their parents, labels and aliases, in sorted order.

    Two taxonomies have the same one if they say the same, whatever file they came from.
    """
    lines = [
        "\x1f".join([concept, *sorted(taxonomy.parents(concept)), "\x1e", *labels])
        for concept, labels in zip(taxonomy.identifiers, taxonomy.label_lists, strict=True)
    ]
    lines += ["\x1f".join(["\x1e", *pair]) for pair in taxonomy.alias_items()]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()


def coverage(found: TermMap) -> dict[str, Any]:
    """How many distinct values and records found their concept in which way; none is named."""
    values: dict[str, int] = {}
    records: dict[str, int] = {}
    for match in found.matches:
        way = "unmapped" if match.concept is None else _way(match.how)
        values[way] = values.get(way, 0) + 1
        records[way] = records.get(way, 0) + match.count
    return {
        "values": {"unmapped": 0, **values},
        "records": {"unmapped": 0, **records},
        "missing": found.missing,
    }


def _way(how: str) -> str:
    """The kind of name that matched, without what was matched."""
    if how.startswith("head noun"):
        return "head noun"
    if how.endswith("restored"):
        return "repaired code"
    return "stem" if ", stemmed" in how else how.split(",")[0]


# ---------------------------------------------------------------------- reading one


def read_manifest(path: str | PathLike[str]) -> dict[str, Any]:
    """The contents of a manifest; what is no manifest of ours is refused."""
    file = Path(path)
    try:
        found = json.loads(file.read_text("utf-8"), parse_constant=_no_number)
    except OSError as error:
        raise FileFormatError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise FileFormatError(f"{file} is no valid JSON", "make the release again") from None
    if not isinstance(found, dict) or not isinstance(found.get("format"), int):
        raise FileFormatError(f"{file} is no manifest of a release", "name a *.manifest.json")
    if found["format"] > FORMAT:
        raise FileFormatError(
            f"{file} has format {found['format']}, and this version reads up to {FORMAT}",
            "use a newer ontomask",
        )
    return found


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON number")


def check_manifest(path: str | PathLike[str]) -> list[str]:
    """What does not fit: the released file beside the manifest, and the figures to one another.

    An empty list says that the file is the very one that was released. Classes are not counted
    again here.
    """
    found = read_manifest(path)
    try:
        return [*_wrong_file(found, Path(path).parent), *_wrong_figures(found)]
    except (KeyError, TypeError, AttributeError) as error:
        return [f"the manifest is incomplete or damaged ({type(error).__name__}: {error})"]


def _wrong_file(found: Mapping[str, Any], folder: Path) -> Iterator[str]:
    if found["output"] is None:
        return
    said = FileFacts(**found["output"])
    if _name(said.name) != said.name or said.name in ("", ".", ".."):
        yield "the name of the output is not that of a file beside the manifest"
        return
    try:
        there = facts_of(folder / said.name)
    except FileFormatError as error:
        yield error.message
        return
    if there.bytes != said.bytes:
        yield f"{said.name} has {there.bytes:,} bytes, and {said.bytes:,} were released"
    elif there.sha256 != said.sha256:
        yield f"{said.name} is not the file that was released: its SHA-256 differs"


def _wrong_figures(found: Mapping[str, Any]) -> Iterator[str]:
    promise, records = found["guarantee"], found["records"]["released"]
    risk = {name: it["value"] for name, it in found["risk"].items()}
    held = sum(size * classes for size, classes in risk["class_sizes"])
    if held != records:
        yield f"the classes hold {held:,} records, and {records:,} were released"
    if promise["k"] and records and promise["smallest"] < promise["k"]:
        yield f"k is {promise['k']:,}, and the smallest class has {promise['smallest']:,}"
    if promise["unit"] == "records" and risk["k"] != promise["smallest"]:
        yield f"the smallest class has {promise['smallest']:,} records here and {risk['k']:,} there"
    wanted = found["release"].get("require") or {}
    if wanted.get("k") and promise["smallest"] < wanted["k"]:
        yield f"k {wanted['k']:,} was required, and the smallest class has {promise['smallest']:,}"

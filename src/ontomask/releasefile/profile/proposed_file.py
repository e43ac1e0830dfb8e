"""A proposed release file: every column with its role and the reason for it.

If no bundled taxonomy contains the words of a column, a small one is made from its values, in a
file next to the release file. That file contains all values of the column: it is private.
"""

from __future__ import annotations

import json
import math
import os
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ontomask._runtime.files.atomic_files import atomic_path, check_folder
from ontomask.engines.formats.formats import named_format
from ontomask.errors import (
    OntomaskError,
    ParameterError,
    TaxonomyError,
    format_count,
    format_percent,
)
from ontomask.releasefile.profile.column_families import ColumnFamily
from ontomask.releasefile.profile.column_fields import suggested_fields
from ontomask.releasefile.profile.table_profile import ColumnProfile, Profile
from ontomask.taxonomy import Taxonomy, load_taxonomy, map_terms
from ontomask.taxonomy.from_values import save_taxonomy, taxonomy_of_values, taxonomy_path

__all__ = ["Proposal", "write_proposal"]

WIDTH = 98
DEFAULT_K = 5


@dataclass(frozen=True)
class Proposal:
    """The files that were written: the release file, and the taxonomies it names."""

    file: Path
    taxonomies: tuple[Path, ...]


def write_proposal(
    profile: Profile, target: Path, *, force: bool = False, beside: Path | None = None
) -> Proposal:
    """Write a proposed release file for a profiled table, with the taxonomies it needs.

    ``beside`` is the file that the taxonomies are named after, where the release file will have
    that name later; those that are there already, and know the values, are kept.
    """
    taxonomy_paths = {
        c.name: taxonomy_path(beside or target, i, c.name)
        for i, c in _columns_needing_taxonomy(profile)
    }
    check_folder(target)
    if not force:
        _refuse_existing([target, *(taxonomy_paths.values() if beside is None else ())])
    with_files: dict[str, str] = {}
    with atomic_path(target, force=force) as unfinished, ExitStack() as taxonomies:
        for name, path in taxonomy_paths.items():
            if beside is not None and path.exists():
                if not _covers_values(path, profile[name].facts.values):
                    continue
            elif not _write_taxonomy(profile[name], path, force, taxonomies):
                continue
            with_files[name] = path.name
        text = _release_file_text(profile, beside or target, with_files)
        unfinished.write_text(text, encoding="utf-8", newline="")
    return Proposal(target, tuple(taxonomy_paths[name] for name in with_files))


def _columns_needing_taxonomy(profile: Profile) -> Iterator[tuple[int, ColumnProfile]]:
    for number, column in enumerate(profile.columns, 1):
        if column.role == "quasi" and column.suggestion.taxonomy_kind:
            yield number, column


def _refuse_existing(files: list[Path]) -> None:
    for path in files:
        if path.exists():
            raise ParameterError(
                f"{path} already exists", "choose another --output, or use --force to overwrite"
            )


# ---------------------------------------------------------------------- taxonomies


def _write_taxonomy(column: ColumnProfile, path: Path, force: bool, unfinished: ExitStack) -> bool:
    """Write a taxonomy of the values; False where it does not read back as what it was.

    It takes its name when ``unfinished`` is closed.
    """
    values = column.facts.values
    with ExitStack() as own, suppress(TaxonomyError):
        temporary = own.enter_context(atomic_path(path, force=force, private=True))
        save_taxonomy(_make_taxonomy(column, list(values)), temporary, values, complete=True)
        unfinished.enter_context(own.pop_all())
        return True
    return False


def _covers_values(path: Path, values: Mapping[str, int]) -> bool:
    """Whether a taxonomy in a file can be read, and has a concept for every value."""
    try:
        return not map_terms(dict(values), load_taxonomy(path, "child-parent")).lost
    except OntomaskError:
        return False


def _make_taxonomy(column: ColumnProfile, values: list[str]) -> Taxonomy:
    suggestion = column.suggestion
    if suggestion.taxonomy_kind == "paths":
        return taxonomy_of_values(values, "paths", separator=str(suggestion.taxonomy_parts))
    if suggestion.taxonomy_kind == "prefixes":
        return taxonomy_of_values(
            values, "prefixes", lengths=[int(length) for length in suggestion.taxonomy_parts]
        )
    return taxonomy_of_values(values, "flat")


# ---------------------------------------------------------------------- the file


def _release_file_text(profile: Profile, target: Path, taxonomy_files: dict[str, str]) -> str:
    lines = [
        *_comment(
            f"Proposed release file for {_printable(profile.path.name)} "
            f"({format_count(profile.rows, 'record')}). Check every line: only you can judge what "
            "others know about the people in the table. This file contains no records and no seed.",
            "",
        ),
        _yaml_field("data", _data_path(profile.path, target)),
        *_reading_fields(profile),
        _yaml_field("output", _output_name(profile.path)),
        "",
        *_comment(
            "Roles. quasi: quasi-identifier, masked. identifier: direct identifier, removed. "
            "confidential: sensitive attribute, released unchanged. keep: released unchanged. "
            "drop: removed. undecided: decide it, otherwise nothing is released.",
            "",
        ),
        "columns:",
    ]
    family_of = {name: family for family in profile.families for name in family.columns}
    for column in profile.columns:
        family = family_of.get(column.name)
        if family is None or not family.is_proposed:
            lines += _column_lines(column, target.parent, taxonomy_files.get(column.name))
            lines += _long_lines(column, target.parent) if column is profile.long_values else []
        else:
            lines += _comment(f"{column.name}: {_column_summary(column)}", "  ")
        if family is not None and column.name == family.columns[-1]:
            lines += _family_lines(family, target.parent)
    lines += ["", *_person_lines(profile), "other: refuse  # an unlisted column is an error", ""]
    lines += [*_missing_lines(profile), "", *_uniqueness_comment(profile)]
    lines += [
        f"method: {{name: microaggregation, k: {DEFAULT_K}}}",
        f"require: {{k: {DEFAULT_K}}}  # if this is not met, nothing is released",
    ]
    return "\n".join(lines) + "\n"


def _yaml_field(name: str, value: Any) -> str:
    return f"{_yaml_value(name)}: {_yaml_value(value)}"


def _yaml_value(value: Any) -> str:
    """A value in one line of YAML."""
    if isinstance(value, dict):
        return f"{{{', '.join(_yaml_field(name, inner) for name, inner in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_yaml_value, value))}]"
    if isinstance(value, str) and not value.isprintable():
        return json.dumps(value)  # a line end as \\n
    text = yaml.safe_dump([value], default_flow_style=True, allow_unicode=True, width=1 << 20)
    return str(text).strip()[1:-1]


def _data_path(data: Path, target: Path) -> str:
    """Path of the data, relative to the release file if it is below it, otherwise absolute."""
    inside = os.path.relpath(data.resolve(), target.parent.resolve())
    return str(data.resolve()) if inside.startswith("..") else Path(inside).as_posix()


def _output_name(data: Path) -> str:
    packed = data.suffix if data.suffix in (".gz", ".zst") else ""
    plain = data.with_suffix("") if packed else data
    ending = plain.suffix if named_format(plain) else ""
    stem = plain.name.removesuffix(ending) if ending else plain.name
    return f"{stem}.released{ending}{packed}"


def _reading_fields(profile: Profile) -> Iterator[str]:
    settings = profile.settings
    if "table" in settings:
        yield _yaml_field("table", settings["table"])
    csv_settings = {
        name: settings[name] for name in ("delimiter", "quote", "encoding") if name in settings
    }
    if "delimiter" in csv_settings and csv_settings["delimiter"] in ("\\t", "tab"):
        csv_settings["delimiter"] = "\t"
    if csv_settings:
        yield _yaml_field("csv", csv_settings)


def _comment(text: str, indent: str) -> list[str]:
    """Words as a comment; no line end within them can end it."""
    return textwrap.wrap(
        " ".join(text.split()),
        WIDTH,
        initial_indent=f"{indent}# ",
        subsequent_indent=f"{indent}# ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _printable(text: str) -> str:
    """Text for a comment: shortened, without unprintable characters."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return plain if len(plain) <= 40 else f"{plain[:39]}…"


# ---------------------------------------------------------------------- columns


def _column_lines(column: ColumnProfile, folder: Path, file: str | None) -> list[str]:
    fields = _column_fields(column, folder, file)
    suggestion = column.suggestion
    sentences = [_sentence(suggestion.reason)]
    if fields["role"] == "undecided" and suggestion.role == "quasi":
        sentences.append(
            "No taxonomy could be made from its values. To mask it, add a taxonomy and role: quasi."
        )
    else:
        sentences += [_sentence(note) for note in suggestion.notes]
    return [
        *_comment(_column_summary(column), "  "),
        *_comment(" ".join(sentences), "  "),
        f"  {_yaml_field(column.name, fields)}",
    ]


def _long_lines(column: ColumnProfile, folder: Path) -> list[str]:
    """The set that the rows of a person may be, as a comment."""
    fields = {
        "role": "quasi",
        "type": "set",
        **suggested_fields(column.suggestion, folder),
        "long": True,
    }
    return [
        *_comment(
            "If each row has one value of a person, and all rows of the person are one set, write "
            "this line instead:",
            "  ",
        ),
        f"  # {_yaml_field(column.name, fields)}",
    ]


def _family_lines(family: ColumnFamily, folder: Path) -> list[str]:
    """The set that some columns may be: proposed, or as a comment."""
    first, *others = family.columns
    fields = family.fields(folder)
    if not family.is_proposed:
        return [
            *_comment(
                f"{first} to {others[-1]} may be one set, in which the order of the columns does "
                "not matter. This often loses less information. To mask them so, write this line "
                "instead of theirs:",
                "  ",
            ),
            f"  # {_yaml_field(family.name, fields)}",
        ]
    alone = {name: value for name, value in fields.items() if name not in ("type", "columns")}
    return [
        *_comment(
            "These columns have numbered names and codes or words of "
            f"{Path(family.taxonomy).name}. They are "
            "masked as one set: their order does not matter, and the masked values fill the "
            f"columns from the left. If {first} has a meaning of its own, such as the main "
            f"diagnosis, take it out of columns and add the line {_yaml_field(first, alone)}",
            "  ",
        ),
        f"  {_yaml_field(family.name, fields)}",
    ]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "." * (text[-1] != "?")


def _column_summary(column: ColumnProfile) -> str:
    """Counts of a column, in one line."""
    facts = column.facts
    about = "" if facts.exact else "about "
    parts = [column.type]
    if column.type != "two values":
        parts.append(f"{about}{format_count(facts.distinct, 'distinct value')}")
    if facts.missing:
        parts.append(f"{about}{facts.missing:,} missing")
    if column.unique_share:
        parts.append(f"{_percent(column.unique_share)} of the records have a unique value")
    frequent = ", ".join(
        f"{_printable(value)} ({n:,})" for value, n in list(facts.frequent.items())[:3]
    )
    return f"{'; '.join(parts)}{f'. Most frequent: {frequent}' if frequent else ''}"


def _percent(share: float) -> str:
    """A share in whole percent, rounded down as in warnings: only all records are 100 %."""
    return f"{math.floor(100 * share)} %" if share >= 0.01 else "under 1 %"


def _column_fields(column: ColumnProfile, folder: Path, file: str | None) -> dict[str, Any]:
    """Release file fields of a column."""
    suggestion = column.suggestion
    if suggestion.role not in ("quasi", "confidential"):
        return {"role": "identifier" if suggestion.role == "person" else suggestion.role}
    if suggestion.role == "quasi" and suggestion.taxonomy_kind and file is None:
        return {"role": "undecided"}
    return suggested_fields(suggestion, folder, file)


# ---------------------------------------------------------------------- the rest


def _person_lines(profile: Profile) -> list[str]:
    if profile.person is None:
        return []
    words = (
        f"Records with the same {_printable(profile.person)} belong to one person: k counts "
        "people, not records."
    )
    return [*_comment(words, ""), _yaml_field("person", profile.person), ""]


def _missing_lines(profile: Profile) -> list[str]:
    marks = [_yaml_field("missing_marks", profile.missing_marks)] if profile.missing_marks else []
    incomplete = f"{format_count(profile.incomplete, 'record')} of {profile.rows:,}"
    words = {
        "refuse": "No quasi-identifier has missing values. If one occurs, it is an error.",
        "category": f"{incomplete} have a missing value in a quasi-identifier. Missing is treated "
        "as one more value of the column.",
    }[profile.missing]
    return [*_comment(words, ""), f"missing: {profile.missing}", *marks]


def _uniqueness_comment(profile: Profile) -> list[str]:
    quasi = profile.quasi_identifiers
    share = format_percent(profile.uniques / profile.rows)
    return _comment(
        f"{profile.uniques:,} records ({share}) are unique on the "
        f"{format_count(len(quasi), 'quasi-identifier')}. Every additional quasi-identifier "
        "increases the information loss.",
        "",
    )

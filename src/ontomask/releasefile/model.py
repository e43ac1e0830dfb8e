"""The release file: a table, the roles of its columns, a method, and the requirements.

It contains no data and no seed, so it can be kept with the code of a project. Its fields have the
same names as those of :class:`~ontomask.microdata.schema.Schema` and of the methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainValidator,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from ontomask.distances import MEASURES
from ontomask.distances.combined import COMBINATIONS
from ontomask.errors import (
    OntomaskError,
    ParameterError,
    SpecError,
    format_count,
    quote_names,
    raise_together,
)
from ontomask.methods.method import Method
from ontomask.methods.registry import METHODS
from ontomask.microdata.linked_records import LINK_PRICE, LINKED, Linked
from ontomask.microdata.population import Population
from ontomask.microdata.schema import GROUNDS, Date, Nominal, NominalSet, Numeric, Ordinal, Schema
from ontomask.pipeline.facts import DEFAULT_THRESHOLD, choose_threshold
from ontomask.releasefile import fields as kinds
from ontomask.releasefile.methods import (
    assume_attacker,
    json_schema_of_methods,
    rename_old_settings,
)
from ontomask.releasefile.problems import Problem, format_value, raise_problems
from ontomask.releasefile.validation import (
    ENGINES,
    ROLE_SYNONYMS,
    ROLES,
    TYPES,
    UNDECIDED_HINT,
    is_remote,
    problems_between_fields,
    problems_from_validation,
    problems_of_column,
)
from ontomask.releasefile.yaml_file import read_yaml
from ontomask.report.plain_values import file_name
from ontomask.taxonomy import Crosswalk, Taxonomy, load_taxonomy, read_crosswalk
from ontomask.taxonomy.readers import FORMATS
from ontomask.taxonomy.readers.bundled import KNOWN_TAXONOMIES
from ontomask.taxonomy.terms import MATCHING_SETTINGS
from ontomask.taxonomy.terms.phrases import HEADS
from ontomask.taxonomy.terms.senses import SENSES

__all__ = [
    "AttackerSpec",
    "ColumnSpec",
    "CsvSpec",
    "EngineSpec",
    "MethodSpec",
    "PopulationSpec",
    "Requirements",
    "ReleaseFile",
    "json_schema",
    "load_release_file",
    "problems_of_release_file",
    "validate_fields",
]

#: Suffixes of compressed files, which follow the suffix of the format.
COMPRESSION_SUFFIXES = (".gz", ".zst")

#: Suffixes of tables, which are not release files.
TABLE_SUFFIXES = (
    *(".csv", ".tsv", ".tab", ".parquet", ".pq", ".jsonl", ".ndjson"),
    *(".sqlite", ".sqlite3", ".db", ".xlsx"),
)

JSON_SCHEMA_DRAFT = "https://json-schema.org/draft/2020-12/schema"


class _StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


#: The fields of a column that go to :class:`Nominal` as they are.
_NOMINAL_FIELDS = (
    "measure",
    "domain",
    "weight",
    "mapping",
    *MATCHING_SETTINGS,
    "ground",
    "combine",
)


def _resolve_path(name: str, folder: Path) -> Path:
    """Path of a file that a release file in this folder names."""
    if name.lower().startswith("file:/"):
        from urllib.request import url2pathname  # loads all of HTTP

        return Path(url2pathname(urlsplit(name).path))
    return folder / name


# ---------------------------------------------------------------------- the parts of the file


class ColumnSpec(_StrictModel):
    """A column: its role, and what its values are."""

    role: Annotated[str, kinds.OneOf(ROLES, ROLE_SYNONYMS)] = Field(
        description="quasi: a quasi-identifier, masked. identifier: a direct identifier, removed. "
        "confidential: a sensitive attribute, released unchanged and measured by l-diversity and "
        "t-closeness. keep: another attribute, released unchanged. drop: removed. undecided: not "
        "decided yet, and nothing can be released."
    )
    type: Annotated[str | None, kinds.OneOf(TYPES)] = Field(
        None, description="The type of the values; nominal if a taxonomy is given."
    )
    taxonomy: kinds.NonEmptyText | None = Field(
        None,
        description="The name of a bundled taxonomy, or the path of a file.",
        examples=list(KNOWN_TAXONOMIES),
    )
    format: Annotated[str | None, kinds.OneOf(FORMATS)] = Field(
        None, description="The format of the taxonomy file, if it cannot be detected."
    )
    options: Annotated[
        dict[str, Any] | None,
        PlainValidator(kinds.check_options),
        kinds.with_json_schema(type="object"),
    ] = Field(None, description="Options of that format, such as delimiter or language.")
    measure: Annotated[str | None, kinds.OneOf(MEASURES, others=("matching",))] = Field(
        None,
        description="The distance between concepts; the default is sanchez. Sets have sanchez or "
        "matching.",
    )
    domain: kinds.NonEmptyText | None = Field(
        None,
        description="The part of the taxonomy that distances refer to: lcs (below the least common "
        "subsumer of the values, the default), taxonomy (all of it), or a concept.",
    )
    weight: kinds.PositiveNumber | None = Field(
        None, description="The weight of the column in distances between records; by default 1."
    )
    mapping: Annotated[
        dict[str, str] | str | None,
        PlainValidator(kinds.check_mapping),
        kinds.with_json_schema(
            anyOf=[
                {"type": "object", "additionalProperties": {"type": "string"}},
                {"type": "string", "minLength": 1},
            ]
        ),
    ] = Field(
        None,
        description="The concepts of values that are not in the taxonomy: value: concept, or the "
        "path of a table with the columns value and concept.",
    )
    prefer: Annotated[
        tuple[str, ...] | None,
        PlainValidator(kinds.check_concepts),
        kinds.ONE_OR_MORE_TEXTS,
    ] = Field(
        None, description="If a value matches concepts below these in any form, take only them."
    )
    below: Annotated[
        tuple[str, ...] | None,
        PlainValidator(kinds.check_concepts),
        kinds.ONE_OR_MORE_TEXTS,
    ] = Field(None, description="Match only these concepts and what is below them.")
    senses: Annotated[str | None, kinds.OneOf(SENSES)] = Field(
        None,
        description="Names of several concepts: first takes the most frequent sense (WordNet), "
        "nearest the sense nearest to the other values. By default they stay ambiguous.",
    )
    repair_codes: bool | None = Field(
        None, description="Whether to repair ICD codes that lost zeros or the point."
    )
    stems: Annotated[
        str | None,
        PlainValidator(kinds.check_stems),
        kinds.with_json_schema(type=["string", "null"]),
    ] = Field(
        None,
        description="plural folds plurals, the default; a language such as english compares word "
        "stems as well; auto takes the language of the taxonomy; none compares neither.",
    )
    heads: Annotated[
        bool | tuple[str, ...] | None,
        PlainValidator(kinds.check_heads),
        kinds.with_json_schema(
            anyOf=[
                {"type": "boolean"},
                {"type": "string", "enum": list(HEADS)},
                {"type": "array", "items": {"type": "string", "enum": list(HEADS)}, "minItems": 1},
            ]
        ),
    ] = Field(
        None,
        description="Map unknown phrases by a part: last (or true) by the head noun (English), "
        "first by the leading words, any-order by the same words in another order.",
    )
    split: Annotated[
        tuple[str, ...] | None, PlainValidator(kinds.check_separators), kinds.ONE_OR_MORE_TEXTS
    ] = Field(None, description="Characters between several values in a cell, such as [';', '/'].")
    drop_parentheses: bool | None = Field(
        None, description="Whether to look up unknown values without their parentheses."
    )
    ground: Annotated[str | None, kinds.OneOf(GROUNDS)] = Field(
        None,
        description="Confidential columns with a taxonomy: the distance between values in "
        "t-closeness. equal: 1 if they differ, the default; semantic: that of measure.",
    )
    crosswalk: Annotated[
        str | dict[str, str] | tuple[str | dict[str, str], ...] | None,
        PlainValidator(kinds.check_crosswalk),
        kinds.with_json_schema(
            anyOf=[kinds.CROSSWALK, {"type": "array", "items": kinds.CROSSWALK, "minItems": 1}]
        ),
    ] = Field(
        None,
        description="A table from one coding to another: from the values of the column to concepts "
        "of the taxonomy or, with more_taxonomies, from concepts of the taxonomy to those of the "
        "other (a list if there are several). vocabulary selects a source_vocabulary_id.",
    )
    more_taxonomies: Annotated[
        tuple[str, ...] | None,
        PlainValidator(kinds.check_taxonomies),
        kinds.with_json_schema(**{**kinds.TEXTS, "minItems": 1}),
    ] = Field(
        None,
        description="Further taxonomies that have a say in distances, by name or file; a crosswalk "
        "leads to each.",
    )
    combine: Annotated[str | None, kinds.OneOf(COMBINATIONS)] = Field(
        None,
        description="With more_taxonomies: mean, the default, or min of the distances in all "
        "taxonomies that know both concepts.",
    )
    separator: kinds.NonEmptyText | None = Field(
        None,
        description="Sets in text: what stands between their values; by default a semicolon.",
    )
    columns: Annotated[
        tuple[str, ...] | None,
        PlainValidator(kinds.check_columns),
        kinds.with_json_schema(
            type="array", items={"type": "string", "minLength": 1}, minItems=2, uniqueItems=True
        ),
    ] = Field(
        None,
        description="Sets over several columns of the table: these columns, with one value in a "
        "cell. The set has a name of its own, and its columns are not listed by themselves.",
    )
    long: bool | None = Field(
        None,
        description="Sets: whether each row has one value, and the rows of a person are one set.",
    )
    levels: Annotated[
        tuple[Any, ...] | None,
        PlainValidator(kinds.check_levels),
        kinds.with_json_schema(type="array", items=kinds.SCALARS, minItems=1, uniqueItems=True),
    ] = Field(None, description="Ordinal columns: the values from the lowest to the highest.")
    date_format: Annotated[
        str | None,
        PlainValidator(kinds.check_date_format),
        kinds.with_json_schema(type="string", pattern="%"),
    ] = Field(None, description="Date columns stored as text: the format, such as %d/%m/%Y.")

    @property
    def kind(self) -> str | None:
        """The type of the values; nominal if there is a taxonomy, None if nothing is given."""
        return self.type or ("nominal" if self.taxonomy else None)

    @classmethod
    def from_dict(cls, name: str, fields: Any, folder: Path) -> ColumnSpec:
        """Make a column from its fields, as :meth:`ReleaseFile.from_dict` does a release."""
        problems = list(problems_of_column(name, fields, folder))
        try:
            column = cls.model_validate(dict(fields))
        except ValidationError as error:
            where = ("columns", name)
            problems[:0] = problems_from_validation(error, _field_names(), {}, where)
        raise_problems(problems, "the release", {})
        return column

    def schema_column(self, name: str, folder: Path, taxonomies: dict[str, Taxonomy]) -> Any:
        """Make the schema's column; ``taxonomies`` keeps those that were loaded."""
        weight: dict[str, Any] = {} if self.weight is None else {"weight": self.weight}
        if self.kind == "numeric":
            return Numeric(name, **weight)
        if self.kind == "ordinal":
            return Ordinal(name, self.levels or (), **weight)
        if self.kind == "date":
            return Date(name, format=self.date_format, **weight)
        if self.kind is None:
            return name
        settings = {
            field: getattr(self, field)
            for field in _NOMINAL_FIELDS
            if getattr(self, field) is not None
        }
        if "stems" in self.model_fields_set:  # None turns stemming off
            settings["stems"] = self.stems
        if isinstance(self.mapping, str):
            settings["mapping"] = _resolve_path(self.mapping, folder)
        if self.crosswalk is not None:
            settings["crosswalk"] = self._read_crosswalks(folder)
        if self.more_taxonomies is not None:
            settings["more_taxonomies"] = [
                _load_taxonomy(name, folder, taxonomies) for name in self.more_taxonomies
            ]
        taxonomy = _load_taxonomy(
            str(self.taxonomy), folder, taxonomies, self.format, self.options or {}
        )
        if self.kind == "set":
            for field in ("separator", "columns", "long"):
                if getattr(self, field) is not None:
                    settings[field] = getattr(self, field)
            return NominalSet(name, taxonomy, **settings)
        return Nominal(name, taxonomy, **settings)

    def _read_crosswalks(self, folder: Path) -> Any:
        def read(table: str | dict[str, str]) -> Crosswalk:
            fields = {"file": table} if isinstance(table, str) else table
            path = _resolve_path(fields["file"], folder)
            return read_crosswalk(path, vocabulary=fields.get("vocabulary"))

        if isinstance(self.crosswalk, tuple):
            return [read(table) for table in self.crosswalk]
        return read(self.crosswalk or "")


def _load_taxonomy(
    name: str,
    folder: Path,
    loaded: dict[str, Taxonomy],
    format: str | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Taxonomy:
    """Load a taxonomy that a release file in this folder names, once."""
    source = name if name in KNOWN_TAXONOMIES else _resolve_path(name, folder)
    if labels := kinds.label_files(options):
        options = {**options, "labels": [_resolve_path(file, folder) for file in labels]}
    key = repr((str(source), format, sorted(options.items())))
    if key not in loaded:
        loaded[key] = load_taxonomy(source, format, **options)
    return loaded[key]


class CsvSpec(_StrictModel):
    """The dialect of a CSV file, if it cannot be detected."""

    delimiter: Annotated[str | None, PlainValidator(kinds.check_character), kinds.ONE_CHARACTER] = (
        Field(None, description="The character between columns.")
    )
    quote: Annotated[str | None, PlainValidator(kinds.check_character), kinds.ONE_CHARACTER] = (
        Field(None, description="The character around cells that contain the delimiter.")
    )
    encoding: Annotated[
        str | None, PlainValidator(kinds.check_encoding), kinds.with_json_schema(type="string")
    ] = Field(None, description="The character encoding, such as utf-8 or latin-1.")
    escape_formulas: bool | None = Field(
        None,
        description="Whether cells that a spreadsheet would run as formulas are written as text.",
    )


class EngineSpec(_StrictModel):
    """The engine that reads, masks and writes the table; a name is enough."""

    name: Annotated[str, kinds.OneOf(ENGINES)] = Field(
        description="duckdb: on this machine; tables may be larger than memory. spark: on this "
        "machine or on a cluster."
    )
    master: kinds.NonEmptyText | None = Field(
        None,
        description="spark only: the master, such as local[4] or yarn. By default that of "
        "spark-submit, of the running session, of SPARK_MASTER, or else this machine.",
    )
    config: Annotated[
        dict[str, str | int | float | bool] | None,
        PlainValidator(kinds.check_spark_config),
        kinds.with_json_schema(
            type="object", additionalProperties={"type": ["string", "number", "boolean"]}
        ),
    ] = Field(None, description="spark only: settings, such as {spark.driver.memory: 4g}.")

    @model_validator(mode="before")
    @classmethod
    def _accept_bare_name(cls, engine: Any) -> Any:
        return {"name": engine} if isinstance(engine, str) else engine

    @property
    def settings(self) -> dict[str, str]:
        """The settings as Spark takes them."""
        spark_settings = {
            name: str(value).lower() if isinstance(value, bool) else str(value)
            for name, value in (self.config or {}).items()
        }
        return spark_settings | ({"spark.master": self.master} if self.master else {})

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"anyOf": [{"type": "string", "enum": list(ENGINES)}, handler(schema)]}


class MethodSpec(BaseModel):
    """The masking method and its settings, which are those of the method itself."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    name: Annotated[str, kinds.OneOf(METHODS)]

    @property
    def settings(self) -> dict[str, Any]:
        """Everything but the name."""
        return dict(self.__pydantic_extra__ or {})

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return json_schema_of_methods()


class PopulationSpec(_StrictModel):
    """The population that the table is a sample of: its size, its own table, or both."""

    size: Annotated[int, Field(ge=1)] | None = Field(
        None,
        description="The number of people of the population. By default that of its table, or the "
        "sum of the sampling weights.",
    )
    table: kinds.NonEmptyText | None = Field(
        None,
        description="A file with the original values of the population, in columns that are named "
        "as the quasi-identifiers.",
    )


class AttackerSpec(_StrictModel):
    """What attackers are assumed to know."""

    knows: Annotated[int, Field(ge=1)] = Field(
        description="The largest number of values of a person that an attacker knows. The method "
        "protects all combinations of up to this number."
    )


class Requirements(_StrictModel):
    """The requirements of a release; if one is not met, nothing is released."""

    k: Annotated[int, Field(ge=2)] | None = Field(
        None,
        description="k-anonymity: the minimum number of records, or people, in every equivalence "
        "class.",
    )
    l: Annotated[int, Field(ge=2)] | None = Field(  # noqa: E741 - the word of the trade
        None,
        description="l-diversity: the minimum number of different values of each sensitive "
        "attribute in every equivalence class.",
    )
    t: kinds.Share | None = Field(
        None,
        description="t-closeness: the maximum distance between the distribution of a sensitive "
        "attribute in an equivalence class and in the whole table.",
    )
    k_map: Annotated[int, Field(ge=2)] | None = Field(
        None,
        description="k-map: the minimum number of people of the population who match every "
        "equivalence class; it needs sampling weights or a population table.",
    )
    entropy_l: kinds.PositiveNumber | None = Field(
        None,
        description="Entropy l-diversity: the minimum of the exponential of the entropy of each "
        "sensitive attribute in every equivalence class.",
    )
    alpha: kinds.Share | None = Field(
        None,
        description="(α, k)-anonymity: the maximum share of a value of a sensitive attribute in an "
        "equivalence class.",
    )
    beta: kinds.PositiveNumber | None = Field(
        None,
        description="β-likeness: the maximum relative gain of a value of a sensitive attribute in "
        "an equivalence class over the whole table.",
    )
    delta: kinds.PositiveNumber | None = Field(
        None,
        description="δ-disclosure privacy: the maximum difference between the logarithms of the "
        "share of a value of a sensitive attribute in an equivalence class and in the whole table. "
        "Every class must have every value.",
    )
    linkage_below: kinds.Share | None = Field(
        None, description="Record linkage: less than this share of the records is linked correctly."
    )
    sse_below: kinds.PositiveNumber | None = Field(
        None, description="Information loss: the sum of squared errors (SSE) is less than this."
    )

    @classmethod
    def from_valid_fields(cls, fields: Mapping[str, Any]) -> Requirements:
        """The requirements of a file that is being edited; those not valid yet are left out."""
        limits: dict[str, float] = {}
        for name, limit in fields.items():
            with suppress(ValidationError):
                limits |= cls.model_validate({name: limit}).limits
        return cls.model_validate(limits)

    @property
    def limits(self) -> dict[str, float]:
        """The limits that are set, by name."""
        return {name: limit for name, limit in self if limit is not None}


class ReleaseFile(_StrictModel):
    """A release as a file; :func:`load_release_file` reads one, :meth:`from_dict` takes a dict.

    Relative paths are relative to the folder of the file.
    """

    data: kinds.NonEmptyText = Field(
        description="The table to mask: a CSV, Parquet, JSON or SQLite file; with engine: spark "
        "also a folder of files, or an address that Spark can read."
    )
    table: kinds.NonEmptyText | None = Field(
        None, description="The name of the table, if the file contains several."
    )
    csv: CsvSpec | None = Field(None, description="The dialect of a CSV file.")
    output: kinds.NonEmptyText = Field(
        description="The file to write; its report and manifest are written next to it."
    )
    engine: EngineSpec | None = Field(
        None, description="The engine that reads, masks and writes the table; by default duckdb."
    )
    columns: dict[str, ColumnSpec] = Field(
        description="The columns by name, each with its role.", min_length=1
    )
    person: kinds.NonEmptyText | None = Field(
        None, description="The column that identifies a person; k then counts people, not records."
    )
    linked: Annotated[Linked | None, kinds.OneOf(LINKED)] = Field(
        None,
        description="Releases a pseudonym in place of person, and k people share all rows of a "
        "pseudonym. It says what becomes of people with different numbers of rows. equal: they are "
        "grouped apart. drop: surplus rows are removed. split: surplus rows get another pseudonym.",
    )
    link_price: kinds.PositiveNumber | None = Field(
        None,
        description="With linked: split, what a link between two rows is worth, compared with the "
        "squared distance of a row; by default 0.3.",
    )
    weight: kinds.NonEmptyText | None = Field(
        None,
        description="The column with the sampling weights: how many people of the population each "
        "record stands for. Its role says whether it is released.",
    )
    population: PopulationSpec | None = Field(
        None, description="The population that the table is a sample of."
    )
    other: Annotated[str, kinds.OneOf(("refuse", "keep", "drop"))] = Field(
        "refuse", description="What to do with columns that are not listed."
    )
    missing: Annotated[str, kinds.OneOf(("refuse", "category", "drop"))] = Field(
        "refuse",
        description="What to do with missing values of quasi-identifiers and records of unknown "
        "people. refuse: an error. "
        "category: missing is a value like any other. drop: the rows are removed.",
    )
    missing_marks: Annotated[
        tuple[str, ...],
        PlainValidator(kinds.check_marks),
        kinds.with_json_schema(type="array", items=kinds.SCALARS),
    ] = Field(
        (), description='Values that mean missing, such as "?"; they are never a value or a person.'
    )
    method: MethodSpec = Field(description="The masking method.")
    attacker: AttackerSpec | None = Field(
        None, description="What attackers are assumed to know, for methods that depend on it."
    )
    require: Requirements | None = Field(
        None, description="The requirements; if one is not met, nothing is released."
    )
    order: Annotated[str, kinds.OneOf(("shuffle", "keep"))] = Field(
        "shuffle",
        description="The order of the rows. shuffle: a random order. keep: the order of the "
        "original table, which can give masked values back.",
    )
    previous: Annotated[
        tuple[str, ...],
        PlainValidator(kinds.check_file_names),
        kinds.with_json_schema(anyOf=[{"type": "string", "minLength": 1}, kinds.TEXTS]),
    ] = Field(
        (),
        description="The manifests of earlier releases of the same table, which add to the risk.",
    )
    report_threshold: Annotated[int, Field(ge=1)] | None = Field(
        None,
        description="Report and manifest do not show values that fewer records have; by default k "
        f"for methods that form groups, otherwise {DEFAULT_THRESHOLD}.",
    )
    memory: Annotated[
        str | None, PlainValidator(kinds.check_memory), kinds.with_json_schema(type="string")
    ] = Field(None, description="The memory that may be used, such as 2GB.")

    _folder: Path = PrivateAttr(default_factory=Path)
    _schema: Schema | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _refuse_clashing_fields(self) -> ReleaseFile:
        problems = problems_between_fields(self.as_dict())
        if problems:
            raise PydanticCustomError("together", "{words}", {"words": problems[0].sentence})
        return self

    @classmethod
    def from_dict(cls, fields: Any, folder: str | PathLike[str] = ".") -> ReleaseFile:
        """Make a release file from its fields; one error lists all problems.

        >>> ReleaseFile.from_dict({
        ...     "data": "a.csv", "output": "b.csv", "method": {"name": "recoding"},
        ...     "columns": {"age": {"role": "quasy", "type": "numeric"}}})
        Traceback (most recent call last):
          ...
        ontomask.errors.SpecError: the release: columns.age.role must be 'quasi', 'identifier',
        'confidential', 'keep', 'drop' or 'undecided', got 'quasy'
        <BLANKLINE>
        hint: did you mean 'quasi'?
        """
        spec, problems = validate_fields(fields, Path(folder), {})
        raise_problems(problems, "the release", {})
        assert spec is not None
        return spec

    # ------------------------------------------------------------------ what it says

    @property
    def folder(self) -> Path:
        """What relative paths are relative to."""
        return self._folder

    def path(self, name: str) -> Path:
        """Path of a file that the release file names."""
        return _resolve_path(name, self._folder)

    @property
    def uses_spark(self) -> bool:
        """Whether Spark reads, masks and writes the table."""
        return self.engine is not None and self.engine.name == "spark"

    @property
    def data_path(self) -> Path:
        """The table to mask, in a file on this machine; an address is refused."""
        if is_remote(self.data):
            raise ParameterError(
                f"data must be a file on this machine, got the address of {file_name(self.data)}; "
                "only ontomask mask reads addresses, with Spark",
                "set data to a local copy of the table, or of a part of it",
            )
        return self.path(self.data)

    @property
    def output_path(self) -> Path:
        """The file to write; of an output elsewhere, what its manifest is named after."""
        if is_remote(self.output):
            return self._folder / file_name(self.output)
        return self.path(self.output)

    def beside(self, suffix: str) -> Path:
        """A file beside the output: ``beside("manifest.json")`` is ``released.manifest.json``."""
        output = self.output_path
        plain = output.with_suffix("") if output.suffix in COMPRESSION_SUFFIXES else output
        return output.with_name(f"{plain.stem}.{suffix}")

    def paths(self) -> list[Path]:
        """Every file that is read or written, without those beside the output."""
        local = [name for name in (self.data, self.output) if not is_remote(name)]
        return list(dict.fromkeys([*map(self.path, local), *self._side_files()]))

    def inputs(self) -> list[Path]:
        """Every file of this machine that is read."""
        return [
            *([] if is_remote(self.data) else [self.data_path]),
            *self._side_files(),
            *map(self.path, self.previous),
        ]

    def _side_files(self) -> list[Path]:
        """The files that hold taxonomies, mappings and the population."""
        names: list[str] = []
        for column in self.columns.values():
            names += kinds.files_of_column(column.model_dump(exclude_unset=True))
        if self.population is not None and self.population.table is not None:
            names.append(self.population.table)
        return [self.path(name) for name in dict.fromkeys(names)]

    @property
    def limits(self) -> dict[str, float]:
        """The requirements that the file names; empty without any."""
        return {} if self.require is None else self.require.limits

    @property
    def is_shuffled(self) -> bool:
        """Whether the rows are released in a random order."""
        return self.order == "shuffle"

    @property
    def threshold(self) -> int:
        """Values that fewer records have are not shown: ``report_threshold``, or the default."""
        return choose_threshold(self.method_object(), self.report_threshold)

    def as_dict(self) -> dict[str, Any]:
        """The fields that are given, ready for YAML and JSON; :meth:`from_dict` reads them."""
        return _tuples_as_lists(self.model_dump(exclude_unset=True))

    # ------------------------------------------------------------------ what it makes

    def method_object(self) -> Method:
        """The masking method with its settings."""
        return METHODS[self.method.name](**self.method.settings)

    def population_object(self) -> Population | None:
        """The population that the table is a sample of; None if the file describes none."""
        if self.population is None and self.weight is None:
            return None
        described = self.population or PopulationSpec(size=None, table=None)
        table = None if described.table is None else self.path(described.table)
        return Population(size=described.size, table=table, weight=self.weight)

    @property
    def undecided(self) -> list[str]:
        """The columns whose role nobody has decided."""
        return [name for name, column in self.columns.items() if column.role == "undecided"]

    def without_undecided(self) -> ReleaseFile:
        """The same file with the undecided columns dropped, to check the rest of it."""
        if not self.undecided:
            return self
        columns = {
            name: {"role": "drop"} if name in self.undecided else fields
            for name, fields in self.as_dict()["columns"].items()
        }
        return ReleaseFile.from_dict({**self.as_dict(), "columns": columns}, self._folder)

    def schema(self) -> Schema:  # type: ignore[override]  # pydantic's own is a relic
        """The roles of the columns; each taxonomy is loaded once, when this is first called."""
        if self.undecided:
            raise SpecError(
                f"{format_count(len(self.undecided), 'column')} must have a role, but "
                f"{'is' if len(self.undecided) == 1 else 'are'} undecided: "
                f"{quote_names(self.undecided, most=len(self.undecided))}",
                UNDECIDED_HINT,
            )
        if self._schema is None:
            taxonomies: dict[str, Taxonomy] = {}
            by_role: dict[str, list[Any]] = {role: [] for role in ROLES}  # undecided: none
            errors: list[OntomaskError] = []
            for name, column in self.columns.items():
                try:
                    by_role[column.role].append(
                        column.schema_column(name, self._folder, taxonomies)
                    )
                except OntomaskError as error:
                    errors.append(error)
            raise_together(list({str(error): error for error in errors}.values()), SpecError)
            self._schema = Schema(
                by_role["quasi"],
                identifiers=by_role["identifier"],
                confidential=by_role["confidential"],
                keep=by_role["keep"],
                drop=by_role["drop"],
                other=self.other,
                missing=self.missing,
                missing_marks=self.missing_marks,
                person=self.person,
                linked=self.linked,
                link_price=LINK_PRICE if self.link_price is None else self.link_price,
            )
        return self._schema


def _tuples_as_lists(value: Any) -> Any:
    """Replace tuples by lists, at every depth."""
    if isinstance(value, dict):
        return {key: _tuples_as_lists(inner) for key, inner in value.items()}
    return (
        [_tuples_as_lists(inner) for inner in value] if isinstance(value, tuple | list) else value
    )


# ---------------------------------------------------------------------- reading it


def load_release_file(path: str | PathLike[str]) -> ReleaseFile:
    """Read a release file; one :class:`SpecError` lists all its problems.

    The error names each field by its path (``columns.diagnosis.measure``) and line, says what stood
    there, and what may stand there. Nothing in the file is run.
    """
    file = Path(path)
    if _is_table(file):
        raise SpecError(
            f"{file} must be a release file, got a table",
            f"to propose a release file for this table, run: ontomask init {file}",
        )
    document = read_yaml(file)
    if document.data is None and document.problems:
        raise_problems(document.problems, str(file), document.lines)
    if not isinstance(document.data, dict):
        raise SpecError(
            f"{file} must contain fields, got {format_value(document.data)}",
            "a release file has the fields data, output, columns and method",
        )
    spec, problems = validate_fields(document.data, file.parent, document.texts)
    raise_problems([*document.problems, *problems], str(file), document.lines)
    assert spec is not None
    return spec


def _is_table(file: Path) -> bool:
    """Whether a file is a table by its suffix; JSON and text may be a release file."""
    suffixes = [suffix for suffix in file.suffixes if suffix.lower() not in COMPRESSION_SUFFIXES]
    return bool(suffixes) and suffixes[-1].lower() in TABLE_SUFFIXES and file.is_file()


def validate_fields(
    fields: Any, folder: Path, texts: Mapping[tuple[str, ...], str]
) -> tuple[ReleaseFile | None, list[Problem]]:
    """Validate the fields: the release file, or None, and all problems."""
    if not isinstance(fields, Mapping):
        return None, [Problem((), f"it must be a dict of fields, got {format_value(fields)}")]
    if "tables" in fields:
        hint = "use a release file for each table, or mask all of them"
        return None, [Problem(("tables",), "is only for ontomask mask and ontomask check", hint)]
    if isinstance(fields.get("method"), Mapping):
        method = rename_old_settings(fields["method"])
        fields = {**fields, "method": assume_attacker(method, fields.get("attacker"))}
    problems = problems_between_fields(fields, folder)
    try:
        spec = ReleaseFile.model_validate(dict(fields))
    except ValidationError as error:
        return None, [*problems_from_validation(error, _field_names(), texts), *problems]
    spec._folder = folder
    return spec, problems


def _field_names() -> dict[str, list[str]]:
    """The fields of each part of a release file."""
    models: dict[str, type[BaseModel]] = {
        "": ReleaseFile,
        "columns": ColumnSpec,
        "csv": CsvSpec,
        "engine": EngineSpec,
        "population": PopulationSpec,
        "attacker": AttackerSpec,
        "require": Requirements,
    }
    return {part: list(model.model_fields) for part, model in models.items()}


def problems_of_release_file(fields: Any, folder: Path) -> list[Problem]:
    """All problems of a release file's fields, missing ones and undecided columns included."""
    spec, problems = validate_fields(fields, folder, {})
    for name in spec.undecided if spec else ():
        problems.append(Problem(("columns", name, "role"), "is undecided", UNDECIDED_HINT))
    return list(dict.fromkeys(problems))


def json_schema() -> dict[str, Any]:
    """The release file as a JSON schema (draft 2020-12), for editors."""
    schema = ReleaseFile.model_json_schema()
    return {"$schema": JSON_SCHEMA_DRAFT, **schema, "title": "ontomask release file"}

"""The tables of a release file, read and written by Spark.

A session is started for the release and stopped after it, unless one runs already. Tables are
named as Spark names them: a path of this machine after ``file:``, or an address that its file
systems know.
"""

from __future__ import annotations

import codecs
import os
import re
import secrets
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask._runtime.files.work_folders import work_folder
from ontomask.engines.spark.session import local_path, spark_session, translate_spark_errors
from ontomask.errors import (
    FileFormatError,
    InternalError,
    OntomaskError,
    ParameterError,
    quote_choices,
    quote_names,
)
from ontomask.pipeline import Release, mask
from ontomask.releasefile.manifest import previous_cautions
from ontomask.releasefile.problems import translate_hints
from ontomask.releasefile.validation import SPARK_FORMATS, is_remote, table_suffix
from ontomask.report.manifest import FileFacts
from ontomask.report.plain_values import file_name

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ontomask.releasefile.model import ReleaseFile

__all__ = [
    "write_remote_table",
    "mask_with_spark",
    "read_table",
    "refuse_existing_output",
    "open_spark_session",
]

#: What an unquoted empty cell is read as, and then as missing: no text holds a zero byte.
EMPTY_CELL = "\0ontomask"

#: Encodings that Spark reads, by Python's names of them.
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8",
    "ascii": "UTF-8",
    "iso8859-1": "ISO-8859-1",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
}

#: What Spark puts in the place of bytes that it cannot decode.
REPLACEMENT_CHARACTER = "\ufffd"

#: Patterns of Spark's error messages, each with our message and hint.
ERRORS_BY_PATTERN = {
    r"PATH_NOT_FOUND|matches 0 files|All paths were ignored": (
        "{data} cannot be read: it does not exist",
        "paths are relative to the folder of the release file",
    ),
    r"MALFORMED_RECORD|TextParsingException|CSV header": (
        "{data} cannot be read: a row is malformed or does not match the header",
        "for a file on this machine, ontomask check names the line",
    ),
    r"is not a Parquet file": (
        "{data} cannot be read: it is not a Parquet file",
        "use the suffix of its real format",
    ),
    r"UNABLE_TO_INFER_SCHEMA": ("{data} contains no table", "name a folder that contains files"),
    r"No FileSystem for scheme|ClassNotFoundException: Class [\w.]+\.fs\.": (
        "Spark has no file system for the addresses of the release file",
        "add its package: engine: {name: spark, config: {spark.jars.packages: ...}}",
    ),
    r"AccessControlException|AccessDenied|Permission denied|Forbidden": (
        "Spark has no permission to read the data or to write the output",
        "Spark must be allowed to read the data, and to write and rename next to the output",
    ),
    r"Could not parse Master URL": (
        "engine.master is not valid",
        'write for example "local[4]", yarn or spark://host:7077',
    ),
}


# ---------------------------------------------------------------------- a session


@contextmanager
def open_spark_session(
    spec: ReleaseFile, progress: Callable[[str], None]
) -> Iterator[SparkSession]:
    """Use the running Spark session, or start one and stop it; translate Spark's errors."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module=r"pyspark\.")  # of what is installed beside it
        running = _running_session()
        wanted = spec.engine.settings if spec.engine else {}
        with _translate_spark_errors(spec):
            if running is not None:
                _refuse_other_settings(running, wanted)
                yield running
                return
            progress("starting Spark")
            with work_folder() as folder:
                session = spark_session(**_session_settings(wanted, folder))
                try:
                    _refuse_local_output(session, spec)
                    yield session
                finally:
                    session.stop()


def _running_session() -> SparkSession | None:
    try:
        from pyspark import SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        return spark_session()  # which says what is missing
    context = SparkContext._active_spark_context
    return None if context is None else SparkSession.builder.getOrCreate()


def _refuse_other_settings(session: SparkSession, wanted: dict[str, str]) -> None:
    other = [name for name, value in wanted.items() if session.conf.get(name, None) != value]
    if other:
        raise ParameterError(
            f"the running Spark session has a different {quote_names(other)} than the release file",
            "stop the session, or remove the setting from the release file",
        )


def _refuse_local_output(session: SparkSession, spec: ReleaseFile) -> None:
    """Refuse to write files of this machine where the records are on others."""
    master = str(session.conf.get("spark.master", ""))
    if not master.startswith("local") and not is_remote(spec.output):
        raise ParameterError(
            "output must be an address that all Spark workers can write to, got a file on this "
            "machine",
            "write for example output: hdfs:///released.parquet",
        )


def _session_settings(wanted: dict[str, str], folder: Path) -> dict[str, str]:
    """Settings of a new session; after spark-submit, only those of the release file.

    What Spark spills on this machine goes to ``folder``.
    """
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return wanted
    defaults = {"spark.app.name": "ontomask", "spark.ui.showConsoleProgress": "false"}
    if os.environ.get("SPARK_MASTER"):
        defaults["spark.master"] = os.environ["SPARK_MASTER"]
    if (defaults | wanted).get("spark.master", "local").startswith("local"):
        defaults["spark.ui.enabled"] = "false"  # a page on the network about private data
        defaults["spark.local.dir"] = str(folder)
    java = "spark.driver.extraJavaOptions"
    log = f"-Dlog4j2.configurationFile={Path(__file__).with_name('spark_log.properties').as_uri()}"
    return defaults | wanted | {java: f"{log} {wanted.get(java, '')}".strip()}


@contextmanager
def _translate_spark_errors(spec: ReleaseFile) -> Iterator[None]:
    """Replace Spark's errors by errors of ontomask: Spark's messages may quote records."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        with translate_spark_errors():
            yield
    except (PySparkException, Py4JError) as error:
        raise _error_of_ours(str(error), file_name(spec.data)) from None


def _error_of_ours(text: str, data: str) -> OntomaskError:
    for pattern, (message, hint) in ERRORS_BY_PATTERN.items():
        if re.search(pattern, text):
            return FileFormatError(message.replace("{data}", data), hint)
    name = re.search(r"\[([A-Z][A-Z0-9_.]+)\]|([A-Z]\w+(?:Exception|Error))\b", text)
    return FileFormatError(
        f"Spark failed: {(name[1] or name[2]) if name else 'unknown reason'}",
        "config: {spark.log.level: ERROR} shows the messages of Spark, which may contain records",
    )


# ---------------------------------------------------------------------- reading


def mask_with_spark(
    session: SparkSession, spec: ReleaseFile, seed: int | None, progress: Callable[[str], None]
) -> Release:
    """Mask the table that a release file names with Spark; nothing is written."""
    cautions = previous_cautions(spec)
    progress("reading the taxonomies")
    schema = spec.schema()
    progress("opening the table")
    table = read_table(session, spec)
    with translate_hints():
        release = mask(
            table,
            schema,
            spec.method_object(),
            seed,
            shuffle=spec.is_shuffled,
            population=spec.population_object(),
            progress=progress,
        )
    return replace(release, more_cautions=cautions)


def read_table(session: SparkSession, spec: ReleaseFile) -> DataFrame:
    """Read the table that a release file names, as a Spark data frame."""
    kind = SPARK_FORMATS[table_suffix(spec.data)]
    if spec.csv is not None and kind != "csv":
        raise ParameterError(
            f"csv is only accepted for CSV files, got {file_name(spec.data)}",
            "remove csv",
        )
    place = spec.data if is_remote(spec.data) else _local_address(spec.data_path)
    if kind == "parquet":
        return session.read.parquet(place)
    if kind == "json":
        return _refuse_undecoded_text(session.read.json(place, mode="FAILFAST"), spec)
    return _refuse_undecoded_text(_read_csv(session, place, spec), spec)


def _local_address(path: Path) -> str:
    """Address of a local file, as Spark takes it."""
    if not path.exists():
        raise FileFormatError(f"{path} cannot be read: No such file or directory")
    return local_path(path)


def _read_csv(session: SparkSession, place: str, spec: ReleaseFile) -> DataFrame:
    """Read cells as text; empty cells are missing, quoted empty cells are empty text."""
    from pyspark.sql import types as T

    tabs = table_suffix(spec.data) in (".tsv", ".tab")
    settings = spec.csv.model_dump(exclude_none=True) if spec.csv else {}
    quote = settings.get("quote", '"')
    options: dict[str, Any] = {
        "sep": settings.get("delimiter", "\t" if tabs else ","),
        "quote": quote,
        "escape": quote,
        "encoding": _spark_encoding(settings.get("encoding", "utf-8")),
        "nullValue": EMPTY_CELL,
        "emptyValue": "",
        "multiLine": True,  # a cell may have several lines
        "mode": "FAILFAST",
        "unescapedQuoteHandling": "RAISE_ERROR",
        "ignoreLeadingWhiteSpace": False,
        "ignoreTrailingWhiteSpace": False,
    }
    # Spark would rename columns of the same name, so the names are read as cells.
    top = session.read.csv(place, header=False, **options).head(1)
    names = _column_names(top[0] if top else (), file_name(spec.data))
    schema = T.StructType([T.StructField(name, T.StringType()) for name in names])
    return session.read.csv(place, schema, header=True, enforceSchema=False, **options)


def _spark_encoding(encoding: str) -> str:
    name = codecs.lookup(encoding).name
    if name not in ENCODINGS:
        raise ParameterError(
            f"csv.encoding must be {quote_choices(ENCODINGS)} for engine: spark, got {encoding!r}",
            "change the encoding, or remove engine: spark",
        )
    return ENCODINGS[name]


def _column_names(header: tuple[str | None, ...], data: str) -> list[str]:
    """Names of the columns; refused where one is empty or repeated."""
    names = [name or "" for name in header]
    small = [name.lower() for name in names]
    twice = [name for name in names if small.count(name.lower()) > 1]
    if not names:
        raise FileFormatError(f"{data} is empty", "it must contain a table with a header")
    if "" in names:
        raise FileFormatError(f"{data}: a column has no name", "name every column")
    if twice:
        raise FileFormatError(
            f"{data}: several columns have the name {quote_names(twice)}", "rename them"
        )
    if len(names) == 1:
        raise FileFormatError(
            f"{data} has a single column, {names[0]!r}: Spark would skip its empty cells",
            "set csv: {delimiter: ...} if the delimiter is wrong, or remove engine: spark",
        )
    return names


def _refuse_undecoded_text(table: DataFrame, spec: ReleaseFile) -> DataFrame:
    """Return the table; refuse it where Spark could not decode some of its text."""
    from functools import reduce
    from operator import or_

    from pyspark.sql import functions as F
    from pyspark.sql import types as T

    plain = table.toDF(*(f"c{j}" for j in range(len(table.columns))))
    texts = [
        field.name for field in plain.schema.fields if isinstance(field.dataType, T.StringType)
    ]
    spoilt = [F.col(name).contains(REPLACEMENT_CHARACTER) for name in texts]
    if spoilt and not plain.where(reduce(or_, spoilt)).isEmpty():
        raise FileFormatError(
            f"{file_name(spec.data)} contains bytes that cannot be decoded",
            "set the encoding, for example csv: {encoding: latin-1}, or repair the file",
        )
    return table


# ---------------------------------------------------------------------- writing elsewhere


@contextmanager
def write_remote_table(
    session: SparkSession, release: Release, spec: ReleaseFile, force: bool
) -> Iterator[FileFacts]:
    """Write the released table to a remote address; it is renamed when the block succeeds.

    It is written beside its name and read again first. What had the name is kept unless ``force``,
    and then until the last moment.
    """
    output = spec.output.rstrip("/")
    mark = secrets.token_hex(8)
    unfinished, old = (f"{output}.ontomask-{word}-{mark}" for word in ("unfinished", "replaced"))
    places = _RemoteFiles(session, output)
    try:
        release.data.write.parquet(unfinished)
        _verify_written(session, release, unfinished)
        yield FileFacts(file_name(output), None, None)
        refuse_existing_output(session, spec, force)
        places.replace_target(output, unfinished, old)
    finally:
        with suppress(Exception):  # of a session that is gone
            places.remove(unfinished)


def refuse_existing_output(session: SparkSession, spec: ReleaseFile, force: bool) -> None:
    """Refuse to overwrite a remote output; done before any work, and again before renaming."""
    if not force and _RemoteFiles(session, spec.output).exists(spec.output):
        raise ParameterError(
            f"{file_name(spec.output)} already exists",
            "choose another output, or use --force to overwrite",
        )


def _verify_written(session: SparkSession, release: Release, place: str) -> None:
    """Verify that the written table is the masked one, with the same equivalence classes."""
    written = session.read.parquet(place)
    if _tally(written) != _tally(release.data):
        raise InternalError("the written table is not the one that was masked")
    if release.schema.long_set is not None:  # the classes are of people, not of rows
        return
    masked = release.schema.masked_columns
    names = {name: f"c{j}" for j, name in enumerate(written.columns)}
    sizes = written.toDF(*names.values()).groupBy(*(names[name] for name in masked)).count()
    by_size = sizes.toDF(*(f"s{j}" for j in range(len(masked) + 1))).groupBy(f"s{len(masked)}")
    counted = sorted((int(size), int(classes)) for size, classes in by_size.count().collect())
    if counted != sorted((int(a), int(b)) for a, b in release.evaluation.risk["class_sizes"]):
        raise InternalError("the equivalence classes of the written table are wrong")


def _tally(table: DataFrame) -> tuple[list[str], Any]:
    """Columns, row count and checksums of a table, independent of row order."""
    from pyspark.sql import functions as F

    from ontomask.engines.spark.values import exact_column, fetch_table, hash_cells, hash_checksums

    plain = table.toDF(*(f"c{j}" for j in range(len(table.columns))))
    plain = plain.select([exact_column(field) for field in plain.schema.fields])
    rows = plain.select(hash_cells(plain.schema.fields).alias("row"))
    return table.columns, fetch_table(
        rows.agg(F.count("*").alias("count"), *hash_checksums("row"))
    ).to_pylist()


class _RemoteFiles:
    """Remote files, through the file systems that Spark knows."""

    def __init__(self, session: SparkSession, address: str) -> None:
        java: Any = session._jvm
        self._path = java.org.apache.hadoop.fs.Path
        settings = session.sparkContext._jsc.hadoopConfiguration()
        self._files = self._path(address).getFileSystem(settings)

    def exists(self, place: str) -> bool:
        return bool(self._files.exists(self._path(place)))

    def remove(self, place: str) -> None:
        self._files.delete(self._path(place), True)

    def rename(self, place: str, target: str) -> None:
        if not self._files.rename(self._path(place), self._path(target)):
            raise FileFormatError(
                f"{file_name(target)} cannot be written: the file system cannot rename files there",
                "Spark must be allowed to rename next to the output",
            )

    def replace_target(self, target: str, unfinished: str, old: str) -> None:
        """Rename the unfinished output to its target; restore the old target if that fails."""
        try:
            if self.exists(target):
                self.rename(target, old)
            self.rename(unfinished, target)
        except BaseException:
            if self.exists(old) and not self.exists(target):
                self.rename(old, target)
            raise
        self.remove(old)

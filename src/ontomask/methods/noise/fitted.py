"""Noise for single values: fitted once to a column, kept in a file, used in a stream."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask._runtime.files.atomic_files import atomic_write
from ontomask.distances import MEASURES, MeasureLike, find_measure
from ontomask.errors import (
    FileFormatError,
    OntomaskError,
    ParameterError,
    UnknownValueError,
    format_count,
    quote_names,
)
from ontomask.methods.noise.keyed_draws import draw_uniforms
from ontomask.methods.noise.noise_addition import (
    NoiseAddition,
    SemanticNoise,
    Surroundings,
    mean_and_variance,
    no_variance_error,
)
from ontomask.taxonomy import Concept, Taxonomy, map_terms
from ontomask.taxonomy.about import About
from ontomask.taxonomy.graph import Links
from ontomask.taxonomy.value_counts import is_missing, to_list

__all__ = ["FittedNoise", "fit", "load"]

Longs = NDArray[np.int64]

#: What says that a file is one of ours, and how it is laid out.
KIND, VERSION = "ontomask noise addition", 1
#: Largest number of concepts in all kept neighbourhoods, four bytes each.
MOST_KEPT = 1 << 24
#: Number of values for which noise is drawn at a time.
AT_A_TIME = 4096


class FittedNoise:
    """Noise addition fitted to a column. It masks single values.

    Make one with :meth:`NoiseAddition.fit` or :meth:`NoiseAddition.load`. Random numbers come from
    the operating system unless you pass a generator. A copy (a file, a pickle, a forked process)
    never repeats the random numbers of the original.

    Args:
        method: The settings.
        domain: The taxonomy that values come from and are masked within.
        measure: The distance measure.
        mean: Semantic mean of the fitted column.
        variance: Semantic variance of the fitted column.
        counts: Values of the fitted column with their frequencies, for the baselines only. The
            semantic strategy does not need them and stores None.
    """

    def __init__(
        self,
        method: NoiseAddition,
        domain: Taxonomy,
        measure: MeasureLike,
        mean: Concept,
        variance: float,
        counts: Mapping[Concept, int] | None,
    ) -> None:
        self.method = method
        self.domain = domain
        self.measure = measure
        self.mean = mean
        self.variance = variance
        self.counts = None if counts is None else dict(counts)
        self._prepare()

    def _prepare(self) -> None:
        """Set the attributes that are derived, or that no copy may share."""
        self._known = np.zeros(0, dtype=np.int32)
        self._frequencies: Longs = np.zeros(0, dtype=np.int64)
        if self.counts is not None:
            codes = self.domain.codes(list(self.counts))
            ascending = np.argsort(codes)
            self._known = codes[ascending]
            self._frequencies = np.array(list(self.counts.values()), dtype=np.int64)[ascending]
        if self.method.strategy == "semantic":
            from ontomask.methods.noise.kernels import mask_value  # compiling starts here

            self._mask_kernel = mask_value
            self._names = self.domain.identifiers
            measure = self.method.measure(self.measure)
            self._noise = SemanticNoise(self.domain, measure, self.mean)
        room = max(16, MOST_KEPT // len(self.domain))
        self._codes = lru_cache(1 << 16, typed=True)(self._code)
        self._around = lru_cache(room, typed=True)(
            lambda value: self._noise.around(self._codes(value))
        )
        self._renew_randomness()

    def _renew_randomness(self) -> None:
        """Start with new random numbers."""
        self._process = os.getpid()
        self._random = np.random.default_rng()
        self._draws: list[tuple[float, float]] = []

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def __repr__(self) -> str:
        name = self.measure if isinstance(self.measure, str) else measure_name(self.measure)
        return f"FittedNoise({self.method!r}, {name!r} in {self.domain!r})"

    # ------------------------------------------------------------------ masking

    def mask_value(self, value: Any, random: np.random.Generator | int | None = None) -> Concept:
        """Mask one value.

        Args:
            value: An identifier or a name that the domain contains. It may be a value that the
                fitted column did not have.
            random: A generator, or a seed for this call only.

        Returns:
            A concept of the domain.
        """
        if random is not None or self.method.strategy != "semantic":
            return self.mask_values([value], random)[0]
        around = self._find_surroundings(value)
        if os.getpid() != self._process:
            self._renew_randomness()
        while True:
            try:
                epsilon, tie = self._draws.pop()
                break
            except IndexError:
                draws = self.method.draws(AT_A_TIME, self.variance, self._random)
                self._draws = list(zip(*(drawn.tolist() for drawn in draws), strict=True))
        return self._names[self._mask_kernel(epsilon, tie, *around)]

    def _find_surroundings(self, value: Any) -> Surroundings:
        try:
            return self._around(value)
        except TypeError:
            if not _is_unhashable(value):
                raise
            raise _bad_value_error(value) from None

    def mask_values(
        self, values: Iterable[Any], random: np.random.Generator | int | None = None
    ) -> list[Concept]:
        """Mask many values, each independently; see :meth:`mask_value`."""
        column = to_list(values)
        try:
            codes = np.array([self._codes(value) for value in column], dtype=np.int32)
        except TypeError:
            raise _bad_value_error(next(filter(_is_unhashable, column), None)) from None
        names = self.domain.identifiers
        return [names[code] for code in self._mask_codes(codes, self._generator(random)).tolist()]

    def _mask_codes(self, codes: NDArray[np.int32], random: np.random.Generator) -> NDArray[Any]:
        if self.method.strategy != "semantic":
            uniform, _ = draw_uniforms(random.bytes(32), np.arange(len(codes)))
            return self.method.baseline(uniform, self._known, self._frequencies)
        distinct, counts = np.unique(codes, return_counts=True)
        draws = self.method.draws(len(codes), self.variance, random)
        masked = np.empty(len(codes), dtype=np.int32)
        masked[np.argsort(codes, kind="stable")] = self._noise.masked(distinct, counts, *draws)
        return masked

    def _generator(self, random: np.random.Generator | int | None) -> np.random.Generator:
        if random is None:
            if os.getpid() != self._process:
                self._renew_randomness()
            return self._random
        if isinstance(random, np.random.Generator):
            return random
        if isinstance(random, bool) or not isinstance(random, int | np.integer) or random < 0:
            raise ParameterError(
                # Its value is not quoted: a seed is secret.
                "random must be a numpy.random.Generator or a non-negative integer",
                "pass numpy.random.default_rng(...) or a seed, or leave it out",
            )
        return np.random.default_rng(random)

    def _code(self, value: Any) -> int:
        """The code of a concept by its identifier or one of its names."""
        if isinstance(value, str):
            text = value
        elif isinstance(value, int | np.integer) and not isinstance(value, bool):
            text = str(value)
        else:
            raise _bad_value_error(value)
        named = self.domain.names.find(text)
        if named is not None and len(named.codes) == 1:
            return named.codes[0]
        if named is not None:
            meant = quote_names(sorted(self.domain.identifiers[code] for code in named.codes))
            raise UnknownValueError(
                f"{text!r} is a name ({named.how}) of {meant}", "use the identifier of one of them"
            )
        raise UnknownValueError(
            f"{text!r} is not in the domain, the concepts below {self.domain.root!r}",
            "fit with domain='taxonomy' or a more general concept, or map the value to a concept "
            "with map_terms",
        )

    # ------------------------------------------------------------------ keeping

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write the fitted noise to a JSON file, compressed if its name ends in ``.gz``.

        The file contains the settings, mean, variance and the domain with its concepts, links and
        names. It never contains a seed or the state of a generator. With a baseline strategy it
        also contains the values of the fitted column and their counts: protect it like the column
        itself. The file is written completely or not at all. An existing file is kept unless
        ``force``.
        """
        if not isinstance(self.measure, str):
            name = measure_name(self.measure)
            if MEASURES.get(name) is not find_measure(self.measure, self.domain):
                raise ParameterError(
                    f"the measure {name!r} is a Python function and cannot be saved to a file",
                    "fit with a measure that has a name, or fit again instead of saving",
                )
        links = self.domain.parent_links
        content = {
            "kind": KIND,
            "version": VERSION,
            "alpha": float(self.method.alpha),
            "distribution": self.method.distribution,
            "strategy": self.method.strategy,
            "operators": self.method.operators,
            "measure": self.measure if isinstance(self.measure, str) else name,
            "mean": self.mean,
            "variance": self.variance,
            "domain": {
                "name": self.domain.name,
                "source": self.domain.about.source,
                "version": self.domain.about.version,
                "identifiers": list(self.domain.identifiers),
                "parents": links.lists(),
                "labels": [list(names) for names in self.domain.label_lists],
                "aliases": dict(self.domain.alias_items()),
            },
        }
        if self.counts is not None:
            content["counts"] = self.counts
        with atomic_write(Path(path), force=force) as file:
            json.dump(content, file, ensure_ascii=False, separators=(",", ":"))


def measure_name(measure: Any) -> str:
    """The name of a function or of its class."""
    return str(getattr(measure, "__name__", type(measure).__name__))


def _is_unhashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return True
    return False


def _bad_value_error(value: Any) -> OntomaskError:
    if not _is_unhashable(value) and is_missing(value):
        return UnknownValueError("the value is missing", "leave missing values out")
    return ParameterError(
        f"a value must be text, got {type(value).__name__}",
        "pass the identifier or the name of a concept as text",
    )


# ---------------------------------------------------------------------- fitting


def fit(
    method: NoiseAddition,
    values: Iterable[Any] | Mapping[Any, int],
    taxonomy: Taxonomy,
    measure: MeasureLike,
    domain: Concept,
) -> FittedNoise:
    """See :meth:`NoiseAddition.fit`."""
    find_measure(measure, taxonomy)  # report a wrong name before a wrong value
    counts = _count_concepts(values, taxonomy)
    if len(counts) < 2:
        raise no_variance_error("the column has one value")
    inside = _choose_domain(taxonomy, domain, counts)
    mean, variance = mean_and_variance(counts, inside, method.measure(measure))
    if variance == 0:
        raise no_variance_error("the column has variance 0")
    kept = None if method.strategy == "semantic" else counts
    return FittedNoise(method, inside, measure, mean, variance, kept)


def _count_concepts(
    values: Iterable[Any] | Mapping[Any, int], taxonomy: Taxonomy
) -> dict[Concept, int]:
    terms = map_terms(values, taxonomy, stems=None)
    if terms.missing:
        raise ParameterError(
            f"values must not be missing, got {format_count(terms.missing, 'missing value')}",
            "remove the missing values first",
        )
    if not terms.matches:
        raise ParameterError("values must contain at least two different values, got none")
    try:
        terms.require_all()
    except UnknownValueError as error:
        raise UnknownValueError(
            error.message, "map them to concepts first: map_terms(values, taxonomy)"
        ) from None
    counts: dict[Concept, int] = {}
    for match in terms.matches:
        assert match.concept is not None
        counts[match.concept] = counts.get(match.concept, 0) + match.count
    return dict(sorted(counts.items()))


def _choose_domain(taxonomy: Taxonomy, domain: Concept, counts: Mapping[Concept, int]) -> Taxonomy:
    if domain == "taxonomy":
        return taxonomy
    if domain == "lcs":
        return taxonomy.domain(list(counts))
    inside = taxonomy.domain(root=domain)
    outside = [value for value in counts if value not in inside]
    if outside:
        raise UnknownValueError(
            f"{format_count(len(outside), 'value')} not below {domain!r}, the domain: "
            f"{quote_names(outside)}",
            "name a more general concept, or use domain='lcs' or domain='taxonomy'",
        )
    return inside


# ---------------------------------------------------------------------- loading


def load(path: str | PathLike[str]) -> FittedNoise:
    """See :meth:`NoiseAddition.load`."""
    content = _read_content(Path(path))
    try:
        return _restore_noise(content)
    except KeyError as error:
        raise FileFormatError(f"{path} is damaged: it lacks {error}", "save it again") from None
    except (TypeError, ValueError, IndexError, AttributeError, OntomaskError) as error:
        reason = error.message if isinstance(error, OntomaskError) else str(error)
        raise FileFormatError(f"{path} is damaged: {reason}", "save it again") from None


def _read_content(path: Path) -> dict[str, Any]:
    try:
        raw = path.read_bytes()
        if raw.startswith(b"\x1f\x8b"):
            raw = gzip.decompress(raw)
        content = json.loads(raw)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileFormatError(f"{path} cannot be read: {reason}") from None
    except (EOFError, ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise FileFormatError(
            f"{path} is not a file that FittedNoise.save wrote",
            "use the path of a file that was saved with it",
        )
    version = content.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise FileFormatError(
            f"{path} has format version {version!r}; this ontomask reads versions up to {VERSION}",
            "use the version of ontomask that wrote the file, or a newer one",
        )
    return content


def _restore_noise(content: dict[str, Any]) -> FittedNoise:
    settings = ("alpha", "distribution", "strategy", "operators")
    method = NoiseAddition(**{name: content[name] for name in settings})
    domain = _restore_taxonomy(content["domain"])
    if content["measure"] not in MEASURES:
        raise ValueError(f"unknown measure {content['measure']!r}")
    mean, variance = content["mean"], content["variance"]
    if not isinstance(variance, float) or not 0 < variance <= 1:
        raise ValueError(f"variance must be a number, got {variance!r}")
    counts: dict[str, Any] = {} if method.strategy == "semantic" else content["counts"]
    if not all(type(count) is int and count > 0 for count in counts.values()):
        raise ValueError("counts must be positive integers")
    if method.strategy != "semantic" and len(counts) < 2:
        raise ValueError("counts of at least two values are needed")
    wrong = [concept for concept in (mean, *counts) if concept not in domain.identifiers]
    if wrong:
        raise ValueError(f"not concepts of the domain: {quote_names(wrong)}")
    return FittedNoise(method, domain, content["measure"], mean, variance, counts or None)


def _restore_taxonomy(saved: dict[str, Any]) -> Taxonomy:
    identifiers, parents, labels = saved["identifiers"], saved["parents"], saved["labels"]
    names = [
        *identifiers,
        *(name for concept_labels in labels for name in concept_labels),
        *saved["aliases"],
    ]
    if not all(isinstance(name, str) for name in names):
        raise ValueError("a name is not text")
    size = len(identifiers)
    if not size == len(set(identifiers)) == len(parents) == len(labels):
        raise ValueError("the numbers of concepts, links and names differ")
    links = {(child, parent) for child, above in enumerate(parents) for parent in above}
    if not all(type(parent) is int and 0 <= parent < child for child, parent in links):
        raise ValueError("a link does not lead to an earlier concept")
    if [child for child, above in enumerate(parents) if not above] != [0]:
        raise ValueError("there must be exactly one root")
    child, parent = np.array(sorted(links), dtype=np.int64).reshape(-1, 2).T
    number = {identifier: place for place, identifier in enumerate(identifiers)}
    # In the order it was saved in, and that is checked above: a seed gives what it gave before.
    return Taxonomy(
        identifiers,
        Links.from_pairs(child, parent, size),
        [tuple(concept_labels) for concept_labels in labels],
        {alias: number[concept] for alias, concept in saved["aliases"].items()},
        About(str(saved["name"]), str(saved["source"]), str(saved["version"])),
    )

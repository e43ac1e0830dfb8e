"""Synthetic hospital discharges over the bundled ICD-9-CM.

The module ``hospital`` describes the stays, the class ``_Hospital`` turns that into weights once,
and ``_draw_stays`` draws a block of stays from them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ontomask.datasets import hospital as tables
from ontomask.errors import ParameterError
from ontomask.taxonomy import Taxonomy, load_taxonomy

__all__ = ["discharges"]

Array = NDArray[Any]

MOST_ROWS = 10_000_000
BLOCK = 1 << 17  # stays drawn at a time: bounds what is in memory besides the table itself
FIRST_DAY = np.datetime64("2010-01-01")
DAYS = 1826  # five years, all before ICD-10-CM came into use
MOST_STAYS = 40  # of one person
LONGEST_STAY = 180
SHORTENED_SHARE = 0.015  # share of codes that lack their last digit
BANDS = len(tables.BANDS)
LONG_AGO = 101 * 366  # days before the first one; nobody is older
COLUMNS = {
    "patient": "O", "name": "O", "age": "i8", "sex": "O", "zip": "O", "admitted": "M8[D]",
    "length_of_stay": "i8", "severity": "O", "diagnosis": "O", "secondary_diagnosis": "O",
    "procedure": "O", "outcome": "O", "charge": "f8",
}  # fmt: skip


def discharges(n: int = 3000, seed: int = 0) -> dict[str, Array]:
    """A synthetic table of ``n`` hospital discharges, coded in the bundled ICD-9-CM.

    No record is about a real person: all are drawn at random from small tables written by hand. The
    columns are numpy arrays, which ``pandas.DataFrame``, ``polars.DataFrame`` and ``pyarrow.table``
    accept:

    - ``patient``, ``name``: direct identifiers; a person may have several stays
    - ``age``, ``sex``, ``zip``: age at admission, ``F`` or ``M``, five digits
    - ``admitted``, ``length_of_stay``: a date from 2010 to 2014, and days
    - ``severity``: minor, moderate, major or extreme
    - ``diagnosis``, ``secondary_diagnosis``: concepts of ``icd9cm``
    - ``procedure``: a concept of ``icd9cm-procedures``
    - ``outcome``: sensitive; how the stay ended, a concept of ``icd9cm`` (convalescence, a
      complication, for deaths shock or cardiac arrest)
    - ``charge``: sensitive; an amount of money

    Roughly realistic: a few codes and areas are very frequent and thousands are rare; procedure,
    second diagnosis, age, sex, stay, severity, outcome and charge depend on the diagnosis; sex,
    area and date of birth of a person stay the same, stays do not overlap, and nobody is admitted
    after death. A few codes lack their last digit.

    Not realistic: the exact numbers; which rare codes are less rare than others; seasons and
    weekdays; how the illness of a person develops; areas, which all have the same illnesses; every
    stay has exactly one procedure and one second diagnosis; names. Do not draw medical conclusions
    from it.

    The same ``n`` and ``seed`` give the same table within a version of the package. The rows of a
    smaller table are not the first rows of a larger one. Ten million rows take seconds.

    >>> table = discharges(n=3000)
    >>> list(table)
    ['patient', 'name', 'age', 'sex', 'zip', 'admitted', 'length_of_stay', 'severity', 'diagnosis',
     'secondary_diagnosis', 'procedure', 'outcome', 'charge']
    >>> from collections import Counter
    >>> appendicitis = table["diagnosis"] == "540.9"
    >>> Counter(table["procedure"][appendicitis].tolist()).most_common(1)  # appendectomy
    [('47.01', 12)]
    """
    n = _check_integer("n", n, 1, MOST_ROWS)
    rng = np.random.default_rng(_check_integer("seed", seed, 0))
    return _draw_table(_hospital(), rng, n)


def _check_integer(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return an argument as an int, or raise an error if it is not an integer in the range."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        number = int(value)
        if least <= number and (most is None or number <= most):
            return number
    above = f"of at least {least}" if most is None else f"from {least} to {most:,}"
    raise ParameterError(f"{name} must be an integer {above}, got {value!r}")


def _draw_table(hospital: _Hospital, rng: np.random.Generator, n: int) -> dict[str, Array]:
    """Draw a table block by block, with texts in place of codes."""
    texts = hospital.texts
    table = {name: np.empty(n, dtype) for name, dtype in COLUMNS.items()}
    width, people = max(6, len(str(n))), 0
    for start in range(0, n, BLOCK):
        size = min(BLOCK, n - start)
        stays, order = _draw_stays(hospital, rng, size), rng.permutation(size)
        first, people = people, people + 1 + int(stays["patient"][-1])
        labels = {**texts, "patient": _identifiers(first, people, width)}
        for name, column in table.items():
            part, values = column[start : start + size], stays[name][order]
            if name in labels:
                labels[name].take(values, out=part, mode="clip")  # "raise" would copy
            else:
                part[:] = values
    return table


def _identifiers(first: int, stop: int, width: int) -> Array:
    """Identifiers of people, ``P000001`` for number 0; made of halves, as formatting is slow."""
    ends = [f"{end:03d}" for end in range(1000)]
    starts = range((first + 1) // 1000, stop // 1000 + 1)
    texts = [
        head + end for thousand in starts for head in [f"P{thousand:0{width - 3}d}"] for end in ends
    ]
    skipped = (first + 1) % 1000
    return np.array(texts[skipped : skipped + stop - first], dtype=object)


# ------------------------------------------------------------------ drawing stays


def _draw_stays(hospital: _Hospital, rng: np.random.Generator, size: int) -> dict[str, Array]:
    """Draw a block of stays, person by person, each person's stays in order of time."""

    def chance(count: int = size) -> Array:
        # 24 bits: a whole number and a chance then add up without rounding
        return rng.random(count, dtype=np.float32)

    def noise() -> Array:
        return rng.standard_normal(size, dtype=np.float32)

    # People: how often they come, who they are, when they came first.
    counts = 1 + np.searchsorted(hospital.often, chance())
    ends = np.cumsum(counts)
    people = int(np.searchsorted(ends, size)) + 1
    counts, ends = counts[:people], np.minimum(ends[:people], size)
    first, last = np.zeros(size, bool), np.zeros(size, bool)
    starts = np.concatenate([[0], ends[:-1]])
    first[starts] = last[ends - 1] = True
    person = np.repeat(np.arange(people), ends - starts)

    luck = chance(people).astype(float)
    births = hospital.births  # nobody comes back all the time from birth on
    person_cell = hospital.people(0, np.where(counts > 3, births + (1 - births) * luck, luck))
    sex, band = person_cell % 2, person_cell // 2
    gaps = np.where(first, 0, 1 + 90 * rng.standard_exponential(size, dtype=np.float32) ** 1.5)
    since = np.cumsum(gaps, dtype=float)
    since -= np.repeat(since[starts], ends - starts)
    span = since[ends - 1]
    shrunk = np.minimum(1, 0.97 * DAYS / np.maximum(span, 1))
    start = (DAYS - span * shrunk) * chance(people)
    day = np.floor(start[person] + since * shrunk[person]).astype(np.int32)
    years = hospital.youngest[band] + hospital.years[band] * chance(people)
    born = day[starts] - np.where(band == 0, 0, 1 + 365.2425 * years).astype(np.int32)
    place = hospital.places(0, chance(people))
    name = rng.integers(len(hospital.texts["name"]) // 2, size=people) * 2 + sex
    area, name, sex, born = place[person], name[person], sex[person], born[person]
    age = hospital.age(born, day)

    # Diagnoses by age and sex; some come back with what they had.
    band = hospital.band[age]
    band[starts] = np.where(person_cell < 2, 0, band[starts])
    cell = 2 * band + sex
    diagnosis = hospital.diagnoses(cell, chance())
    before = diagnosis[starts][person]
    recurs = ~first & hospital.returns[hospital.kind[before]] & (chance() < 0.4)
    diagnosis = np.where(recurs, before, diagnosis)
    kind = hospital.kind[diagnosis]
    group = 2 * kind + sex
    procedure = hospital.procedures(group, chance())

    # The second diagnosis: of the kind, of the age, of the same category, or any other.
    source = chance()
    of_age = hospital.of_age + cell
    second = hospital.seconds(np.where((source < 0.45) | (band == 0), group, of_age), chance())
    near = np.flatnonzero((source > 0.92) & (band > 0))
    where = diagnosis[near]
    second[near] = hospital.category[where] + (hospital.siblings[where] * chance(len(near)))
    other = np.flatnonzero((source > 0.72) & (source <= 0.92) & (band > 0))
    second[other] = hospital.diagnoses(cell[other], chance(len(other)))
    unlikely = np.flatnonzero((band < 4) & (band > 0) & hospital.grown_up[second])
    second[unlikely] = hospital.seconds(of_age[unlikely], chance(len(unlikely)))
    for fallback in range(2):
        same = np.flatnonzero(second == diagnosis)
        second[same] = hospital.usual[cell[same], fallback]

    # How it went.
    frail = 0.012 * (age - 45) + 0.6 * ((age == 0) & (band > 0))
    severity = np.searchsorted([0.1, 1.1, 2.1], hospital.burden[kind] + frail + noise())
    stay = np.exp(hospital.days[kind] + 0.2 * severity + 0.55 * noise())
    stay += hospital.more_days[procedure] * chance() * 2
    stay = np.minimum(stay, LONGEST_STAY).astype(np.int64)
    until = np.append(day[1:], 0) - day
    stay = np.where(last, stay, np.minimum(stay, until))
    cost = hospital.cost[procedure]
    charge = np.round((1500 + 1900 * stay + cost) * np.exp(0.3 * noise()), 2)
    risk = hospital.deaths[kind] * DEADLY[severity] * np.exp(0.015 * (age - 65.0))
    fate = chance()
    grade = np.where((fate < risk) & last, 2, fate > 1 - COMPLICATED[severity])
    stay_kind = np.where(
        band == 0, 0, np.where(hospital.mother[kind], 1, np.where(cost > 4000, 2, 3))
    )
    care = chance()
    return {
        "patient": person,
        "name": name,
        "age": age,
        "sex": sex,
        "zip": area,
        "admitted": FIRST_DAY + day,
        "length_of_stay": stay,
        "severity": severity,
        "diagnosis": hospital.icd9.drop_some_digits(diagnosis, care),
        "secondary_diagnosis": hospital.icd9.drop_some_digits(second, 1 - care),  # never both
        "procedure": hospital.operations.drop_some_digits(procedure, chance()),
        "outcome": hospital.outcomes(3 * stay_kind + grade, chance()),
        "charge": charge,
    }


DEADLY = np.array([0.1, 0.4, 1.5, 5.0])  # by severity
COMPLICATED = np.array([0.03, 0.1, 0.25, 0.5])


# ------------------------------------------------------------------ the weights


class _WeightedDraw:
    """Weighted items in groups: a draw is one search for group plus chance."""

    def __init__(self, group: Array, item: Array, weight: Array) -> None:
        order = np.argsort(group, kind="stable")
        order = order[weight[order] > 0]
        group, self.items = group[order], item[order]
        sums = np.cumsum(weight[order])
        ends = np.append(np.flatnonzero(np.diff(group)), len(group) - 1)
        sizes = np.diff(ends, prepend=-1)
        before = np.concatenate([[0], sums[ends[:-1]]])
        totals = np.repeat(sums[ends] - before, sizes)
        self.bounds = group + (sums - np.repeat(before, sizes)) / totals
        self.bounds[ends] = group[ends] + 1

    @classmethod
    def from_weights(cls, groups: Sequence[Mapping[int, float]]) -> _WeightedDraw:
        """From the weights of the items of each group."""
        group = np.repeat(np.arange(len(groups)), [len(weights) for weights in groups])
        item = [item for weights in groups for item in weights]
        weight = [weight for weights in groups for weight in weights.values()]
        return cls(group, np.array(item), np.array(weight, dtype=float))

    def __call__(self, group: Array | int, chance: Array) -> Array:
        return self.items[np.searchsorted(self.bounds, group + chance.astype(float), side="right")]


class _LeafCodes:
    """The leaves of a taxonomy in the order of their codes, and how to name some of them."""

    def __init__(self, taxonomy: Taxonomy, spread: float, rng: np.random.Generator) -> None:
        self.codes = sorted(code for code in taxonomy.leaves if "-" not in code)
        self.place = {code: place for place, code in enumerate(self.codes)}
        above = [taxonomy.parents(code)[0] for code in self.codes]
        loose = [
            up if "." in code and not {" ", "-"} & set(up) else code
            for code, up in zip(self.codes, above, strict=True)
        ]
        self.texts = np.array(self.codes + loose, dtype=object)
        #: Some leaves are met far more often than others.
        self.fame = np.exp(spread * rng.standard_normal(len(self.codes)))

    def range_of(self, codes: str) -> slice:
        """Where the leaves of a range are: ``540-543``, or ``540``."""
        low, _, high = codes.partition("-")
        return slice(bisect_left(self.codes, low), bisect_left(self.codes, (high or low) + "~"))

    def mask(self, ranges: Sequence[str]) -> Array:
        selected = np.zeros(len(self.codes), bool)
        for codes in ranges:
            selected[self.range_of(codes)] = True
        return selected

    def weights(self, text: str, banned: Array | None = None) -> dict[int, float]:
        """The weights of ``47.01*6 47.09 42-54``; a range weighs 1.5 in all."""
        weights: dict[int, float] = {}
        for entry in text.split():
            code, _, weight = entry.partition("*")
            if "-" in code:
                part = self.range_of(code)
                shares = self.fame[part] * (1.5 / self.fame[part].sum())
                entries = dict(zip(range(part.start, part.stop), shares.tolist(), strict=True))
            else:
                entries = {self.place[code]: float(weight or 1)}
            for place, more in entries.items():
                weights[place] = weights.get(place, 0) + more
        return {i: w for i, w in weights.items() if banned is None or not banned[i]}

    def drop_some_digits(self, places: Array, chance: Array) -> Array:
        """Drop the last digit of a random share of the codes."""
        return np.where(chance < SHORTENED_SHARE, places + len(self.codes), places)


class _Hospital:
    """The tables of :mod:`ontomask.datasets.hospital` as arrays; the same for every seed."""

    def __init__(self) -> None:
        rng = np.random.default_rng(20150930)
        self.icd9 = _LeafCodes(load_taxonomy("icd9cm"), 2.7, rng)
        self.operations = _LeafCodes(load_taxonomy("icd9cm-procedures"), 1.5, rng)
        banned = [  # by sex, women first
            (self.icd9.mask(diagnoses), self.operations.mask(procedures))
            for diagnoses, procedures in (tables.MEN, tables.WOMEN)
        ]
        self._set_kinds(banned)
        self._set_principal_diagnoses(rng, banned)
        self._set_people(rng)
        self._set_prices(rng)
        well_or_not = [
            self.icd9.weights(text) for texts in tables.OUTCOMES.values() for text in texts
        ]
        self.outcomes = _WeightedDraw.from_weights(well_or_not)
        self.texts = {
            "name": _make_names(),
            "sex": np.array(["F", "M"], dtype=object),
            "zip": self.areas,
            "severity": np.array(tables.SEVERITIES, dtype=object),
            "diagnosis": self.icd9.texts,
            "secondary_diagnosis": self.icd9.texts,
            "procedure": self.operations.texts,
            "outcome": self.icd9.texts,
        }

    def _set_kinds(self, banned: list[tuple[Array, Array]]) -> None:
        """Set the procedures and secondary diagnoses that go with each kind of diagnosis."""
        kinds = _parse_kinds(tables.KINDS)
        self.kind = np.zeros(len(self.icd9.codes), np.int64)
        companions: list[str] = []
        for number, kind in enumerate(kinds):
            part = self.icd9.range_of(kind["codes"])
            around = int(self.kind[part.start])
            companions.append(kind["with"] or companions[around])
            self.kind[part] = number
        procedure_weights, companion_weights = [], []
        for kind, beside in zip(kinds, companions, strict=True):
            for no_diagnosis, no_procedure in banned:
                typical = self.operations.weights(kind["does"], no_procedure)
                rare = self.operations.weights(tables.ANYWHERE)
                scale = 0.1 * sum(typical.values()) / sum(rare.values())
                combined = {i: typical.get(i, 0) + scale * rare.get(i, 0) for i in typical | rare}
                procedure_weights.append(combined)
                companion_weights.append(self.icd9.weights(beside, no_diagnosis))
        by_age = [
            self.icd9.weights(text, no_diagnosis)
            for text in tables.COMORBIDITIES.values()
            for no_diagnosis, _ in banned
        ]
        self.procedures = _WeightedDraw.from_weights(procedure_weights)
        self.seconds = _WeightedDraw.from_weights(companion_weights + by_age)
        self.of_age = len(companion_weights)
        self.grown_up = self.icd9.mask(tables.GROWN_UP)
        self.usual = np.array([list(weights)[:2] for weights in by_age])

        def numbers(field: str) -> Array:
            return np.array([float(kind[field]) for kind in kinds])

        self.days = np.log(numbers("days"))
        self.deaths = numbers("deaths") / 1000
        self.women = numbers("women")
        self.ages = np.array([tables.AGES[kind["ages"]] for kind in kinds], dtype=float)
        self.ages /= self.ages.sum(axis=1, keepdims=True)
        self.burden = 0.4 * (self.days - 1) + 0.15 * np.log1p(numbers("deaths"))
        self.returns = np.array([bool(kind["returns"]) for kind in kinds])
        self.mother = np.array([kind["ages"] == "mother" for kind in kinds])

    def _set_principal_diagnoses(
        self, rng: np.random.Generator, banned: list[tuple[Array, Array]]
    ) -> None:
        """Set the weights of the principal diagnoses by age and sex."""
        codes = self.icd9.codes
        heads, first, which, sizes = np.unique(
            [code.partition(".")[0] for code in codes],
            return_index=True, return_inverse=True, return_counts=True,
        )  # fmt: skip
        self.category, self.siblings = first[which], sizes[which]
        fame = self.icd9.fame * np.exp(1.8 * rng.standard_normal(len(heads)))[which]
        fame[self.icd9.mask(tables.NEVER_FIRST)] = 0
        weight = np.zeros(len(codes))
        for chapter, share in tables.CHAPTERS.items():
            part = self.icd9.range_of(chapter)
            shares = fame[part] * (share / fame[part].sum())
            for _ in range(5):  # what is cut off goes to the others
                shares = np.minimum(shares * (share / shares.sum()), tables.UNCOMMON)
            weight[part] = shares
        for code, share in tables.COMMON.items():
            weight[self.icd9.place[code]] = share
        cells = np.empty((BANDS, 2, len(codes)))
        women = self.women[self.kind]
        for sex, of_sex in enumerate((women, 1 - women)):
            cells[:, sex] = self.ages[self.kind].T * np.where(banned[sex][0], 0, weight * of_sex)
        by_cell = cells.reshape(2 * BANDS, -1)
        cell, place = np.nonzero(by_cell)
        self.diagnoses = _WeightedDraw(cell, place, by_cell[cell, place])
        total = by_cell.sum(axis=1)
        self.people = _WeightedDraw.from_weights([dict(enumerate(total))])
        self.births = float(total[:2].sum() / total.sum())

    def _set_people(self, rng: np.random.Generator) -> None:
        """Set how often people come, how old they are and where they live."""
        often = np.arange(1, MOST_STAYS + 1) ** -2.6
        self.often = np.cumsum(often / often.sum())[:-1]
        self.youngest = np.array(tables.BANDS, dtype=float)
        self.years = np.append(np.diff(self.youngest), tables.OLDEST - self.youngest[-1])
        self.band = np.searchsorted(tables.BANDS, np.arange(121), side="right") - 1
        #: Days from long before anybody's birth to after the last stay, as year and place in it.
        days = FIRST_DAY + np.arange(-LONG_AGO, DAYS)
        self.year = days.astype("M8[Y]").astype(np.int32)
        months = days.astype("M8[M]")
        self.month_and_day = 31 * (months.astype(np.int32) % 12) + (days - months).astype(np.int32)
        areas, weights = [], []
        for rank, (start, count) in enumerate(tables.AREAS.items(), 1):
            last = np.sort(rng.choice(100, count, replace=False))
            areas += [f"{start}{two:02d}" for two in last]
            weights += list(rng.permutation(np.arange(1, count + 1) ** -0.9) / rank**0.8)
        self.areas = np.array(areas, dtype=object)
        self.places = _WeightedDraw.from_weights([dict(enumerate(weights))])

    def _set_prices(self, rng: np.random.Generator) -> None:
        """Set what procedures cost, and how many days they add."""
        costs = [
            next(
                tables.COSTS[code[:end]]
                for end in range(len(code), 0, -1)
                if code[:end] in tables.COSTS
            )
            for code in self.operations.codes
        ]
        cost, self.more_days = np.array(costs, dtype=float).T
        self.cost = cost * np.exp(0.2 * rng.standard_normal(len(cost)))

    def age(self, born: Array, day: Array) -> Array:
        """Full years from one day to another, by the calendar."""
        born, day = born + LONG_AGO, day + LONG_AGO
        years = self.year[day] - self.year[born]
        return (years - (self.month_and_day[day] < self.month_and_day[born])).astype(np.int64)


@cache
def _hospital() -> _Hospital:
    return _Hospital()


def _make_names() -> Array:
    """Make names nobody has: ``Bafina Synthgoku``; women's at even places, men's at odd ones."""
    two = [a + b for a in tables.SYLLABLES for b in tables.SYLLABLES]
    ends = ("na", "n")
    return np.array(
        [f"{a.title()}{end} Synth{b}" for a in two for b in two for end in ends], dtype=object
    )


def _parse_kinds(text: str) -> list[dict[str, str]]:
    """Parse the kinds of stay into one dict of fields each."""
    kinds: list[dict[str, str]] = []
    field = ""
    for line in text.strip().splitlines():
        words = line.split()
        if not line.startswith(" "):
            fields = ("codes", "ages", "women", "days", "deaths", "returns")
            kinds.append({"with": "", "returns": ""} | dict(zip(fields, words, strict=False)))
            continue
        if words[0] in ("does", "with"):
            field = words.pop(0)
            kinds[-1][field] = ""
        kinds[-1][field] += " ".join(["", *words])
    return kinds

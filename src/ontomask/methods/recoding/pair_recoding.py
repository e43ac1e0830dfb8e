"""Recoding until no combination of a few values is rare: k^m-anonymity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import InternalError, ParameterError
from ontomask.methods.method import Method
from ontomask.methods.recoding.hierarchies import build_hierarchy, join_hierarchies, split_sets
from ontomask.methods.settings import SettingHelp
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.sets.combinations import count_combinations
from ontomask.microdata.sets.set_concepts import EMPTY_SET, has_sets
from ontomask.microdata.shown_values import ShownValues
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.explaining.masked_tuple import MaskedTuple, MethodExplanation

__all__ = ["PairRecoding"]

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

#: The weight of a person with several records; most numbers of records divide it.
ONE_PERSON = 720_720


@dataclass(frozen=True)
class PairRecoding(Method):
    """Recode so that every combination of at most ``m`` values is shared by ``k`` records.

    This is k^m-anonymity (Terrovitis, Mamoulis and Kalnis 2008), for attackers who know at most
    ``m`` values of a person: of a set, of several columns, or of both. It is not k-anonymity: an
    attacker who knows all values may find their only holder.

    Values are replaced by more general ones only where a combination is rare (local recoding), so
    the same value may be released at several levels. A concept becomes an ancestor; a number, date
    or level becomes the centroid of an interval.

    With people, an attacker knows values of one record, and k people share each combination.
    Combinations over different records of a person are not counted, and the guarantee says so; a
    released column that links the records of a person is refused.

    Args:
        k: Smallest number of records (or people) that share a combination, at least 2.
        m: Largest number of values that an attacker knows: 1, 2 or 3.

    >>> import pandas as pd
    >>> import ontomask as om
    >>> table = pd.DataFrame({"dx": ["influenza;sprain"] * 2 + ["common cold;sprain", "sprain"]})
    >>> schema = om.Schema([om.NominalSet("dx", om.datasets.diagnoses())])
    >>> om.mask(table, schema, om.PairRecoding(k=2)).data["dx"].tolist()
    ['influenza;sprain', 'influenza;sprain', 'sprain', 'sprain']
    """

    k: Annotated[
        int,
        SettingHelp(
            "k",
            "Every combination of at most m values is shared by at least k records (or people), or "
            "by none.",
            least=2,
            usual=(2, 3, 5, 10, 20, 50),
            main=True,
        ),
    ] = 5
    m: Annotated[
        int,
        SettingHelp(
            "m",
            "Largest number of values of a person that an attacker knows.",
            least=1,
            usual=(1, 2, 3),
            main=True,
        ),
    ] = 2
    varied_by: ClassVar[str | None] = "k"
    compared_by_default: ClassVar[bool] = False
    attacker_setting: ClassVar[str | None] = "m"
    plans_missing_numbers: ClassVar[bool] = True
    verifies_values: ClassVar[bool] = True
    protects_parts_of_sets: ClassVar[bool] = True
    title: ClassVar[str] = "pair recoding"
    summary: ClassVar[str] = (
        "k^m-anonymous: no combination of up to m values is rare. Not k-anonymous."
    )
    help: ClassVar[str] = (
        "For attackers who know a few values of a person. Whoever knows all of them may still find "
        "a unique record."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.m > 3:
            raise ParameterError(
                f"m must be 1, 2 or 3, got {self.m}", "2 protects every pair of values"
            )

    @property
    def target_k(self) -> int | None:
        """The k that linkage is compared with."""
        return int(self.k)

    @property
    def draws_at_random(self) -> bool:
        """Counts alone decide."""
        return False

    @property
    def keeps_tuples_together(self) -> bool:
        """All records of a combination of values are recoded alike."""
        return True

    @property
    def description(self) -> str:
        """What was recoded."""
        rare = "rare values" if self.m == 1 else f"values in rare combinations of up to {self.m}"
        return f"{rare} were replaced by more general ones"

    @property
    def _combination(self) -> str:
        return "value" if self.m == 1 else f"combination of up to {self.m} values"

    @property
    def promise(self) -> str:
        """What holds for combinations of values."""
        return (
            f"every {self._combination} is shared by at least {self.k:,} records or people, or by "
            "none (k^m-anonymity, not k-anonymity)"
        )

    @property
    def because(self) -> str:
        """Why a value is replaced."""
        return (
            f"a value is replaced by a more general one where a {self._combination} has fewer "
            f"than {self.k} records"
        )

    @property
    def protection_advice(self) -> str:
        """What protects against attackers who know all values."""
        return "Microaggregation protects against attackers who know all values"

    def verify_values(self, shown: ShownValues) -> str:
        """Count all combinations on the finished table, and the records that are still unique."""
        counted = count_combinations(shown.sets, shown.records, self.k, self.m, shown.people)
        if any(combinations.rare for combinations in counted):
            raise InternalError("a combination of values is rarer than was guaranteed")
        unit = "records" if shown.people is None else "people"
        uniques = shown.count_uniques()
        one = "person" if unit == "people" else "record"
        still = f"{one} is" if uniques == 1 else f"{unit} are"
        alone = (
            ". Values of different records of a person are not combined: whoever can put the "
            "records of a person together may know more"
            if shown.people_differ
            else ""
        )
        return (
            f"every {self._combination} of {', '.join(shown.columns)} is shared "
            f"by at least {self.k:,} {unit} or by none; {uniques:,} {still} still unique to an "
            f"attacker who knows all their values (k^m-anonymity, not k-anonymity){alone}"
        )

    def explain_tuple(self, masked: MaskedTuple) -> MethodExplanation:
        """Explain without a group: every combination is counted in the whole table."""
        return masked.explain_without_group()

    def check(self, tuples: Tuples) -> None:
        """Refuse a table with too few records, or people."""
        records, k = _weigh_records(tuples, self.k)
        for attribute, codes in zip(tuples.attributes, tuples.codes, strict=True):
            says_something = np.ones(attribute.size, dtype=bool)
            if isinstance(attribute, NominalAttribute) and has_sets(attribute):
                says_something[: len(attribute.values)] = [v != EMPTY_SET for v in attribute.values]
            filled = int(records[says_something[codes]].sum())
            if 0 < filled < k:
                unit = "records" if tuples.people is None else "people"
                raise ParameterError(
                    f"k must be at most the number of {unit} with a value of {attribute.name!r}, "
                    f"{filled * self.k // k:,}, got {self.k:,}",
                    "choose a smaller k",
                )

    def plan(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Recode all columns together."""
        from ontomask.methods.recoding.combinations import recode_combinations

        self.check(tuples)
        hierarchies = [
            build_hierarchy(attribute, tuples.value_counts(j))
            for j, attribute in enumerate(tuples.attributes)
        ]
        weights = [attribute.weight for attribute in tuples.attributes]
        original, parents, worth, begin = join_hierarchies(hierarchies, list(tuples.codes), weights)
        records, k = _weigh_records(tuples, self.k)
        recoded = recode_combinations(original, parents, records, k, self.m, worth)
        columns = [
            hierarchy.write(kept, codes, tuples.counts)
            for hierarchy, kept, codes in zip(
                hierarchies, split_sets(recoded, begin), tuples.codes, strict=True
            )
        ]
        wider = replace(tuples, attributes=tuple(attribute for attribute, _ in columns))
        targets = np.column_stack([column for _, column in columns])
        return Transitions.from_targets(wider, targets, np.arange(len(tuples)))


def _weigh_records(tuples: Tuples, k: int) -> tuple[Longs, int]:
    """The weight of each tuple, and that of k people, so that k people are never counted too soon.

    Where people are known, the weights of a person's records add up to the same for everybody. What
    some of the records show cannot be more than their people then. A record of an unknown person
    adds a little, and k becomes as much larger as all of these add.
    """
    people = tuples.people
    if people is None:
        return tuples.counts, k
    _, first, person = np.unique(people.value, return_index=True, return_inverse=True)
    records = np.bincount(person, weights=people.count).astype(np.int64)
    unknown = tuples.records - int(records.sum())
    if not unknown and (records == 1).all():
        return np.bincount(people.tuple, minlength=len(tuples)).astype(np.int64), k
    one = ONE_PERSON * (1 + unknown // ONE_PERSON)
    weights = people.count * (one // records)[person]
    weights[first] += one % records  # what rounding left
    sums, known = np.zeros((2, len(tuples)), dtype=np.int64)
    np.add.at(sums, people.tuple, weights)
    np.add.at(known, people.tuple, people.count)
    return sums + tuples.counts - known, k * one + unknown

"""Recoding of sets until no combination of a few of their values is rare: k^m-anonymity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from ontomask.errors import InternalError, ParameterError, quote_names
from ontomask.methods.method import Method
from ontomask.methods.settings import SettingHelp
from ontomask.microdata.attributes import NominalAttribute
from ontomask.microdata.sets import ConceptSets, closures, missing_concept, reduce_to_deepest
from ontomask.microdata.sets.combinations import count_combinations
from ontomask.microdata.sets.set_concepts import (
    has_sets,
    name_set,
    sets_of_values,
    with_more_candidates,
)
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.explaining.masked_tuple import MaskedTuple, MethodExplanation

__all__ = ["PairRecoding"]


@dataclass(frozen=True)
class PairRecoding(Method):
    """Recode sets so that every combination of at most ``m`` of their values is shared by ``k``.

    This is k^m-anonymity (Terrovitis, Mamoulis and Kalnis 2008), for attackers who know at most
    ``m`` values of a person. It loses far less than k-anonymity of whole sets, and is not
    k-anonymity: an attacker who knows the whole set may find its only holder.

    Values are replaced by their ancestors only where a combination is rare (local recoding), so the
    same value may be released at several levels. There must be one quasi-identifier, a set.

    Args:
        k: Smallest number of records that share a combination, at least 2.
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
            "Every combination of at most m values is shared by at least k records, or by none.",
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
    only_for_sets: ClassVar[bool] = True
    protects_parts_of_sets: ClassVar[bool] = True
    title: ClassVar[str] = "pair recoding"
    summary: ClassVar[str] = (
        "k^m-anonymous, only for sets: no combination of up to m values is rare. Not k-anonymous."
    )
    help: ClassVar[str] = (
        "For attackers who know a few values of a person. Whole sets may still be unique."
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
        """A combination of sets is recoded as a whole."""
        return True

    @property
    def description(self) -> str:
        """What was recoded."""
        return f"values in rare combinations of up to {self.m} were replaced by their ancestors"

    @property
    def promise(self) -> str:
        """What holds for combinations of values."""
        return (
            f"every combination of up to {self.m} values of the sets is shared by at least "
            f"{self.k:,} records or by none (k^m-anonymity, not k-anonymity)"
        )

    @property
    def because(self) -> str:
        """Why a value is replaced."""
        return (
            f"a value is replaced by its ancestors where a combination of up to {self.m} values "
            f"has fewer than {self.k} records"
        )

    @property
    def protection_advice(self) -> str:
        """What protects whole sets."""
        return "Microaggregation protects whole sets"

    def explain_tuple(self, masked: MaskedTuple) -> MethodExplanation:
        """Explain without a group: every combination is counted in the whole table."""
        return masked.explain_without_group()

    def check(self, tuples: Tuples) -> None:
        """Refuse other columns than one of sets, and people with several records."""
        if len(tuples.attributes) > 1 or not has_sets(tuples.attributes[0]):
            names = quote_names(attribute.name for attribute in tuples.attributes)
            raise ParameterError(
                f"pair recoding needs one quasi-identifier, and a set, got {names}",
                "give the other columns another role, or use another method",
            )
        if tuples.people is not None and tuples.people.count.sum() > len(
            np.unique(tuples.people.value)
        ):
            raise ParameterError(
                "pair recoding counts records, but some people have several",
                "write all values of a person into one set, or leave person out",
            )

    def plan(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Recode the sets, and count the combinations again."""
        from ontomask.methods.recoding.combinations import recode_combinations

        self.check(tuples)
        (attribute,) = tuples.attributes
        assert isinstance(attribute, NominalAttribute)
        domain = attribute.domain
        original = _close_sets(attribute).take(tuples.codes[0])
        recoded = recode_combinations(original, domain.parent_links, tuples.counts, self.k, self.m)
        released = reduce_to_deepest(domain, recoded)
        if any(count.rare for count in count_combinations(released, tuples.counts, self.k, self.m)):
            raise InternalError("a combination of values is rarer than was guaranteed")
        names = [
            name_set(domain.identifiers[concept] for concept in held) for held in released.lists()
        ]
        has_values = released.sizes() > 0
        wider = with_more_candidates(
            attribute, {name for name, has in zip(names, has_values.tolist(), strict=True) if has}
        )
        places = np.array([wider.places.get(name, 0) for name in names])
        # Empty and missing sets stay.
        targets = np.where(has_values, places, wider.target_of(tuples.codes[0]))
        wider_tuples = replace(tuples, attributes=(wider,))
        return Transitions.from_targets(wider_tuples, targets[:, None], np.arange(len(tuples)))


def _close_sets(attribute: NominalAttribute) -> ConceptSets:
    """The closure of each value; a missing one is empty."""
    sets = closures(attribute.domain, sets_of_values(attribute, attribute.domain))
    known = sets.concepts != missing_concept(attribute.domain)
    return ConceptSets.from_pairs(sets.owners()[known], sets.concepts[known], len(sets))

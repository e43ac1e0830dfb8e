"""The interface of a masking method: everything that the rest of the package needs from it.

A method is one module with one class: a frozen dataclass, derived from :class:`Method`, whose
fields are its settings (:mod:`ontomask.methods.settings`). Report, workbench, command line, release
file and explanations read what stands here; none of them has a list of methods.
"""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_type_hints
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ontomask.errors import Hint, ParameterError, Setting
from ontomask.methods.settings import SettingHelp, check_settings
from ontomask.microdata.shown_values import ShownValues
from ontomask.microdata.tuples import Transitions, Tuples

if TYPE_CHECKING:
    from ontomask.methods.blocks.split import StandaloneTest
    from ontomask.methods.explaining.masked_tuple import MaskedTuple, MethodExplanation
    from ontomask.methods.microaggregation.linked import LinkedPeople
    from ontomask.microdata.linked_records import LinkedRecords

__all__ = ["BlockwiseMethod", "GroupingMethod", "Method", "SensitivePromise"]


@dataclass(frozen=True)
class SensitivePromise:
    """What a method guarantees for the sensitive columns of every class; None: nothing.

    ``l``: number of different values or, with ``entropy``, the exponential of their entropy.
    ``t``: no farther than that from the whole table. ``columns`` are those it holds for; None: all.
    """

    l: int | None = None  # noqa: E741 - the word of the trade
    t: float | None = None
    columns: Sequence[str] | None = None
    entropy: bool = False

    def holds_for(self, column: str) -> bool:
        """Whether it is a promise about this column."""
        return self.columns is None or column in self.columns


class _SettingsSignature:
    """The signature of a method for ``help``: types of settings without their help texts."""

    def __get__(self, method: Any, kind: type) -> inspect.Signature:
        if not is_dataclass(kind):
            raise AttributeError("__signature__")  # the usual one
        try:
            types = get_type_hints(kind)
        except NameError as error:  # a type that only its function knows
            raise AttributeError("__signature__") from error
        return inspect.Signature(
            [
                inspect.Parameter(
                    setting.name,
                    inspect.Parameter.POSITIONAL_OR_KEYWORD,
                    default=inspect.Parameter.empty
                    if setting.default is MISSING
                    else setting.default,
                    annotation=types[setting.name],
                )
                for setting in fields(kind)
                if setting.init
            ]
        )


class Method(ABC):
    """Base class of masking methods.

    A method is a frozen dataclass: its fields are its settings. A subclass must implement
    :meth:`plan`. Everything else has a default: a method promises nothing unless it says so, and is
    explained by its plan.
    """

    __signature__ = _SettingsSignature()

    #: Name in a release file; by default, the name of the class in snake case.
    name: ClassVar[str]
    #: Name for users; by default, the name with spaces.
    title: ClassVar[str]
    #: What the method does or promises, in one sentence.
    summary: ClassVar[str] = ""
    #: What to know before choosing it, in a few sentences.
    help: ClassVar[str] = ""
    #: The setting that comparisons vary; it is always shown with the name of the method.
    varied_by: ClassVar[str | None] = None
    #: Old names of settings, which still work with a warning: ``{"k": "window"}``. The class needs
    #: the decorator ``accept_renamed_settings``.
    renamed_settings: ClassVar[Mapping[str, str]] = {}
    #: Whether it promises class sizes with its default settings.
    promises_k: ClassVar[bool] = False
    #: Whether every value of an attribute keeps its frequency.
    permutes: ClassVar[bool] = False
    #: Whether it compares values by their distance.
    compares_values: ClassVar[bool] = False
    #: Whether comparisons include it without being asked to.
    compared_by_default: ClassVar[bool] = True
    #: The setting that says how many values of a person an attacker knows; None if any number.
    attacker_setting: ClassVar[str | None] = None
    #: Whether it plans records with missing numbers together with the others.
    plans_missing_numbers: ClassVar[bool] = False
    #: Whether it promises something about parts of a set, so that no value may be left out.
    protects_parts_of_sets: ClassVar[bool] = False
    #: Whether values are kept or suppressed and never replaced.
    only_suppresses: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
        if "title" not in cls.__dict__:
            cls.title = cls.name.replace("_", " ")

    def __post_init__(self) -> None:
        check_settings(self)

    # ------------------------------------------------------------------ what it promises

    @property
    def promised_k(self) -> int | None:
        """Promised size of equivalence classes, in records or people; None without a promise."""
        return None

    @property
    def target_k(self) -> int | None:
        """The k that linkage is compared with: linked with a probability above 1/k."""
        return self.promised_k

    @property
    def sensitive_promise(self) -> SensitivePromise | None:
        """What the method promises about sensitive attributes."""
        return None

    @property
    def suppression(self) -> Literal["blank", "drop"] | None:
        """How the method suppresses records: it blanks their values, removes them, or neither."""
        return None

    @property
    def drops(self) -> bool:
        """Whether suppressed records are removed from the table."""
        return self.suppression == "drop"

    @property
    def draws_at_random(self) -> bool:
        """Whether another seed gives another plan."""
        return True

    @property
    def keeps_tuples_together(self) -> bool:
        """Whether all records of a combination of values get the same masked values."""
        return False

    #: Whether it verifies the values that the rows of the finished table show.
    verifies_values: ClassVar[bool] = False

    def verify_values(self, shown: ShownValues) -> str:
        """Verify what the method promises of the values of a finished table.

        It is called if ``verifies_values`` is set, before anything is released.

        Returns:
            What holds, in one sentence without a full stop: the first one of the guarantee.
        """
        return ""

    # ------------------------------------------------------------------ what it says

    @property
    def description(self) -> str:
        """What was done to the table, as a clause of a report: "rare values were removed"."""
        return ""

    @property
    def promise(self) -> str:
        """What holds by construction, apart from class sizes, in words."""
        return ""

    @property
    def because(self) -> str:
        """How the method chooses masked values, in words."""
        return ""

    @property
    def protection_advice(self) -> str:
        """What would protect better, for the warning about weak protection."""
        return "A method that forms groups of k records protects more"

    def explain_tuple(self, masked: MaskedTuple) -> MethodExplanation:
        """Explain why a combination of values got its masked values; by default from the plan."""
        return masked.explain_by_target()

    # ------------------------------------------------------------------ what it does

    def check(self, tuples: Tuples) -> None:
        """Raise an error if the method cannot mask the table."""
        return

    @abstractmethod
    def plan(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Decide how many records of each combination of values get which masked values.

        Args:
            tuples: The combinations of values as codes, with their numbers of records.
            random: The random generator.

        Returns:
            The transitions from original to masked combinations.
        """

    def check_links(self, tuples: Tuples) -> None:
        """Raise an error if the method cannot keep the records of a person linked."""
        raise ParameterError(
            f"{self.title} cannot keep the records of a person linked",
            Hint("use ", Setting("method", "microaggregation"), ", or leave linked out"),
        )

    def link_people(self, tuples: Tuples, records: LinkedRecords) -> LinkedPeople:
        """Decide what the records of linked people become, and under which pseudonyms.

        Args:
            tuples: The combinations of values.
            records: The records of each person.

        Returns:
            What each record becomes, in the order of ``records.list_records()``. At least k people
            share all rows of each pseudonym.
        """
        raise NotImplementedError


#: Tables that were cut into blocks, by method: needed for the plan and for its loss.
_blocks_by_method: WeakKeyDictionary[Tuples, dict[Method, list[NDArray[np.int64]]]] = (
    WeakKeyDictionary()
)


class BlockwiseMethod(Method):
    """A method that can plan many tuples in blocks, each alone (:mod:`ontomask.methods.blocks`)."""

    if TYPE_CHECKING:  # settings, which a subclass declares
        k: int
        block: int | None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.block is not None and self.block < self.smallest_block:
            raise ParameterError(
                f"block must be at least {self.smallest_block:,}, twice {self.varied_by}, got "
                f"{self.block:,}",
                "larger blocks lose less information; the default is 20,000 combinations of values",
            )

    @property
    def smallest_block(self) -> int:
        """The smallest block size that the method accepts."""
        return 2 * self.k

    def plan(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """How many records of each tuple become which target; in blocks where asked for."""
        if not self.blocked(tuples):
            return self.plan_whole(tuples, random)
        from ontomask.methods.blocks import plan_in_blocks

        alone = self.with_block_size(None).plan
        return plan_in_blocks(alone, tuples, self.blocks(tuples), self.factors(tuples), random)

    def with_block_size(self, block: int | None) -> BlockwiseMethod:
        """The same method with blocks of another size, or none."""
        return replace(self, block=block)  # type: ignore[type-var]  # methods are dataclasses

    @property
    def gains_from_blocks(self) -> bool:
        """Whether planning in blocks is of any use to this method."""
        return True

    @abstractmethod
    def plan_whole(self, tuples: Tuples, random: np.random.Generator) -> Transitions:
        """Plan all tuples together."""

    def blocked(self, tuples: Tuples) -> bool:
        """Whether the method plans these tuples in blocks."""
        return self.block is not None and len(tuples) > self.block

    def blocks(self, tuples: Tuples) -> list[NDArray[np.int64]]:
        """The blocks in which the method plans these tuples, by the places of the tuples."""
        from ontomask.methods.blocks import split_into_blocks

        known = _blocks_by_method.setdefault(tuples, {})
        if self not in known:
            size = len(tuples) if self.block is None else self.block
            known[self] = split_into_blocks(
                tuples, size, self.factors(tuples), self.standalone_test(tuples)
            )
        return known[self]

    def factors(self, tuples: Tuples) -> Sequence[float] | None:
        """What distances are multiplied with, where that depends on the whole table."""
        return None

    def standalone_test(self, tuples: Tuples) -> StandaloneTest:
        """A test of whether some tuples can be planned alone: they have enough records."""
        return lambda members: int(tuples.counts[members].sum()) >= self.k


@dataclass(frozen=True)
class GroupingMethod(Method):
    """A method that forms groups of at least ``k`` records with the same masked values.

    Args:
        k: Smallest number of records (or people) in a group, at least 2.
    """

    k: Annotated[
        int,
        SettingHelp(
            "k",
            "Every combination of masked values is shared by at least k records (or people).",
            least=2,
            usual=(2, 3, 5, 10, 20, 50),
            main=True,
        ),
    ] = 5
    varied_by: ClassVar[str | None] = "k"
    promises_k: ClassVar[bool] = True

    @property
    def promised_k(self) -> int | None:
        """The least number of records in a class: ``k``."""
        return int(self.k)

    @property
    def target_k(self) -> int | None:
        """The k of the settings, whether it is promised or not."""
        return int(self.k)

    @property
    def keeps_tuples_together(self) -> bool:
        """A tuple is in one group, with all its records."""
        return True

    def check(self, tuples: Tuples) -> None:
        """Raise an error if the table has fewer than ``k`` records."""
        if self.k > tuples.records:
            raise ParameterError(
                f"k must be at most the number of records, {tuples.records:,}, got {self.k:,}",
                "choose a smaller k"
                if tuples.records > 1
                else "mask a table of at least two records",
            )

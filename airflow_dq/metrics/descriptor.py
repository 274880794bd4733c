"""What a metric is: everything that is known about it stands in its descriptor, which its decorator writes.

Imports nothing numeric: who names a :class:`Bound` or a :class:`Reason` while a DAG file is parsed pays for no more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from inspect import unwrap
from typing import Any, Required, TypedDict

from airflow_dq.metrics.extrapolation import SHIFT, Extrapolation
from airflow_dq.states.base import Kind, State
from airflow_dq.states.pair import Pair


class Reason(StrEnum):
    """Why a metric has no value.  Stored in place of the value; never NaN, infinity, 0 or 1 as a stand-in."""

    EMPTY_BATCH = "empty batch"
    NO_VALUES = "no values"
    OVERFLOW = "overflow"
    NOT_APPLICABLE = "not applicable"
    NOT_COUNTED = "too many values to be kept one by one"
    ENGINE_ERROR = "engine error"


MetricValue = float | Reason
"""A finite number, or the reason why there is none."""


class Bound(StrEnum):
    """The inequality that bounds a constraint's false-positive rate (AVH, Propositions 1-3)."""

    CHEBYSHEV = "chebyshev"
    """Proposition 1: any metric, two-sided, ``(sigma / beta) ** 2``."""
    CANTELLI = "cantelli"
    """Proposition 2: distance-like metrics, upper side only, ``sigma**2 / (beta**2 + sigma**2)``."""
    CLT = "clt"
    """Proposition 3: averages and counts, two-sided, the normal tail ``erfc(beta / (sqrt(2) * sigma))``."""
    POOLED = "pooled"
    """Mode ``calibrated``: how often errors of real tables exceed the largest one before them so many times."""


class Scale(StrEnum):
    """What kind of number a metric is: on which scale it varies, and what a material change of it is."""

    AMOUNT = "amount"
    """Any number; a change is compared with its level."""
    INFORMATION = "information"
    """An entropy, in nats: a change is compared with its level, and with the entropy of one value among the others."""
    LENGTH = "length"
    """An average number of characters: a change is compared with its level, of at least a quarter of a character."""
    RATIO = "ratio"
    """A number of 0 or more that varies by factors: logarithmic."""
    COUNT = "count"
    """A number of things: logarithmic, and one thing more or less is never material."""
    SHARE = "share"
    """A share of a column's values, from 0 to 1: a change is absolute, one value more or less is never material."""
    DISTANCE = "distance"
    """A distance of two shares or distributions, 0 when they are equal: only an increase matters."""
    TRANSPORT = "transport"
    """A distance in the column's own unit: a change is compared with the column's standard deviation."""


class Unit(StrEnum):
    """In what a metric is measured: how a person reads its values."""

    NUMBER = "number"
    """A number without a unit."""
    COUNT = "count"
    """A number of rows or of distinct things."""
    SHARE = "share"
    """A share from 0 to 1, read as a percentage."""
    COLUMN = "column"
    """The column's own unit, as its values have it: of timestamps a moment in time."""
    SPAN = "span"
    """A width in the column's own unit: of timestamps a number of seconds."""
    CHARACTERS = "characters"
    """Characters of a text."""
    ELEMENTS = "elements"
    """Bytes of a binary, elements of a list or map, fields of a struct."""


class Support(StrEnum):
    """What a metric is measured on, which says how much a single one weighs."""

    ROWS = "rows"
    """All rows."""
    VALUES = "values"
    """The values that are present."""


class Use(StrEnum):
    """When mode ``calibrated`` learns ranges of a metric."""

    ALWAYS = "always"
    """Unless a user names other metrics."""
    NAMED = "named"
    """Only where a user names it: it is stored and shown to everybody."""
    NEVER = "never"
    """Not even then: it costs more false alarms than it catches errors that no other metric catches."""


PastMetrics = Sequence[Mapping[str, MetricValue]]
"""The metrics of a column by name, of each past partition that has it."""


def always_barred(past: PastMetrics) -> bool:
    """True: that there was none says enough."""
    return True


@dataclass(frozen=True, slots=True)
class FirstOccurrence:
    """A metric that says how many values are of a sort; the first ones in a column that never had any are news."""

    words: str
    """What is wrong with them, after "... of the values"."""
    is_barred: Callable[[PastMetrics], bool] = always_barred
    """Whether it is for a reason that the past partitions had none."""


MIN_EFFECT = {
    Scale.AMOUNT: 0.004,
    Scale.INFORMATION: 0.004,
    Scale.LENGTH: 0.004,
    Scale.RATIO: 0.004,
    Scale.COUNT: 0.004,
    Scale.SHARE: 0.004,
    Scale.DISTANCE: 0.01,
    Scale.TRANSPORT: 0.004,
}
"""Changes below these page nobody: 0.4 % of a level, 0.4 points of a share, a hundredth of a distance's range."""
DIVERGENCE_EFFECT = 0.002
"""The least material change of divergences, whose :attr:`Metric.order` is 2."""

ANY_NUMBER = (-math.inf, math.inf)
"""Range of a metric that may have any value."""
NOT_NEGATIVE = (0.0, math.inf)
"""Range of counts, lengths and spreads."""
FROM_0_TO_1 = (0.0, 1.0)
"""Range of shares."""
_UNITS = {
    Scale.LENGTH: Unit.CHARACTERS,
    Scale.COUNT: Unit.COUNT,
    Scale.SHARE: Unit.SHARE,
    Scale.TRANSPORT: Unit.SPAN,
}
_RANGES = {Scale.AMOUNT: ANY_NUMBER, Scale.SHARE: FROM_0_TO_1}
_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}


@dataclass(frozen=True, slots=True)
class Metric:
    """One registered metric; ``function`` takes the states named by ``states`` (a pair metric: now, before)."""

    name: str
    """Its stored name, which never changes."""
    states: tuple[type[State], ...]
    kinds: frozenset[Kind]
    """The kinds of column that have it."""
    pair: bool
    """Whether it compares two partitions."""
    bound: Bound
    """The inequality that holds for it (AVH, section 4.2)."""
    scale: Scale
    min_effect: float
    """Least change that may be an alarm, relative or absolute as ``scale`` says; mode ``calibrated`` adds it."""
    paper: bool
    """Whether it is one of the paper's Tables 3 and 4; mode ``paper`` uses no other."""
    function: Callable[..., MetricValue]
    words: str = ""
    """What it is, in words that a sentence can go on from: ``share of zeros``."""
    link: str = "from"
    """The word between those of a pair metric and what it is compared with: a distance *from* the partition before."""
    unit: Unit = Unit.NUMBER
    natural_range: tuple[float, float] = ANY_NUMBER
    """The lowest and the highest value that it can take at all."""
    support: Support = Support.VALUES
    use: Use = Use.ALWAYS
    """When mode ``calibrated`` learns ranges of it."""
    of_table: bool = False
    """Whether all columns have the same value: mode ``calibrated`` judges it once, for the table."""
    always: frozenset[Kind] = frozenset()
    """The kinds of column on which mode ``calibrated`` always watches it, as far as it can be paid for."""
    counts_new: bool = False
    """Whether it is the share of values not seen before, of which a short history has none by chance."""
    presence: bool = False
    """Whether it says how many values are there, whatever they are: no date foretells it."""
    first_occurrence: FirstOccurrence | None = None
    """For a share of values that are news in a column that never had any."""
    multiple: float | None = None
    """For the size of the largest value: so many times that of any past partition is news by itself."""
    extrapolation: Extrapolation = SHIFT
    """How a change that is seen on a sample carries over to the partition."""
    represented: bool = False
    """Whether its value depends on how distinct values were counted (its ``Representation``)."""
    level: float | None = None
    """The share of the values below it, for a quantile; 0 and 1 are the minimum and the maximum."""
    pool: int = 1
    """Number of past partitions whose merged states are the baseline of a pair metric."""
    pooled: str = ""
    """The name of the same metric with a baseline of several partitions; empty where there is none."""
    order: int = 1
    """The power of a small difference that it grows with: 1, or of divergences, cosine and chi-squared 2."""
    of_letters: bool = False
    """Whether it reads the letters of values: of a hidden column, which has hashes instead, it says nothing."""
    pair_type: type[Pair[Any]] | None = None
    """What a pair metric's function takes in place of the two states (None: the two states)."""

    def learned(self, *, named: bool) -> bool:
        """Whether mode ``calibrated`` learns ranges of it for a column.

        :param named: whether a user has chosen the metrics, this one among them
        """
        return not self.of_table and (self.use is Use.ALWAYS or (self.use is Use.NAMED and named))

    def bounded(self, value: MetricValue) -> MetricValue:
        """The value within the natural range, which a sum of rounded shares may leave by its last digit."""
        lowest, highest = self.natural_range
        return min(max(value, lowest), highest) if isinstance(value, float) else value

    @property
    def phrase(self) -> str:
        """The words, and for a pair metric what the partition is compared with."""
        if not self.pair:
            return self.words
        several = f"the last {_NUMBERS.get(self.pool, self.pool)} partitions"
        return f"{self.words} {self.link} {'the partition before' if self.pool == 1 else several}"

    @property
    def is_extreme(self) -> bool:
        """Whether it is the minimum or the maximum."""
        return self.level in (0.0, 1.0)

    @property
    def of_differences(self) -> bool:
        """Whether it says by how much values differ from each other: of a single one it is 0, whatever that is."""
        return not self.pair and (self.unit is Unit.SPAN or self.scale is Scale.INFORMATION)

    @property
    def of_one_value(self) -> float:
        """How far one value of many may move it, as a multiple of the share that it is of them.

        A value that becomes another one takes its share from the one and gives it to the other: a sum of differences
        moves by both.
        """
        highest = self.natural_range[1]
        return highest if self.scale is Scale.DISTANCE and 1.0 < highest < math.inf else 1.0

    @property
    def doc(self) -> str:
        """First line of the function's docstring: what the metric measures."""
        return (self.function.__doc__ or "").strip().partition("\n")[0]

    @property
    def source(self) -> tuple[str, str]:
        """File and qualified name of the function: the same even when its module is loaded again under another name."""
        return unwrap(self.function).__code__.co_filename, self.function.__qualname__

    @property
    def built_in(self) -> bool:
        """Whether it is one of this package's own."""
        return self.function.__module__.startswith("airflow_dq.")


class Facts(TypedDict, total=False):
    """What a decorator says about a metric: fields of :class:`Metric`, of which all but ``bound`` have a default."""

    bound: Required[Bound]
    pair: bool
    name: str
    """The function's own."""
    kinds: frozenset[Kind]
    """All that carry the states."""
    scale: Scale
    """A distance for a pair metric, else an amount."""
    min_effect: float
    """:data:`MIN_EFFECT` of the scale, or :data:`DIVERGENCE_EFFECT`."""
    paper: bool
    words: str
    """The name with spaces."""
    link: str
    unit: Unit
    """As the scale says: characters, a count, a share, a span, else a number."""
    natural_range: tuple[float, float]
    """As the scale says: any number for an amount, 0 to 1 for a share, else 0 or more."""
    support: Support
    use: Use
    of_table: bool
    always: frozenset[Kind]
    counts_new: bool
    presence: bool
    first_occurrence: FirstOccurrence | None
    multiple: float | None
    extrapolation: Extrapolation
    represented: bool
    level: float | None
    pool: int
    pooled: str
    order: int
    of_letters: bool


def describe(
    function: Callable[..., MetricValue], states: tuple[type[State] | type[Pair[Any]], ...], facts: Facts
) -> Metric:
    """The descriptor of a function of states, with defaults for what its decorator leaves out.

    :param states: at least one, or the pair that a metric of two partitions takes
    """
    pair = facts.get("pair", False)
    read = tuple(one.state if issubclass(one, Pair) else one for one in states)
    having = frozenset.intersection(*(state.kinds for state in read))
    name = facts.get("name", function.__name__)
    scale = facts.get("scale", Scale.DISTANCE if pair else Scale.AMOUNT)
    given = facts | {"kinds": having & facts.get("kinds", having)}
    defaults = {
        "states": read,
        "pair_type": next((one for one in states if issubclass(one, Pair)), None),
        "name": name,
        "pair": pair,
        "scale": scale,
        "min_effect": DIVERGENCE_EFFECT if facts.get("order") == 2 else MIN_EFFECT[scale],
        "paper": False,
        "words": name.replace("_", " "),
        "unit": _UNITS.get(scale, Unit.NUMBER),
        "natural_range": _RANGES.get(scale, NOT_NEGATIVE),
    }
    return Metric(function=function, **(defaults | given))  # type: ignore[arg-type]

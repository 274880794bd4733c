"""What a column's past suggests: one function for each kind of check, from its profiles alone.

The rules of Deequ (Schelter et al., VLDB 2018, section 3.3), and what a history tells beyond them: ranges of what a
partition's values come to, and how texts are always written.  Each gives its candidates from the strictest on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from airflow_dq.backtest.unique_name import probability
from airflow_dq.check.bounds import Bounds
from airflow_dq.check.metric import NONE
from airflow_dq.check.model import Check
from airflow_dq.check.odcs_metric import name_sql
from airflow_dq.profile.check.answer import answer
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.count import Counts

MOST_VALUES = 50
"""A set of more values is no set that a person looks through."""
SINGLES = 0.1
"""A column of which more values than this share occur once has no closed set of them (Deequ's)."""
LEAST_COMPLETE = 0.2
"""A column with fewer values than this share has hardly any (Deequ's)."""
ALIKE = 0.08
"""A share of distinct values this near 1 may be 1: 1.7 standard errors of Deequ's sketch."""
FEW_ROWS = 20
"""Of fewer rows all values differ by chance."""
MANY = 7
"""With so many partitions without a repeated value the data speak for themselves; with fewer, a name has its say."""
COLLISIONS = 5.0
"""Repeated numbers that chance would have given, when there was none: the odds are below one in a hundred."""
LIKELY = 0.5
"""A name that more probably than not is one of unique columns, as in the paper."""
FORMATS = ("uuid", "email", "url", "ipv4", "datetime", "date", "integer", "number")
"""Formats that are looked for, the narrower one first."""
CONFIDENCE = 0.05
"""One minus the confidence of Wilson's interval."""
LEAST_SLACK = 0.1
"""A range leaves as much on each side as the values have spread, and at least this share of their size: a metric that
has been nearly constant may move, and an error of unit moves it by a factor."""
MOST_FACTOR = 10.0
"""A range is not stretched by more: an error of unit is one of ten or more."""
FEW_TEXTS = 2
"""Of one text alone it is not known how others are written."""

LEAST_TOLD = 3
"""Of fewer partitions that have values at all it is not known how much their extremes vary."""
OFTEN_TOLD = 0.5
"""Of a column that has values in a smaller share of the partitions the same holds: of 12 such ranges on the corpus that
could be tried later, by 20 partitions of history, 2 failed, and 31 of 1,362 others."""

Candidate = tuple[Check, str]
"""A check, and why it is suggested."""


@dataclass(frozen=True)
class Past:
    """One column in the partitions that something is to be suggested by."""

    dataset: str
    name: str
    profiles: Sequence[Profile]
    """Oldest first; each has the column."""
    tell: Callable[[Check, Profile], Measured] = answer
    """What a check measures of a partition."""

    @cached_property
    def columns(self) -> Sequence[ColumnProfile]:
        """The column in each of them."""
        return [one.columns[self.name] for one in self.profiles]

    @cached_property
    def kind(self) -> Kind | None:
        """What it has always been; None where that has varied, or nothing is known."""
        kinds = {column.kind for column in self.columns} - {Kind.NULL}
        return kinds.pop() if len(kinds) == 1 else None

    @property
    def shows_texts(self) -> bool:
        """Whether it is of texts, and none of them was hidden."""
        return self.kind is Kind.STRING and not any(one.options.hides(self.name) for one in self.profiles)

    def values(self, check: Check) -> list[float]:
        """What a check would have measured, of partitions that can tell."""
        return [float(value) for one in self.profiles if (value := self.tell(check, one).value) is not None]

    def tells(self, values: Sequence[float]) -> bool:
        """Whether there are values of enough partitions to say how they vary."""
        return len(values) >= max(LEAST_TOLD, OFTEN_TOLD * len(self.profiles))

    @cached_property
    def goes_on(self) -> bool:
        """Whether every partition's numbers lie above all of the one before: of a counter no range holds for long."""
        low, high = (self.values(Check(metric, (self.name,), error=NONE)) for metric in ("min", "max"))
        return len(low) >= LEAST_TOLD and all(later > before for before, later in zip(high, low[1:], strict=False))

    @cached_property
    def least_complete(self) -> float:
        """The share of values in the least complete partition; 0 where none is known."""
        return min(self.values(Check("completeness", (self.name,), error=NONE)), default=0.0)


def completeness_bound(numerator: int, denominator: int) -> float:
    """The least share of values that a partition's are compatible with: Wilson's, rounded down to a hundredth."""
    from statsmodels.stats.proportion import proportion_confint

    low, _ = proportion_confint(numerator, denominator, alpha=CONFIDENCE, method="wilson")
    return math.floor(100 * float(low)) / 100


def complete(past: Past) -> Iterator[Candidate]:
    """Every row has a value; or a share of them that the least complete partition is compatible with."""
    check = Check("completeness", (past.name,), error=Bounds(1, 1))
    shares = [one for one in (past.tell(check, profile) for profile in past.profiles) if one.denominator]
    if not shares:
        return
    if past.least_complete == 1:
        yield check, "every row has a value"
    if past.least_complete <= LEAST_COMPLETE:
        return
    bound = min(completeness_bound(one.numerator or 0, one.denominator or 1) for one in shares)
    said = f"at least {past.least_complete:.1%} of the rows have a value;"
    spread = max(one.value or 0.0 for one in shares) - past.least_complete
    below = math.floor(100 * max(0.0, past.least_complete - spread)) / 100
    if below < bound:
        # Wilson's interval is of chance within a partition; what moves all rows of one is seen between them alone.
        yield replace(check, error=Bounds(lower=below)), f"{said} as much again as that has varied is left"
    else:
        yield (
            replace(check, error=Bounds(lower=bound)),
            f"{said} Wilson's lower limit of the partition that allows least",
        )


def kind(past: Past) -> Iterator[Candidate]:
    """It is of its kind; of numbers, that they are whole."""
    if past.kind is not None and past.kind is not Kind.STRING:
        yield Check("type", (past.name,), type=str(past.kind)), f"it has always been {past.kind}"


def whole(past: Past) -> Iterator[Candidate]:
    """Numbers are whole."""
    check = _rule("{0} = floor({0})", past)
    if past.kind is Kind.NUMERIC and _always(past, check):
        yield check, "every number is whole"


def non_negative(past: Past) -> Iterator[Candidate]:
    """No number is below zero."""
    lowest = past.values(Check("min", (past.name,), error=NONE))
    if past.kind is Kind.NUMERIC and lowest and min(lowest) >= 0:
        check = Check("min", (past.name,), error=Bounds(lower=0))
        yield check, f"no value is below 0; the smallest is {min(lowest):g}"


def unique(past: Past) -> Iterator[Candidate]:
    """No value occurs twice, where chance does not explain that; where the data cannot say, the name does."""
    check = Check("uniqueness", (past.name,), error=Bounds(1, 1))
    rows = min(profile.row_count for profile in past.profiles)
    shares = past.values(check)
    if rows < FEW_ROWS or past.kind is None or past.least_complete <= LEAST_COMPLETE or set(shares) - {1.0}:
        return
    chance = probability(past.dataset, past.name, str(past.kind))
    named = f"by its name (a classifier trained on open-source schemas) it is unique with {chance:.0%}"
    if not shares:
        near = [column.metrics.get("unique_ratio") for column in past.columns]
        if chance > LIKELY and all(isinstance(one, float) and abs(1.0 - one) <= ALIKE for one in near):
            yield check, f"by an estimate nearly all values differ, not counted so far; {named}"
    elif len(shares) >= MANY and (past.kind is Kind.STRING or _expected_repeats(past) >= COLLISIONS):
        yield check, "no value occurs twice"
    elif chance > LIKELY:
        yield check, f"no value occurs twice, which alone proves little here; {named}"


def _expected_repeats(past: Past) -> float:
    """Pairs of equal numbers that chance would have given among whole numbers spread as these are."""
    if past.kind is not Kind.NUMERIC or not _always(past, _rule("{0} = floor({0})", past)):
        return 0.0
    pairs = 0.0
    for profile, column in zip(past.profiles, past.columns, strict=True):
        reach = column.metrics.get("range")
        if isinstance(reach, float):
            pairs += profile.row_count**2 / (2 * (reach + 1))
    return pairs


def value_set(past: Past) -> Iterator[Candidate]:
    """There are no other values; or hardly any."""
    if not past.shows_texts:
        return
    values: dict[str, int] = {}
    for column in past.columns:
        counts = column.states.get(Counts.key)
        if isinstance(counts, Counts) and counts.empty:
            # Missing for completeness, and a value like others for a set.
            values[""] = values.get("", 0) + counts.empty
        state = column.states.get(CategoryDistribution.key)
        if not isinstance(state, CategoryDistribution):
            continue  # no value at all, or no longer kept
        if state.buckets is not None or len(state.values) > 2 * MOST_VALUES:
            return
        for value, number in zip(state.values.to_pylist(), state.counts.tolist(), strict=True):
            values[value] = values.get(value, 0) + number
    single = sum(number == 1 for number in values.values())
    # What has been dropped of a partition still tells how many there were.
    most = max(
        (one for column in past.columns if isinstance(one := column.metrics.get("dist_val_count"), float)), default=0
    )
    if most > len(values):
        return
    if not any(values) or len(values) > MOST_VALUES or single > SINGLES * len(values):
        return
    check = Check("isin", (past.name,), values=tuple(sorted(values)))
    yield check, f"there {'is 1 value' if len(values) == 1 else f'are {len(values)} values, and few occur once'}"


def withheld(past: Past) -> Iterator[str]:
    """What a limit alone keeps from being suggested, in words."""
    if past.least_complete <= LEAST_COMPLETE:
        known = f"down to {past.least_complete:.1%} have one"
        yield f"no share of rows with a value: {known}, and of {LEAST_COMPLETE:.0%} or fewer nothing is asked"
    values = past.columns[-1].states.get(CategoryDistribution.key)
    if not past.shows_texts or not isinstance(values, CategoryDistribution) or values.buckets is not None:
        return
    number, single = len(values.values), int((values.counts == 1).sum())
    if number > MOST_VALUES and single <= SINGLES * number:
        yield f"no set of values: there are {number}, and a person looks through {MOST_VALUES} at most"


def written(past: Past) -> Iterator[Candidate]:
    """How every text is written."""
    if past.kind is not Kind.STRING:
        return
    for one in FORMATS:
        check = Check("format", (past.name,), format=one)
        if _always(past, check):
            yield check, f"every value is written as {one}"
            return


def in_case(past: Past) -> Iterator[Candidate]:
    """Every text is in capitals, or in small letters, or begins with none of these; of no letters nothing is known."""
    if past.kind is not Kind.STRING or not _has_letters(past):
        return
    for function, words in (("upper", "capitals"), ("lower", "small letters")):
        check = _rule(f"{{0}} = {function}({{0}})", past)
        if _always(past, check):
            yield check, f"every text is in {words}"
    check = Check("matches", (past.name,), pattern="^[^a-z]")
    if _always(past, check):
        yield check, "no text begins with a small letter"


def trimmed(past: Past) -> Iterator[Candidate]:
    """No text begins or ends with a blank."""
    check = _rule("{0} = trim({0})", past)
    if past.kind is Kind.STRING and _always(past, check):
        yield check, "no text begins or ends with a blank"


def length(past: Past) -> Iterator[Candidate]:
    """Every text is as long as all others; or no longer than some."""
    if past.kind is not Kind.STRING:
        return
    low = past.values(Check("min_length", (past.name,), error=NONE))
    high = past.values(Check("max_length", (past.name,), error=NONE))
    if not (past.tells(low) and past.tells(high)) or not max(high):
        return
    if min(low) == max(high):
        yield Check("max_length", (past.name,), error=Bounds(low[0], low[0])), f"every value has {low[0]:g} characters"
    most = max(high) + max(max(high) - min(high), math.ceil(LEAST_SLACK * max(high)), 1)
    said = f"the longest value has {max(high):g} characters; as much again as that has varied is left"
    yield Check("max_length", (past.name,), error=Bounds(upper=most)), said


def extreme(metric: str) -> Callable[[Past], Iterator[Candidate]]:
    """The smallest, or the largest, number lies where it has been."""

    def suggest(past: Past) -> Iterator[Candidate]:
        """What the column's past suggests of it."""
        if past.kind is not Kind.NUMERIC or past.goes_on:
            return
        low = past.values(Check("min", (past.name,), error=NONE))
        high = past.values(Check("max", (past.name,), error=NONE))
        if not (past.tells(low) and past.tells(high)):
            return
        reach = max(high) - min(low)
        own = low if metric == "min" else high
        slack = max(2 * (max(own) - min(own)), 0.5 * reach, LEAST_SLACK * max(map(abs, own)))
        if metric == "min" and min(low) < 0:
            said = f"the smallest values {_lay(min(low), max(low), 'g')}"
            yield Check("min", (past.name,), error=Bounds(lower=_rounded(min(low) - slack, down=True))), said
        elif metric == "max":
            said = f"the largest values {_lay(min(high), max(high), 'g')}"
            most = max(max(high) + slack, max(high) * _factor(high))
            yield Check("max", (past.name,), error=Bounds(upper=_rounded(most, down=False))), said

    return suggest


def usual(metric: str, of: Kind, words: str) -> Callable[[Past], Iterator[Candidate]]:
    """What the values of a partition come to lies where it has been, and as much on both sides as it has varied."""

    def suggest(past: Past) -> Iterator[Candidate]:
        """What the column's past suggests of it."""
        if past.kind is not of or (of is Kind.NUMERIC and past.goes_on):
            return
        found = past.values(Check(metric, (past.name,), error=NONE))
        if len(found) < MANY or not past.tells(found):
            return
        low, high = min(found), max(found)
        slack = max(high - low, LEAST_SLACK * max(abs(low), abs(high)))
        sides = _rounded(low - slack, down=True), _rounded(max(high + slack, high * _factor(found)), down=False)
        if sides[0] < sides[1]:
            said = f"{words} {_lay(low, high, '.4g')}; as much again is left on both sides"
            yield Check(metric, (past.name,), error=Bounds(*sides)), said

    return suggest


RULES: tuple[tuple[Callable[[Past], Iterator[Candidate]], bool], ...] = (
    (complete, False),
    (kind, False),
    (whole, False),
    (non_negative, False),
    (extreme("min"), True),
    (extreme("max"), True),
    (usual("mean", Kind.NUMERIC, "the mean"), True),
    (unique, False),
    (value_set, False),
    (written, False),
    (in_case, False),
    (trimmed, False),
    (length, True),
    (usual("mean_length", Kind.STRING, "the average length"), True),
)
"""Each rule, and whether its bounds are taken from all partitions once it has held on those it was not found in."""


def _lay(low: float, high: float, digits: str) -> str:
    """``lay from 5 to 7``, ``always lay at 5``."""
    first, last = format(low, digits), format(high, digits)
    return f"always lay at {first}" if first == last else f"lay from {first} to {last}"


def _factor(values: Sequence[float]) -> float:
    """By what factor positive values have varied: amounts do so by factors, of which as much again is left as well."""
    return min(MOST_FACTOR, max(values) / min(values)) if min(values) > 0 else 1.0


def _rule(template: str, past: Past) -> Check:
    return Check("rule", sql=template.format(name_sql(past.name)))


def _always(past: Past, check: Check) -> bool:
    found = past.values(check)
    return bool(found) and min(found) == 1.0


def _has_letters(past: Past) -> bool:
    """Whether the average text has at least one letter, and there is more than one text."""
    sizes = [column.metrics.get("char_len") for column in past.columns]
    values = [column.metrics.get("dist_val_count") for column in past.columns]
    enough = max((one for one in values if isinstance(one, float)), default=0) >= FEW_TEXTS
    return enough and min((one for one in sizes if isinstance(one, float)), default=0) >= 1


def _rounded(value: float, *, down: bool) -> float:
    """Three digits, away from the values: nobody reads more of a bound with this much slack."""
    if not value:
        return 0.0
    step = 10.0 ** (math.floor(math.log10(abs(value))) - 2)
    return float(f"{(math.floor(value / step) if down else math.ceil(value / step)) * step:.10g}")

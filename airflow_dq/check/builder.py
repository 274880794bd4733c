"""Declaring checks in Python: ``Checks("orders").col("email").complete()``; YAML builds the same objects by it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypedDict, Unpack

from airflow_dq.check.anomaly import Anomaly
from airflow_dq.check.bounds import Bounds, Number
from airflow_dq.check.duration import seconds_of
from airflow_dq.check.expression import Scalar
from airflow_dq.check.metric import ALIASES, METRICS
from airflow_dq.check.model import Check, Level, Nulls, require_own_ids
from airflow_dq.exceptions import ConfigurationError

BoundsLike = Bounds | str | Number | Sequence[Number]
"""``">=0.9"``, a number (exactly that), ``[lowest, highest]``, or bounds."""


class Common(TypedDict, total=False):
    """What every check may be given.  ``level="warn"`` makes what is asked by default only warn."""

    error: BoundsLike
    warn: BoundsLike
    anomaly: Anomaly | str | Mapping[str, Any]
    level: Level
    where: str
    id: str
    message: str
    owner: str
    tags: Iterable[str]


class Rule(Common, total=False):
    """What a check of each row may be given besides."""

    nulls: Nulls


class Asked:
    """A check as it was declared; what it asks may be given here, too."""

    def __init__(self, checks: Checks, place: int) -> None:
        self._checks = checks
        self._place = place

    @property
    def check(self) -> Check:
        """The check as it is so far."""
        return self._checks._declared[self._place]

    def between(self, low: Number, high: Number, *, level: Level = "error") -> Asked:
        """The value lies from ``low`` to ``high``."""
        return self._ask(Bounds(low, high), level)

    def at_least(self, low: Number, *, level: Level = "error") -> Asked:
        """The value is ``low`` or more."""
        return self._ask(Bounds(lower=low), level)

    def at_most(self, high: Number, *, level: Level = "error") -> Asked:
        """The value is ``high`` or less."""
        return self._ask(Bounds(upper=high), level)

    def exactly(self, value: Number, *, level: Level = "error") -> Asked:
        """The value is this one."""
        return self._ask(Bounds(value, value), level)

    def _ask(self, bounds: Bounds, level: Level) -> Asked:
        self._checks._ask(self._place, bounds, level)
        return self


class Checks:
    """What must hold of each partition of a dataset.

    ::

        checks = Checks("orders", key="order_id", owner="sales")
        checks.rows().between(1_000, 50_000)
        checks.col("email").completeness(error=">=0.90", warn=">=0.98")
        checks.rule("discount <= price", error=">=0.999")

    :param dataset: name of the dataset, for messages
    :param key: column or columns that are complete and together unique; None: nothing is asked of that
    :param owner: whom alerts concern, of checks that name nobody else
    :param tags: words to find every check by
    """

    def __init__(
        self,
        dataset: str,
        *,
        key: str | Sequence[str] | None = None,
        owner: str | None = None,
        tags: Iterable[str] = (),
    ) -> None:
        """Declare nothing but the key.

        :raises ConfigurationError: when the dataset has no name
        """
        if not isinstance(dataset, str) or not dataset.strip():
            raise ConfigurationError(f"Checks({dataset!r}): the dataset has no name.")
        self.dataset = dataset
        self._owner = owner
        self._tags = _words(tags)
        self._declared: list[Check] = []
        self._unasked: set[int] = set()
        self.not_judged: list[str] = []
        """What a contract asks for that no check is, each with its place."""
        if key is not None:
            self.key(*((key,) if isinstance(key, str) else key))

    @property
    def checks(self) -> tuple[Check, ...]:
        """All that was declared, in its order; of a metric of which nothing is asked, what is learned of it.

        :raises ConfigurationError: when two checks have one id
        """
        require_own_ids(tuple(self._declared), f"Checks({self.dataset!r})")
        return tuple(self._declared)

    def __iter__(self) -> Iterator[Check]:
        """The checks."""
        return iter(self.checks)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._declared)

    def add(self, metric: str, columns: Sequence[str] = (), **given: Any) -> Asked:
        """Declare a check by the name of its metric, as YAML does.

        :param metric: a name of the table in ``docs/checks.md``
        :param given: its arguments, and those of :class:`Common`
        :raises ConfigurationError: when it can never be measured, or asks for what cannot be
        """
        alias = ALIASES.get(metric)
        values: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        name, metric = metric, metric if alias is None else alias.metric
        if alias is not None and alias.low is not None:
            values.setdefault("low", alias.low)
        asked = _asked(name, values)
        values |= {"owner": values.get("owner", self._owner), "tags": (*self._tags, *_words(values.get("tags", ())))}
        if "values" in values:
            values["values"] = tuple(values["values"])
        try:
            check = Check(metric, tuple(columns), **values, **asked)
        except TypeError as error:
            raise ConfigurationError(f"Check {name!r}: {error}.") from None
        if not asked:
            self._unasked.add(len(self._declared))
        self._declared.append(check)
        return Asked(self, len(self._declared) - 1)

    def take(self, check: Check) -> None:
        """Declare a check that is whole already."""
        self._declared.append(check)

    def _ask(self, place: int, bounds: Bounds, level: Level) -> None:
        check = self._declared[place]
        own = check.id if check.id != replace(check, id="").id else ""
        unasked = place in self._unasked
        asked: dict[str, Any] = {"anomaly": None if unasked else check.anomaly, level: bounds}
        self._declared[place] = replace(check, id=own, **asked)
        self._unasked.discard(place)

    def col(self, name: str) -> ColumnChecks:
        """Checks of one column."""
        return ColumnChecks(self, name)

    def rows(self, **given: Unpack[Common]) -> Asked:
        """The number of rows (of those for which ``where`` is true)."""
        return self.add("rows", **given)

    def rule(self, sql: str, **given: Unpack[Rule]) -> Asked:
        """The share of rows for which an expression is true; by default of all of them."""
        return self.add("rule", sql=sql, **given)

    def metric(self, name: str, sql: str, **given: Unpack[Common]) -> Asked:
        """A number of one's own, of aggregates: ``sum(price * quantity)``."""
        return self.add("metric", name=name, sql=sql, **given)

    def has_columns(
        self, *columns: str, exactly: bool = False, ordered: bool = False, **given: Unpack[Common]
    ) -> Asked:
        """These columns are there.

        :param exactly: and no others
        :param ordered: in this order
        """
        return self.add("has_columns", columns, exactly=exactly, ordered=ordered, **given)

    def unique(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """No value, or tuple of values, occurs twice; rows without any of them are not counted."""
        return self.add("unique", columns, **given)

    def key(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """As :meth:`unique`, and none of the columns is ever without a value."""
        return self.add("key", columns, **given)

    def uniqueness(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """The share of rows whose value, or tuple of values, occurs once."""
        return self.add("uniqueness", columns, **given)

    def distinct(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """The number of distinct values, or tuples of values."""
        return self.add("distinct", columns, **given)

    def duplicate_rows(self, *columns: str, **given: Unpack[Common]) -> Asked:
        """The number of rows whose value, or tuple of values, occurs more than once; by default none."""
        return self.add("duplicate_rows", columns, **given)

    def correlation(self, first: str, second: str, **given: Unpack[Common]) -> Asked:
        """Pearson's correlation of two columns, over the rows that have both."""
        return self.add("correlation", (first, second), **given)

    def mutual_information(self, first: str, second: str, **given: Unpack[Common]) -> Asked:
        """How much one column tells of another, in nats, over the rows that have both."""
        return self.add("mutual_information", (first, second), **given)

    def fresh(self, column: str, within: str | float | timedelta, **given: Unpack[Common]) -> Asked:
        """The newest timestamp of a column is no older than ``within`` when the partition is profiled."""
        return self.col(column).fresh(within, **given)


class ColumnChecks:
    """Checks of one column: each method declares one."""

    def __init__(self, checks: Checks, name: str) -> None:
        self._checks = checks
        self._name = name

    def add(self, metric: str, **given: Any) -> Asked:
        """Declare a check by the name of its metric."""
        return self._checks.add(metric, (self._name,), **given)

    def complete(self, **given: Unpack[Common]) -> Asked:
        """Every row has a value: neither null nor NaN nor the empty text."""
        return self.add("complete", **given)

    def completeness(self, **given: Unpack[Common]) -> Asked:
        """The share of rows that have a value."""
        return self.add("completeness", **given)

    def type(self, type: str, **given: Unpack[Common]) -> Asked:
        """The column is of a kind (``numeric``, ``string`` ...) or of a type of the source (``int64``)."""
        return self.add("type", type=type, **given)

    def isin(self, values: Iterable[Scalar], **given: Unpack[Rule]) -> Asked:
        """Every value is one of these."""
        return self.add("isin", values=tuple(values), **given)

    def not_in(self, values: Iterable[Scalar], **given: Unpack[Rule]) -> Asked:
        """No value is one of these, such as ``N/A``, ``-1`` or ``9999-12-31``."""
        return self.add("not_in", values=tuple(values), **given)

    def between(self, low: Scalar | None = None, high: Scalar | None = None, **given: Unpack[Rule]) -> Asked:
        """Every value lies from ``low`` to ``high``; a date is given as a text."""
        return self.add("between", low=low, high=high, **given)

    def non_negative(self, **given: Unpack[Rule]) -> Asked:
        """No value is below 0."""
        return self.add("non_negative", **given)

    def matches(self, pattern: str, **given: Unpack[Rule]) -> Asked:
        """Every value has the pattern in it (RE2; ``^`` and ``$`` for the whole of it)."""
        return self.add("matches", pattern=pattern, **given)

    def format(self, format: str, **given: Unpack[Rule]) -> Asked:
        """Every value is written as an ``email``, ``url``, ``uuid``, ``ipv4``, ``date`` ..."""
        return self.add("format", format=format, **given)

    def unique(self, **given: Unpack[Common]) -> Asked:
        """No value occurs twice."""
        return self.add("unique", **given)

    def uniqueness(self, **given: Unpack[Common]) -> Asked:
        """The share of rows whose value occurs once."""
        return self.add("uniqueness", **given)

    def distinct(self, **given: Unpack[Common]) -> Asked:
        """The number of distinct values."""
        return self.add("distinct", **given)

    def entropy(self, **given: Unpack[Common]) -> Asked:
        """The entropy of the values in nats."""
        return self.add("entropy", **given)

    def min(self, **given: Unpack[Common]) -> Asked:
        """The smallest value; of timestamps in seconds since 1970 UTC."""
        return self.add("min", **given)

    def max(self, **given: Unpack[Common]) -> Asked:
        """The largest value."""
        return self.add("max", **given)

    def mean(self, **given: Unpack[Common]) -> Asked:
        """The mean."""
        return self.add("mean", **given)

    def sum(self, **given: Unpack[Common]) -> Asked:
        """The sum."""
        return self.add("sum", **given)

    def std(self, **given: Unpack[Common]) -> Asked:
        """The standard deviation of the values themselves (divided by n)."""
        return self.add("std", **given)

    def median(self, **given: Unpack[Common]) -> Asked:
        """The median."""
        return self.add("median", **given)

    def quantile(self, quantile: float, **given: Unpack[Common]) -> Asked:
        """The value that a share of the values lies below."""
        return self.add("quantile", quantile=quantile, **given)

    def min_length(self, **given: Unpack[Common]) -> Asked:
        """The fewest characters of a text."""
        return self.add("min_length", **given)

    def max_length(self, **given: Unpack[Common]) -> Asked:
        """The most characters of a text."""
        return self.add("max_length", **given)

    def fresh(self, within: str | float | timedelta, **given: Unpack[Common]) -> Asked:
        """The newest timestamp is no older than ``within`` when the partition is profiled."""
        level = given.pop("level", "error")
        bounds: dict[str, Any] = {level: Bounds(upper=seconds_of(within))}
        return self.add("fresh", **{**given, **bounds})

    def not_future(self, **given: Unpack[Common]) -> Asked:
        """No timestamp lies behind the moment at which the partition is profiled."""
        return self.add("not_future", **given)


def _words(given: Iterable[str]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise ConfigurationError(f"tags is the text {given!r}; give a list: [{given!r}].")
    return tuple(given)


def _asked(name: str, values: dict[str, Any]) -> dict[str, Any]:
    """What is asked of a metric, taken out of what was given: bounds, a strategy, or what everybody asks of it.

    :return: empty where nothing is asked: the metric is learned then
    """
    level = values.pop("level", "error")
    if level not in ("error", "warn"):
        raise ConfigurationError(f"Check {name!r}: level is {level!r}; allowed: error, warn.")
    asked: dict[str, Any] = {one: _bounds(name, one, values.pop(one)) for one in ("error", "warn") if one in values}
    if "anomaly" in values:
        try:
            anomaly = Anomaly.of(values.pop("anomaly"))
        except ConfigurationError as error:
            raise ConfigurationError(f"Check {name!r}: anomaly: {error}") from None
        return {**asked, "anomaly": replace(anomaly, level="warn") if level == "warn" else anomaly}
    if asked and level == "warn":
        raise ConfigurationError(f"Check {name!r}: level='warn' is for checks without bounds; give warn= alone.")
    alias, entry = ALIASES.get(name), METRICS.get(name)
    default = alias.default if alias is not None else None if entry is None else entry.default
    if asked or (default is None and level == "error"):
        return asked
    return {level: default} if default is not None else {"anomaly": Anomaly(level="warn")}


def _bounds(metric: str, name: str, given: Any) -> Bounds:
    try:
        return Bounds.of(given)
    except ConfigurationError as error:
        raise ConfigurationError(f"Check {metric!r}: {name}: {error}") from None

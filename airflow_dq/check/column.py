"""Checks of one column, in Python."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Unpack

from airflow_dq.check.asked import Asked, Beside, BoundsLike, Common, Declaring, Rule, at_least, naming, several, within
from airflow_dq.check.bounds import Bounds
from airflow_dq.check.duration import seconds_of
from airflow_dq.check.expression import Scalar
from airflow_dq.check.model import Score


class ColumnChecks:
    """Checks of one column: each method declares one."""

    def __init__(self, checks: Declaring, name: str) -> None:
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
        return self.add("isin", values=several(values), **given)

    def not_in(self, values: Iterable[Scalar], **given: Unpack[Rule]) -> Asked:
        """No value is one of these, such as ``N/A``, ``-1`` or ``9999-12-31``."""
        return self.add("not_in", values=several(values), **given)

    def between(self, low: Scalar | None = None, high: Scalar | None = None, **given: Unpack[Rule]) -> Asked:
        """Every value lies from ``low`` to ``high``; a date is given as a text."""
        return self.add("between", low=low, high=high, **given)

    def non_negative(self, **given: Unpack[Rule]) -> Asked:
        """No value is below 0."""
        return self.add("non_negative", **given)

    def positive(self, **given: Unpack[Rule]) -> Asked:
        """Every value is above 0."""
        return self.add("positive", **given)

    def consistent_type(self, **given: Unpack[Common]) -> Asked:
        """Every value is of one type: a number, true or false, a date, a moment, or a text that is none of these."""
        return self.add("consistent_type", **given)

    def no_placeholder(self, values: Iterable[Scalar] = (), **given: Unpack[Rule]) -> Asked:
        """No value stands for a missing one, as ``N/A``, ``-1`` or ``9999-12-31`` do.

        :param values: those that do; none: those that often do
        """
        return self.add("no_placeholder", values=several(values), **given)

    def predictable_from(
        self, *columns: str, precision: BoundsLike | None = None, score: Score = "precision", **given: Unpack[Common]
    ) -> Asked:
        """What the value is, the other columns tell: of held-out rows, by naive Bayes.

        :param precision: what is asked of the share of right answers; None: it is learned
        :param score: ``f1`` to ask that instead, weighted by how frequent each value is
        """
        more = {} if score == "precision" else {"score": score}
        return self._checks.add("predictable", (self._name, *columns), **more, **at_least(precision, given))

    def gaps(self, every: str | float, **given: Unpack[Common]) -> Asked:
        """From the first value to the last, none of the steps is without one: of ``1h``, of ``1`` ..."""
        return self.add("gaps", every=every, **given)

    def increasing(self, order: str, *group: str, strict: bool = False, **given: Unpack[Common]) -> Asked:
        """In the order of another column no value is below the one before; ``strict``: each is above it."""
        return self._checks.add("increasing", (self._name, order, *group), strict=strict, **given)

    def profiled(self, metric: str, **given: Unpack[Common]) -> Asked:
        """A metric that the profile has of the column, built in or one's own."""
        return self.add("profiled", name=metric, **given)

    def reconciles(self, to: str, *, tolerance: float = 0.0, **given: Unpack[Beside]) -> Asked:
        """The sum is that of a column of another table: ``to="staging.amount"``.

        :param tolerance: by how much they may differ, as a share of the larger one
        """
        return self.add("sum_difference", to=to, **within(tolerance, given))

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

    def variance(self, **given: Unpack[Common]) -> Asked:
        """The square of the standard deviation."""
        return self.add("variance", **given)

    def skewness(self, **given: Unpack[Common]) -> Asked:
        """How much farther the values lie on one side of the mean than on the other."""
        return self.add("skewness", **given)

    def kurtosis(self, **given: Unpack[Common]) -> Asked:
        """How heavy the tails are, beside those of a normal distribution."""
        return self.add("kurtosis", **given)

    def range(self, **given: Unpack[Common]) -> Asked:
        """The largest value less the smallest one."""
        return self.add("range", **given)

    def iqr(self, **given: Unpack[Common]) -> Asked:
        """The distance between the first and the third quartile."""
        return self.add("iqr", **given)

    def zeros(self, **given: Unpack[Common]) -> Asked:
        """The number of zeros; by default there are none."""
        return self.add("zeros", **given)

    def median(self, **given: Unpack[Common]) -> Asked:
        """The median."""
        return self.add("median", **given)

    def quantile(self, quantile: float, **given: Unpack[Common]) -> Asked:
        """The value that a share of the values lies below."""
        return self.add("quantile", quantile=quantile, **given)

    def mean_length(self, **given: Unpack[Common]) -> Asked:
        """The average number of characters of a text."""
        return self.add("mean_length", **given)

    def casing(self, **given: Unpack[Common]) -> Asked:
        """The number of spellings that differ from another one in the case of letters alone; by default none does."""
        return self.add("casing", **given)

    def min_length(self, **given: Unpack[Common]) -> Asked:
        """The fewest characters of a text."""
        return self.add("min_length", **given)

    def max_length(self, **given: Unpack[Common]) -> Asked:
        """The most characters of a text."""
        return self.add("max_length", **given)

    def fresh(self, within: str | float | timedelta, **given: Unpack[Common]) -> Asked:
        """The newest timestamp is no older than ``within`` when the partition is profiled."""
        level = given.pop("level", "error")
        with naming(repr(f"fresh.{self._name}")):
            bounds: dict[str, Any] = {level: Bounds(upper=seconds_of(within))}
        return self.add("fresh", **{**given, **bounds})

    def not_future(self, **given: Unpack[Common]) -> Asked:
        """No timestamp lies behind the moment at which the partition is profiled."""
        return self.add("not_future", **given)

"""A check: a metric, and what is asked of it; data that can be stored, shown and exported.

Frozen dataclasses, as all that is configured here, and not pydantic's models: executors, whose Python need not have it,
count what checks ask of rows, and the codec that stores programs reads dataclasses.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal, get_args

from airflow_dq.check.anomaly import Anomaly
from airflow_dq.check.beyond import LOOKING, require_beyond_rows
from airflow_dq.check.bounds import Bounds, require_range
from airflow_dq.check.data_type import require_type
from airflow_dq.check.expression import Scalar
from airflow_dq.check.metric import ALIASES, FORMATS, METRICS, CheckMetric
from airflow_dq.check.parser import aggregate, check_pattern, predicate
from airflow_dq.exceptions import ConfigurationError

Nulls = Literal["skip", "pass", "fail"]
"""What a row is for which a rule is neither true nor false: not counted, right, or wrong."""
Level = Literal["error", "warn"]
ScopeWord = Literal["delta", "total"]
"""Whether the partition is looked at, or all partitions up to it."""
Score = Literal["precision", "f1"]
_ARGUMENTS = (
    *("sql", "name", "values", "low", "high", "pattern", "format", "quantile", "type", "exactly", "ordered"),
    *("to", "to_columns", "to_where", "every", "strict", "key", "score"),
)
"""Fields that say what is measured, and that only some metrics take."""
_MEASURED = ("metric", "columns", *_ARGUMENTS, "where", "nulls", "by", "scope")
"""Fields that the measured value depends on."""


@dataclass(frozen=True)
class Check:
    """One metric and what is asked of it.

    :param metric: a name of :data:`~airflow_dq.check.metric.METRICS`
    :param columns: the columns that it is about; none: the rows, or the table
    :param sql: of ``rule`` and ``metric``: the expression
    :param name: of ``metric``: what its value is called
    :param values: of ``isin`` and ``not_in``
    :param low: of ``between``: lowest value that is right (None: no limit)
    :param high: of ``between``: highest one
    :param pattern: of ``matches``: RE2, found anywhere in the value
    :param format: of ``format``: a name of :data:`~airflow_dq.check.metric.FORMATS`
    :param quantile: of ``quantile``: the share of the values below it
    :param type: of ``type``: a kind of column (``numeric``), or a type of the source (``int64``)
    :param exactly: of ``has_columns``: whether there must be no others
    :param ordered: of ``has_columns``: whether they must come in this order
    :param to: of ``refers`` and the like: the other table: a path, or a table that Spark knows; ``{partition}`` in it
        is the partition's key
    :param to_columns: of these: the other table's columns (none: those of the same names)
    :param to_where: of these: rule that says which of its rows are looked at
    :param every: of ``gaps``: how far two steps lie apart, of timestamps in seconds
    :param strict: of ``increasing``: whether the same value again is wrong
    :param key: of ``predictable``: columns that tell rows apart, by which some are held out (none: all columns)
    :param score: of ``predictable``: ``precision`` (the default), or ``f1``, weighted by how frequent a value is
    :param where: rule that says which rows are looked at (None: all)
    :param nulls: what a row is for which a rule on it is neither true nor false
    :param by: a column of few values: the rows of each are looked at by themselves, and what is asked is asked of each
    :param scope: ``delta``: the partition; ``total``: all partitions up to it
    :param error: bounds outside of which the gate fails
    :param warn: bounds outside of which it warns
    :param anomaly: how far from its history the value may lie; where nothing at all is asked, what is learned of it
    :param id: what it is called in alerts; by default made of what it measures
    :param message: said of a violation in place of our own words; may hold ``{value}``, ``{bounds}``,
        ``{numerator}`` and ``{denominator}``
    :param owner: whom an alert concerns
    :param tags: words to find it by
    :param place: where it is declared, for messages: ``orders.dq.yml:12``; two that differ in it alone are equal
    """

    metric: str
    columns: tuple[str, ...] = ()
    sql: str | None = None
    name: str | None = None
    values: tuple[Scalar, ...] = ()
    low: Scalar | None = None
    high: Scalar | None = None
    pattern: str | None = None
    format: str | None = None
    quantile: float | None = None
    type: str | None = None
    exactly: bool = False
    ordered: bool = False
    to: str | None = None
    to_columns: tuple[str, ...] = ()
    to_where: str | None = None
    every: float | None = None
    strict: bool = False
    key: tuple[str, ...] = ()
    score: Score | None = None
    where: str | None = None
    nulls: Nulls = "skip"
    by: str | None = None
    scope: ScopeWord = "delta"
    error: Bounds | None = None
    warn: Bounds | None = None
    anomaly: Anomaly | None = None
    id: str = ""
    message: str | None = None
    owner: str | None = None
    tags: tuple[str, ...] = field(default_factory=tuple)
    place: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        """Refuse what can never be measured or asked.

        :raises ConfigurationError: naming the check, the field, what was given and what is allowed
        """
        try:
            _require_known(self.metric)
            _require_columns(self.entry, self.columns)
            _require_arguments(self.entry, {name: getattr(self, name) for name in (*_ARGUMENTS, "where", "nulls")})
            _require_texts(self)
            require_beyond_rows(self.entry, self.columns, {name: getattr(self, name) for name in LOOKING})
            self._ask_default()
            _require_bounds(self.entry, self.error, self.warn)
            if self.anomaly is not None and not isinstance(self.anomaly, Anomaly):
                raise ConfigurationError(f"anomaly is {self.anomaly!r}; give Anomaly(...), or let Checks read it.")
            if self.anomaly is not None and (self.by is not None or self.entry.source in ("age", "schema")):
                what = self.metric if self.by is None else "a check by the values of a column"
                give = "within=" if self.metric == "fresh" else "error= or warn="
                raise ConfigurationError(f"{what} has no history to compare with; give {give}.")
        except ConfigurationError as error:
            raise ConfigurationError(f"Check {self.label}: {error}") from None
        if not self.id:
            object.__setattr__(self, "id", self._own_id())

    def __hash__(self) -> int:
        """Of what it measures and what it is called; equal checks have the same."""
        return hash((self.measure, self.id, self.error, self.warn, self.anomaly))

    @property
    def entry(self) -> CheckMetric:
        """What is known about its metric."""
        return METRICS[self.metric]

    @property
    def label(self) -> str:
        """What it is called before it is whole: its id, or its metric and columns."""
        columns = self.columns if isinstance(self.columns, tuple) else ()
        return repr(self.id or ".".join(map(str, (self.metric, *columns))))

    @property
    def said(self) -> str:
        """What it is called in a message to those who declared it: ``orders.dq.yml:12: check 'mean.amount'``."""
        return f"{self.place}: check {self.id!r}" if self.place else f"check {self.id!r}"

    @cached_property
    def measure(self) -> str:
        """What is measured, as a text that no other metric, filter or argument has: under it the value is stored."""
        return json.dumps(self._given(_MEASURED), sort_keys=True, separators=(",", ":"))

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """The columns that its measuring reads, each once."""
        found = [*self.columns]
        if self.sql is not None:
            found += (aggregate if self.metric == "metric" else predicate)(self.sql).columns
        if self.where is not None:
            found += predicate(self.where).columns
        found += (*self.key, *(() if self.by is None else (self.by,)))
        return tuple(dict.fromkeys(found))

    @property
    def subjects(self) -> tuple[str, ...]:
        """The columns that an alert is about: those it names, or those that its expression reads."""
        return self.columns or (
            (aggregate if self.metric == "metric" else predicate)(self.sql).columns if self.sql else ()
        )

    @property
    def words(self) -> str:
        """What its value is, with what was given: ``share of rows that follow the rule 'discount <= price'``."""
        if self.metric == "metric":
            said = self.name or self.entry.words
        else:
            shown = ("sql", "pattern", "format", "quantile", "type")
            given = [repr(value) for name in shown if (value := getattr(self, name)) is not None]
            said = " ".join([self.name if self.metric == "profiled" and self.name else self.entry.words, *given])
        said = f"{said} {self.to!r}" if self.to is not None else said
        said = f"{said} where {self.where}" if self.where is not None else said
        said = f"{said} in all partitions" if self.scope == "total" else said
        return f"{said} for each {self.by}" if self.by is not None else said

    def to_dict(self) -> dict[str, Any]:
        """All that was given or is asked, as plain values; :func:`check_of` makes the equal check of it."""
        given = self._given(tuple(one.name for one in fields(self)))
        for name in ("error", "warn", "anomaly"):
            if name in given:
                given[name] = {one.name: getattr(given[name], one.name) for one in fields(given[name])}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in given.items()}

    def _ask_default(self) -> None:
        """Where nothing is asked: what everybody asks of the metric, or what its history tells."""
        if self.error is None and self.warn is None and self.anomaly is None:
            name = "anomaly" if self.entry.default is None else "error"
            object.__setattr__(self, name, self.entry.default or Anomaly())

    def _given(self, names: tuple[str, ...]) -> dict[str, Any]:
        plain = {one.name: one.default for one in fields(self)}
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value != () and value != plain[name]}

    def _own_id(self) -> str:
        """Stable for as long as the same is measured."""
        if self.metric == "metric":
            return f"metric.{self.name}"
        name = ".".join((self.metric, *self.columns))
        if self._given(_MEASURED).keys() <= {"metric", "columns"}:
            return name
        return f"{name}.{hashlib.blake2b(self.measure.encode(), digest_size=3).hexdigest()}"


def check_of(given: Mapping[str, Any]) -> Check:
    """The check that :meth:`Check.to_dict` wrote.

    :raises ConfigurationError: when it is none
    """
    values: dict[str, Any] = {n: tuple(value) if isinstance(value, list) else value for n, value in given.items()}
    for name in ("error", "warn"):
        if isinstance(bounds := values.get(name), Mapping):
            values[name] = Bounds(**bounds)
    if isinstance(anomaly := values.get("anomaly"), Mapping):
        values["anomaly"] = Anomaly(**anomaly)
    try:
        return Check(**values)
    except TypeError as error:
        raise ConfigurationError(f"A check cannot be read: {error}.") from None


def require_own_ids(checks: tuple[Check, ...], what: str) -> None:
    """Refuse two checks that are called the same: nobody could tell their alerts apart.

    :param what: what has them, for the message
    :raises ConfigurationError: naming the id
    """
    seen: set[str] = set()
    for check in checks:
        if check.id in seen:
            raise ConfigurationError(f"{what} has two checks with the id {check.id!r}. Give one of them another id=.")
        seen.add(check.id)


def closest(name: object, allowed: tuple[str, ...]) -> str:
    """``did you mean 'x'? There are a, b``: what to write instead of a word that is unknown."""
    near = get_close_matches(str(name), allowed, 1)
    return (f"did you mean {near[0]!r}? " if near else "") + f"allowed: {', '.join(allowed)}"


def _require_known(metric: str) -> None:
    if metric not in METRICS:
        allowed = tuple(sorted((*METRICS, *ALIASES)))
        raise ConfigurationError(f"there is no metric {metric!r}; {closest(metric, allowed)}.")


def _require_columns(entry: CheckMetric, columns: tuple[str, ...]) -> None:
    if not isinstance(columns, tuple) or not all(isinstance(name, str) and name for name in columns):
        raise ConfigurationError(f"columns is {columns!r}; give a tuple of names.")
    fewest, most = entry.columns
    if len(columns) < fewest or (most is not None and len(columns) > most):
        wanted = f"{fewest} or more" if most is None else str(fewest) if fewest == most else f"{fewest} to {most}"
        raise ConfigurationError(f"{entry.name} is of {wanted} columns, and {len(columns)} are named.")
    if len(set(columns)) < len(columns):
        raise ConfigurationError(f"a column is named twice: {', '.join(map(repr, columns))}.")


def _require_arguments(entry: CheckMetric, given: Mapping[str, Any]) -> None:
    allowed = {*entry.arguments, *entry.options}
    for name, value in given.items():
        missing = value is None or value in ((), "") or value is False
        if name in entry.arguments and missing:
            raise ConfigurationError(f"{entry.name} needs {name}.")
        if name not in allowed and not missing and (name, value) != ("nulls", "skip"):
            takes = ", ".join((*entry.arguments, *entry.options)) or "none besides its bounds"
            raise ConfigurationError(f"{entry.name} takes no {name}; its arguments are {takes}.")
    if entry.name == "between" and given["low"] is None and given["high"] is None:
        raise ConfigurationError("between needs low, high or both.")


def _require_texts(check: Check) -> None:
    """Refuse what cannot be read: rules, patterns, words that are none of those allowed, values of no use."""
    if check.nulls not in get_args(Nulls):
        raise ConfigurationError(f"nulls is {check.nulls!r}; allowed: {', '.join(get_args(Nulls))}.")
    if check.format is not None and check.format not in FORMATS:
        raise ConfigurationError(f"there is no format {check.format!r}; {closest(check.format, tuple(FORMATS))}.")
    if check.type is not None:
        require_type(check.type)
    if check.pattern is not None:
        check_pattern(check.pattern)
    if check.quantile is not None and not (isinstance(check.quantile, int | float) and 0 <= check.quantile <= 1):
        raise ConfigurationError(f"quantile is {check.quantile!r}; give a share from 0 to 1.")
    for values in (check.values, *((side,) for side in (check.low, check.high) if side is not None)):
        if not isinstance(values, tuple) or not all(isinstance(one, str | int | float | bool) for one in values):
            raise ConfigurationError(
                f"{values!r} are no values; give texts, numbers, or True and False. A date is a text ('2026-01-31', in "
                "YAML in quotes), a decimal a number; what a null is, nulls= says."
            )
    kinds = {type(one) if isinstance(one, str | bool) else float for one in (*check.values,)}
    if len(kinds) > 1:
        raise ConfigurationError(f"values are of different types: {', '.join(map(repr, check.values))}.")
    if check.low is not None and check.high is not None:
        require_range(check.low, check.high)
    for name in ("id", "owner", "message", "name"):
        if (text := getattr(check, name)) is not None and (not isinstance(text, str) or text != text.strip()):
            raise ConfigurationError(f"{name} is {text!r}; give a text without blanks at its ends.")
    if not isinstance(check.tags, tuple) or not all(isinstance(tag, str) for tag in check.tags):
        raise ConfigurationError(f"tags is {check.tags!r}; give a tuple of words.")
    if check.where is not None:
        predicate(_text(check.where, "where"))
    if check.sql is not None:
        (aggregate if check.metric == "metric" else predicate)(_text(check.sql, "sql"))
    if check.message is not None:
        fill(check.message, value="", bounds="", numerator="", denominator="")


def _text(given: Any, name: str) -> str:
    if not isinstance(given, str):
        raise ConfigurationError(f"{name} is {given!r}; give a text.")
    return given


def fill(template: str, **values: str) -> str:
    """A message with its places filled in.

    :raises ConfigurationError: when it has a place of another name, or a brace that nothing closes
    """
    try:
        return template.format_map(values)
    except (KeyError, ValueError, IndexError, AttributeError) as error:
        raise ConfigurationError(
            f"The message {template!r} cannot be filled in ({error}); its places are "
            f"{', '.join(f'{{{name}}}' for name in values)}, and a brace by itself is written twice."
        ) from None


def _require_bounds(entry: CheckMetric, error: Bounds | None, warn: Bounds | None) -> None:
    for name, bounds in (("error", error), ("warn", warn)):
        if bounds is None:
            continue
        if not isinstance(bounds, Bounds):
            raise ConfigurationError(f"{name} is {bounds!r}; give Bounds, or let Checks read it.")
        lowest, highest = entry.natural or (float("-inf"), float("inf"))
        low = lowest if bounds.lower is None else bounds.lower
        high = highest if bounds.upper is None else bounds.upper
        above = low > highest or (low == highest and bounds.lower_open)
        if above or high < lowest or (high == lowest and bounds.upper_open):
            raise ConfigurationError(f"{name} is {bounds.words}, and {entry.name} lies from {lowest:g} to {highest:g}.")
    if error is not None and warn is not None and not _lies_within(warn, error):
        raise ConfigurationError(
            f"warn ({warn.words}) allows what error ({error.words}) does not: a warning would never come alone. "
            "Give warn the narrower bounds."
        )


def _lies_within(inner: Bounds, outer: Bounds) -> bool:
    """Whether whatever the inner bounds allow the outer ones do, too."""
    if outer.lower is not None and (inner.lower is None or inner.lower < outer.lower):
        return False
    if outer.upper is not None and (inner.upper is None or inner.upper > outer.upper):
        return False
    open_below = outer.lower is not None and outer.lower == inner.lower and outer.lower_open and not inner.lower_open
    open_above = outer.upper is not None and outer.upper == inner.upper and outer.upper_open and not inner.upper_open
    return not (open_below or open_above)

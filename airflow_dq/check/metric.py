"""What a check may be about: one entry for each metric, which Python, YAML, the editors' schema and the docs share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from airflow_dq.check.bounds import Bounds

Subject = Literal["table", "column", "columns"]
Unit = Literal["share", "count", "number", "value", "characters", "seconds"]
"""``value``: in the column's own unit."""
Source = Literal["stored", "rows", "keys", "age", "schema"]
"""What answers it.  ``stored``: the profile that is kept of each column anyway.  ``rows``: a rule on each row, counted
in the profile's scan.  ``keys``: how often each value, or tuple of values, occurs, counted in that scan.  ``age``: the
newest timestamp, and when the partition was profiled.  ``schema``: names and types of the columns."""

ALL = Bounds(1, 1)
"""What is asked of a share where nothing else is given: every row."""
NONE = Bounds(0, 0)
"""The same of a number of things that are wrong."""


@dataclass(frozen=True, slots=True)
class CheckMetric:
    """One metric that something may be asked of."""

    name: str
    words: str
    """What its value is, so that a sentence can go on: ``share of complete rows``."""
    subject: Subject
    source: Source
    unit: Unit
    arguments: tuple[str, ...] = ()
    """What it must be given besides columns and bounds."""
    options: tuple[str, ...] = ()
    """What it may be given besides."""
    default: Bounds | None = None
    """What is asked where no bounds are given; None: they must be given."""
    columns: tuple[int, int | None] = (0, 0)
    """Fewest and most columns."""

    @property
    def by_row(self) -> bool:
        """Whether it is a rule that each row by itself follows or not: then some rows are those that fail."""
        return self.source == "rows" and self.unit == "share"

    @property
    def natural(self) -> tuple[float, float] | None:
        """The lowest and the highest value there can be, where there is such."""
        top = 1.0 if self.unit == "share" else float("inf")
        return (0.0, top) if self.unit in ("share", "count", "characters") else None


def _of_column(
    name: str, words: str, source: Source, unit: Unit, *arguments: str, default: Bounds | None = None
) -> CheckMetric:
    options = ("where", "nulls") if source == "rows" and name != "completeness" else ("where",)
    return CheckMetric(name, words, "column", source, unit, arguments, options, default, (1, 1))


def _of_columns(
    name: str, words: str, unit: Unit, *, columns: tuple[int, int | None] = (1, None), default: Bounds | None = None
) -> CheckMetric:
    return CheckMetric(name, words, "columns", "keys", unit, (), ("where",), default, columns)


_ENTRIES = (
    CheckMetric("rows", "number of rows", "table", "stored", "count", (), ("where",)),
    CheckMetric(
        "has_columns",
        "number of columns that are missing, unexpected or out of order",
        "columns",
        "schema",
        "count",
        (),
        ("exactly", "ordered"),
        NONE,
        (1, None),
    ),
    CheckMetric("type", "share of columns of the type", "column", "schema", "share", ("type",), (), ALL, (1, 1)),
    CheckMetric(
        "rule", "share of rows that follow the rule", "table", "rows", "share", ("sql",), ("where", "nulls"), ALL
    ),
    CheckMetric("metric", "value", "table", "rows", "number", ("sql", "name"), ("where",)),
    _of_column("completeness", "share of rows with a value", "rows", "share"),
    _of_column("isin", "share of values in the set", "rows", "share", "values", default=ALL),
    _of_column("not_in", "share of values outside of the set", "rows", "share", "values", default=ALL),
    _of_column("matches", "share of values that match the pattern", "rows", "share", "pattern", default=ALL),
    _of_column("format", "share of values of the format", "rows", "share", "format", default=ALL),
    CheckMetric(
        "between",
        "share of values within the range",
        "column",
        "rows",
        "share",
        (),
        ("low", "high", "where", "nulls"),
        ALL,
        (1, 1),
    ),
    _of_column("min", "minimum", "stored", "value"),
    _of_column("max", "maximum", "stored", "value"),
    _of_column("range", "range", "stored", "number"),
    _of_column("mean", "mean", "stored", "value"),
    _of_column("sum", "sum", "stored", "number"),
    _of_column("std", "standard deviation (divided by n)", "stored", "number"),
    _of_column("variance", "variance (divided by n)", "stored", "number"),
    _of_column("skewness", "skewness", "stored", "number"),
    _of_column("kurtosis", "excess kurtosis", "stored", "number"),
    _of_column("median", "median", "stored", "value"),
    _of_column("quantile", "quantile", "stored", "value", "quantile"),
    _of_column("iqr", "interquartile range", "stored", "number"),
    _of_column("mean_length", "average length", "stored", "characters"),
    CheckMetric("min_length", "shortest length", "column", "rows", "characters", (), ("where",), None, (1, 1)),
    CheckMetric("max_length", "longest length", "column", "rows", "characters", (), ("where",), None, (1, 1)),
    CheckMetric("fresh", "age of the newest value", "column", "age", "seconds", (), (), None, (1, 1)),
    CheckMetric(
        "not_future",
        "time by which the newest value lies behind the profile's start",
        "column",
        "age",
        "seconds",
        (),
        (),
        Bounds(lower=0),
        (1, 1),
    ),
    _of_columns("distinct", "number of distinct values", "count"),
    _of_columns("uniqueness", "share of rows whose value occurs once", "share"),
    _of_columns("key", "share of rows with a complete value that occurs once", "share", default=ALL),
    _of_columns("unique_value_ratio", "share of distinct values that occur once", "share"),
    _of_columns("distinctness", "number of distinct values per row", "share"),
    _of_columns("duplicate_rows", "number of rows whose value occurs more than once", "count", default=NONE),
    _of_columns("duplicate_values", "number of values that occur more than once", "count", default=NONE),
    _of_columns("surplus_rows", "number of rows that repeat an earlier one", "count", default=NONE),
    _of_columns("entropy", "entropy of the values in nats", "number"),
    CheckMetric(
        "mutual_information",
        "mutual information in nats",
        "columns",
        "keys",
        "number",
        (),
        ("where",),
        None,
        (2, 2),
    ),
    CheckMetric("correlation", "correlation", "columns", "rows", "number", (), ("where",), None, (2, 2)),
)

METRICS: Mapping[str, CheckMetric] = {entry.name: entry for entry in _ENTRIES}
"""Every metric that a check may be about, by name."""


@dataclass(frozen=True, slots=True)
class Alias:
    """Another name of a metric, with what is asked of it where nothing else is."""

    metric: str
    default: Bounds
    low: int | None = None
    """Of ``between``: the lowest value."""


ALIASES: Mapping[str, Alias] = {
    "complete": Alias("completeness", ALL),
    "unique": Alias("uniqueness", ALL),
    "non_negative": Alias("between", ALL, low=0),
}
"""What checks are called that ask a metric for the one value that everybody asks it for."""

_DAY = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_GROUP = "[0-9A-Fa-f]{1,4}"
FORMATS: Mapping[str, str] = {
    "email": r"^[^@\s]+@[^@\s.]+(\.[^@\s.]+)+$",
    "url": r"^[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#]+[^\s]*$",
    "uuid": r"^[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$",
    "ipv4": r"^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}$",
    "ipv6": rf"^({_GROUP}:){{7}}{_GROUP}$|^({_GROUP}(:{_GROUP})*)?::({_GROUP}(:{_GROUP})*)?$",
    "date": rf"^{_DAY}$",
    "datetime": rf"^{_DAY}[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$",
    "country": r"^[A-Z]{2}$",
    "currency": r"^[A-Z]{3}$",
    "language": r"^[a-z]{2}$",
    "number": r"^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$",
    "integer": r"^[+-]?\d+$",
}
"""Name of a format -> what all of a value must match: how it is written, not whether there is such a country."""


def known(name: str) -> bool:
    """Whether a check may have this name."""
    return name in METRICS or name in ALIASES


def entry_of(name: str) -> CheckMetric:
    """The metric behind a name."""
    return METRICS[ALIASES[name].metric if name in ALIASES else name]

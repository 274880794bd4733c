"""What a check may be about: one entry for each metric, which Python, YAML, the editors' schema and the docs share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.iso_code import COUNTRIES, CURRENCIES, LANGUAGES, any_of

Subject = Literal["table", "column", "columns"]
Unit = Literal["share", "count", "number", "value", "characters", "seconds"]
"""``value``: in the column's own unit."""
Source = Literal["stored", "rows", "keys", "order", "model", "table", "age", "schema"]
"""What answers it.  ``stored``: the profile that is kept of each column anyway.  ``rows``: a rule on each row, counted
in the profile's scan.  ``keys``: how often each value, or tuple of values, occurs, counted in that scan.  ``order``:
values that are kept of each row until they can be put in order.  ``model``: what is learned of some rows and tried on
others.  ``table``: what is counted in that scan, and in one
of another table.  ``age``: the newest timestamp, and when the partition was profiled.  ``schema``: names and types of
the columns."""

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
    def grows(self) -> bool:
        """Whether it can be told of all partitions together, and of the rows of each value of another column."""
        return self.source in ("rows", "keys", "stored", "order", "model") and self.name != "profiled"

    @property
    def by_row(self) -> bool:
        """Whether it is a rule that each row by itself follows or not: then some rows are those that fail."""
        return self.source == "rows" and self.unit == "share" and self.name != "consistent_type"

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
    name: str,
    words: str,
    unit: Unit,
    source: Source = "keys",
    *options: str,
    columns: tuple[int, int | None] = (1, None),
    default: Bounds | None = None,
) -> CheckMetric:
    return CheckMetric(name, words, "columns", source, unit, (), (*options, "where"), default, columns)


def _beside(
    name: str, words: str, subject: Subject, unit: Unit, *options: str, default: Bounds, most: int | None
) -> CheckMetric:
    """A metric that compares with another table."""
    fewest = 0 if subject == "table" else 1
    options = (*options, "where", "to_where")
    return CheckMetric(name, words, subject, "table", unit, ("to",), options, default, (fewest, most))


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
    CheckMetric("column_count", "number of columns", "table", "schema", "count"),
    CheckMetric(
        "column_names",
        "share of columns whose name matches the pattern",
        "table",
        "schema",
        "share",
        ("pattern",),
        (),
        ALL,
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
    _of_column("positive", "share of values above 0", "rows", "share", default=ALL),
    CheckMetric(
        "no_placeholder",
        "share of values that stand for no missing one",
        "column",
        "rows",
        "share",
        (),
        ("values", "where", "nulls"),
        ALL,
        (1, 1),
    ),
    CheckMetric(
        "consistent_type",
        "share of values of the type that most of them have",
        "column",
        "rows",
        "share",
        (),
        ("where",),
        ALL,
        (1, 1),
    ),
    CheckMetric("zeros", "number of zeros", "column", "rows", "count", (), ("where",), NONE, (1, 1)),
    _of_columns("all_complete", "share of rows with a value in each of the columns", "share", "rows", default=ALL),
    _of_columns("any_complete", "share of rows with a value in one of the columns", "share", "rows", default=ALL),
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
    _of_columns("largest_share", "share of rows that have the most frequent value", "share"),
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
    CheckMetric(
        "casing",
        "number of spellings that differ from another one in the case of their letters only",
        "column",
        "keys",
        "count",
        (),
        ("where",),
        NONE,
        (1, 1),
    ),
    _of_columns(
        "predictable",
        "share of held-out values that the other columns foretell",
        "share",
        "model",
        "key",
        "score",
        columns=(2, None),
    ),
    CheckMetric(
        "gaps",
        "number of steps between the first and the last that no value lies in",
        "column",
        "order",
        "count",
        ("every",),
        ("where",),
        NONE,
        (1, 1),
    ),
    _of_columns(
        "overlaps",
        "number of ranges that begin before an earlier one ends",
        "count",
        "order",
        columns=(2, None),
        default=NONE,
    ),
    _of_columns(
        "increasing",
        "share of rows whose value is not below that of the row before",
        "share",
        "order",
        "strict",
        columns=(2, None),
        default=ALL,
    ),
    _beside(
        "refers",
        "share of rows whose value is in the other table",
        "columns",
        "share",
        "to_columns",
        "nulls",
        default=ALL,
        most=None,
    ),
    _beside(
        "agrees",
        "share of rows that are also in the other table",
        "columns",
        "share",
        "to_columns",
        default=ALL,
        most=None,
    ),
    _beside(
        "row_difference",
        "relative difference of the number of rows from that of the other table",
        "table",
        "number",
        default=NONE,
        most=0,
    ),
    _beside(
        "sum_difference",
        "relative difference of the sum from that of the other table",
        "column",
        "number",
        "to_columns",
        default=NONE,
        most=1,
    ),
    CheckMetric("profiled", "metric of the profile", "column", "stored", "number", ("name",), (), None, (1, 1)),
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
_IPV4 = r"^(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$"
_IPV6 = rf"^({_GROUP}:){{7}}{_GROUP}$|^({_GROUP}(:{_GROUP})*)?::({_GROUP}(:{_GROUP})*)?$"
FORMATS: Mapping[str, str] = {
    "email": r"^[^@\s]+@[^@\s.]+(\.[^@\s.]+)+$",
    "url": r"^[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#]+[^\s]*$",
    "uuid": r"^[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$",
    "ip": rf"{_IPV4}|{_IPV6}",
    "ipv4": _IPV4,
    "ipv6": _IPV6,
    "mac": r"^([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$|^([0-9A-Fa-f]{2}-){5}[0-9A-Fa-f]{2}$",
    "date": rf"^{_DAY}$",
    "datetime": rf"^{_DAY}[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$",
    "time": r"^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?$",
    "country": any_of(COUNTRIES),
    "currency": any_of(CURRENCIES),
    "language": any_of(LANGUAGES),
    "number": r"^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$",
    "integer": r"^[+-]?\d+$",
    "boolean": r"^(?i:true|false)$",
    "phone": r"^\+[1-9]\d{6,14}$",
    "ssn": r"^\d{3}-?\d{2}-?\d{4}$",
    "credit_card": r"^[1-9]([ -]?\d){11,18}$",
    "iban": r"^[A-Z]{2}\d{2}( ?[A-Z0-9]){11,30}$",
    "json": r"^\s*[\[{\"0-9tfn-]",
}
"""Name of a format -> what all of a value must match."""
PROVED = ("credit_card", "iban", "json", "ssn")
"""Formats of which the pattern is only the outline: a check digit, or what no pattern can say, is looked at as well."""


def known(name: str) -> bool:
    """Whether a check may have this name."""
    return name in METRICS or name in ALIASES


def entry_of(name: str) -> CheckMetric:
    """The metric behind a name."""
    return METRICS[ALIASES[name].metric if name in ALIASES else name]

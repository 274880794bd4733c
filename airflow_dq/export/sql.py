"""A check's value as a query: what most tools take of what they have no words for.

A share is the average of 1 and 0 over the rows that count, so that a null of a rule is treated as the check says.  What
cannot be the same in SQL: NaN, which engines take for a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.expression import (
    Aggregate,
    Arithmetic,
    Call,
    Column,
    Comparison,
    Foreign,
    Logic,
    Match,
    Membership,
    Negation,
    Node,
    NullTest,
    Presence,
    Value,
)
from airflow_dq.check.model import Check
from airflow_dq.check.parser import aggregate, predicate
from airflow_dq.profile.check.count import row_rule
from airflow_dq.states.base import Kind


class CannotSayError(Exception):
    """The target has no words for a rule; the message says what for."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an engine writes what others write differently."""

    name: str
    quote: str = '"'
    """Around a column's name."""
    text: str = "varchar"
    """The type of texts."""
    matches: str = "regexp_like({of}, {pattern})"
    """A regular expression that is found anywhere in a text."""
    same: str = "{left} is not distinct from {right}"
    """Equality for which null is a value."""
    escapes: bool = False
    """Whether a backslash in a text means something."""

    def name_of(self, column: str) -> str:
        """A column's name, quoted."""
        return f"{self.quote}{column.replace(self.quote, self.quote * 2)}{self.quote}"

    def literal(self, value: str | int | float | bool | None) -> str:
        """A value as the engine reads it."""
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, str):
            return number_text(value)
        if self.escapes:
            escaped = value.replace("\\", "\\\\").replace("'", "\\'")
            return f"'{escaped}'"
        return "'" + value.replace("'", "''") + "'"


ANSI = Dialect("ansi")
SPARK = Dialect("spark", "`", "string", "{of} rlike {pattern}", "{left} <=> {right}", True)
DIALECTS: Mapping[str, Dialect] = {
    one.name: one
    for one in (
        ANSI,
        SPARK,
        Dialect("duckdb", matches="regexp_matches({of}, {pattern})"),
        Dialect("postgres", matches="{of} ~ {pattern}"),
    )
}
"""The dialects that can be asked for, by name."""


@dataclass(frozen=True, slots=True)
class Query:
    """A value of all rows, or of how often each combination of some columns occurs."""

    value: str
    where: str | None = None
    """Which rows count."""
    keys: tuple[str, ...] = ()
    """Columns, quoted, by which rows are counted first, as ``n``; none: the rows themselves."""

    def named(self, name: str) -> Query:
        """The same with a name for its value."""
        return replace(self, value=f"{self.value} as {name}")

    def violations(self, table: str, bounds: Bounds) -> str:
        """A query that has a row when the value lies outside of bounds, and none when it holds or there is none."""
        return f"select * from ({self.named('value').of(table)}) measured where {outside(bounds)}"

    def of(self, table: str) -> str:
        """The whole query: one row with one value."""
        scope = f" where {self.where}" if self.where else ""
        if not self.keys:
            return f"select {self.value} from {table}{scope}"
        names = ", ".join(self.keys)
        return f"select {self.value} from (select {names}, count(*) as n from {table}{scope} group by {names}) counted"


def number_text(value: int | float) -> str:
    """A number without an exponent, which not every grammar has, and with all of its digits."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return str(int(value))
    return f"{Decimal(repr(value)):f}"


def outside(bounds: Bounds, value: str = "value") -> str:
    """A condition that is true of what lies outside of bounds; null lies nowhere."""
    sides = []
    if bounds.lower is not None:
        sides.append(f"{value} {'<=' if bounds.lower_open else '<'} {number_text(bounds.lower)}")
    if bounds.upper is not None:
        sides.append(f"{value} {'>=' if bounds.upper_open else '>'} {number_text(bounds.upper)}")
    return " or ".join(sides)


def query_of(check: Check, dialect: Dialect, kinds: Mapping[str, Kind]) -> Query | str:
    """The check's value in SQL, or why there is none.

    :param kinds: kinds of the columns, as far as they are known
    """
    writer = Writer(dialect, kinds)
    where = None if check.where is None else writer.of(predicate(check.where))
    if check.entry.source == "rows" and check.metric in _SHARES:
        return Query(writer.share(check), where)
    if check.metric == "metric":
        return Query(writer.of(aggregate(check.sql or "")), where)
    if check.metric == "rows":
        return Query("count(*)", where)
    names = tuple(map(dialect.name_of, check.columns))
    if check.metric in _GROUPED:
        some = " or ".join(f"{name} is not null" for name in names)
        if check.metric == "key":
            there = " and ".join(writer.of(Presence(Column(name))) for name in check.columns)
            return Query(f"1.0 * sum(case when n = 1 and {there} then 1 else 0 end) / sum(n)", where, names)
        return Query(_GROUPED[check.metric], f"({where}) and ({some})" if where else some, names)
    if check.metric in _AGGREGATED:
        if check.metric in ("min", "max") and kinds.get(check.columns[0]) is Kind.TIMESTAMP:
            return "a bound of a moment is a number of seconds here, and a timestamp in SQL"
        given = {f"c{place}": name for place, name in enumerate(names)}
        return Query(_AGGREGATED[check.metric].format(**given, q=check.quantile), where)
    return f"there is no portable SQL for {check.metric}"


_SHARES = ("rule", "completeness", "isin", "not_in", "matches", "format", "between")
_ALONE = "1.0 * sum(case when n = 1 then 1 else 0 end)"
_GROUPED: Mapping[str, str] = {
    "key": "",
    "distinct": "count(*)",
    "uniqueness": f"{_ALONE} / sum(n)",
    "unique_value_ratio": f"{_ALONE} / count(*)",
    "distinctness": "1.0 * count(*) / sum(n)",
    "largest_share": "1.0 * max(n) / sum(n)",
    "duplicate_rows": "sum(case when n > 1 then n else 0 end)",
    "duplicate_values": "sum(case when n > 1 then 1 else 0 end)",
    "surplus_rows": "sum(n - 1)",
    "entropy": "ln(sum(n)) - sum(n * ln(n)) / sum(n)",
}
"""What is asked of how often each value occurs, by the check's metric."""
_QUANTILE = "percentile_cont({}) within group (order by {{c0}})"
_AGGREGATED: Mapping[str, str] = {
    "min": "min({c0})",
    "max": "max({c0})",
    "range": "max({c0}) - min({c0})",
    "mean": "avg({c0})",
    "sum": "sum({c0})",
    "std": "stddev_pop({c0})",
    "variance": "var_pop({c0})",
    "median": _QUANTILE.format(0.5),
    "quantile": _QUANTILE.format("{q}"),
    "iqr": f"{_QUANTILE.format(0.75)} - {_QUANTILE.format(0.25)}",
    "mean_length": "avg(nullif(length({c0}), 0))",
    "min_length": "min(length({c0}))",
    "max_length": "max(length({c0}))",
    "correlation": "corr({c0}, {c1})",
}
"""What is asked of columns in one aggregation."""


class Writer:
    """Writes rules in one dialect."""

    def __init__(self, dialect: Dialect, kinds: Mapping[str, Kind]) -> None:
        self._dialect = dialect
        self._kinds = kinds

    def share(self, check: Check) -> str:
        """The share of the rows that count for which a check's rule is true."""
        rule = self.of(row_rule(check))
        if check.nulls == "skip":
            return f"avg(case when {rule} then 1.0 when not ({rule}) then 0.0 end)"
        held, otherwise = ("0.0", "1.0") if check.nulls == "pass" else ("1.0", "0.0")
        rule = f"not ({rule})" if check.nulls == "pass" else rule
        return f"avg(case when {rule} then {held} else {otherwise} end)"

    def of(self, node: Node) -> str:
        """One part of a rule."""
        to, dialect = self.of, self._dialect
        match node:
            case Value(value):
                return dialect.literal(value)
            case Column(name):
                return dialect.name_of(name)
            case Arithmetic("/", left, right):
                return f"(1.0 * {to(left)} / nullif({to(right)}, 0))"
            case Arithmetic("%", left, right):
                return f"mod({to(left)}, {to(right)})"
            case Comparison("<=>", left, right):
                return "(" + dialect.same.format(left=to(left), right=to(right)) + ")"
            case Arithmetic(sign, left, right) | Comparison(sign, left, right) | Logic(sign, left, right):
                return f"({to(left)} {'<>' if sign == '!=' else sign} {to(right)})"
            case Negation(of):
                return f"(not {to(of)})"
            case NullTest(of):
                return f"({to(of)} is null)"
            case Presence(of):
                return self._presence(of)
            case Membership(of, values):
                return f"({to(of)} in ({', '.join(map(to, values))}))"
            case Match(of, pattern, True):
                return "(" + dialect.matches.format(of=to(of), pattern=dialect.literal(pattern)) + ")"
            case Match(of, pattern, _):
                return f"({to(of)} like {dialect.literal(pattern)})"
            case Aggregate(name, of):
                return f"{name}({'*' if of is None else to(of)})"
            case Call(name, arguments) if name in ("day", "hour", "month", "year"):
                return f"extract({name} from {to(arguments[0])})"
            case Foreign(sql):
                return f"({self._foreign(sql)})"
            case Call(name, arguments):
                return f"{name}({', '.join(map(to, arguments))})"
        raise TypeError(f"{node!r} has no SQL")  # a node that was added and not written here: for its author

    def _foreign(self, sql: str) -> str:
        """Spark's SQL in the dialect, by what has read it."""
        import sqlglot

        if self._dialect is SPARK:
            return sql
        written = "" if self._dialect is ANSI else self._dialect.name
        try:
            return str(sqlglot.transpile(sql, "spark", written, unsupported_level=sqlglot.ErrorLevel.RAISE)[0])
        except sqlglot.errors.UnsupportedError as error:
            raise CannotSayError(f"{sql!r} has no words in the SQL of {self._dialect.name}: {error}") from None

    def _presence(self, of: Node) -> str:
        """Neither null nor the empty text; whether there can be one, the column's kind tells."""
        written = self.of(of)
        kind = self._kinds.get(of.name) if isinstance(of, Column) else None
        if kind is Kind.STRING:
            return f"({written} is not null and {written} <> '')"
        if kind in (None, Kind.NULL):
            return f"({written} is not null and cast({written} as {self._dialect.text}) <> '')"
        return f"({written} is not null)"

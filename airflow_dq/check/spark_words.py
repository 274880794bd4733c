"""Functions of Spark that others say as well, which DuckDB computes alike; and what to write in place of the rest."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import cache
from typing import Any

_DAYS = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _named(function: str, names: tuple[str, ...]) -> str:
    """The name of a number that a function counts from 1 on."""
    chosen = " ".join(f"when {number} then '{name}'" for number, name in enumerate(names, 1))
    return f"case {function}(_1) {chosen} end"


_SAID: dict[tuple[str, int], str] = {
    ("isnull", 1): "_1 is null",
    ("isnotnull", 1): "_1 is not null",
    # NaN is null here.
    ("nanvl", 2): "coalesce(_1, _2)",
    ("zeroifnull", 1): "coalesce(_1, 0)",
    ("nullifzero", 1): "nullif(_1, 0)",
    ("positive", 1): "_1",
    ("negative", 1): "-_1",
    ("pmod", 2): "((_1 % _2) + _2) % _2",
    ("bigint", 1): "cast(_1 as bigint)",
    ("smallint", 1): "cast(_1 as smallint)",
    ("tinyint", 1): "cast(_1 as tinyint)",
    ("regexp", 2): "_1 rlike _2",
    ("regexpsubstr", 2): "nullif(regexp_extract(_1, _2, 0), '')",
    ("btrim", 1): "trim(_1)",
    ("btrim", 2): "trim(both _2 from _1)",
    ("octet_length", 1): "bit_length(_1) div 8",
    ("cardinality", 1): "size(_1)",
    ("weekday", 1): "(dayofweek(_1) + 5) % 7",
    ("dayname", 1): _named("dayofweek", _DAYS),
    ("monthname", 1): _named("month", _MONTHS),
    ("try_to_date", 1): "try_cast(_1 as date)",
    ("try_to_timestamp", 1): "try_cast(_1 as timestamp)",
}
"""Name, in sqlglot's or Spark's words, and number of arguments -> the same in other words of Spark."""
_INSTEAD = {
    "isnan": "NaN is null here: ask 'x is null'",
    "currentdate": "fresh(...) and not_future() ask when the newest value is from",
    "currenttimestamp": "fresh(...) and not_future() ask when the newest value is from",
    "now": "fresh(...) and not_future() ask when the newest value is from",
    "luhn_check": "format('credit_card') looks at the check digit",
    "extract": "dayofweek, weekday and weekofyear say the day and the week",
    "exists": "the source, or a view, may tell it in a column of its own",
    "fromjson": "get_json_object reads one value, and format('json') whether it is JSON",
    "json_tuple": "get_json_object reads one value, and format('json') whether it is JSON",
    "soundex": "lower and levenshtein tell whether texts are alike",
}
"""Name -> what to write in place of what is computed nowhere here."""


def inside_out(node: Any, rule: Callable[[Any], Any]) -> Any:
    """The tree with a rule applied to each of its parts, the innermost first.

    sqlglot's own ``transform`` leaves alone what is within a part that it has replaced.
    """
    from sqlglot import exp

    def applied(part: Any) -> Any:
        return inside_out(part, rule) if isinstance(part, exp.Expression) else part

    for name, part in list(node.args.items()):
        node.set(name, [applied(one) for one in part] if isinstance(part, list) else applied(part))
    return rule(node)


def in_other_words(node: Any) -> Any:
    """A function of Spark in those that are known here, whose arguments are already; for :func:`inside_out`."""
    from sqlglot import exp

    if isinstance(node, exp.Extract) and str(node.this).upper() in ("DOW", "DAYOFWEEK"):
        return exp.DayOfWeek(this=node.expression)
    if isinstance(node, exp.StrToUnix) and node.args.get("format") == _template("unix_timestamp(_1)").args["format"]:
        # Of a moment, with the format that stands there where none is named.
        return exp.UnixSeconds(this=node.this)
    arguments = _arguments(node)
    if name_of(node) == "date_part" and len(arguments) == 2 and arguments[0].is_string:
        return in_other_words(exp.Extract(this=exp.var(arguments[0].name.upper()), expression=arguments[1]))
    template = _SAID.get((name_of(node), len(arguments)))
    if template is None:
        return node
    return exp.Paren(this=_template(template).copy()).transform(
        lambda part: arguments[int(part.name[1:]) - 1].copy() if isinstance(part, exp.Column) else part
    )


def instead_of(node: Any) -> str | None:
    """What to write in place of what is computed nowhere here; None where nothing better is known."""
    return _INSTEAD.get(name_of(node))


def meant(name: str) -> str:
    """``; did you mean 'levenshtein'?`` of a name that no function has."""
    near = get_close_matches(name.lower(), _known(), 1, cutoff=0.75)
    return f"; did you mean {near[0]!r}?" if near else ""


@cache
def _known() -> list[str]:
    """The names of functions that sqlglot knows of Spark, and those that are known here."""
    from sqlglot.dialects.spark import Spark

    return sorted({*(name.lower() for name in Spark.Parser.FUNCTIONS), *(name for name, _ in _SAID)})


def name_of(node: Any) -> str:
    """What a function is called: sqlglot's word in small letters, or Spark's where it has none."""
    from sqlglot import exp

    return str(node.name if isinstance(node, exp.Anonymous) else type(node).__name__).lower()


def _arguments(node: Any) -> list[Any]:
    from sqlglot import exp

    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    if not isinstance(node, exp.Func):
        return []
    return [one for one in node.args.values() if isinstance(one, exp.Expression)]


@cache
def _template(sql: str) -> Any:
    import sqlglot

    return sqlglot.parse_one(sql, read="spark")

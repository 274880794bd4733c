"""What DuckDB computes as Spark does: nothing else is said to it.

What each kind of expression comes to on DuckDB 2.0 was compared with what Spark documents: of nulls, of texts that are
no numbers, of dates before 1970 and of fractions.  Where both differ it is written so that they do not, or refused.
"""

from __future__ import annotations

from typing import Any

from airflow_dq.check.spark_words import instead_of
from airflow_dq.exceptions import ConfigurationError

_LOGIC = """
    And Or Not Paren Boolean Null EQ NEQ GT GTE LT LTE NullSafeEQ NullSafeNEQ EqualNull Is In Between Like ILike
    RegexpLike Case If Coalesce Nullif Nvl2 Greatest Least DecodeCase
"""
_NUMBERS = """
    Column Identifier Literal Neg Add Sub Mul Div Mod IntDiv SafeDivide Cast TryCast DataType DataTypeParam Interval Var
    Abs Ceil Floor Round Sign Sqrt Cbrt Pow Exp Ln Log Sin Cos Tan Atan2 Degrees Radians Pi BitwiseAnd BitwiseOr
    BitwiseXor BitwiseNot Asin Acos Atan Rint
"""
_TEXTS = """
    SplitPart SubstringIndex SHA2 ArrayMax ArrayMin ArrayToString Upper Lower Trim Length BitLength Substring Left
    Right Concat ConcatWs DPipe Replace RegexpReplace RegexpExtract RegexpCount RegexpSplit Bracket ArraySize
    ArrayContains StrPosition StartsWith EndsWith Contains Reverse Repeat Pad Initcap Ascii Chr Space MD5 SHA
    Translate Levenshtein Hex JSONExtractScalar JSONPath JSONPathKey JSONPathRoot JSONPathSubscript
"""
_DAYS = """
    Year Month Day DayOfMonth DayOfWeek DayOfYear Quarter WeekOfYear Hour Minute Second LastDay NextDay DateTrunc
    TimestampTrunc TsOrDsAdd TsOrDsToDate DateDiff AddMonths TimestampAdd TimestampDiff Extract TimeToStr TimeStrToTime
    StrToTime StrToDate UnixDate UnixSeconds UnixMillis UnixToStr DateFromUnixDate
"""
SAME = frozenset(f"{_LOGIC} {_NUMBERS} {_TEXTS} {_DAYS}".split())
"""Names of sqlglot's expressions."""
_PARTS = frozenset({"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DOY", "HOUR", "MINUTE"})
"""What may be extracted of a day: of the day of a week tools count from different ones."""
_WHOLE = frozenset({"TINYINT", "SMALLINT", "INT", "BIGINT"})
_ARITHMETIC = ("Neg", "Add", "Sub", "Mul", "Div", "Mod", "IntDiv")


def require_same(sql: str, tree: Any) -> None:
    """Refuse what DuckDB does not know, or computes otherwise than Spark.

    :raises ConfigurationError: naming the part
    """
    from sqlglot import exp

    for node in tree.walk():
        kind = type(node).__name__
        if kind not in SAME or _is_other(node):
            raise ConfigurationError(
                f"The SQL {sql!r} has {node.sql('spark')!r}, which is not computed here as Spark computes it, or has "
                f"another value each time; {instead_of(node) or 'write it in other words, or have the table tell it'}."
            )
        if isinstance(node, exp.And | exp.Or | exp.Not):
            for side in node.iter_expressions():
                if type(side.unnest()).__name__ in _ARITHMETIC:
                    raise ConfigurationError(
                        f"The SQL {sql!r} cannot be computed: one side of {kind.upper()!r} is neither true nor false."
                    )


def _is_other(node: Any) -> bool:
    """Whether it means another thing there with these arguments."""
    from sqlglot import exp

    if isinstance(node, exp.Extract):
        return str(node.this).upper() not in _PARTS
    if isinstance(node, exp.SplitPart | exp.SubstringIndex):
        separator, place = (node.args.get(name) for name in _SPLITS[type(node).__name__])
        # No separator, or the part before the first one, is an error there or every text.
        return not _is_text(separator) or not _is_number(place) or place == exp.Literal.number(0)
    if isinstance(node, exp.SHA2):
        return bool(node.args.get("length") != exp.Literal.number(256))
    if isinstance(node, exp.Substring):
        return bool(node.args.get("start") == exp.Literal.number(0))
    return isinstance(node, exp.In) and not node.expressions


_SPLITS = {"SplitPart": ("delimiter", "part_index"), "SubstringIndex": ("delimiter", "count")}
"""What sqlglot calls the separator, and which part or how many."""


def _is_text(node: Any) -> bool:
    return bool(node is not None and node.is_string and node.name)


def _is_number(node: Any) -> bool:
    from sqlglot import exp

    plain = node.this if isinstance(node, exp.Neg) else node
    return isinstance(plain, exp.Literal) and plain.is_int


def said_alike(node: Any) -> Any:
    """An expression that means in DuckDB what it means in Spark, whose parts already do; see ``inside_out``."""
    from sqlglot import exp

    if isinstance(node, exp.Cast) and str(node.to.this.name) in _WHOLE:
        # A fraction is cut off there, and rounded here.
        exact = exp.TryCast(this=node.this, to=exp.DataType.build("DECIMAL(38, 18)"))
        return exp.TryCast(this=exp.Anonymous(this="TRUNC", expressions=[exact]), to=node.to)
    if isinstance(node, exp.DayOfWeek):
        # From Sunday on: 1 to 7 there, 0 to 6 here.
        return exp.Paren(this=exp.Add(this=node, expression=exp.Literal.number(1)))
    if isinstance(node, exp.Asin | exp.Acos):
        inside = exp.Between(this=node.this.copy(), low=exp.Literal.number(-1), high=exp.Literal.number(1))
        return exp.Case(ifs=[exp.If(this=inside, true=node)])
    if isinstance(node, exp.Rint):
        return exp.Anonymous(this="ROUND_EVEN", expressions=[node.this, exp.Literal.number(0)])
    if isinstance(node, exp.SubstringIndex):
        return _first_parts(node)
    if isinstance(node, exp.Sqrt | exp.Ln | exp.Log):
        # No value there, an error here.
        number = node.args.get("expression") or node.this
        least = exp.GTE if isinstance(node, exp.Sqrt) else exp.GT
        return exp.Case(ifs=[exp.If(this=least(this=number.copy(), expression=exp.Literal.number(0)), true=node)])
    return node


def _first_parts(node: Any) -> Any:
    """All before the n-th separator; from the end when n is below 0."""
    from sqlglot import exp

    parts = exp.Anonymous(this="STRING_SPLIT", expressions=[node.this, node.args["delimiter"]])
    number = int(node.args["count"].sql())
    low, high = (1, number) if number > 0 else (number, -1)
    sliced = exp.Anonymous(this="LIST_SLICE", expressions=[parts, *map(exp.Literal.number, (low, high))])
    return exp.Anonymous(this="ARRAY_TO_STRING", expressions=[sliced, node.args["delimiter"].copy()])

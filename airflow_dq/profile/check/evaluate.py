"""A rule's value on each row of a batch, by Arrow: three-valued as SQL's, NaN as null, a division by zero null."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from airflow_dq.check.expression import (
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
    Placeholder,
    Presence,
    Proof,
    Scalar,
    Value,
)
from airflow_dq.profile.check.duck import DuckError, computed
from airflow_dq.profile.check.number import alike, computed_number, fractions, is_number
from airflow_dq.profile.check.proof import can_be_placeholder, placeholders, proved
from airflow_dq.profile.column import logical_type
from airflow_dq.states.array import flat

_TEXT = pa.large_string()


class RuleError(Exception):
    """A rule that has no value on these rows; says nothing that was read from them."""


class Batch:
    """Some rows, and the values of rules on them: what several rules share is computed once."""

    def __init__(self, columns: Mapping[str, pa.Array | pa.ChunkedArray], rows: int) -> None:
        """Take the rows.

        :param columns: by name; one that a rule reads and that is not there is null in all of them
        """
        self._columns = columns
        self.rows = rows
        self._known: dict[str, pa.Array] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that there are."""
        return tuple(self._columns)

    def truth(self, node: Node) -> pa.BooleanArray:
        """A rule on each row: true, false or null.

        :raises RuleError: when it cannot be computed, or is neither
        """
        found = self.value(node)
        if pt.is_null(found.type):
            return found.cast(pa.bool_())
        if not pt.is_boolean(found.type):
            raise RuleError(f"it is {found.type}, and neither true nor false")
        return found

    def value(self, node: Node) -> pa.Array:
        """An expression on each row.

        :raises RuleError: when it cannot be computed
        """
        # Not the node itself: 1 equals True, and 1.0.
        key = repr(node)
        if key not in self._known:
            try:
                found = _EVALUATORS[type(node)](self, node)
            except (pa.ArrowException, OverflowError, TypeError) as error:
                raise RuleError(_said(error)) from error
            self._known[key] = found
        return self._known[key]

    def literal(self, value: Scalar | None) -> pa.Array:
        """A literal for each row."""
        return pa.repeat(_scalar(value), self.rows)

    def raw(self, name: str) -> pa.Array | pa.ChunkedArray:
        """A column's values as they came."""
        return self._columns[name] if name in self._columns else pa.nulls(self.rows)

    def column(self, name: str) -> pa.Array:
        """A column's values as rules see them: dictionaries decoded, texts of one type, NaN as null."""
        return plain(self.raw(name))


def plain(given: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Values as rules see them."""
    values = flat(given)
    if pt.is_run_end_encoded(values.type):
        values = pc.run_end_decode(values)
    if pt.is_string(logical_type(values.type)):
        return values if values.type == _TEXT else values.cast(_TEXT)
    if pt.is_timestamp(values.type) and values.type.tz not in (None, "UTC"):
        # Hours and days are those of UTC, as engines read them.
        return values.cast(pa.timestamp(values.type.unit, "UTC"))
    if pt.is_float16(values.type):
        values = values.cast(pa.float64())
    if pt.is_floating(values.type):
        odd = pc.is_nan(values)
        if odd.true_count:
            values = pc.if_else(odd, pa.scalar(None, values.type), values)
    return values


def _said(error: BaseException) -> str:
    """An error of Arrow without what it may have read: its kind and, where it is of types alone, its words."""
    if isinstance(error, pa.ArrowNotImplementedError):
        return " ".join(str(error).split())
    return "a number is beyond 64 bits" if "overflow" in str(error).lower() else type(error).__name__


def _scalar(value: Scalar | None) -> pa.Scalar:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return pa.scalar(float(value) if abs(value) >= 2**64 else Decimal(value))
    return pa.scalar(value, _TEXT) if isinstance(value, str) else pa.scalar(value)


def moment(text: str, data_type: pa.DataType) -> pa.Scalar:
    """A text as a date or timestamp; one without a zone is in UTC.

    :raises RuleError: when it is none
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise RuleError(f"{text!r} is no date or timestamp, and is compared with {data_type}") from None
    aware = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
    if pt.is_date(data_type):
        if aware.timetz().replace(tzinfo=None) != datetime.min.time():
            raise RuleError(f"{text!r} has a time of day, and is compared with {data_type}")
        return pa.scalar(date(found.year, found.month, found.day), data_type)
    naive = aware.astimezone(UTC).replace(tzinfo=None)
    return pa.scalar(naive, pa.timestamp(data_type.unit)).cast(data_type)


def _is_day(data_type: pa.DataType) -> bool:
    return bool(pt.is_date(data_type) or pt.is_timestamp(data_type))


def _sides(batch: Batch, left: Node, right: Node) -> tuple[pa.Array, pa.Array]:
    """Both sides of a comparison in types that compare; a text literal beside a date is one, too."""
    sides = [batch.value(left), batch.value(right)]
    for place, node in enumerate((left, right)):
        other = sides[1 - place].type
        if isinstance(node, Value) and isinstance(node.value, str) and _is_day(other):
            sides[place] = pa.repeat(moment(node.value, other), batch.rows)
    ours, theirs = (side.type for side in sides)
    if pt.is_null(ours) or pt.is_null(theirs):
        typed = theirs if pt.is_null(ours) else ours
        return sides[0].cast(typed), sides[1].cast(typed)
    if _is_day(ours) and _is_day(theirs):
        return _days(sides[0]), _days(sides[1])
    if is_number(ours) and is_number(theirs):
        left, right = alike(sides)
        return left, right
    for test in (pt.is_boolean, lambda one: one == _TEXT):
        if test(ours) and test(theirs):
            return sides[0], sides[1]
    if ours == theirs:
        return sides[0], sides[1]
    raise RuleError(f"{_name(ours)} is compared with {_name(theirs)}; cast one of them in a rule")


def _days(values: pa.Array) -> pa.Array:
    """Dates and timestamps as moments in UTC."""
    return values.cast(pa.timestamp("us"), safe=False)


def _name(data_type: pa.DataType) -> str:
    return "text" if data_type == _TEXT else str(data_type)


_COMPARE: dict[str, Callable[..., pa.Array]] = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


def _comparison(batch: Batch, node: Comparison) -> pa.Array:
    left, right = _sides(batch, node.left, node.right)
    if node.sign != "<=>":
        return _COMPARE[node.sign](left, right)
    absent = pc.and_(pc.is_null(left), pc.is_null(right))
    return pc.or_(absent, pc.fill_null(pc.equal(left, right), False))


def _logic(batch: Batch, node: Logic) -> pa.Array:
    join = pc.and_kleene if node.sign == "and" else pc.or_kleene
    return join(batch.truth(node.left), batch.truth(node.right))


def _arithmetic(batch: Batch, node: Arithmetic) -> pa.Array:
    left, right = batch.value(node.left), batch.value(node.right)
    if pt.is_null(left.type) or pt.is_null(right.type):
        return pa.nulls(batch.rows)
    if node.sign == "||":
        if {left.type, right.type} != {_TEXT}:
            raise RuleError(f"|| joins {_name(left.type)} and {_name(right.type)}; it is for texts")
        return pc.binary_join_element_wise(left, right, pa.scalar("", _TEXT))
    for side in (left, right):
        if not is_number(side.type):
            raise RuleError(f"{_name(side.type)} is no number to compute {node.sign} with")
    return computed_number(node.sign, left, right)


def _membership(batch: Batch, node: Membership) -> pa.Array:
    values = batch.value(node.of)
    if pt.is_null(values.type):
        return pa.nulls(batch.rows, pa.bool_())
    given = [one.value for one in node.values if one.value is not None]
    if is_number(values.type) and all(isinstance(one, int | float) and not isinstance(one, bool) for one in given):
        whole = pt.is_integer(values.type) and all(isinstance(one, int) for one in given)
        values = alike([values])[0] if whole else fractions(values)
        wanted = pa.array(given if whole else [float(one) for one in given], values.type)
    elif _is_day(values.type) and all(isinstance(one, str) for one in given):
        wanted = _days(pa.array([moment(str(one), values.type).as_py() for one in given], values.type))
        values = _days(values)
    elif values.type == _TEXT and all(isinstance(one, str) for one in given):
        wanted = pa.array(given, _TEXT)
    elif pt.is_boolean(values.type) and all(isinstance(one, bool) for one in given):
        wanted = pa.array(given, pa.bool_())
    else:
        raise RuleError(f"{_name(values.type)} is looked for among {', '.join(map(repr, given[:5]))}")
    found = pc.is_in(values, value_set=wanted)
    return pc.if_else(values.is_valid(), found, pa.scalar(None, pa.bool_()))


def _match(batch: Batch, node: Match) -> pa.Array:
    values = batch.value(node.of)
    if pt.is_null(values.type):
        return pa.nulls(batch.rows, pa.bool_())
    if values.type != _TEXT:
        raise RuleError(f"{_name(values.type)} is no text to match")
    try:
        return (pc.match_substring_regex if node.regex else pc.match_like)(values, node.pattern)
    except pa.ArrowInvalid:
        raise RuleError(f"the pattern {node.pattern!r} is none that RE2 or UTF-8 texts know") from None


def _proof(batch: Batch, node: Proof) -> pa.Array:
    values = batch.value(node.of)
    if pt.is_null(values.type):
        return pa.nulls(batch.rows, pa.bool_())
    if values.type != _TEXT:
        raise RuleError(f"{_name(values.type)} is no text to be {node.format}")
    return proved(values, node.format)


def _placeholder(batch: Batch, node: Placeholder) -> pa.Array:
    values = batch.value(node.of)
    if not can_be_placeholder(values.type):
        raise RuleError(f"{_name(values.type)} has no values that stand for a missing one; give values")
    return pa.nulls(batch.rows, pa.bool_()) if pt.is_null(values.type) else placeholders(values)


def _negation(batch: Batch, node: Negation) -> pa.Array:
    return pc.invert(batch.truth(node.of))


def _null_test(batch: Batch, node: NullTest) -> pa.Array:
    return batch.value(node.of).is_null()


def _presence(batch: Batch, node: Presence) -> pa.Array:
    values = batch.value(node.of)
    if values.type == _TEXT:
        return pc.fill_null(pc.greater(pc.binary_length(values), 0), False)
    return values.is_valid()


def _call(batch: Batch, node: Call) -> pa.Array:
    values = [batch.value(one) for one in node.arguments]
    try:
        return _called(batch, node, values)
    except pa.ArrowNotImplementedError:
        types = ", ".join(_name(one.type) for one in values)
        raise RuleError(f"{node.name} is not of {types}; cast it in a rule") from None


def _called(batch: Batch, node: Call, values: list[pa.Array]) -> pa.Array:
    if all(pt.is_null(one.type) for one in values):
        return pa.nulls(batch.rows)
    if node.name == "coalesce":
        typed = [one for one in values if not pt.is_null(one.type)]
        return pc.coalesce(*(alike(typed) if all(is_number(one.type) for one in typed) else typed))
    if node.name == "round" and len(values) == 2:
        digits = node.arguments[1]
        if not isinstance(digits, Value) or not isinstance(digits.value, int):
            raise RuleError("round takes a whole number of digits")
        return pc.round(values[0], digits.value, round_mode="half_towards_infinity")
    return _CALLS[node.name](*(alike(values) if is_number(values[0].type) else values))


def _foreign(batch: Batch, node: Foreign) -> pa.Array:
    try:
        return plain(computed(node.duck, [batch.column(one.name) for one in node.reads], batch.rows))
    except DuckError as error:
        raise RuleError(str(error)) from None


def _rounded(values: pa.Array) -> pa.Array:
    return pc.round(values, round_mode="half_towards_infinity")


_CALLS: dict[str, Callable[[pa.Array], pa.Array]] = {
    "abs": pc.abs_checked,
    "ceil": pc.ceil,
    "day": pc.day,
    "floor": pc.floor,
    "hour": pc.hour,
    "length": pc.utf8_length,
    "lower": pc.utf8_lower,
    "month": pc.month,
    "round": _rounded,
    # Of blanks alone, as Spark does.
    "trim": lambda values: pc.utf8_trim(values, characters=" "),
    "upper": pc.utf8_upper,
    "year": pc.year,
}

_EVALUATORS: dict[type[Node], Callable[[Batch, Any], pa.Array]] = {
    Value: lambda batch, node: batch.literal(node.value),
    Column: lambda batch, node: batch.column(node.name),
    Arithmetic: _arithmetic,
    Comparison: _comparison,
    Logic: _logic,
    Negation: _negation,
    NullTest: _null_test,
    Presence: _presence,
    Membership: _membership,
    Match: _match,
    Proof: _proof,
    Placeholder: _placeholder,
    Call: _call,
    Foreign: _foreign,
}

"""What is learned, as checks: fixed bounds of a metric that other tools know, or why there are none.

Bounds that follow the history are those of the partition that comes next: a later one has others, so that an export of
them is to be made again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from airflow_dq.check.bounds import Bounds
from airflow_dq.check.model import Check
from airflow_dq.check.odcs_metric import name_sql
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.export.model import Lost, Rule
from airflow_dq.learn.constraint.base import Constraint
from airflow_dq.learn.constraint.declared import Declared
from airflow_dq.learn.constraint.first_occurrence import NeverSeen
from airflow_dq.learn.constraint.outsized import NoneOutsized
from airflow_dq.learn.constraint.pattern import Conforming
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.constraint.relation import MOST_BROKEN, Holding
from airflow_dq.learn.constraint.schema import ExpectedColumn, NoOtherColumn
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.expect.violation import excludes_nothing
from airflow_dq.learn.pipeline import placed
from airflow_dq.learn.program import Program
from airflow_dq.metrics.descriptor import ANY_NUMBER
from airflow_dq.metrics.registry import get_metric
from airflow_dq.pattern.language import CLASSES
from airflow_dq.profile.model import Profile
from airflow_dq.relation.declared import as_check, why_no_check
from airflow_dq.states.base import Kind

_HEXADECIMAL = re.compile(r"\\x([0-9a-f]{2})")
_OTHER = re.compile(
    r"\[(?P<before>[^\[\]]*)(?:"
    + "|".join(re.escape(CLASSES[name]) for name in ("other", "any"))
    + r")(?P<after>[^\[\]]*)\]"
)
"""A class with the characters beyond printable ASCII, whose ends no two engines write alike."""
_PRINTABLE = range(0x20, 0x7F)
_ANY = r"(?:.|[\n\r])"
RULE_OF_THREE = 3
"""Exceptions that may have been missed in training: with 95 % confidence their rate is below three in all values."""
Found = tuple[list[Rule], list[Lost]]


def rules_of_checks(checks: Iterable[Check]) -> Found:
    """Declared checks, one rule for each level; a strategy over the history is none."""
    rules, lost = list[Rule](), list[Lost]()
    for check in checks:
        rules += [Rule(check, check.error, "error")] if check.error is not None else []
        rules += [Rule(check, check.warn, "warn")] if check.warn is not None else []
        if check.anomaly is not None:
            reason = f"it is compared with its own history ({check.anomaly.strategy}), which is kept here"
            lost.append(Lost(check.id, reason))
    return rules, lost


def rules_of_program(program: Program, history: Sequence[Profile]) -> Found:
    """All constraints of a program that are bounds of a metric, for the partition behind a history.

    :param history: what it was learned from, oldest first; at least one partition
    """
    past = placed(history, program.options).last(max(1, len(program.partitions)))
    view = PartitionView(replace(history[-1], partition=None), past)
    rules, lost = list[Rule](), list[Lost]()
    for constraint in program.constraints:
        if isinstance(constraint, Declared):
            own_rules, own_lost = rules_of_checks([constraint.declared])
            rules += own_rules
            lost += own_lost
            continue
        found = _rule(constraint, view, program)
        if isinstance(found, Rule):
            rules.append(found)
        elif found:
            name = ".".join((constraint.family, *constraint.scope.columns, *_metric(constraint)))
            lost.append(Lost(name, found))
    return rules, lost


def _metric(constraint: Constraint) -> tuple[str, ...]:
    metric = getattr(constraint, "metric", None)
    return () if metric is None else (str(metric),)


def _rule(constraint: Constraint, view: PartitionView, program: Program) -> Rule | str:
    """The constraint as a rule, or why it is none; empty where another one says the same."""
    match constraint:
        case Range():
            return _range(constraint, view)
        case NeverSeen():
            said = f"none in {constraint.partitions} partitions"
            return _bounded(constraint, constraint.metric, constraint.kind, (None, 0.0), said)
        case NoneOutsized():
            said = f"the largest in {constraint.partitions} partitions is {constraint.largest:g}"
            return _bounded(constraint, constraint.metric, constraint.kind, (None, constraint.most), said)
        case Conforming():
            return _pattern(constraint)
        case Holding():
            return _relation(constraint)
        case ExpectedColumn(scope, kind):
            said = f"so in {constraint.present} of {constraint.partitions} partitions"
            # A column without a type (all null) may come to have any: that it is there is asked of all together.
            return "" if kind is Kind.NULL else _asked(Check("type", scope.columns, type=str(kind)), said)
        case NoOtherColumn():
            expected = tuple(program.table.schema)
            if not expected:
                return "no column is expected"
            return _asked(Check("has_columns", expected, exactly=True), f"so in {constraint.partitions} partitions")
        case _:
            return "it compares values with those of past partitions, which no other tool keeps"


def _asked(check: Check, said: str) -> Rule:
    """What everybody asks of a metric, as something that was learned."""
    assert check.error is not None
    return Rule(check, check.error, learned=f"learned: {said}")


def _relation(found: Holding) -> Rule | str:
    """What each row is asked, or what all but one in a hundred must follow where some rows never have."""
    known = found.relation
    check = as_check(known.relation)
    if check is None:
        return why_no_check(known.relation)
    if not known.rows:
        return "it was found in no rows that could have broken it"
    least = 1.0 if not known.broken else 1.0 - MOST_BROKEN
    return Rule(check, Bounds(lower=least), learned=f"learned: {known.rows:,} rows drawn, {known.broken:,} break it")


def _pattern(found: Conforming) -> Rule | str:
    """The share of values of a learned pattern, from all that training leaves open on.

    The gate itself weighs the number of exceptions against the partition's size and the history of their share.
    """
    rule = found.pattern
    least = 1.0 - (rule.nonconforming + RULE_OF_THREE) / max(rule.values, 1)
    if least <= 0:
        return "its training leaves open whether there are exceptions"
    pattern = portable(rule.expression)
    try:
        # A blank text is none of the values that the pattern is of.
        present = f"trim({name_sql(found.scope.columns[0])}) != ''"
        check = Check("matches", found.scope.columns, pattern=pattern, where=present)
    except ConfigurationError as error:
        return str(error).rstrip(".")
    return Rule(check, Bounds(lower=_outward(least, down=True)), learned=f"learned: {rule.values:,} values")


def portable(expression: str) -> str:
    """A pattern's expression as engines other than RE2 read it, too.

    Hexadecimal escapes and both ends are written in several ways, and so is the last character that there is.
    """
    known = _OTHER.sub(_without_other, expression)
    return _HEXADECIMAL.sub(lambda one: "\\" + chr(int(one[1], 16)), known).replace(r"\A", "^").replace(r"\z", "$")


def _without_other(bracket: re.Match[str]) -> str:
    """A class that has the characters beyond printable ASCII, by the printable ones that it has not."""
    if CLASSES["any"] in bracket[0]:
        return _ANY
    named = bracket["before"] + bracket["after"]
    absent = [chr(code) for code in _PRINTABLE if not (named and re.match(f"[{named}]", chr(code)))]
    return "[^" + "".join(map(re.escape, absent)) + "]" if absent else _ANY


def _range(found: Range, view: PartitionView) -> Rule | str:
    metric = get_metric(found.metric, found.kind)
    if found.pair:
        return "it is a distance from past partitions, whose distributions are kept here"
    bounds = found.bounds(view)
    if bounds is None:
        return "none of the values that it follows from is known"
    natural = ANY_NUMBER if metric is None else metric.natural_range
    if excludes_nothing(*bounds, natural):
        return "in the next partition it allows every value"
    low, high = bounds
    cut = (None if low is None or low <= natural[0] else low, None if high is None or high >= natural[1] else high)
    fixed = "learned" if found.expectation.is_fixed else "learned for the next partition"
    return _bounded(found, found.metric, found.kind, cut, f"{found.partitions} partitions", fixed)


def _bounded(
    constraint: Constraint,
    metric: str,
    kind: Kind,
    sides: tuple[float | None, float | None],
    said: str,
    learned: str = "learned",
) -> Rule | str:
    """Bounds of a metric of a column, as bounds of the check that measures the same."""
    column, sides = constraint.scope.column, (_outward(sides[0], down=True), _outward(sides[1], down=False))
    if column is None:
        return Rule(Check("rows"), Bounds(*sides), learned=f"{learned}: {said}")
    if kind is Kind.TIMESTAMP and metric not in _OF_TIMES:
        return "a bound of a moment is a number of seconds here, which other tools do not compare it with"
    share = _REMAINDERS.get(metric)
    if share is not None:
        low, high = (None if side is None else 1.0 - side for side in reversed(sides))
        low, high = _outward(low, down=True), _outward(high, down=False)
        return Rule(share(column), Bounds(low, high), learned=f"{learned}: {said}")
    make = _CHECKS.get(metric)
    if make is None:
        return f"no check measures {metric}"
    check = make(column)
    if kind is Kind.STRING and check.entry.source == "keys":
        # A check takes the empty text for a value that occurs so often; what is learned does not.
        check = replace(check, where=f"{name_sql(column)} != ''", id="")
    return Rule(check, Bounds(*sides), learned=f"{learned}: {said}")


def _outward(side: float | None, *, down: bool) -> float | None:
    """A bound with nine digits, and never a tighter one: what computing left behind them is nobody's bound."""
    if side is None or not side:
        return side
    step = 10.0 ** (math.floor(math.log10(abs(side))) - 8)
    near = round(side / step)
    if abs(near - side / step) > 1e-3:
        near = math.floor(side / step) if down else math.ceil(side / step)
    return float(f"{near * step:.9g}")


def _of(metric: str, **given: float) -> Callable[[str], Check]:
    return lambda column: Check(metric, (column,), **given)  # type: ignore[arg-type]


def _rule_of(sql: str) -> Callable[[str], Check]:
    return lambda column: Check("rule", sql=sql.format(name_sql(column)))


_OF_TIMES = ("complete_ratio", "unique_ratio")
"""Metrics of moments that are no moments themselves."""
_CHECKS: Mapping[str, Callable[[str], Check]] = {
    "complete_ratio": _of("completeness"),
    "mean": _of("mean"),
    "sum": _of("sum"),
    "std": _of("std"),
    "range": _of("range"),
    "skewness": _of("skewness"),
    "kurtosis": _of("kurtosis"),
    "min": _of("min"),
    "max": _of("max"),
    "median": _of("median"),
    "p05": _of("quantile", quantile=0.05),
    "p25": _of("quantile", quantile=0.25),
    "p75": _of("quantile", quantile=0.75),
    "p95": _of("quantile", quantile=0.95),
    "str_len": _of("mean_length"),
    "max_len": _of("max_length"),
    "unique_ratio": _of("distinctness"),
    "dist_val_count": _of("distinct"),
    "entropy": _of("entropy"),
    "true_ratio": _rule_of("{} = true"),
}
"""A metric of a column -> the check that measures the same."""
_REMAINDERS: Mapping[str, Callable[[str], Check]] = {
    "negative_ratio": _rule_of("{} >= 0"),
    "zero_ratio": _rule_of("{} != 0"),
    "empty_ratio": _rule_of("coalesce({} != '', true)"),
}
"""A share of a sort of values -> the check of the share of the others."""

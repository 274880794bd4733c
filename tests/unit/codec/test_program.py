from __future__ import annotations

import json
import math
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.codec import from_builtins, from_json, to_builtins, to_json
from airflow_dq.exceptions import CodecError
from airflow_dq.explain.alert import Alert, Change
from airflow_dq.explain.fact import Fact
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.constraint.base import ColumnReport, Evidence, Finding, NotEvaluated, Scope
from airflow_dq.learn.constraint.date_column import DateColumn
from airflow_dq.learn.constraint.date_part import DatePart
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.expect.expectation import Expectation, Forecast
from airflow_dq.learn.program import Program
from airflow_dq.metrics.descriptor import Bound, Reason
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.states.base import Kind, Representation
from tests.unit.learn.builder import a_range

number = st.floats(allow_nan=False, allow_infinity=False)
bound = st.none() | number
text = st.text(max_size=8)
names = st.lists(text, max_size=3).map(tuple)
value = number | st.sampled_from(Reason)
count = st.integers(0, 2**40)


def few(strategy: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(strategy, max_size=2).map(tuple)


options = st.builds(
    SynthesisOptions,
    target_fpr=st.floats(1e-9, 0.5),
    scope=st.sampled_from(["partition", "column"]),
    mode=st.just("paper"),
    history=st.integers(30, 99),
    min_history=st.integers(3, 30),
    max_clauses=st.none() | st.integers(1, 9),
    columns=st.none() | names,
    exclude=names,
    metrics=st.none() | names,
    stationary=st.booleans(),
)
expectation = st.builds(
    Expectation, forecast=st.sampled_from(Forecast), logarithmic=st.booleans(), center=number, cycle=count
)
scope_of = st.builds(Scope, names)
clause = st.builds(
    Range,
    scope=scope_of,
    metric=text,
    kind=st.sampled_from(Kind),
    pair=st.booleans(),
    expectation=expectation,
    below=bound,
    above=bound,
    fpr=number,
    bound=st.sampled_from(Bound),
    spread=number,
    worst=number,
    samples=count,
    partitions=count,
    representation=st.none() | st.sampled_from(Representation),
    may_be_absent=st.booleans(),
    catches=names,
)
date_column = st.builds(
    DateColumn,
    scope=scope_of,
    kind=st.sampled_from(Kind),
    parts=few(st.builds(DatePart, text, st.integers(-1, 1))),
    varied=st.booleans(),
    past=few(st.tuples(st.none() | text, text)),
    partitions=count,
)
report = st.builds(
    ColumnReport,
    kind=st.sampled_from(Kind),
    variants=count,
    coverage=count,
    ignored=st.dictionaries(text, text, max_size=2),
    reason=st.none() | text,
)
programs = st.builds(
    Program,
    options=options,
    partitions=few(st.none() | text),
    constraints=few(clause | date_column),
    reports=st.dictionaries(text, report, max_size=2),
    skipped=st.dictionaries(text, text, max_size=2),
    missing=count,
)
evidence = st.builds(Evidence, deviation=number, worst=number, rank=count, partitions=count, since=st.none() | text)
finding = st.builds(
    Finding,
    rule=text,
    scope=scope_of,
    metric=st.none() | text,
    observed=st.none() | value,
    seen=st.none() | text,
    expected=st.none() | text,
    lower=bound,
    upper=bound,
    partitions=count,
    evidence=st.none() | evidence,
    rows=st.none() | count,
    examples=names,
    cause=st.none() | text,
)
skipped = st.builds(NotEvaluated, rule=text, scope=scope_of, reason=text, metric=st.none() | text)
scope = st.builds(ScopeVerdict, status=st.sampled_from(Status), checked=count, reason=st.none() | text)
alert = st.builds(
    Alert,
    rule=text,
    column=st.none() | text,
    statement=text,
    metric=st.none() | text,
    observed=st.none() | value,
    lower=bound,
    upper=bound,
    moving=st.booleans(),
    evidence=st.none() | evidence,
    partitions=count,
    history=few(st.tuples(st.none() | text, bound)),
    changes=few(st.builds(Change, aspect=text, words=text, subject=st.none() | text, before=bound, now=bound)),
    cause=st.none() | text,
    group=st.none() | text,
    cause_stated=st.booleans(),
    root=st.booleans(),
    moved_with=few(text),
    snoozed=st.none() | text,
    columns=few(text),
    fact=st.none()
    | st.builds(Fact, key=text, headline=text, columns=few(text), rows=st.none() | count, advice=st.none() | text),
)
verdicts = st.builds(
    Verdict,
    partition=st.none() | text,
    status=st.sampled_from(Status),
    table=scope,
    columns=st.dictionaries(text, scope, max_size=2),
    findings=few(finding),
    not_evaluated=few(skipped),
    alerts=few(alert),
    reason=st.none() | text,
)


def _strict(data: object) -> object:
    return json.loads(json.dumps(data, allow_nan=False))


@given(programs)
def test_program_round_trip(program: Program) -> None:
    assert from_json(Program, to_json(program)) == program
    assert from_builtins(Program, _strict(to_builtins(program))) == program


@given(verdicts)
def test_verdict_round_trip(verdict: Verdict) -> None:
    assert from_json(Verdict, to_json(verdict)) == verdict
    assert from_builtins(Verdict, _strict(to_builtins(verdict))) == verdict


@given(clause)
def test_parts_have_a_round_trip_of_their_own(part: Range) -> None:
    assert from_builtins(Range, _strict(to_builtins(part))) == part
    assert set(to_builtins(part)) == {field.name for field in fields(Range)}


RANGE = a_range("mean", 1.0, 3.0, column="fare")


def test_reason_is_written_in_place_of_a_value() -> None:
    written = to_builtins(Finding("range", RANGE.scope, "mean", Reason.NO_VALUES, lower=1.0))
    assert written["observed"] == {"reason": "no values"}
    assert (written["lower"], written["upper"]) == (1.0, None)
    assert from_builtins(Finding, written).observed is Reason.NO_VALUES


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_no_nan_or_infinity_is_ever_written(bad: float) -> None:
    with pytest.raises(CodecError, match=r"Range\.spread: (nan|-?inf) is not a JSON number"):
        to_builtins(replace(RANGE, spread=bad))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": 5}, r"Range\.metric: 5 is not a text"),
        ({"samples": 3.5}, r"Range\.samples: 3\.5 is not a whole number"),
        ({"samples": True}, r"Range\.samples: True is not a whole number"),
        ({"bound": "markov"}, r"Range\.bound: 'markov' is not one of chebyshev, cantelli, clt"),
        ({"catches": "all"}, r"Range\.catches: Expected `array`, got `str`: 'all'"),
        ({"expectation": 1}, r"Range\.expectation: Expected `object`, got `int`: 1"),
        ({"severity": 1}, r"Range: Object contains unknown field `severity`"),
    ],
)
def test_a_damaged_field_is_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(CodecError, match=message):
        from_builtins(Range, {**to_builtins(RANGE), **change})


def test_a_missing_field_is_named() -> None:
    written = to_builtins(RANGE)
    del written["fpr"]
    with pytest.raises(CodecError, match="Range: Object missing required field `fpr`"):
        from_builtins(Range, written)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "{}", '{"format": "program/9"}', '{"format": "program/1"}', '{"format": NaN}']
)
def test_what_is_not_a_program_is_refused(text: str) -> None:
    with pytest.raises(CodecError):
        from_json(Program, text)


def test_stored_options_that_are_impossible_are_refused() -> None:
    written = to_builtins(Program(SynthesisOptions(), ()))
    written["options"]["target_fpr"] = 2.0
    with pytest.raises(CodecError, match=r"Program\.options: SynthesisOptions\(target_fpr=2\.0\) cannot be used"):
        from_builtins(Program, written)

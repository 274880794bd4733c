from __future__ import annotations

import json
import math
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_dq.codec import from_builtins, from_json, to_builtins, to_json
from airflow_dq.exceptions import CodecError
from airflow_dq.explain.alert import Alert, Change
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.constraint.range import Clause
from airflow_dq.learn.program import ColumnProgram, Program, TableProgram
from airflow_dq.metrics.descriptor import Bound, Reason
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.states.base import Kind

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
transform = st.builds(Transform, kind=st.sampled_from(TransformKind), lag=count)
clause = st.builds(
    Clause,
    metric=text,
    column=st.none() | text,
    pair=st.booleans(),
    transform=transform,
    lower=bound,
    upper=bound,
    fpr=number,
    bound=st.sampled_from(Bound),
    center=number,
    spread=number,
    samples=count,
    catches=names,
)
column = st.builds(
    ColumnProgram,
    name=text,
    kind=st.sampled_from(Kind),
    clauses=few(clause),
    variants=count,
    coverage=count,
    ignored=st.dictionaries(text, text, max_size=2),
    reason=st.none() | text,
)
programs = st.builds(
    Program,
    options=options,
    partitions=few(st.none() | text),
    table=st.builds(
        TableProgram,
        clauses=few(clause),
        schema=st.dictionaries(text, st.sampled_from(Kind), max_size=2),
    ),
    columns=st.dictionaries(text, column, max_size=2),
    missing=count,
)
result = st.builds(
    ClauseResult,
    clause=clause,
    status=st.sampled_from(Status),
    observed=value,
    transformed=bound,
    expected=st.tuples(bound, bound),
)
scope = st.builds(ScopeVerdict, status=st.sampled_from(Status), results=few(result), reason=st.none() | text)
alert = st.builds(
    Alert,
    rule=text,
    column=st.none() | text,
    sentence=text,
    metric=st.none() | text,
    observed=st.none() | value,
    lower=bound,
    upper=bound,
    fpr=bound,
    bound=st.none() | st.sampled_from(Bound),
    history=few(st.tuples(st.none() | text, bound)),
    changes=few(st.builds(Change, aspect=text, words=text, subject=st.none() | text, before=bound, now=bound)),
    cause=st.none() | text,
    group=st.none() | text,
    cause_stated=st.booleans(),
    root=st.booleans(),
    moved_with=few(text),
    snoozed=st.none() | text,
)
verdicts = st.builds(
    Verdict,
    partition=st.none() | text,
    status=st.sampled_from(Status),
    table=scope,
    columns=st.dictionaries(text, scope, max_size=2),
    alerts=few(alert),
    reason=st.none() | text,
)


def _strict(data: object) -> object:
    return json.loads(json.dumps(data, allow_nan=False))


@settings(max_examples=60, deadline=None)
@given(programs)
def test_program_round_trip(program: Program) -> None:
    assert from_json(Program, to_json(program)) == program
    assert from_builtins(Program, _strict(to_builtins(program))) == program


@settings(max_examples=60, deadline=None)
@given(verdicts)
def test_verdict_round_trip(verdict: Verdict) -> None:
    assert from_json(Verdict, to_json(verdict)) == verdict
    assert from_builtins(Verdict, _strict(to_builtins(verdict))) == verdict


@given(clause)
def test_parts_have_a_round_trip_of_their_own(part: Clause) -> None:
    assert from_builtins(Clause, _strict(to_builtins(part))) == part
    assert set(to_builtins(part)) == {field.name for field in fields(Clause)}


CLAUSE = Clause("mean", "fare", False, Transform(), 1.0, None, 0.01, Bound.CLT, 2.0, 0.5, 30)


def test_reason_is_written_in_place_of_a_value() -> None:
    written = to_builtins(ClauseResult(CLAUSE, Status.FAIL, Reason.NO_VALUES, None, (1.0, None)))
    assert written["observed"] == {"reason": "no values"}
    assert written["expected"] == [1.0, None]
    assert from_builtins(ClauseResult, written).observed is Reason.NO_VALUES


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_no_nan_or_infinity_is_ever_written(bad: float) -> None:
    with pytest.raises(CodecError, match=r"Clause\.center: (nan|-?inf) is not a JSON number"):
        to_builtins(replace(CLAUSE, center=bad))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": 5}, r"Clause\.metric: 5 is not a text"),
        ({"samples": 3.5}, r"Clause\.samples: 3\.5 is not a whole number"),
        ({"samples": True}, r"Clause\.samples: True is not a whole number"),
        ({"bound": "markov"}, r"Clause\.bound: 'markov' is not one of chebyshev, cantelli, clt"),
        ({"catches": "all"}, r"Clause\.catches: Expected `array`, got `str`: 'all'"),
        ({"transform": 1}, r"Clause\.transform: Expected `object`, got `int`: 1"),
        ({"severity": 1}, r"Clause: Object contains unknown field `severity`"),
    ],
)
def test_a_damaged_field_is_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(CodecError, match=message):
        from_builtins(Clause, {**to_builtins(CLAUSE), **change})


def test_a_missing_field_is_named() -> None:
    written = to_builtins(CLAUSE)
    del written["fpr"]
    with pytest.raises(CodecError, match="Clause: Object missing required field `fpr`"):
        from_builtins(Clause, written)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "{}", '{"format": "program/9"}', '{"format": "program/1"}', '{"format": NaN}']
)
def test_what_is_not_a_program_is_refused(text: str) -> None:
    with pytest.raises(CodecError):
        from_json(Program, text)


def test_stored_options_that_are_impossible_are_refused() -> None:
    written = to_builtins(Program(SynthesisOptions(), (), TableProgram(), {}))
    written["options"]["target_fpr"] = 2.0
    with pytest.raises(CodecError, match=r"Program\.options: SynthesisOptions\(target_fpr=2\.0\) cannot be used"):
        from_builtins(Program, written)

"""What the page on the architecture says of adding a metric and a family of constraints, done once with toys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.severity import graded
from airflow_dq.judge.verdict import Verdict
from airflow_dq.learn import pipeline
from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.registry import families
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.learn.program import Program
from airflow_dq.metrics.descriptor import Bound, MetricValue, Reason, Scale
from airflow_dq.metrics.registry import find_metric, metric, unregister_metric
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import profile_table
from airflow_dq.report import render_page, render_text
from airflow_dq.states.number import NumberDistribution

ROWS = 80


def _day(index: int, factor: float = 1.0, **constants: str) -> Profile:
    rng = np.random.default_rng(index)
    columns = {
        "amount": pa.array(rng.gamma(4.0, 10.0, ROWS) * factor),
        "unit": pa.array([constants.get("unit", "EUR")] * ROWS),
    }
    return profile_table(pa.table(columns), f"2026-01-{index + 1:02d}")


# ---- a family of constraints ---------------------------------------------------------------------------------------


@pytest.fixture
def toy_family(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Detector]]:
    """A family of constraints as one module would define it, gone again after the test."""

    @dataclass(frozen=True, slots=True)
    class OneValue(Constraint):
        """A column holds one value only."""

        family: ClassVar[str] = "toy_one_value"
        partitions: int

        def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
            (name,) = self.scope.columns
            column = partition.column(name)
            number = None if column is None else column.metrics.get("dist_val_count")
            if not isinstance(number, float):
                return NotEvaluated("several_values", self.scope, "how many values it has is not known")
            if number <= 1.0:
                return None
            return Finding("several_values", self.scope, seen=f"{number:g} values", partitions=self.partitions)

    class ToyDetector(Detector):
        """Looks for columns that have always had one value."""

        name: ClassVar[str] = "toy"

        def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
            newest = history.newest
            found = tuple(
                OneValue(Scope((name,)), len(history))
                for name in (newest.columns if newest is not None else ())
                if all(past.columns[name].metrics.get("dist_val_count") == 1.0 for past in history.profiles)
            )
            return Learned(found) if found else Skipped("every column has several values")

    families.cache_clear()
    calibrated = (*pipeline.DETECTORS["calibrated"], ToyDetector())
    monkeypatch.setitem(pipeline.DETECTORS, "calibrated", calibrated)
    yield ToyDetector
    del Constraint._families[OneValue.family]
    families.cache_clear()


@pytest.mark.usefixtures("toy_family")
def test_a_new_family_is_learned_stored_checked_and_told_without_another_edit() -> None:
    past = [_day(index) for index in range(12)]
    program = synthesize_and_reread(past)
    (own,) = [one for one in program.constraints if one.family == "toy_one_value"]
    assert own.scope == Scope(("unit",))

    right = evaluate(program, _day(12), past)
    assert right.status == "pass"
    now = _day(12)
    mixed = pa.table({"amount": np.random.default_rng(12).gamma(4.0, 10.0, ROWS), "unit": ["EUR", "USD"] * (ROWS // 2)})
    wrong = evaluate(program, profile_table(mixed, now.partition), past)
    assert from_json(Verdict, to_json(wrong)) == wrong
    (alert,) = [one for one in wrong.alerts if one.rule == "several_values"]
    assert alert.message.startswith("unit: 2 values (12 past partitions).")
    (warned,) = [one for one in graded(wrong, {"rule:several_values": "warn"}).alerts if one.rule == alert.rule]
    assert warned.severity == "warn"
    for told in (render_text([("orders", wrong)], width=200), render_page([("orders", wrong)])):
        assert "2 values (12 past partitions)" in told

    bare = replace(now.columns["unit"], metrics={}, states={}, states_digest="")
    unknown = evaluate(program, replace(now, columns={**now.columns, "unit": bare}), past)
    assert unknown.status == "not_evaluated"
    assert "several_values: how many values it has is not known" in unknown.not_judged["unit"]


@pytest.mark.usefixtures("toy_family")
def test_a_family_that_has_nothing_to_say_says_why() -> None:
    past = [_day(index, unit=str(index)) for index in range(12)]
    mixed = [replace(one, columns={"amount": one.columns["amount"]}) for one in past]
    assert pipeline.synthesize(mixed).skipped["toy"] == "every column has several values"


def synthesize_and_reread(past: list[Profile]) -> Program:
    """The program after a way through its JSON."""
    program = pipeline.synthesize(past)
    read = from_json(Program, to_json(program))
    assert read == program
    return read


# ---- a metric ------------------------------------------------------------------------------------------------------


@pytest.fixture
def toy_metric() -> Iterator[str]:
    """A metric as a DAG file would register it."""

    @metric(NumberDistribution, bound=Bound.CHEBYSHEV, scale=Scale.SHARE, words="share of values above 100")
    def toy_large_ratio(numbers: NumberDistribution) -> MetricValue:
        """Share of the values above 100."""
        if not numbers.total:
            return Reason.NO_VALUES
        return float(numbers.counts[numbers.values > 100.0].sum() / numbers.total)

    yield "toy_large_ratio"
    unregister_metric("toy_large_ratio")


def test_a_new_metric_is_measured_learned_checked_and_told_without_another_edit(toy_metric: str) -> None:
    past = [_day(index) for index in range(12)]
    assert all(0.0 <= float(one.columns["amount"].metrics[toy_metric]) <= 1.0 for one in past)
    options = SynthesisOptions(metrics=(toy_metric,), columns=("amount",))
    program = pipeline.synthesize(past, options)
    assert from_json(Program, to_json(program)) == program
    (own,) = [one for one in program.ranges() if one.metric == toy_metric]
    entry = find_metric(toy_metric)
    assert entry is not None
    assert own.bounds(PartitionView(_day(12), History.of(past)))[0] == entry.natural_range[0]  # type: ignore[index]

    assert evaluate(program, _day(12), past).status == "pass"
    wrong = evaluate(program, _day(12, factor=10.0), past)
    assert (wrong.status, [one.metric for one in wrong.alerts]) == ("fail", [toy_metric])
    assert "share of values above 100 was " in wrong.alerts[0].message
    assert "share of values above 100" in render_page([("orders", wrong)])


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (float("nan"), Reason.NOT_APPLICABLE),
        (float("inf"), Reason.OVERFLOW),
        (-np.inf, Reason.OVERFLOW),
        (10**400, Reason.OVERFLOW),
        (np.float32("nan"), Reason.NOT_APPLICABLE),
        (None, Reason.ENGINE_ERROR),
        ("3", Reason.ENGINE_ERROR),
        (1j, Reason.ENGINE_ERROR),
        (np.int64(3), 3.0),
        (True, 1.0),
    ],
    ids=repr,
)
def test_what_a_users_metric_returns_is_a_number_or_the_right_reason(returned: object, reason: MetricValue) -> None:
    answers: list[object] = [0.5]

    @metric(NumberDistribution, bound=Bound.CHEBYSHEV)
    def toy_single(numbers: NumberDistribution) -> MetricValue:
        """A number that a user made."""
        return answers[0]  # type: ignore[return-value]

    @metric(NumberDistribution, bound=Bound.CANTELLI, pair=True)
    def toy_pair(now: NumberDistribution, before: NumberDistribution) -> MetricValue:
        """A distance that a user made."""
        return answers[0]  # type: ignore[return-value]

    try:
        past = [_day(index) for index in range(9)]
        options = SynthesisOptions(metrics=("toy_single", "toy_pair"), columns=("amount",))
        program = pipeline.synthesize(past, options)
        answers[0] = returned
        now = _day(9)
        assert now.columns["amount"].metrics["toy_single"] == reason
        assert type(now.columns["amount"].metrics["toy_single"]) is type(reason)
        assert from_json(Profile, to_json(now)) == now
        verdict = evaluate(program, now, past)
        assert verdict.status in ("fail", "not_evaluated")
        assert from_json(Verdict, to_json(verdict)) == verdict
        assert all("nan" not in alert.message and "inf " not in alert.message for alert in verdict.alerts)
        # In the history it is no obstacle either.
        assert evaluate(pipeline.synthesize([*past, now], options), _day(10), [*past, now]).status != "pass"
    finally:
        unregister_metric("toy_single")
        unregister_metric("toy_pair")

"""What is set for a table and what for one of its columns, and a metric that a user adds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.exceptions import ConfigurationError, SynthesisError, UnknownColumnError
from airflow_dq.learn.constraint.first_occurrence import NeverSeen
from airflow_dq.learn.program import Program
from airflow_dq.metrics import registry
from airflow_dq.metrics.descriptor import Bound, Metric, MetricValue, Reason, Scale
from airflow_dq.metrics.evaluate import measure
from airflow_dq.metrics.registry import metric
from airflow_dq.options.learning import ColumnOptions
from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import Status, SynthesisOptions, evaluate, synthesize
from airflow_dq.report.pages.program import clause_words
from airflow_dq.states.base import Kind
from airflow_dq.states.moment import Moments
from tests.unit.learn.builder import flights, with_metric

HISTORY = [flights(i) for i in range(12)]


def test_a_columns_own_metrics_and_clauses_leave_the_others_alone() -> None:
    plain = synthesize(HISTORY, SynthesisOptions(scope="column"))
    own = {"air_time": {"metrics": ["mean", "std"], "max_clauses": 1}}
    program = synthesize(HISTORY, SynthesisOptions(scope="column", overrides=own))
    assert [clause.metric for clause in program.columns["air_time"].clauses] in (["mean"], ["std"])
    assert program.columns["carrier"] == plain.columns["carrier"]


def test_a_columns_own_rate_is_its_own_and_the_others_share_the_tables() -> None:
    program = synthesize(HISTORY, SynthesisOptions(target_fpr=0.01, overrides={"air_time": {"target_fpr": 0.2}}))
    spent = {name: sum(clause.fpr for clause in column.clauses) for name, column in program.columns.items()}
    assert spent["air_time"] <= 0.2
    # A hundredth of the column's own rate is the least that a clause takes.
    assert all(clause.fpr >= 0.002 for clause in program.columns["air_time"].clauses)
    # What is left is for one column and the number of rows.
    assert spent["carrier"] <= 0.005
    assert program.table.clauses[0].fpr == pytest.approx(0.99 * 0.005)


def test_an_own_rate_equal_to_the_tables_is_still_the_columns_own() -> None:
    options = SynthesisOptions(target_fpr=0.01, overrides={"air_time": {"target_fpr": 0.01}})
    assert synthesize(HISTORY, options).table.clauses[0].fpr == pytest.approx(0.99 * 0.005)


def test_options_survive_json_as_they_are() -> None:
    options = SynthesisOptions(overrides={"air_time": ColumnOptions(metrics=("mean",), stationary=False)})
    program = synthesize(HISTORY, options)
    assert from_json(Program, to_json(program)) == program
    assert program.options.of_column("air_time").metrics == ("mean",)
    assert program.options.of_column("carrier") is program.options


def _counted(index: int, rows: int = 400, level: float = 20.0) -> Profile:
    rng = np.random.default_rng(index)
    made = {name: rng.normal(level, 1.0, rows + index % 5) for name in ("amount", "other")}
    return profile_table(pa.table(made), f"2026-01-{index + 1:02d}")


COUNTED = [_counted(index) for index in range(12)]
FALLS = SynthesisOptions(
    metrics=("mean",), direction={"row_count": "falls"}, overrides={"amount": {"direction": {"mean": "rises"}}}
)


def test_a_metric_is_an_alarm_only_in_the_direction_that_is_given() -> None:
    program = synthesize(COUNTED, FALLS)
    found = {
        (rows, level): {
            (alert.column, alert.metric) for alert in evaluate(program, _counted(12, rows, level), COUNTED).alerts
        }
        for rows in (40, 400, 4_000)
        for level in (10.0, 20.0, 30.0)
    }
    for (rows, level), alerts in found.items():
        assert ((None, "row_count") in alerts) == (rows == 40), "more rows are fine"
        assert (("amount", "mean") in alerts) == (level == 30.0), "a lower mean is fine"
        assert (("other", "mean") in alerts) == (level != 20.0), "nothing is said of this column"


def test_a_direction_is_part_of_the_program_and_of_its_words() -> None:
    program = synthesize(COUNTED, FALLS)
    assert from_json(Program, to_json(program)) == program
    (rows,) = program.table.clauses
    assert (rows.direction, rows.above) == ("falls", None)
    assert str(clause_words(rows)).startswith("number of rows (only a fall counts): at least ")
    (mean,) = program.columns["amount"].clauses
    assert str(clause_words(mean)).startswith("mean (only a rise counts): at most ")
    assert "only" not in str(clause_words(program.columns["other"].clauses[0]))


def test_both_modes_follow_a_direction() -> None:
    program = synthesize(
        COUNTED, SynthesisOptions(mode="paper", scope="column", target_fpr=0.1, direction={"mean": "falls"})
    )
    means = [clause for clause in program.ranges() if clause.metric == "mean"]
    assert means
    assert all(clause.above is None and clause.below is not None for clause in means)


def test_what_never_came_may_come_where_only_a_fall_is_an_alarm() -> None:
    metrics = {constraint.metric for constraint in synthesize(COUNTED).constraints if isinstance(constraint, NeverSeen)}
    assert "nan_ratio" in metrics
    program = synthesize(COUNTED, SynthesisOptions(direction={"nan_ratio": "falls"}))
    left = {constraint.metric for constraint in program.constraints if isinstance(constraint, NeverSeen)}
    assert left == metrics - {"nan_ratio"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"direction": {"averge": "falls"}}, "'averge': 'falls', which is not a metric"),
        ({"direction": {"emd": "falls"}}, "'emd': 'falls', which is a distance, of which only a rise"),
        ({"overrides": {"amount": {"direction": {"row_count": "falls"}}}}, "for column 'amount', which is judged once"),
    ],
)
def test_a_direction_that_nothing_follows_is_explained(given: dict[str, Any], said: str) -> None:
    with pytest.raises(SynthesisError, match=said):
        synthesize(COUNTED, SynthesisOptions(**given))


@pytest.mark.parametrize("given", ["falls", {"mean": "down"}, {1: "falls"}])
def test_a_direction_is_falls_or_rises(given: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"direction=.* cannot be used: give a dict of metrics and 'falls'"):
        SynthesisOptions(direction=given)
    with pytest.raises(ConfigurationError, match=r"cannot use direction=.* for column 'a': give a dict"):
        SynthesisOptions(overrides={"a": ColumnOptions(direction=given)})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rate": 0.1}, r"no field rate for column 'air_time'; it has target_fpr, max_clauses"),
        ({"target_fpr": 2.0}, r"target_fpr=2\.0 for column 'air_time': give a rate between 0 and 1"),
        ({"max_clauses": 0}, r"max_clauses=0 for column 'air_time'"),
    ],
)
def test_an_override_that_cannot_be_used_is_explained(given: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        SynthesisOptions(overrides={"air_time": given})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("option", "given"),
    [("target_fpr", "0.01"), ("target_fpr", 1e-300), ("history", "30"), ("min_history", 7.5), ("max_clauses", "3")],
)
def test_what_is_no_such_number_is_refused(option: str, given: object) -> None:
    with pytest.raises(ConfigurationError, match=rf"SynthesisOptions\({option}={given!r}\) cannot be used: give "):
        SynthesisOptions(**{option: given})  # type: ignore[arg-type]


@pytest.mark.parametrize("option", ["columns", "exclude", "metrics"])
def test_one_name_is_not_taken_for_its_letters(option: str) -> None:
    with pytest.raises(
        ConfigurationError, match=rf"{option}='mean'\) cannot be used: give a tuple of names: \('mean',\)"
    ):
        SynthesisOptions(**{option: "mean"})  # type: ignore[arg-type]


def test_an_override_of_what_does_not_exist_is_explained() -> None:
    with pytest.raises(UnknownColumnError, match=r"overrides=.*'air_tim'"):
        synthesize(HISTORY, SynthesisOptions(overrides={"air_tim": {"max_clauses": 1}}))  # type: ignore[dict-item]
    with pytest.raises(SynthesisError, match="'averge', which is not a metric"):
        synthesize(HISTORY, SynthesisOptions(overrides={"air_time": {"metrics": ["averge"]}}))  # type: ignore[dict-item]


@pytest.fixture
def users_metric() -> Iterator[str]:
    """Registered as a DAG file does it, and forgotten again."""

    @metric(Moments, bound=Bound.CHEBYSHEV, kinds=frozenset({Kind.NUMERIC}), scale=Scale.RATIO)
    def variation(moments: Moments) -> MetricValue:
        """Standard deviation as a share of the mean."""
        return moments.std / moments.mean if moments.count and moments.mean else Reason.NO_VALUES

    yield "variation"
    registry.unregister_metric("variation")


def measured(profile: Profile) -> Profile:
    """The profile as it is made while the metric is registered, injected errors included."""
    column = profile.columns["air_time"]
    new = with_metric(profile, "air_time", measure(column.kind, column.states))
    new.variants["air_time"] = tuple(
        replace(variant, metrics=measure(Kind.NUMERIC, variant.states)) for variant in profile.variants["air_time"]
    )
    new.variants["carrier"] = profile.variants["carrier"]
    return new


def test_a_users_metric_works_like_a_built_in_one(users_metric: str) -> None:
    history = [measured(one) for one in HISTORY]
    found = registry.get_metric(users_metric, Kind.NUMERIC)
    assert isinstance(found, Metric)
    program = synthesize(history, SynthesisOptions(metrics=(users_metric,), scope="column"))
    (clause,) = program.columns["air_time"].clauses
    assert clause.metric == users_metric
    assert clause.catches
    assert evaluate(program, measured(flights(12)), history, ["air_time"]).columns["air_time"].status is Status.PASS
    wide = with_metric(measured(flights(12)), "air_time", {users_metric: 9.0})
    verdict = evaluate(program, wide, history, ["air_time"])
    assert [alert.metric for alert in verdict.alerts] == [users_metric]
    assert from_json(Program, to_json(program)) == program

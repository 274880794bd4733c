"""What is set for a table and what for one of its columns, and a metric that a user adds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.exceptions import ConfigurationError, SynthesisError, UnknownColumnError
from airflow_dq.learn.program import Program
from airflow_dq.metrics import registry
from airflow_dq.metrics.descriptor import Bound, Metric, MetricValue, Reason, Scale
from airflow_dq.metrics.evaluate import measure
from airflow_dq.metrics.registry import metric
from airflow_dq.options.learning import ColumnOptions
from airflow_dq.profile import Profile
from airflow_dq.program import Status, SynthesisOptions, evaluate, synthesize
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

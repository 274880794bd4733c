"""Metrics that a user registers: measured, learned from, and sent to where their module cannot be imported."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.corruption.variant import all_variants
from airflow_dq.engine.spark.bundle import executor_bundle
from airflow_dq.engine.spark.user_metric import pack_metrics, user_metrics_module
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.metrics.descriptor import Bound, MetricValue, Reason, Scale
from airflow_dq.metrics.registry import get_metric, metric, own_metrics, unregister_metric
from airflow_dq.metrics.user_metric import PYTHON, unpack_metrics
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.program import SynthesisOptions, evaluate, synthesize
from airflow_dq.states.base import Kind
from airflow_dq.states.number import NumberDistribution

LIMIT = 120.0
OWN = ("above_limit_ratio", "median_moved")


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """Two metrics as a DAG file has them: of one partition, and of two."""

    @metric(NumberDistribution, bound=Bound.CHEBYSHEV, scale=Scale.SHARE)
    def above_limit_ratio(numbers: NumberDistribution) -> MetricValue:
        """Share of the values above the limit."""
        return (
            float(numbers.counts[numbers.values > LIMIT].sum() / numbers.total) if numbers.total else Reason.NO_VALUES
        )

    @metric(NumberDistribution, bound=Bound.CANTELLI, pair=True)
    def median_moved(now: NumberDistribution, before: NumberDistribution) -> MetricValue:
        """Distance of the medians as a share of the larger one."""
        if not now.total or not before.total:
            return Reason.NO_VALUES
        after, earlier = now.quantile(0.5), before.quantile(0.5)
        return abs(after - earlier) / max(abs(after), abs(earlier), 1e-9)

    yield
    for name in OWN:
        unregister_metric(name)


def day(number: int, factor: float = 1.0) -> Profile:
    values = np.random.default_rng(number).normal(100.0, 10.0, 500) * factor
    return profile_table(pa.table({"amount": values}), partition=f"{number:02}", options=ProfileOptions(seed=0))


def test_they_are_profiled_injected_into_and_judged_like_built_in_ones() -> None:
    history = [day(number) for number in range(15)]
    assert {entry.name for entry in own_metrics()} == set(OWN)
    seen = history[-1].columns["amount"].metrics["above_limit_ratio"]
    assert isinstance(seen, float)
    assert 0.0 < seen < 0.05
    assert all("above_limit_ratio" in one.metrics for one in all_variants(history[-1])["amount"])
    program = synthesize(history, SynthesisOptions(metrics=OWN, scope="column", target_fpr=0.01))
    clauses = {clause.metric: clause for clause in program.columns["amount"].clauses}
    assert set(clauses) == set(OWN)
    assert (clauses["above_limit_ratio"].samples, clauses["median_moved"].samples) == (15, 14)
    assert evaluate(program, day(20), history).status == "pass"
    verdict = evaluate(program, day(20, factor=1.5), history)
    assert {alert.metric for alert in verdict.alerts if alert.column == "amount"} == set(OWN)
    assert any("above limit ratio" in alert.message for alert in verdict.alerts)


def test_a_metric_is_learned_from_the_partitions_since_it_was_registered() -> None:
    days = [day(number) for number in range(20)]
    new = {name: 12 if name in OWN else 0 for name in ("mean", *OWN)}
    for place, profile in enumerate(days):
        column = profile.columns["amount"]
        kept = {name: value for name, value in column.metrics.items() if place >= new.get(name, 0)}
        profile.columns["amount"] = replace(column, metrics=kept)  # type: ignore[index]
    options = SynthesisOptions(metrics=("above_limit_ratio",), scope="column", target_fpr=0.01)
    (clause,) = synthesize(days, options).columns["amount"].clauses
    assert clause.samples == 8
    early = synthesize(days[:18], options).columns["amount"]
    assert early.clauses == ()
    assert early.ignored == {
        "above_limit_ratio": "missing in the history (its statistics are not kept in partition 00)"
    }


def test_they_travel_by_value_with_what_they_refer_to() -> None:
    packed = pack_metrics()
    expected = day(1).columns["amount"].metrics["above_limit_ratio"]
    for name in OWN:
        unregister_metric(name)
    assert "above_limit_ratio" not in day(1).columns["amount"].metrics
    assert [entry.name for entry in unpack_metrics(packed)] == list(OWN)
    assert day(1).columns["amount"].metrics["above_limit_ratio"] == expected
    found = get_metric("median_moved", Kind.NUMERIC)
    assert found is not None
    assert (found.pair, found.scale) == (True, Scale.DISTANCE)


def test_an_executor_finds_them_in_its_bundle(tmp_path: Path) -> None:
    bundle = executor_bundle(tmp_path, user_metrics_module())
    assert "airflow_dq_own_metrics.py" in zipfile.ZipFile(bundle).namelist()
    script = (
        f"import sys; sys.path.insert(0, {str(bundle)!r})\n"
        "import airflow_dq, pyarrow as pa; assert '.zip' in airflow_dq.__file__\n"
        "from airflow_dq.metrics.evaluate import measure\n"
        "from airflow_dq.states.base import Kind, states_of\n"
        "found = measure(Kind.NUMERIC, states_of(Kind.NUMERIC, pa.array([100.0, 130.0])))\n"
        "print(found['above_limit_ratio'])"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (answer.stdout.strip(), answer.stderr) == ("0.5", "")


def test_without_own_metrics_nothing_is_sent() -> None:
    for name in OWN:
        unregister_metric(name)
    assert pack_metrics() == ""
    assert user_metrics_module() == {}
    assert unpack_metrics("") == ()


def test_another_python_is_refused_in_a_sentence() -> None:
    other = pack_metrics().replace(PYTHON, "3.99", 1)
    with pytest.raises(ConfigurationError, match=r"packed by Python 3\.99 .*PYSPARK_DRIVER_PYTHON"):
        unpack_metrics(other)


def test_a_module_that_spark_lacks_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "only_here_xyz.py").write_text("def halve(value):\n    return value / 2\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import only_here_xyz  # type: ignore[import-not-found]

    @metric(NumberDistribution, bound=Bound.CHEBYSHEV, name="median_moved_half", scale=Scale.SHARE)
    def half(numbers: NumberDistribution) -> MetricValue:
        """Half of something."""
        return float(only_here_xyz.halve(numbers.total))

    try:
        packed = pack_metrics()
        sys.modules.pop("only_here_xyz")
        (tmp_path / "only_here_xyz.py").unlink()
        with pytest.raises(ConfigurationError, match=r"needs the module 'only_here_xyz'.* py_files"):
            unpack_metrics(packed)
    finally:
        unregister_metric("median_moved_half")


def test_a_built_in_metric_is_not_replaced_and_the_same_function_loaded_again_is_welcome() -> None:
    def load(name: str) -> None:
        @metric(NumberDistribution, bound=Bound.CHEBYSHEV, name=name)
        def loaded(numbers: NumberDistribution) -> MetricValue:
            """The number of values."""
            return float(numbers.total)

    with pytest.raises(ValueError, match="'median' is already registered for numeric columns"):
        load("median")
    load("loaded_twice")
    load("loaded_twice")
    unregister_metric("loaded_twice")

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from airflow_dq.metrics.descriptor import Bound, MetricValue, Reason, Scale, Support, Unit, Use
from airflow_dq.metrics.evaluate import compare, is_complete, measure
from airflow_dq.metrics.registry import find_metric, get_metric, metric, metrics_for, unregister_metric
from airflow_dq.states.base import Kind, states_of
from airflow_dq.states.moment import Moments


@pytest.mark.parametrize(
    "module",
    [
        "airflow_dq.states.base",
        "airflow_dq.metrics.descriptor",
        "airflow_dq.metrics.registry",
        "airflow_dq.learn.constraint.base",
    ],
)
def test_vocabulary_modules_import_no_numeric_library(module: str) -> None:
    code = f"import {module}, sys; print(sorted({{'numpy', 'pyarrow', 'scipy'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_first_look_up_finds_everything() -> None:
    code = (
        "from airflow_dq.metrics.registry import metrics_for; from airflow_dq.states.base import Kind, state_types;"
        "print(len(metrics_for(Kind.STRING)) > 15, len(state_types()) > 5)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


@pytest.fixture
def own() -> Iterator[Callable[..., None]]:
    """Registers a metric under some name with some facts, for one test."""
    names = []

    def register(name: str, pair: bool = False, returned: Exception | None = None, **facts: object) -> None:
        def one(moments: Moments) -> MetricValue:
            """Some number."""
            if returned is not None:
                raise returned
            return 1.0

        def two(now: Moments, before: Moments) -> MetricValue:
            """Some distance."""
            if returned is not None:
                raise returned
            return 0.5

        metric(Moments, bound=Bound.CHEBYSHEV, name=name, pair=pair, **facts)(two if pair else one)  # type: ignore[arg-type]
        names.append(name)

    yield register
    for name in names:
        unregister_metric(name)


@pytest.mark.parametrize(
    ("scale", "unit", "natural_range"),
    [
        (Scale.AMOUNT, Unit.NUMBER, (float("-inf"), float("inf"))),
        (Scale.SHARE, Unit.SHARE, (0.0, 1.0)),
        (Scale.COUNT, Unit.COUNT, (0.0, float("inf"))),
        (Scale.LENGTH, Unit.CHARACTERS, (0.0, float("inf"))),
        (Scale.TRANSPORT, Unit.SPAN, (0.0, float("inf"))),
    ],
)
def test_what_a_decorator_leaves_out_follows_from_the_scale(own, scale, unit, natural_range) -> None:
    own("drift_of_all", scale=scale)
    entry = get_metric("drift_of_all", Kind.NUMERIC)
    assert entry is not None
    assert (entry.unit, entry.natural_range) == (unit, natural_range)
    assert (entry.phrase, entry.support, entry.use) == ("drift of all", Support.VALUES, Use.ALWAYS)
    assert entry.learned(named=False)


def test_a_distance_of_ones_own_is_told_from_its_baseline(own) -> None:
    own("moved_far", pair=True, pool=6)
    entry = find_metric("moved_far")
    assert entry is not None
    assert entry.phrase == "moved far from the last 6 partitions"
    assert (entry.scale, entry.natural_range) == (Scale.DISTANCE, (0.0, float("inf")))


def test_a_metric_that_raises_costs_no_other(own, caplog: pytest.LogCaptureFixture) -> None:
    own("broken", returned=ZeroDivisionError("secret"))
    own("broken_distance", pair=True, returned=ZeroDivisionError("secret"))
    states = states_of(Kind.NUMERIC, pa.array([1.0, 3.0]))
    alone, both = measure(Kind.NUMERIC, states), compare(Kind.NUMERIC, states, states)
    assert (alone["broken"], alone["mean"]) == (Reason.ENGINE_ERROR, 2.0)
    assert (both["broken_distance"], both["emd"]) == (Reason.ENGINE_ERROR, 0.0)
    assert [one.getMessage() for one in caplog.records] == [
        f"metric {name!r} cannot be computed: its function raises ZeroDivisionError"
        for name in ("broken", "broken_distance")
    ]


def test_only_a_name_makes_mode_calibrated_use_some_metrics_and_nothing_others() -> None:
    used = {entry.name: (entry.learned(named=False), entry.learned(named=True)) for entry in metrics_for(Kind.NUMERIC)}
    assert used["mean"] == (True, True)
    assert used["kurtosis"] == (False, True)
    assert used["kl_div"] == used["range"] == used["row_count"] == (False, False)


def test_what_is_cached_of_the_registered_metrics_follows_them(own) -> None:
    states = states_of(Kind.NUMERIC, pa.array([1.0, 2.0]))
    kept = {entry.name: 0.0 for entry in metrics_for(Kind.NUMERIC, pair=True)}
    assert "drift_of_all" not in measure(Kind.NUMERIC, states)
    assert is_complete(Kind.NUMERIC, kept)
    own("drift_of_all")
    own("moved_far", pair=True)
    assert measure(Kind.NUMERIC, states)["drift_of_all"] == 1.0
    assert not is_complete(Kind.NUMERIC, kept)


def test_a_name_means_what_it_means_for_the_kind_or_else_for_another() -> None:
    of_numbers, of_texts = (find_metric("unique_ratio", kind) for kind in (Kind.NUMERIC, Kind.STRING))
    assert of_numbers is not None
    assert of_numbers is not of_texts
    assert find_metric("true_ratio", Kind.NUMERIC) is get_metric("true_ratio", Kind.BOOLEAN)
    assert find_metric("no_such_metric", Kind.NUMERIC) is None

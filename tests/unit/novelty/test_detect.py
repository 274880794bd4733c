"""What a detector says of clean, broken, odd and empty partitions, and how long it takes."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.novelty import NoveltyOptions, detect_novelty, row, unseen
from airflow_dq.profile import ProfileOptions, profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.states.base import Kind
from tests.unit.novelty.table import column, history, numbers, profile

METHODS = ("calibrated", "average-knn")


def with_metric(one: Profile, name: str, metric: str, value: float) -> Profile:
    changed = replace(one.columns[name], metrics={**one.columns[name].metrics, metric: value})
    return replace(one, columns={**one.columns, name: changed})


def test_few_clean_partitions_are_novel() -> None:
    past = history(60)
    found = [detect_novelty(past, profile(1000 + seed)).novel for seed in range(200)]
    assert sum(found) <= 4


@pytest.mark.parametrize(
    ("metric", "value"), [("complete_ratio", 0.97), ("mean", 115.0), ("std", 14.0), ("max", 99999.0)]
)
def test_the_column_that_broke_is_named_first(metric: str, value: float) -> None:
    result = detect_novelty(history(), with_metric(profile(1000), "c3", metric, value))
    assert result.novel
    assert result.attributes[0][:2] == ("c3", metric)
    assert sum(share for _, _, share in result.attributes) == pytest.approx(1.0)


def test_many_small_oddities_at_once_are_novel_though_none_is_by_itself() -> None:
    past = history(60, columns=60)
    odd = profile(1000, columns=60, shift=2.5)
    alone = [detect_novelty(past, odd, NoveltyOptions(columns=(name,))).novel for name in list(odd.columns)[:10]]
    assert sum(alone) <= 3
    assert detect_novelty(past, odd).novel


def test_fewer_rows_than_ever_are_novel() -> None:
    past = [replace(one, row_count=1000 + seed % 7) for seed, one in enumerate(history())]
    result = detect_novelty(past, replace(profile(1000), row_count=500))
    assert result.novel
    assert result.attributes[0][:2] == (None, "row_count")


def test_a_larger_error_never_scores_less() -> None:
    past = history()
    shares = (0.99, 0.95, 0.9, 0.7, 0.5, 0.2, 0.0)
    scores = [detect_novelty(past, with_metric(profile(1000), "c0", "complete_ratio", one)).score for one in shares]
    assert scores == sorted(scores)


def test_the_order_of_the_columns_does_not_matter() -> None:
    past, now = history(), with_metric(profile(1000), "c2", "mean", 112.0)
    turned = replace(now, columns=dict(reversed(now.columns.items())))
    first, second = detect_novelty(past, now), detect_novelty(past, turned)
    assert first.score == pytest.approx(second.score)
    assert first.attributes[0][:2] == second.attributes[0][:2]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("partitions", [0, 1, 7])
def test_a_history_that_is_too_short_says_so(method: str, partitions: int) -> None:
    result = detect_novelty(history(partitions), profile(1000), NoveltyOptions(method=method))  # type: ignore[arg-type]
    assert (result.novel, result.score, result.attributes) == (False, None, ())
    assert result.reason == f"{partitions} past partitions; 8 are needed"


@pytest.mark.parametrize("method", METHODS)
def test_partitions_without_any_column_are_not_novel(method: str) -> None:
    past = [Profile(str(day), 10, {}) for day in range(20)]
    assert not detect_novelty(past, Profile("20", 10, {}), NoveltyOptions(method=method)).novel  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("metrics", [{"complete_ratio": 0.0}, {"complete_ratio": 1.0, "mean": 7.0, "std": 0.0}, {}])
def test_a_column_that_never_changes_is_not_novel(method: str, metrics: dict[str, float]) -> None:
    days = [Profile(str(day), 10, {"a": column("a", dict(metrics))}) for day in range(31)]
    result = detect_novelty(days[:-1], days[-1], NoveltyOptions(method=method))  # type: ignore[arg-type]
    assert not result.novel
    assert result.score is not None
    assert np.isfinite(result.score)


def test_a_column_that_comes_or_is_retyped_is_not_compared() -> None:
    now = profile(1000)
    text = column("c0", {"complete_ratio": 0.2, "str_len": 400.0}, Kind.STRING)
    new = column("new", numbers(np.random.default_rng(0), shift=900.0))
    result = detect_novelty(history(), replace(now, columns={**now.columns, "c0": text, "new": new}))
    assert not result.novel


@pytest.mark.parametrize("method", METHODS)
def test_two_thousand_columns_take_bounded_time(method: str) -> None:
    past, now = history(31, columns=2000), profile(1000, columns=2000)
    begun = time.process_time()
    result = detect_novelty(past, now, NoveltyOptions(method=method))  # type: ignore[arg-type]
    assert time.process_time() - begun < 5.0
    assert result.score is not None
    assert len(result.attributes) <= 20


def test_misspelt_options_are_refused() -> None:
    for wrong in ({"method": "knn"}, {"min_history": 1}, {"rate": 0.0}, {"columns": "price"}):
        with pytest.raises(ConfigurationError, match=next(iter(wrong))):
            NoveltyOptions(**wrong)  # type: ignore[arg-type]


def test_a_misspelt_word_is_found_by_the_states() -> None:
    def day(seed: int, wrong: int = 0) -> Profile:
        words = np.random.default_rng(seed).choice(["Rome", "Oslo", "Bonn"], 200).tolist()
        table = pa.table({"city": ["Rpme"] * wrong + words[wrong:]})
        return profile_table(table, options=ProfileOptions(sample_rows=0))

    past = [day(seed) for seed in range(12)]
    assert not detect_novelty(past, day(100)).novel
    result = detect_novelty(past, day(100, wrong=20))
    assert result.novel
    assert result.attributes[0].column == "city"
    published = detect_novelty(past, day(100, wrong=20), NoveltyOptions(method="average-knn"))
    assert published.novel


def test_what_is_remembered_changes_no_answer() -> None:
    past = [replace(one, row_count=1000 + place) for place, one in enumerate(history())]
    first = detect_novelty(past, profile(1000))
    retyped = replace(past[3], columns={**past[3].columns, "c0": column("c0", {"complete_ratio": 0.5}, Kind.STRING)})
    moved = replace(past[5], columns={**past[5].columns, "c1": column("c1", {"complete_ratio": 0.5, "mean": 3.0})})
    others = [*past[:3], retyped, past[4], moved, *past[6:]]
    second = detect_novelty(others, profile(1000))
    assert second.past != first.past
    for module in (row, unseen):
        module._known.clear()
    assert detect_novelty(others, profile(1000)) == second
    assert detect_novelty(past, profile(1000)) == first


def test_a_year_of_a_hundred_columns_is_judged_quickly() -> None:
    past, now = history(120, columns=100), profile(1000, columns=100)
    detect_novelty(past, now)
    begun = time.process_time()
    detect_novelty(past, profile(1001, columns=100))
    # 8 ms when nothing else runs.
    assert time.process_time() - begun < 0.1

"""What the calibrated detector takes for usual: rare rows, harmless moves, new columns, lasting changes, a bad day."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.novelty import NoveltyOptions, NoveltyResult, calibrated, detect_novelty
from airflow_dq.novelty.feature import Features
from airflow_dq.novelty.unseen import measured_unseen
from airflow_dq.profile import ProfileOptions, profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.settings import HASH_KEY_VARIABLE
from airflow_dq.states.base import Kind
from tests.unit.novelty.table import ROWS, column, history, profile

YEAR = history(200)


def with_metrics(one: Profile, name: str = "c0", **values: float) -> Profile:
    changed = replace(one.columns[name], metrics={**one.columns[name].metrics, **values})
    return replace(one, columns={**one.columns, name: changed})


def judged(past: list[Profile], **values: float) -> NoveltyResult:
    return detect_novelty(past, with_metrics(profile(1000), **values))


def deviation(past: list[Profile], **values: float) -> float:
    now = with_metrics(profile(1000), **values)
    features = Features.of(past, now, NoveltyOptions(), measured_unseen)
    return float(calibrated.fit(features).deviations(features.now).max())


def test_a_single_row_is_no_odder_the_longer_it_has_not_happened() -> None:
    once = [deviation(YEAR[:partitions], complete_ratio=1.0 - 1 / ROWS) for partitions in (60, 200)]
    assert once[1] == pytest.approx(once[0], rel=0.05)
    assert deviation(YEAR, complete_ratio=1.0 - 10 / ROWS) > 2 * once[1]


def test_one_more_distinct_value_is_not_novel_and_many_are() -> None:
    past = [with_metrics(one, unique_ratio=0.005) for one in YEAR]
    assert not judged(past, unique_ratio=0.006).novel
    assert judged(past, unique_ratio=0.05).novel


def test_two_numbers_that_happen_to_be_alike_are_no_error_and_many_are() -> None:
    def numbers(one: Profile, alike: int) -> Profile:
        share = 1.0 - alike / 20
        return replace(with_metrics(one, unique_ratio=share, mode_ratio=(1 + alike) / 20), row_count=20)

    past = [numbers(one, 0) for one in YEAR[:60]]
    assert not detect_novelty(past, numbers(profile(1000), 1)).novel
    assert detect_novelty(past, numbers(profile(1000), 5)).novel


def test_the_first_zero_among_measured_numbers_is_no_error_and_many_are() -> None:
    past = [with_metrics(one, zero_ratio=0.0) for one in YEAR]
    assert not judged(past, zero_ratio=2 / ROWS).novel
    assert judged(past, zero_ratio=0.1).novel


def test_the_first_moment_at_midnight_is_no_error_and_many_are() -> None:
    def moments(one: Profile, midnights: int) -> Profile:
        """A table with a column of 1,000 moments, or of fewer in thin partitions."""
        found = {"complete_ratio": 1.0, "std": 20_000.0, "midnight_ratio": midnights / ROWS}
        return replace(one, columns={**one.columns, "at": column("at", found, Kind.TIMESTAMP)})

    past = [moments(one, 0) for one in YEAR]
    assert not detect_novelty(past, moments(profile(1000), 2)).novel
    assert detect_novelty(past, moments(profile(1000), ROWS // 10)).novel


def test_a_share_is_the_less_odd_the_fewer_values_it_is_taken_of() -> None:
    def off(filled: float) -> float:
        past = [with_metrics(one, complete_ratio=filled, integer_ratio=1.0) for one in YEAR]
        return deviation(past, complete_ratio=filled, integer_ratio=2 / 3)

    assert off(3 / ROWS) < off(30 / ROWS) / 2 < off(1.0) / 4


@pytest.mark.parametrize(
    ("metric", "one", "tenth"),
    [("digit_len", 4 / ROWS, 0.4), ("entropy", (1 + math.log(ROWS)) / ROWS, 0.325)],
    ids=["digits where there were none", "another value where there was one"],
)
def test_a_single_odd_text_is_not_novel_and_a_tenth_is(metric: str, one: float, tenth: float) -> None:
    def texts(value: float, seed: int) -> Profile:
        metrics: dict[str, MetricValue] = {"complete_ratio": 1.0, metric: value}
        whole = profile(seed)
        return replace(whole, columns={**whole.columns, "text": column("text", metrics, Kind.STRING)})

    past = [texts(0.0, seed) for seed in range(100)]
    assert not detect_novelty(past, texts(one, 1000)).novel
    result = detect_novelty(past, texts(tenth, 1000))
    assert result.novel
    assert result.attributes[0][:2] == ("text", metric)


def test_two_metrics_of_a_column_that_are_off_together_count_for_more_than_one() -> None:
    mean, std = judged(YEAR, mean=112.0).score, judged(YEAR, std=13.0).score
    both = judged(YEAR, mean=112.0, std=13.0).score
    assert mean is not None
    assert std is not None
    assert both is not None
    assert both > 1.05 * max(mean, std)


def test_an_extreme_is_odd_where_it_goes_further_and_not_where_it_comes_nearer() -> None:
    past = [with_metrics(one, min=0.0, max=500.0) for one in history()]
    usual = judged(past, min=0.0, max=500.0)
    nearer = judged(past, min=60.0, max=130.0)
    assert nearer.score == usual.score
    assert not nearer.novel
    assert judged(past, min=-500.0, max=500.0).novel
    assert judged(past, min=0.0, max=9000.0).novel


def test_a_column_that_begins_to_be_filled_is_as_one_that_comes() -> None:
    empty = [with_metrics(one, complete_ratio=0.0) for one in history()]
    assert not judged(empty, complete_ratio=0.9).novel
    filled = [with_metrics(one, complete_ratio=0.9) for one in history(12)]
    assert judged(empty + filled, complete_ratio=0.0).novel


def test_a_metric_that_few_partitions_have_is_not_judged() -> None:
    past = history()
    known = [replace(one, columns={**one.columns, "new": column("new", {"mean": 7.0})}) for one in past[:5]]
    now = replace(profile(1000), columns={**profile(1000).columns, "new": column("new", {"mean": 900.0})})
    assert not detect_novelty([*past[5:], *known[:4]], now).novel
    assert detect_novelty([*past[5:], *known], now).novel


def test_after_a_change_that_lasts_two_partitions_are_novel() -> None:
    past, found = history(60), []
    for seed in range(1000, 1010):
        now = profile(seed, shift=12.0)
        found.append(detect_novelty(past, now).novel)
        past = [*past, now]
    assert found == [True] * 2 + [False] * 8


def test_one_bad_partition_does_not_hide_the_next_of_its_kind() -> None:
    bad = [*YEAR[:30], with_metrics(YEAR[30], complete_ratio=0.5), *YEAR[31:60]]
    result = judged(bad, complete_ratio=0.7)
    assert result.novel
    assert result.attributes[0][:2] == ("c0", "complete_ratio")
    # Twice is no accident.
    assert not judged([*bad[:-1], with_metrics(bad[-1], complete_ratio=0.6)], complete_ratio=0.7).novel


@pytest.mark.parametrize("unit", [2.0**-20, 2.0**20])
def test_what_is_said_of_a_column_does_not_depend_on_the_unit_of_its_numbers(unit: float) -> None:
    def counted(one: Profile) -> Profile:
        amounts = {name: one.columns["c0"].metrics[name] for name in ("mean", "std", "min", "max")}
        return with_metrics(one, **{name: value * unit for name, value in amounts.items() if isinstance(value, float)})

    for now in (profile(1000), with_metrics(profile(1000), mean=115.0), with_metrics(profile(1000), max=1e300)):
        same = detect_novelty([counted(one) for one in YEAR[:60]], counted(now))
        expected = detect_novelty(YEAR[:60], now)
        assert (same.novel, same.score) == (expected.novel, pytest.approx(expected.score))


def test_no_number_is_too_large_to_be_odd() -> None:
    past = [with_metrics(one, mean=1e-12, std=1e-13, min=0.0, max=1e-12) for one in YEAR[:60]]
    scores = [detect_novelty(past, with_metrics(past[0], max=largest)).score for largest in (1.0, 1e100, 1.7e308)]
    assert scores == sorted(s for s in scores if s is not None)
    assert scores[-1] is not None
    assert scores[-1] > 1.0


def test_texts_that_are_all_new_are_novel_when_they_are_misspelt() -> None:
    def day(place: int, misspelt: int = 0) -> Profile:
        rng = np.random.default_rng(place)
        words = ("red", "green", "chair", "table", "lamp", "with", "small", "wood", "metal", "large")
        texts = [" ".join(rng.choice(words, 4)) + f" {rng.integers(10**6)}" for _ in range(200)]
        texts[:misspelt] = [text.replace("e", "q") for text in texts[:misspelt]]
        table = pa.table({"title": texts})
        return profile_table(table, partition=f"{place:03d}", options=ProfileOptions(sample_rows=0))

    past = [day(place) for place in range(40)]
    assert not any(detect_novelty(past, day(100 + place)).novel for place in range(10))
    result = detect_novelty(past, day(200, misspelt=6))
    assert result.novel
    assert result.attributes[0][:2] == ("title", "bigram_unseen_ratio")


def test_the_hashes_of_a_hidden_column_have_no_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")
    table = pa.table({"title": [f"text {place}" for place in range(20)]})
    for hidden in ((), ("title",)):
        options = ProfileOptions(sample_rows=0, hidden=hidden)
        days = [profile_table(table, partition=f"{place:03d}", options=options) for place in range(12)]
        features = Features.of(days[:-1], days[-1], NoveltyOptions(), measured_unseen)
        assert (("title", "bigram_unseen_ratio") in features.keys) is not hidden

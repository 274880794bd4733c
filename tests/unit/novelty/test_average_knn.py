"""The published detector, against another way of computing it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from airflow_dq.novelty import NoveltyOptions, detect_novelty
from airflow_dq.novelty.peculiarity import peculiarity
from airflow_dq.profile.model import Profile
from tests.unit.novelty.table import column, numbers

RNG = np.random.default_rng(3)


def day(shift: float = 0.0) -> Profile:
    found = {**numbers(RNG, shift), "unique_ratio": 0.5, "mode_ratio": 0.01}
    return Profile(None, 1000, {"a": column("a", found)})


def test_score_and_threshold_are_average_distances_on_the_scale_of_the_history() -> None:
    past, now = [day() for _ in range(20)], day(shift=5.0)
    names = ("max", "mean", "min", "std")
    rows = np.array([[float(one.columns["a"].metrics[name]) for name in names] for one in (*past, now)])
    low, width = rows[:-1].min(axis=0), np.ptp(rows[:-1], axis=0)
    points = (rows - low) / width

    def average(point: np.ndarray, others: np.ndarray) -> float:
        return float(np.sort(np.linalg.norm(others - point, axis=1))[:5].mean())

    own = [average(points[i], np.delete(points[:-1], i, axis=0)) for i in range(20)]
    result = detect_novelty(past, now, NoveltyOptions(method="average-knn"))
    assert result.score == pytest.approx(average(points[-1], points[:-1]))
    assert result.threshold == pytest.approx(np.percentile(own, 99))
    assert result.novel is (result.score > result.threshold)


def test_what_was_constant_stays_unscaled_as_published() -> None:
    past, now = [day() for _ in range(20)], day()
    metrics = {**past[0].columns["a"].metrics}
    calm = [Profile(None, 1000, {"a": column("a", metrics)}) for _ in past]
    lost = Profile(None, 1000, {"a": column("a", {**metrics, "complete_ratio": 0.98, "unique_ratio": 0.5 / 0.98})})
    result = detect_novelty(calm, lost, NoveltyOptions(method="average-knn"))
    # The number of distinct values is the same; the most frequent one is less by a fiftieth of a hundredth.
    assert result.score == pytest.approx(math.hypot(0.02, 0.0002))
    assert now.row_count == 1000


def test_peculiarity_is_the_formula_of_the_paper() -> None:
    # Of "abc": n(ab) = 3, n(bc) = 2, n(abc) = 2; of "abd": n(ab) = 3, n(bd) = 1, n(abd) = 1.
    first = (math.log(3) + math.log(2)) / 2 - math.log(2)
    second = (math.log(3) + math.log(1)) / 2 - math.log(1)
    assert peculiarity(["abc", "abd"], np.array([2, 1])) == pytest.approx(max(abs(first), abs(second)))


@pytest.mark.parametrize("texts", [[], ["ab"], ["", "a"]])
def test_without_three_letters_there_is_no_peculiarity(texts: list[str]) -> None:
    assert peculiarity(texts, np.ones(len(texts), np.int64)) is None

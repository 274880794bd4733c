"""A value that is gone with its rows is not one that another took the place of, whatever a single day before says."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.judge.evaluation import evaluate
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile

DAYS = 16
SHARES = {"national": 0.55, "local": 0.35, "world": 0.1}
ARMS = {"control": 0.5, "blue": 0.5}

Frame = dict[str, np.ndarray]
SEEDS = range(8)


def _day(index: int, seed: int, shares: tuple[tuple[str, float], ...], noise: float) -> Frame:
    """Rows of a day, whose number and mix vary by about ``noise``."""
    random = np.random.default_rng([seed, index])
    rows = int(random.normal(420.0, 420.0 * noise))
    weights = np.array([share for _, share in shares]) * np.exp(random.normal(0.0, noise, len(shares)))
    zone = random.choice([value for value, _ in shares], rows, p=weights / weights.sum())
    return {"zone": zone, "weight": random.gamma(3.0, 2.0, rows).round(2)}


def _profile(frame: Frame, index: int) -> Profile:
    return profile_table(pa.table({name: values.tolist() for name, values in frame.items()}), f"2026-03-{index + 1:02}")


@cache
def _history(seed: int, shares: tuple[tuple[str, float], ...], noise: float) -> list[Profile]:
    return [_profile(_day(index, seed, shares, noise), index) for index in range(DAYS)]


def _headlines(frame: Frame, seed: int, shares: tuple[tuple[str, float], ...], noise: float) -> list[str]:
    history = _history(seed, shares, noise)
    verdict = evaluate(synthesize(history, SynthesisOptions()), _profile(frame, DAYS), history)
    return [problem.headline for problem in verdict.problems]


@pytest.mark.parametrize("noise", [0.0, 0.04])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_value_that_is_gone_with_its_rows_is_in_no_other_ones_place(seed: int, noise: float) -> None:
    shares = tuple(SHARES.items())
    frame = _day(DAYS, seed, shares, noise)
    kept = frame["zone"] != "world"
    found = _headlines({name: values[kept] for name, values in frame.items()}, seed, shares, noise)
    # A tenth of the rows is no news by itself where days differ as much.
    assert any("'world'" in one for one in found) or (noise and not found)
    assert not any("in place of" in one for one in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_value_whose_rows_another_has_is_told_as_such(seed: int) -> None:
    shares = (("national", 0.5), ("local", 0.25), ("world", 0.25))
    frame = _day(DAYS, seed, shares, 0.0)
    zone = np.where(frame["zone"] == "world", "local", frame["zone"])
    found = _headlines({**frame, "zone": zone}, seed, shares, 0.0)
    assert any("zone is 'local' in place of 'world'" in one for one in found)


@pytest.mark.parametrize("noise", [0.0, 0.04])
@pytest.mark.parametrize("seed", SEEDS)
def test_an_arm_that_lost_most_of_its_rows_is_not_overwritten(seed: int, noise: float) -> None:
    shares = tuple(ARMS.items())
    frame = _day(DAYS, seed, shares, noise)
    lost = (frame["zone"] == "blue") & (np.random.default_rng(seed).random(len(frame["zone"])) < 0.85)
    found = _headlines({name: values[~lost] for name, values in frame.items()}, seed, shares, noise)
    assert found
    assert not any("in place of" in one for one in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_arm_that_overwrites_most_of_another_is_told_as_such(seed: int) -> None:
    shares = tuple(ARMS.items())
    frame = _day(DAYS, seed, shares, 0.04)
    hit = (frame["zone"] == "blue") & (np.random.default_rng(seed).random(len(frame["zone"])) < 0.85)
    found = _headlines({**frame, "zone": np.where(hit, "control", frame["zone"])}, seed, shares, 0.04)
    assert any("zone is 'control' in place of other values" in one for one in found)

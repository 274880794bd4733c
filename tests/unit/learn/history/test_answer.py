"""What people answer widens what alarmed: monotonically, never without a limit, and never so far that a side opens."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from airflow_dq.codec import from_builtins, to_builtins
from airflow_dq.learn.expect.band import Band
from airflow_dq.learn.expect.candidate import Candidates
from airflow_dq.learn.expect.sampling import SamplingError
from airflow_dq.learn.history.answer import GROWTH, LENT, MOST, NO_ANSWERS, Answered, AnsweredAlarm, Answers, Widening
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.states.base import Kind

COUNTS = range(7)


def answers(accepted: int, rejected: int = 0, *others: Answered) -> Answers:
    return Answers((Answered("fare", "mean", accepted, rejected), *others))


def candidates(metric: str, values: list[float] | np.ndarray) -> Candidates:
    found = next(one for one in metrics_for(Kind.NUMERIC) if one.name == metric)
    band = Band.of(found, np.asarray(values, dtype=float), SamplingError(1000.0, 1.0))
    assert isinstance(band, Band)
    return band.candidates(1e-4)


def test_without_answers_nothing_is_widened() -> None:
    assert NO_ANSWERS.reach("fare", "mean") == 1.0
    assert NO_ANSWERS.widening("fare", "mean") is None
    assert not NO_ANSWERS
    assert answers(0, 3).widening("fare", "mean") is None


def test_each_accepted_alarm_widens_up_to_a_limit() -> None:
    assert [answers(n).reach("fare", "mean") for n in (1, 2, 3)] == [GROWTH, GROWTH**2, GROWTH**3]
    assert answers(10_000).reach("fare", "mean") == MOST
    assert answers(2, 0).widening("fare", "mean") == Widening(GROWTH**2, 2)


def test_a_rejected_alarm_cancels_an_accepted_one_and_takes_no_more() -> None:
    assert answers(3, 1).reach("fare", "mean") == answers(2).reach("fare", "mean")
    assert answers(1, 1).reach("fare", "mean") == 1.0
    assert answers(1, 9).reach("fare", "mean") == 1.0
    assert answers(1, 1).is_dismissed("fare", "mean") is False
    assert answers(2, 1).is_dismissed("fare", "mean") is True


def test_a_little_is_lent_to_other_metrics_of_the_column_and_to_the_metric_of_other_columns() -> None:
    known = answers(1)
    assert known.reach("fare", "std") == known.reach("tip", "mean") == GROWTH**LENT
    assert known.reach("tip", "std") == known.reach(None, "row_count") == 1.0
    assert known.widening("fare", "std") == Widening(GROWTH**LENT, 0)
    assert answers(50).reach("fare", "std") == GROWTH


def test_many_metrics_that_alarm_at_once_are_one_answer_to_the_others() -> None:
    at_once = Answers(tuple(Answered("fare", name, 1) for name in ("mean", "std", "p05", "p95")))
    assert at_once.reach("fare", "min") == GROWTH**LENT


def test_a_metric_that_was_right_is_not_widened_by_what_others_got_wrong() -> None:
    assert answers(4, 0, Answered("fare", "std", 0, 1)).reach("fare", "std") == 1.0


@pytest.mark.parametrize("subject", [("fare", "mean"), ("fare", "std"), ("tip", "mean"), (None, "row_count")])
def test_one_more_accepted_answer_narrows_nothing_and_one_more_rejected_widens_nothing(
    subject: tuple[str | None, str],
) -> None:
    for own, lost, other in product(COUNTS, COUNTS, COUNTS):
        rest = (Answered("fare", "std", other, 1), Answered("tip", "mean", lost, own), Answered(None, "row_count", own))
        now = answers(own, lost, *rest).reach(*subject)
        assert 1.0 <= now <= MOST
        assert answers(own + 1, lost, *rest).reach(*subject) >= now
        assert answers(own, lost + 1, *rest).reach(*subject) <= now


def test_answers_of_a_partition_count_once_and_only_for_those_behind_it() -> None:
    alarms = [
        AnsweredAlarm("day9", "fare", "mean", accepted=True),
        AnsweredAlarm("day9", "fare", "mean", accepted=True),
        AnsweredAlarm("day10", "fare", "mean", accepted=True),
        AnsweredAlarm("day10", "fare", "std", accepted=False),
        AnsweredAlarm("day10", None, "row_count", accepted=True),
    ]
    assert Answers.of(alarms, before="day9") == NO_ANSWERS
    assert Answers.of(alarms, before="day10") == answers(1)
    assert Answers.of(alarms, before="day11") == Answers.of(reversed(alarms))
    assert Answers.of(alarms).of_metric("fare", "mean") == Answered("fare", "mean", 2)
    assert Answers.of(alarms).of_metric("fare", "std") == Answered("fare", "std", 0, 1)
    assert Answers.of(alarms).of_metric(None, "row_count").accepted == 1


def test_answers_have_a_json_form() -> None:
    known = answers(2, 1, Answered(None, "row_count", 1))
    assert from_builtins(Answers, to_builtins(known)) == known


RNG = np.random.default_rng(3)
SERIES = {
    "mean": RNG.normal(100.0, 1.0, 25),
    "complete_ratio": RNG.uniform(0.8, 0.95, 25),
    "js_div": RNG.uniform(0.0, 0.05, 25),
    "row_count": RNG.normal(1000.0, 100.0, 25),
    "unique_ratio": np.linspace(0.2, 0.9, 25),
    "zero_ratio": np.zeros(25),
    "std": np.exp(RNG.normal(0.0, 0.3, 25)),
}


@pytest.mark.parametrize("metric", SERIES)
def test_a_larger_factor_widens_both_sides_and_opens_none(metric: str) -> None:
    values = SERIES[metric]
    given = candidates(metric, values)
    centre = given.expectation.centre(values)
    assert centre is not None
    first_low, first_high = low, high = given.bounds(centre)
    lowest, highest = given.metric.natural_range
    for factor in (1.0, 1.1, 1.5, 2.25, MOST, 1e6):
        wide_low, wide_high = given.reaching(factor).bounds(centre)
        assert (wide_low <= low).all()
        assert (wide_high >= high).all()
        if given.expectation.is_fixed:
            assert ((wide_low > lowest) == (first_low > lowest)).all()
            assert ((wide_high < highest) == (first_high < highest)).all()
        low, high = wide_low, wide_high


@pytest.mark.parametrize("metric", ["mean", "std", "row_count"])
def test_a_range_is_as_many_times_as_wide_as_it_says_in_the_metrics_own_unit(metric: str) -> None:
    given = candidates(metric, SERIES[metric])
    centre = given.expectation.centre(SERIES[metric])
    assert centre is not None
    level = given.expectation.from_scale(centre)
    assert given.reaching(1.5).bounds(centre)[1] - level == pytest.approx(1.5 * (given.bounds(centre)[1] - level))


@pytest.mark.parametrize(("metric", "lost"), [("complete_ratio", 0.0), ("row_count", 20.0)])
def test_a_widened_range_still_finds_that_nearly_everything_is_lost(metric: str, lost: float) -> None:
    found = candidates(metric, SERIES[metric])
    assert found.reaching(MOST).violations([lost], SERIES[metric]).all()

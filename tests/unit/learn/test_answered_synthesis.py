"""A program that is learned with people's answers: the same ranges, of which none is narrower for one more accepted."""

from __future__ import annotations

from itertools import pairwise

import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.learn.history.answer import Answered, Answers, Widening
from airflow_dq.learn.history.history import History
from airflow_dq.learn.program import Program
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.program import Range, Status, evaluate, synthesize
from tests.unit.learn.builder import flights

HISTORY = [flights(index) for index in range(24)]
OPTIONS = SynthesisOptions(target_fpr=0.01, max_clauses=None)


def learned(*given: Answered) -> Program:
    return synthesize(History.of(HISTORY, answers=Answers(given)), OPTIONS)


def widths(program: Program) -> dict[tuple[str | None, str], tuple[float, float]]:
    def width(one: Range) -> tuple[float, float]:
        return (
            one.below if one.below is not None else float("inf"),
            one.above if one.above is not None else float("inf"),
        )

    return {(one.column, one.metric): width(one) for one in program.ranges()}


@pytest.fixture(scope="module")
def programs() -> list[Program]:
    """Learned after no, one, two ... accepted alarms of the mean and of the number of rows."""
    return [learned(Answered("air_time", "mean", n), Answered(None, "row_count", n)) for n in range(4)]


@pytest.mark.parametrize("subject", [("air_time", "mean"), (None, "row_count")])
def test_one_more_accepted_alarm_widens_the_range(programs: list[Program], subject: tuple[str | None, str]) -> None:
    found = [widths(program)[subject] for program in programs]
    assert all(before[0] < after[0] and before[1] < after[1] for before, after in pairwise(found))
    (twice,) = (one for one in programs[2].ranges() if (one.column, one.metric) == subject)
    assert twice.widening == Widening(2.25, 2)


def test_nothing_that_is_watched_without_answers_goes_unwatched_or_is_narrower(programs: list[Program]) -> None:
    without = widths(programs[0])
    for program in programs[1:]:
        found = widths(program)
        for subject in without.keys() & found.keys():
            assert found[subject][0] >= without[subject][0]
            assert found[subject][1] >= without[subject][1]
        assert {"mean", "std", "complete_ratio"} <= {metric for column, metric in found if column == "air_time"}


def test_the_program_holds_the_answers_and_reads_back(programs: list[Program]) -> None:
    assert programs[2].answers.of_metric("air_time", "mean").accepted == 2
    assert from_json(Program, to_json(programs[2])) == programs[2]


def test_a_gross_error_is_found_however_much_was_accepted() -> None:
    program = learned(*(Answered(column, metric, 99) for column, metric in widths(learned())))
    history = History.of(HISTORY)
    for broken in (flights(24, factor=60.0), flights(24, rows=30)):
        assert evaluate(program, broken, history).status is Status.FAIL
    assert evaluate(program, flights(24), history).status is Status.PASS


def test_the_paper_knows_no_answers() -> None:
    options = SynthesisOptions(mode="paper")
    given = Answers((Answered("air_time", "mean", 3),))
    program = synthesize(History.of(HISTORY, answers=given), options)
    assert program.constraints == synthesize(HISTORY, options).constraints

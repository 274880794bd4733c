"""What no injected error is like: infinities, control characters, sizes, nested types, a day without rows."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.learn.history.answer import NO_ANSWERS, Answered, Answers
from airflow_dq.learn.history.history import History
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import Program, SynthesisOptions, Verdict, evaluate, synthesize

ROWS = 300


def _profile(index: int, **changed: Callable[[list[object]], list[object]]) -> Profile:
    rng = np.random.default_rng(index)
    made: dict[str, list[object]] = {
        "price": rng.gamma(4.0, 10.0, ROWS).tolist(),
        "text": [f"note {number}" for number in rng.integers(0, 50, ROWS)],
        "tags": [["a"] * int(count) for count in rng.integers(1, 6, ROWS)],
    }
    for name, change in changed.items():
        made[name] = change(made[name])
    return profile_table(pa.table(made), f"2026-01-{index + 1:02d}")


HISTORY = [_profile(index) for index in range(12)]
PROGRAM = synthesize(HISTORY)


def _judged(now: Profile, history: list[Profile] = HISTORY) -> Verdict:
    return evaluate(PROGRAM if history is HISTORY else synthesize(history), now, history)


def test_nothing_unheard() -> None:
    assert _judged(_profile(12)).status == "pass"


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("price", math.inf, "10.0% of the values are infinite; in the past partitions none was."),
        ("price", -math.inf, "10.0% of the values are infinite; in the past partitions none was."),
        ("text", "a\x00b", "10.0% of the values hold a control character (NUL, a tab, a line feed ...); in the "),
    ],
)
def test_a_sort_of_values_that_never_came_is_an_alert(column: str, value: object, words: str) -> None:
    verdict = _judged(_profile(12, **{column: lambda values: [value] * 30 + values[30:]}))
    messages = [alert.message for alert in verdict.alerts if alert.rule == "first_occurrence"]
    assert len(messages) == 1
    assert messages[0].startswith(f"{column}: {words}")
    assert verdict.columns[column].status == "fail"


def _unheard(history: list[Profile], now: Profile) -> list[str]:
    verdict = evaluate(synthesize(history, SynthesisOptions(metrics=("complete_ratio",))), now, history)
    return [alert.message for alert in verdict.alerts if alert.rule == "first_occurrence"]


def test_negative_numbers_are_an_alert_where_a_wall_was_and_not_before_the_first_winter() -> None:
    def table(index: int, numbers: np.ndarray) -> Profile:
        return profile_table(pa.table({"n": numbers}), f"2026-01-{index + 1:02d}")

    def amounts(index: int) -> np.ndarray:
        return np.random.default_rng(index).lognormal(3.0, 1.0, 1_000)

    def temperatures(index: int) -> np.ndarray:
        return np.maximum(0.1, np.random.default_rng(index).normal(14.0 - index, 1.0, 1_000))

    for numbers, count, alerts in ((amounts, 20, 1), (amounts, 5, 0), (temperatures, 20, 0)):
        history = [table(index, numbers(index)) for index in range(12)]
        now = numbers(12)
        now[:count] = -np.abs(now[:count]) - 1.0
        found = _unheard(history, table(12, now))
        assert len(found) == alerts
        for message in found:
            assert (
                message
                == "n: 2.00% of the values are negative; in the past partitions none was, though many came near zero."
            )


@pytest.mark.parametrize(
    "change",
    [lambda value: f"{value} ", lambda value: "XX" if value in ("DE", "IT") else value],
    ids=["blank", "other"],
)
def test_other_spellings_and_other_values_are_alerts_whatever_injected_errors_are_like(
    change: Callable[[str], str],
) -> None:
    rng = np.random.default_rng(1)
    names, shares = ["DE", "FR", "US", "GB", "IT", "ES"], [0.3, 0.2, 0.25, 0.1, 0.1, 0.05]

    def drawn(index: int) -> list[str]:
        return [
            str(name) for name in rng.choice(names, int(rng.normal(3000 if index % 7 < 5 else 1800, 120)), p=shares)
        ]

    def table(index: int, values: list[str]) -> Profile:
        return profile_table(pa.table({"country": values}), f"2026-01-{index + 1:02d}")

    history = [table(index, drawn(index)) for index in range(30)]
    program = synthesize(history)
    assert {"js_div", "unseen_ratio"} <= {clause.metric for clause in program.columns["country"].clauses}
    now = drawn(30)
    assert evaluate(program, table(30, now), history).status == "pass"
    assert evaluate(program, table(30, [change(value) for value in now]), history).status == "fail"


@pytest.mark.parametrize("count", [1, 2])
def test_a_value_or_two_are_none(count: int) -> None:
    now = _profile(12, price=lambda values: [math.inf] * count + values[count:])
    assert [alert for alert in _judged(now).alerts if alert.rule == "first_occurrence"] == []


def test_one_value_among_nulls_is_none() -> None:
    now = _profile(12, price=lambda values: [math.inf, *values[:3], *[None] * (ROWS - 4)])
    assert [alert for alert in _judged(now).alerts if alert.rule == "first_occurrence"] == []


def test_what_has_come_before_may_come_again() -> None:
    def some(values: list[object]) -> list[object]:
        return [math.inf] * 30 + values[30:]

    history = [*HISTORY[:5], _profile(5, price=some), *HISTORY[6:]]
    assert [alert for alert in _judged(_profile(12, price=some), history).alerts if alert.rule != "range"] == []


def _families(program: Program) -> set[str]:
    return {one.family for column in program.columns.values() for one in column.constraints}


def test_the_paper_knows_nothing_of_it() -> None:
    program = synthesize(HISTORY, SynthesisOptions(mode="paper"))
    assert "never_seen" in _families(synthesize(HISTORY))
    assert _families(program) == {"range"}
    verdict = evaluate(program, _profile(12, price=lambda values: [math.inf] * 30 + values[30:]), HISTORY)
    assert {alert.rule for alert in verdict.alerts} <= {"range"}


def test_lists_that_grow_are_an_alert() -> None:
    grown = _profile(12, tags=lambda values: [value * 2 for value in values])  # type: ignore[operator]
    assert [(alert.column, alert.metric) for alert in _judged(grown).alerts] == [("tags", "size_mean")]


def test_moments_that_all_move_by_the_same_hours_are_an_alert() -> None:
    def table(index: int, hours: int = 0) -> Profile:
        seconds = (20_000 + index) * 86_400 + np.arange(0, 86_400, 600) + hours * 3_600
        return profile_table(pa.table({"at": pa.array(seconds, pa.timestamp("s", "UTC"))}), f"2026-01-{index + 1:02d}")

    history = [table(index) for index in range(20)]
    program = synthesize(history)
    assert evaluate(program, table(20), history).status == "pass"
    for hours in (-6, 6, 24):
        assert evaluate(program, table(20, hours), history).status == "fail"


def test_another_nested_type_is_an_alert_unless_it_has_varied() -> None:
    def numbers(values: list[object]) -> list[object]:
        return [[1] * len(value) for value in values]  # type: ignore[arg-type]

    now = _profile(12, tags=numbers)
    (alert,) = _judged(now).alerts
    assert alert.rule == "column_retyped"
    assert alert.message == "tags: the column is now list<int64>; it was list<string> in the 12 past partitions."
    assert _judged(now, [*HISTORY[:5], _profile(5, tags=numbers), *HISTORY[6:]]).alerts == ()


def test_one_day_without_rows_does_not_let_half_a_load_pass() -> None:
    empty = profile_table(pa.table({"price": pa.array([], pa.float64())}), "2026-01-06")
    days = [
        profile_table(pa.table({"price": np.arange(float(1_000 + index))}), f"2026-01-{index + 1:02d}")
        for index in range(20)
    ]
    history = [*days[:5], empty, *days[6:]]
    half = profile_table(pa.table({"price": np.arange(500.0)}), "2026-01-21")
    verdict = evaluate(synthesize(history), half, history)
    assert [alert.metric for alert in verdict.alerts if alert.column is None] == ["row_count"]
    again = profile_table(pa.table({"price": np.arange(1_020.0)}), "2026-01-21")
    assert evaluate(synthesize(history), again, history).table.status == "pass"


def test_what_people_have_accepted_is_no_news_once_the_window_has_moved_on() -> None:
    now = _profile(12, price=lambda values: [math.inf] * 30 + values[30:])
    accepted = Answers((Answered("price", "infinite_ratio", accepted=1),))
    rejected = Answers((Answered("price", "infinite_ratio", accepted=1, rejected=1),))

    def rules(answers: Answers) -> set[str]:
        history = History.of(HISTORY, answers=answers)
        return {alert.rule for alert in evaluate(synthesize(history), now, history).alerts}

    assert "first_occurrence" in rules(NO_ANSWERS)
    assert "first_occurrence" not in rules(accepted)
    assert "first_occurrence" in rules(rejected)


def _gaps(index: int, kind: str, missing: object, more: object = None, share: float = 0.0) -> Profile:
    """Of 2,000 rows 12 % are missing in one way, and another share in another way."""
    rng = np.random.default_rng(index)
    draws = rng.random(2_000)
    values = [f"word {number}" for number in rng.integers(0, 50, 2_000)] if kind == "text" else rng.normal(0, 1, 2_000)
    made = [missing if draw < 0.12 else value for value, draw in zip(values, draws, strict=True)]
    made = [more if draw > 1.0 - share else value for value, draw in zip(made, draws, strict=True)]
    column = pa.array(made, pa.string() if kind == "text" else pa.float64())
    return profile_table(pa.table({kind: column}), f"2026-02-{index + 1:02d}")


@pytest.mark.parametrize(("kind", "other", "metric"), [("text", "", "empty_ratio"), ("number", math.nan, "nan_ratio")])
def test_one_sort_of_missing_value_in_place_of_another_is_an_alert(kind: str, other: object, metric: str) -> None:
    history = [_gaps(index, kind, None) for index in range(12)]
    alerts = evaluate(synthesize(history), _gaps(12, kind, other), history).alerts
    assert [(alert.metric, alert.rule) for alert in alerts] == [(metric, "first_occurrence")]
    assert evaluate(synthesize(history), _gaps(12, kind, None), history).status == "pass"


@pytest.mark.parametrize(("kind", "other"), [("text", ""), ("number", math.nan)])
def test_more_of_a_sort_of_missing_value_than_ever_is_an_alert(kind: str, other: object) -> None:
    history = [_gaps(index, kind, None, other, 0.01) for index in range(27)]
    program = synthesize(history, SynthesisOptions(target_fpr=0.05))
    assert evaluate(program, _gaps(27, kind, None, other, 0.015), history).status == "pass"
    verdict = evaluate(program, _gaps(27, kind, other, other, 0.01), history)
    (alert,) = verdict.alerts
    assert (alert.rule, alert.column) == ("range", kind)
    assert alert.cause in {
        f"{name} in place of null in {share}% of the rows" for name in ("empty", "NaN") for share in (11, 12, 13)
    }


def test_a_first_empty_text_is_no_alert_and_what_never_came_learns_no_range() -> None:
    history = [_gaps(index, "text", None) for index in range(12)]
    program = synthesize(history)
    assert "empty_ratio" not in {clause.metric for clause in program.ranges()}
    now = _gaps(12, "text", None, "", 1e-3)
    assert now.columns["text"].metrics["empty_ratio"] > 0.0
    assert evaluate(program, now, history).status == "pass"

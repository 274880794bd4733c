"""Which alerts a snooze covers, and what it makes of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from airflow_dq.explain.alert import Alert
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.store.review_model import Snooze
from airflow_dq.store.snooze import apply_snoozes, find_snooze

UNTIL = datetime(2026, 3, 1, 20, 30, tzinfo=timezone(timedelta(hours=2)))


def snooze(number: int, column: str | None = None, metric: str | None = None) -> Snooze:
    return Snooze(number, "t", column, metric, UNTIL, "ann", None, datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("column", "metric", "covers", "words"),
    [
        (None, None, {"table", "mean", "emd", "gone"}, "the whole dataset"),
        ("a", None, {"mean", "gone"}, "column 'a'"),
        (None, "mean", {"mean"}, "metric 'mean' of all columns"),
        ("a", "mean", {"mean"}, "metric 'mean' of column 'a'"),
        ("b", "mean", set(), "metric 'mean' of column 'b'"),
    ],
)
def test_a_snooze_covers_its_scope(column: str | None, metric: str | None, covers: set[str], words: str) -> None:
    alerts = {
        "table": ("range", None, "row_count"),
        "mean": ("range", "a", "mean"),
        "emd": ("range", "b", "emd"),
        "gone": ("column_missing", "a", None),
    }
    one = snooze(1, column, metric)
    assert {name for name, alert in alerts.items() if find_snooze([one], *alert)} == covers
    assert one.scope == words


def test_the_first_that_covers_speaks() -> None:
    assert find_snooze([snooze(1, "b"), snooze(2, "a"), snooze(3)], "range", "a", "mean") == snooze(2, "a")
    assert find_snooze([], "range", "a", "mean") is None


@pytest.mark.parametrize(
    ("column", "metric", "covered"),
    [(None, None, True), ("a", None, False), (None, "broken_ratio", True), ("a", "broken_ratio", True)],
)
def test_a_snooze_of_a_column_is_none_of_what_it_has_in_common_with_others(
    column: str | None, metric: str | None, covered: bool
) -> None:
    one = snooze(1, column, metric)
    assert (find_snooze([one], "relation", "a", "broken_ratio") is one) == covered


def test_a_snoozed_alert_warns_and_says_until_when() -> None:
    alerts = (Alert("range", "a", "too high.", metric="mean"), Alert("column_missing", "b", "the column is missing."))
    verdict = Verdict("1", Status.FAIL, ScopeVerdict(Status.PASS), {}, alerts=alerts)
    first, second = apply_snoozes(verdict, [snooze(1, "a")]).alerts
    assert (first.severity, first.message) == ("warn", "a: too high. (Snoozed by ann, until 2026-03-01 18:30 UTC.)")
    assert second == alerts[1]
    assert apply_snoozes(verdict, []) == verdict

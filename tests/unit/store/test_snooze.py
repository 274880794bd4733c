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
    alerts = {"table": (None, "row_count"), "mean": ("a", "mean"), "emd": ("b", "emd"), "gone": ("a", None)}
    one = snooze(1, column, metric)
    assert {name for name, alert in alerts.items() if find_snooze([one], *alert)} == covers
    assert one.scope == words


def test_the_first_that_covers_speaks() -> None:
    assert find_snooze([snooze(1, "b"), snooze(2, "a"), snooze(3)], "a", "mean") == snooze(2, "a")
    assert find_snooze([], "a", "mean") is None


def test_a_snoozed_alert_warns_and_says_until_when() -> None:
    alerts = (Alert("range", "a", "too high.", metric="mean"), Alert("column_missing", "b", "the column is missing."))
    verdict = Verdict("1", Status.FAIL, ScopeVerdict(Status.PASS), {}, alerts=alerts)
    first, second = apply_snoozes(verdict, [snooze(1, "a")]).alerts
    assert (first.severity, first.message) == ("warn", "a: too high. (Snoozed by ann, until 2026-03-01 18:30 UTC.)")
    assert second == alerts[1]
    assert apply_snoozes(verdict, []) == verdict

"""Columns of single values, hours without any row, and ids that count up: what their past does not say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.profile import ProfileOptions, profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import SynthesisOptions, backtest, evaluate, synthesize


def judged(history: Sequence[Profile], now: Profile) -> Verdict:
    return evaluate(synthesize(history, SynthesisOptions()), now, history)


def shops(day: int, closed: Sequence[float]) -> Profile:
    """A list of shops, of which some have the day on which they closed."""
    rows = 21
    table = pa.table(
        {
            "shop": [float(number) for number in range(rows)],
            "closed": pa.array([*closed, *[None] * (rows - len(closed))], pa.float64()),
        }
    )
    return profile_table(table, f"2026-01-{day + 1:02d}")


def test_single_values_have_no_spread_that_a_second_one_could_leave() -> None:
    history = [shops(day, [100.0]) for day in range(20)]
    verdict = judged(history, shops(20, [100.0, 130.0]))
    assert verdict.status is Status.PASS
    assert judged(history, shops(20, [9.9e5])).status is Status.FAIL


def orders(hour: int, rows: int) -> Profile:
    """Orders of an hour, half of which have one of two vouchers."""
    rng = np.random.default_rng(hour)
    voucher = rng.choice(["V10", "V20", None], rows, p=[0.3, 0.2, 0.5])
    table = pa.table({"amount": rng.gamma(2.0, 20.0, rows), "voucher": pa.array(voucher.tolist(), pa.string())})
    return profile_table(table, f"2026-01-{1 + hour // 24:02d}-{hour % 24:02d}", ProfileOptions(sample_rows=0))


def test_hours_after_a_night_without_rows_are_judged() -> None:
    """What they would be compared with lies so far back that only its metrics are kept: that blocks none of them."""
    hours = [orders(hour, 0 if hour % 24 >= 16 else 150) for hour in range(44)]
    found = backtest(hours, SynthesisOptions(history=40)).partitions
    states = {one.partition: one.status for one in found if one.status not in (Status.PASS, Status.WARMING_UP)}
    # The first night is news.
    assert states == {"2026-01-01-16": Status.FAIL, "2026-01-01-17": Status.FAIL}
    assert {one.columns for one in found[24:40]} == {2}


def tweets(week: int, first: int) -> Profile:
    """Ids of eighteen digits that count up, as texts."""
    rng = np.random.default_rng(week)
    ids = first + np.sort(rng.choice(10**15, 60, replace=False))
    return profile_table(pa.table({"id": [str(one) for one in ids], "likes": rng.poisson(30.0, 60)}), f"w{week:02d}")


def test_ids_that_count_up_come_to_another_first_digit() -> None:
    history = [tweets(week, (872 + week) * 10**15) for week in range(28)]
    assert judged(history, tweets(28, 9 * 10**17)).status is Status.PASS

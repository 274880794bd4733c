"""A value that was always there and is not there at all: a filter drops it, and no range of a distance says so."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.explain.alert import Alert
from airflow_dq.learn.constraint.gone import NEWEST
from airflow_dq.profile import ProfileOptions, profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import SynthesisOptions, evaluate, synthesize
from airflow_dq.settings import HASH_KEY_VARIABLE

FIRST = date(2026, 3, 2)
COUNTRIES = ["AT", "CH", "DE", "FR"]


def _values(index: int) -> list[str]:
    rng = np.random.default_rng(index)
    shares = rng.dirichlet(4 * [40.0])
    return [str(one) for one in rng.choice(COUNTRIES, int(rng.integers(150, 250)), p=shares)]


def stops(index: int, without: str = "", options: ProfileOptions | None = None, *, sundays: bool = False) -> Profile:
    """A day of some 200 rows whose shares vary from day to day; on Sundays perhaps none is from France."""
    found = np.array(_values(index))
    closed = "FR" if sundays and index % 7 == 6 else ""
    kept = found[(found != without) & (found != closed)]
    return profile_table(pa.table({"country": kept.tolist()}), str(FIRST + timedelta(index)), options=options)


def gone(now: Profile, history: list[Profile]) -> list[Alert]:
    return [one for one in evaluate(synthesize(history), now, history).alerts if one.rule == "value_gone"]


@pytest.mark.parametrize("length", [NEWEST + 1, 30])
@pytest.mark.parametrize("country", COUNTRIES)
def test_a_quarter_of_the_rows_that_a_filter_drops_is_told(length: int, country: str) -> None:
    history = [stops(index) for index in range(length)]
    assert gone(stops(length), history) == []
    (alert,) = gone(stops(length, country), history)
    assert f"none of the values is '{country}' (" in alert.statement


def test_what_is_missing_every_sunday_is_no_news_on_the_next() -> None:
    history = [stops(index, sundays=True) for index in range(20)]
    assert gone(stops(20, sundays=True), history) == []


def test_a_filter_that_drops_more_values_is_told_as_well() -> None:
    history = [stops(index) for index in range(12)]
    now = stops(12)
    for dropped in (["AT"], ["AT", "CH"], ["AT", "CH", "DE"]):
        left = [value for value in _values(12) if value not in dropped][:37]
        found = gone(profile_table(pa.table({"country": left}), now.partition), history)
        assert len(found) == (len(dropped) > 1)  # of 37 rows one value in four may be missing by chance
    assert all(gone(stops(12, country), history) for country in COUNTRIES)


def test_two_rows_of_a_rare_value_say_nothing() -> None:
    def flags(index: int, values: list[bool]) -> Profile:
        return profile_table(pa.table({"flag": values}), str(FIRST + timedelta(index)))

    history = [flags(index, [*((180 + index % 3) * [True]), *(20 * [False])]) for index in range(12)]
    assert gone(flags(12, 2 * [False]), history) == []
    assert len(gone(flags(12, 20 * [False]), history)) == 1


def test_few_rows_may_hold_it_by_chance_alone() -> None:
    def thin(index: int, values: list[str]) -> Profile:
        return profile_table(pa.table({"country": values}), str(FIRST + timedelta(index)))

    history = [thin(index, [*(15 * ["DE"]), *((4 + index % 2) * ["FR"])]) for index in range(12)]
    assert gone(thin(12, 20 * ["DE"]), history) == []


def test_of_hidden_values_none_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")
    options = ProfileOptions(hidden=("country",))
    history = [stops(index, options=options) for index in range(12)]
    assert gone(stops(12, "DE", options), history) == []


def _amounts(index: int, refunds: float, rows: int = 1500) -> np.ndarray:
    """Payments, and among them refunds."""
    rng = np.random.default_rng([index, 7])
    return rng.lognormal(3.0, 0.8, rows).round(2) * np.where(rng.random(rows) < refunds, -1.0, 1.0)


def _paid(index: int, amounts: np.ndarray) -> Profile:
    return profile_table(pa.table({"amount": amounts}), str(FIRST + timedelta(index)))


def test_refunds_that_lost_their_sign_are_told() -> None:
    history = [_paid(index, _amounts(index, 0.03)) for index in range(20)]
    assert gone(_paid(20, _amounts(20, 0.03)), history) == []
    (alert,) = gone(_paid(20, np.abs(_amounts(20, 0.03))), history)
    assert "none of the values is negative, as " in alert.statement
    # Of so few rows none may be one by chance.
    assert gone(_paid(20, np.abs(_amounts(20, 0.03, rows=300))), history) == []


def test_a_level_that_moves_past_zero_is_no_sign_that_is_gone() -> None:
    colder = [0.3, 0.9, 0.5, 0.1, 0.6, 0.8, 0.2, 0.4] * 3
    history = [_paid(index, _amounts(index, share)) for index, share in enumerate(colder)]
    assert gone(_paid(24, np.abs(_amounts(24, 0.1))), history) == []


def test_who_minds_only_a_rise_hears_of_no_sign_that_is_gone() -> None:
    history = [_paid(index, _amounts(index, 0.03)) for index in range(20)]
    now = _paid(20, np.abs(_amounts(20, 0.03)))
    program = synthesize(history, SynthesisOptions(direction={"negative_ratio": "rises"}))
    assert [one for one in evaluate(program, now, history).alerts if one.rule == "value_gone"] == []

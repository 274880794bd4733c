from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.explain.proof import DRAWN, Proof, drawn
from airflow_dq.explain.undo import other_than_zero, present_again, rescaled, respelled
from airflow_dq.judge.evaluation import evaluate
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile

Change = Callable[[dict[str, np.ndarray], np.random.Generator], None]


def _day(index: int, change: Change | None = None, rows: int = 600) -> Profile:
    rng = np.random.default_rng(index)
    columns = {
        "minutes": rng.gamma(4.0, 35.0, rows).round(),
        "tail": np.array([f"N{number}AA" for number in rng.integers(100, 900, rows)], dtype=object),
        "city": np.array(["Rome", "Oslo", "Bonn", "Lima"], dtype=object)[rng.integers(0, 4, rows)],
        "amount": rng.exponential(20.0, rows).round(2),
    }
    if change is not None:
        change(columns, rng)
    table = pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()})
    return profile_table(table, f"2026-01-{index + 1:02d}", ProfileOptions(sample_rows=0))


HISTORY = [_day(index) for index in range(15)]
PROGRAM = synthesize([_day(index) for index in range(15)], SynthesisOptions())


def _causes(change: Change, column: str, rows: int = 600) -> set[str | None]:
    verdict = evaluate(PROGRAM, _day(15, change, rows), HISTORY)
    return {alert.cause for alert in verdict.alerts if alert.column == column}


def _hours(columns: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    columns["minutes"] = columns["minutes"] / 60.0


def _lower(columns: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    columns["tail"] = np.array([text.lower() for text in columns["tail"]], dtype=object)


def _padded(columns: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    columns["city"] = np.array([f"{text} " if row % 3 else text for row, text in enumerate(columns["city"])], object)


def _trailing(columns: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    columns["tail"] = np.array([f"{text}  " for text in columns["tail"]], dtype=object)


def _gaps(columns: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    columns["amount"] = np.where(rng.random(len(columns["amount"])) < 0.3, np.nan, columns["amount"])


def _negative(columns: dict[str, np.ndarray], rng: np.random.Generator) -> None:
    columns["amount"] = -columns["amount"]


@pytest.mark.parametrize(
    ("change", "column"),
    [(_hours, "minutes"), (_lower, "tail"), (_padded, "city"), (_gaps, "amount"), (_negative, "amount")],
)
def test_with_its_cause_undone_the_column_passes(change: Change, column: str) -> None:
    (cause,) = _causes(change, column) - {None}
    assert cause is not None
    assert cause.endswith("; undone, its metrics are as usual"), cause


@pytest.mark.parametrize("rows", [600, 3 * DRAWN])
@pytest.mark.parametrize(("change", "column"), [(_lower, "tail"), (_trailing, "tail")])
def test_a_pattern_is_held_against_the_undone_values(change: Change, column: str, rows: int) -> None:
    history = [_day(index, rows=rows) for index in range(15)]
    verdict = evaluate(synthesize(history, SynthesisOptions()), _day(15, change, rows), history)
    assert "pattern" in {alert.rule for alert in verdict.alerts}
    assert verdict.headline is not None
    assert verdict.headline.endswith("undone, the partition passes"), verdict.headline


def test_a_cause_that_leaves_the_pattern_broken_does_not_let_it_pass() -> None:
    def lower_and_spoilt(columns: dict[str, np.ndarray], rng: np.random.Generator) -> None:
        _lower(columns, rng)
        columns["tail"] = np.where(rng.random(len(columns["tail"])) < 0.1, "-/-", columns["tail"])

    verdict = evaluate(PROGRAM, _day(15, lower_and_spoilt), HISTORY)
    assert "passes" not in (verdict.headline or "")


def test_a_cause_that_leaves_most_of_what_was_found_is_not_named() -> None:
    def other_shape(columns: dict[str, np.ndarray], rng: np.random.Generator) -> None:
        # The median is 60 times as large, as in another unit, and everything else is different.
        columns["minutes"] = rng.permutation(np.linspace(60.0, 16_000.0, 600).round())

    assert _causes(other_shape, "minutes") == {None}


def test_a_proof_says_how_much_is_gone() -> None:
    assert Proof(7, 7).words == "undone, its metrics are as usual"
    assert Proof(5, 7).words == "undone, 5 of 7 metrics are as usual"
    assert [Proof(vanished, 4).convinces for vanished in range(5)] == [False, False, True, True, True]
    assert not Proof(0, 1).convinces


@pytest.mark.parametrize("rows", [600, 3 * DRAWN])
def test_values_are_drawn_in_the_proportions_of_the_states(rows: int) -> None:
    profile = _day(20, _gaps, rows)
    city, amount = drawn(profile.columns["city"]), drawn(profile.columns["amount"])
    assert city is not None
    assert amount is not None
    assert len(city) == len(amount) == min(rows, DRAWN)
    shares = {one["values"]: one["counts"] / len(city) for one in city.value_counts().to_pylist()}
    assert shares == pytest.approx(dict.fromkeys(["Rome", "Oslo", "Bonn", "Lima"], 0.25), abs=0.05)
    numbers = amount.to_numpy(zero_copy_only=False)
    assert np.isnan(numbers).mean() == pytest.approx(0.3, abs=0.05)
    assert np.nanmedian(numbers) == pytest.approx(20.0 * np.log(2.0), rel=0.1)


def test_long_texts_are_not_drawn_for_only_their_beginnings_are_kept() -> None:
    table = pa.table({"text": ["x" * 500, "short"] * 20})
    assert drawn(profile_table(table, "d", ProfileOptions(sample_rows=0)).columns["text"]) is None


def test_hashed_texts_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIRFLOW_DQ_HASH_SECRET", "a key of sixteen characters")
    options = ProfileOptions(sample_rows=0, store_values=False)

    def hidden(index: int, ending: str = "") -> Profile:
        rng = np.random.default_rng(index)
        texts = [f"{text}{ending}" for text in rng.choice(["Rome", "Oslo", "Bonn"], 300)]
        return profile_table(pa.table({"city": texts}), f"2026-01-{index + 1:02d}", options)

    history = [hidden(index) for index in range(12)]
    verdict = evaluate(synthesize(history, SynthesisOptions()), hidden(12, " "), history)
    assert verdict.alerts
    assert not any("undone" in (alert.cause or "") for alert in verdict.alerts)


def test_undoing_keeps_what_was_not_hit() -> None:
    from airflow_dq.corruption.clean_column import CleanColumn
    from airflow_dq.states.base import Kind

    numbers = CleanColumn(Kind.NUMERIC, pa.array([0.0, None, 2.0, 4.0, 0.0, None]))
    assert present_again(2 / 6)(numbers).values.to_pylist() == [0.0, 0.0, 2.0, 4.0, 0.0, 0.0]
    assert other_than_zero(1 / 6)(numbers).values.to_pylist() == [2.0, None, 2.0, 4.0, 0.0, None]
    assert rescaled(60.0)(CleanColumn(Kind.NUMERIC, pa.array([540.0, 7.0, None]))).values.to_pylist() == [
        9.0, 7.0 / 60.0, None
    ]  # fmt: skip
    texts = CleanColumn(Kind.STRING, pa.array([" a", None, "b "], pa.large_string()))
    assert respelled(str.strip)(texts).values.to_pylist() == ["a", None, "b"]


def test_the_means_of_segments_are_undone_with_the_numbers() -> None:
    options = ProfileOptions(sample_rows=0, segments=("city",))

    def day(index: int, factor: float = 1.0) -> Profile:
        rng = np.random.default_rng(index)
        table = pa.table(
            {"city": rng.choice(["Rome", "Oslo", "Bonn"], 900), "price": factor * rng.gamma(4.0, 9.0, 900)}
        )
        return profile_table(table, f"2026-01-{index + 1:02d}", options)

    history = [day(index) for index in range(15)]
    verdict = evaluate(synthesize(history, SynthesisOptions()), day(15, 100.0), history)
    assert "segment" in {alert.rule for alert in verdict.alerts}
    assert verdict.headline is not None
    assert "100 times too large" in verdict.headline
    assert verdict.headline.endswith("; undone, the partition passes"), verdict.headline


def test_zero_has_no_sign_and_is_not_counted() -> None:
    def day(index: int, sign: float = 1.0) -> Profile:
        rng = np.random.default_rng(index)
        amounts = np.where(np.arange(600) % 2, 0.0, rng.gamma(4.0, 9.0, 600).round(2))
        return profile_table(pa.table({"credit": sign * amounts}), f"2026-01-{index + 1:02d}")

    history = [day(index) for index in range(15)]
    (problem,) = evaluate(synthesize(history, SynthesisOptions()), day(15, -1.0), history).problems
    assert problem.rows == 300
    assert "in 300 of 600 rows" in problem.headline

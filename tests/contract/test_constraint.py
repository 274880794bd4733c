"""What every family of constraints promises: it is found, it is plain data, and no table brings it down."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from datetime import date, timedelta
from functools import cache
from importlib import import_module
from typing import Literal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import airflow_dq.learn
from airflow_dq.codec import from_json, to_json
from airflow_dq.exceptions import SynthesisError
from airflow_dq.explain.statement import statement_of
from airflow_dq.judge.evaluation import evaluate
from airflow_dq.learn.constraint.base import Constraint, Detector, Finding, Learned, NotEvaluated, Skipped
from airflow_dq.learn.constraint.registry import families
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.distance import Distances
from airflow_dq.learn.history.history import History
from airflow_dq.learn.pipeline import DETECTORS, synthesize
from airflow_dq.learn.program import Program
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import profile_table
from airflow_dq.settings import HASH_KEY_VARIABLE

ROWS = 60
FIRST = date(2026, 1, 1)
HIDING = ProfileOptions(hidden=("secret",), sample_rows=ROWS)


def detectors() -> tuple[Detector, ...]:
    """One of each class of detectors that a module of learning defines."""
    for module in pkgutil.walk_packages(airflow_dq.learn.__path__, f"{airflow_dq.learn.__name__}."):
        import_module(module.name)
    return tuple(kind() for kind in sorted(Detector.__subclasses__(), key=lambda kind: kind.__name__))


every_detector = pytest.mark.parametrize("detector", detectors(), ids=lambda one: type(one).__name__)
every_family = pytest.mark.parametrize("family", sorted(families()))


@pytest.fixture(autouse=True, scope="module")
def hash_key() -> Iterator[None]:
    """Values of a hidden column are hashed with a secret."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(HASH_KEY_VARIABLE, "a secret of ours")
        yield


# ---- a table with every kind of column, whole and damaged ----------------------------------------------------------


def whole(index: int) -> dict[str, pa.Array]:
    """The columns of one day, with a weekly cycle, a trend, and what is awkward."""
    rng = np.random.default_rng(index)
    rows = ROWS + 10 * (index % 7 < 5) + int(rng.integers(-2, 3))
    day, codes = FIRST + timedelta(index), [f"K{number}" for number in rng.integers(0, 300, rows)]
    seconds = (day - date(1970, 1, 1)).days * 86_400 + rng.integers(0, 86_400, rows)
    return {
        "amount": pa.array(rng.gamma(4.0, 10.0, rows)),
        "number": pa.array(100 * index + np.arange(rows)),
        "still": pa.array(np.full(rows, 7.0)),
        "odd": pa.array([np.nan, np.inf, -np.inf, 1e308, None, 0.0] + [5e-324] * (rows - 6)),
        "absent": pa.array([None] * rows, pa.float64()),
        "untyped": pa.nulls(rows),
        "word": pa.array(rng.choice(["a", "b", "", "ß"], rows).tolist()),
        "code": pa.array(codes),
        "secret": pa.array([f"person-{code}" for code in codes]),
        "paid": pa.array(rng.random(rows) < 0.8),
        "at": pa.array(seconds, pa.timestamp("s", "UTC")),
        "day": pa.array([day] * rows),
        "text": pa.array([day.isoformat()] * rows),
        "tags": pa.array([["x"] * int(count) for count in rng.integers(0, 4, rows)]),
        "blob": pa.array([bytes([index % 256])] * rows, pa.binary()),
    }


def _nulls(columns: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
    return {name: pa.nulls(len(values), values.type) for name, values in columns.items()}


def _retyped(columns: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
    return {
        name: pa.array([1.5] * len(values) if pa.types.is_string(values.type) else ["x"] * len(values))
        for name, values in columns.items()
    }


def _only(name: str) -> Callable[[Mapping[str, pa.Array]], dict[str, pa.Array]]:
    return lambda columns: {name: columns[name]}


def _without(*gone: str) -> Callable[[Mapping[str, pa.Array]], dict[str, pa.Array]]:
    return lambda columns: {name: values for name, values in columns.items() if name not in gone}


def _renamed(columns: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
    return {f"new_{name}": values for name, values in columns.items()}


def _garbage(columns: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
    """Of each type the values that nobody expects."""
    size = len(columns["amount"])
    changed = {"amount": [-np.inf] * size, "number": [-(10**15)] * size, "still": [8.0] * size, "absent": [1.0] * size}
    texts = dict.fromkeys(("word", "code", "secret", "text"), pa.array(["\x00 \U0001f600"] * size))
    return {**columns, **{name: pa.array(values) for name, values in changed.items()}, **texts}


Damage = Callable[[Mapping[str, pa.Array]], Mapping[str, pa.Array]]
DAMAGES: Mapping[str, Damage] = {
    "clean": lambda columns: columns,
    "empty": lambda columns: {name: values[:0] for name, values in columns.items()},
    "all null": _nulls,
    "null without a type": lambda columns: {name: pa.nulls(len(values)) for name, values in columns.items()},
    "one row": lambda columns: {name: values[:1] for name, values in columns.items()},
    "ten times": lambda columns: {name: pa.concat_arrays([values] * 10) for name, values in columns.items()},
    "retyped": _retyped,
    "garbage": _garbage,
    "some columns": _without("amount", "word", "at", "day"),
    "one column": _only("amount"),
    "other columns": _only("untyped"),
    "renamed": _renamed,
}
BARE = "without states"


@cache
def partition(index: int, damage: str = "clean") -> Profile:
    """One day as it is profiled; ``without states`` as retention leaves it."""
    if damage == BARE:
        made = partition(index)
        bare = {name: replace(column, states={}) for name, column in made.columns.items()}
        return replace(made, columns=bare, variants={}, sample=None)
    options = HIDING if damage != "renamed" else ProfileOptions(hidden=("new_secret",), sample_rows=ROWS)
    return profile_table(pa.table(dict(DAMAGES[damage](whole(index)))), str(FIRST + timedelta(index)), options)


def history(*given: Profile, dated: bool = True) -> History:
    """A history that brings no distances from other tests."""
    return History.of(given, distances=Distances(), dated=dated)


@cache
def clean(count: int) -> History:
    """Some days as they should be; detectors share a history, and the distances that are measured in it."""
    return history(*(partition(i) for i in range(count)))


@cache
def damaged(count: int) -> History:
    """Some days, every fifth of which came damaged in another way."""
    ways = (*DAMAGES, BARE)
    return history(*(partition(i, ways[(i // 5) % len(ways)] if i % 5 == 3 else "clean") for i in range(count)))


OPTIONS = (
    SynthesisOptions(),
    SynthesisOptions(scope="column", target_fpr=0.05, stationary=False),
    SynthesisOptions(max_clauses=1, metrics=("row_count", "mean", "l1", "new_ratio", "complete_ratio")),
    SynthesisOptions(columns=("amount", "word", "day")),
    SynthesisOptions(exclude=("amount", "number")),
    SynthesisOptions(mode="paper"),
)


@cache
def learned(count: int = 20) -> tuple[tuple[Constraint, ...], History]:
    """What all detectors say of a history without damages."""
    past = history(*(partition(i) for i in range(count)))
    found = [one.learn(past, OPTIONS[0]) for one in detectors()]
    return tuple(one for result in found if isinstance(result, Learned) for one in result.constraints), past


# ---- families and detectors ----------------------------------------------------------------------------------------


def _subclasses(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        yield one
        yield from _subclasses(one)


def test_every_family_is_registered_under_its_name() -> None:
    detectors()
    assert families()
    for name, kind in families().items():
        assert (kind.family, kind.__module__.rpartition(".")[0]) == (name, "airflow_dq.learn.constraint")
    # A dataclass with slots is made twice, under one name.
    ours = {kind.__qualname__ for kind in _subclasses(Constraint) if kind.__module__.startswith("airflow_dq.")}
    assert ours == {kind.__qualname__ for kind in families().values()}


def test_every_detector_has_a_name_and_works_in_some_mode() -> None:
    used = {type(one) for mode in DETECTORS.values() for one in mode}
    assert used == {type(one) for one in detectors()}
    assert all(one.name for one in detectors())
    for mode in DETECTORS.values():
        assert len({one.name for one in mode}) == len(mode)


@every_family
def test_some_detector_learns_the_family(family: str) -> None:
    constraints, _ = learned()
    assert any(one.family == family for one in constraints)


@every_family
def test_a_constraint_is_frozen_and_can_be_hashed(family: str) -> None:
    for one in learned()[0]:
        if one.family == family:
            assert is_dataclass(one)
            assert hash(one) == hash(replace(one))
            assert one == replace(one)
            assert not hasattr(one, "__dict__")
            with pytest.raises(FrozenInstanceError):
                setattr(one, fields(one)[0].name, None)


@every_family
@pytest.mark.parametrize("given_options", OPTIONS, ids=str)
def test_a_program_of_the_family_survives_its_json(family: str, given_options: SynthesisOptions) -> None:
    own = tuple(one for one in learned()[0] if one.family == family)
    program = Program(given_options, (None, "2026-01-01"), own)
    read = from_json(Program, to_json(program))
    assert read == program
    assert [hash(one) for one in read.constraints] == [hash(one) for one in own]


# ---- learning ------------------------------------------------------------------------------------------------------


def check_learned(result: Learned | Skipped) -> None:
    if isinstance(result, Skipped):
        assert result.reason
        return
    assert isinstance(result, Learned)
    assert len(set(result.constraints)) == len(result.constraints), "the same constraint twice"
    for one in result.constraints:
        assert families()[one.family] is type(one)
    for report in result.columns.values():
        assert all(report.ignored.values())
        assert report.reason is None or report.reason


def learn(detector: Detector, past: History, options: SynthesisOptions) -> None:
    with suppress(SynthesisError):
        check_learned(detector.learn(past, options))


@every_detector
@pytest.mark.parametrize("count", [0, 1, 2, 3, 6, 7, 8, 21, 40])
def test_a_history_of_any_length_is_learned_from(detector: Detector, count: int) -> None:
    learn(detector, clean(count), OPTIONS[0])
    learn(detector, damaged(count), OPTIONS[0])


@cache
def undated() -> History:
    """Damaged days whose keys tell no time."""
    return history(*damaged(24).profiles, dated=False)


@every_detector
@pytest.mark.parametrize("options", OPTIONS[1:], ids=str)
def test_any_options_are_learned_with(detector: Detector, options: SynthesisOptions) -> None:
    learn(detector, damaged(24), options)
    learn(detector, undated(), options)


@cache
def spoilt(damage: str) -> tuple[History, History]:
    """Days that all came damaged, and good ones of which the newest did."""
    return history(*(partition(i, damage) for i in range(9))), history(*clean(8).profiles, partition(8, damage))


@every_detector
@pytest.mark.parametrize("damage", [*DAMAGES, BARE])
def test_a_history_of_damages_is_learned_from(detector: Detector, damage: str) -> None:
    for past in spoilt(damage):
        learn(detector, past, OPTIONS[0])


@cache
def keyed(key: str | None) -> History:
    """Days that all have the same key."""
    return history(*(replace(partition(i), partition=key) for i in range(9)))


@every_detector
@pytest.mark.parametrize("key", [None, "", "run", "2026-01-01", "\U0001f600"])
def test_keys_that_say_nothing_are_no_obstacle(detector: Detector, key: str | None) -> None:
    learn(detector, keyed(key), OPTIONS[0])


days = st.tuples(st.integers(0, 40), st.sampled_from([*["clean"] * 6, *DAMAGES, BARE]))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(days, max_size=24, unique_by=lambda day: day[0]), days, st.sampled_from(OPTIONS))
def test_no_history_and_no_partition_brings_a_detector_or_a_constraint_down(
    past: list[tuple[int, str]], now: tuple[int, str], options: SynthesisOptions
) -> None:
    made = history(*(partition(*day) for day in sorted(past)))
    for detector in detectors():
        with suppress(SynthesisError):
            result = detector.learn(made, options)
            check_learned(result)
            check_all(result.constraints if isinstance(result, Learned) else (), partition(*now), made)


# ---- checking ------------------------------------------------------------------------------------------------------


def check_all(constraints: Sequence[Constraint], now: Profile, past: History) -> int:
    """Every constraint on one partition; the number of findings."""
    found = 0
    for view in (PartitionView(now, past), PartitionView(now, past, frozenset(["amount"]))):
        for one in constraints:
            outcome = one.check(view)
            assert one.vouches_for(view) <= set(one.scope.columns)
            if isinstance(outcome, NotEvaluated):
                assert outcome.reason
                assert outcome.scope == one.scope
                assert outcome.rule
            elif isinstance(outcome, Finding):
                found += 1
                check_finding(one, outcome, view)
            else:
                assert outcome is None
    return found


def check_finding(constraint: Constraint, finding: Finding, view: PartitionView) -> None:
    assert finding.rule
    assert from_json(Finding, to_json(finding)) == finding
    subjects = finding.scope.columns or (None,)
    for column in subjects:
        statement = statement_of(constraint, finding, view, column)
        assert statement.strip()
        assert "\n" not in statement
        assert "None" not in statement
        assert "nan" not in statement


@pytest.mark.parametrize("damage", [*DAMAGES, BARE])
@pytest.mark.parametrize("index", [20, 24, 300], ids=["next", "behind a gap", "far away"])
def test_any_partition_is_checked(damage: str, index: int) -> None:
    constraints, past = learned()
    now = replace(partition(20, damage), partition=str(FIRST + timedelta(index)))
    found = check_all(constraints, now, past)
    # A damage is found by something.  What lies behind a gap may have moved as far as that.
    assert damage in ("clean", BARE, "one column") or found > 0


@pytest.mark.parametrize("damage", [*DAMAGES, BARE])
@pytest.mark.parametrize("key", [None, "", "run", "1999-01-01"])
def test_a_partition_with_any_key_is_checked(damage: str, key: str | None) -> None:
    constraints, past = learned()
    check_all(constraints, replace(partition(20, damage), partition=key), past)


@pytest.mark.parametrize("damage", [*DAMAGES, BARE])
def test_a_history_that_is_gone_or_damaged_is_no_obstacle(damage: str) -> None:
    constraints, _ = learned()
    for past in (history(), history(partition(19, damage)), history(*(partition(i, damage) for i in range(20)))):
        check_all(constraints, partition(20), past)
        check_all(constraints, partition(20, damage), past)


@cache
def synthesized(mode: Literal["calibrated", "paper"]) -> Program:
    """What a mode learns of a history without damages."""
    return synthesize([partition(i) for i in range(20)], SynthesisOptions(mode=mode))


@pytest.mark.parametrize("damage", [*DAMAGES, BARE])
@pytest.mark.parametrize("mode", DETECTORS)
def test_a_verdict_that_is_no_pass_says_why(damage: str, mode: Literal["calibrated", "paper"]) -> None:
    past = [partition(i) for i in range(20)]
    verdict = evaluate(synthesized(mode), partition(20, damage), past)
    assert verdict.reason or verdict.findings or verdict.status == "pass"
    assert len(verdict.alerts) >= len(verdict.findings) > 0 or not verdict.findings
    assert all(alert.message for alert in verdict.alerts)
    assert all(one.reason for one in verdict.not_evaluated)
    for scope in verdict.columns.values():
        assert scope.status in ("pass", "fail") or scope.reason

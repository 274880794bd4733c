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
from hypothesis import example, given
from hypothesis import strategies as st

import airflow_dq.learn
from airflow_dq.check import Checks
from airflow_dq.codec import from_json, to_json
from airflow_dq.exceptions import SynthesisError
from airflow_dq.explain.statement import statement_of
from airflow_dq.judge.evaluation import evaluate
from airflow_dq.learn.constraint.base import TABLE, Constraint, Detector, Finding, Learned, NotEvaluated, Skipped
from airflow_dq.learn.constraint.registry import families
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.distance import Distances
from airflow_dq.learn.history.history import History
from airflow_dq.learn.pipeline import DETECTORS, synthesize
from airflow_dq.learn.program import Program
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.registry import find_metric
from airflow_dq.options.learning import MIN_HISTORY, NOVELTY_HISTORY, SynthesisOptions
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.model import Profile
from airflow_dq.profile.table import profile_table
from airflow_dq.settings import HASH_KEY_VARIABLE

ROWS = 60
FIRST = date(2026, 1, 1)
HIDING = ProfileOptions(hidden=("secret",), segments=("paid",), sample_rows=ROWS)


def detectors() -> tuple[Detector, ...]:
    """One of each class of detectors that a module of learning defines."""
    for module in pkgutil.walk_packages(airflow_dq.learn.__path__, f"{airflow_dq.learn.__name__}."):
        import_module(module.name)
    ours = [kind for kind in Detector.__subclasses__() if kind.__module__.startswith("airflow_dq.")]
    return tuple(kind() for kind in sorted(ours, key=lambda kind: kind.__name__))


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
    amount = rng.gamma(4.0, 10.0, rows)
    return {
        "amount": pa.array(amount),
        "doubled": pa.array(2.0 * amount),
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
        "balance": pa.array(rng.normal(0.0, 10.0, rows)),
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
UNMEASURED = "engine errors"
UNKNOWN = "without metrics and states"


@cache
def partition(index: int, damage: str = "clean") -> Profile:
    """One day as it is profiled; ``without states`` as retention leaves it."""
    if damage == BARE:
        made = partition(index)
        bare = {name: replace(column, states={}) for name, column in made.columns.items()}
        return replace(made, columns=bare, variants={}, sample=None)
    if damage in (UNMEASURED, UNKNOWN):
        made = partition(index)
        lost = {
            name: replace(
                column,
                metrics=dict.fromkeys(column.metrics, Reason.ENGINE_ERROR) if damage == UNMEASURED else {},
                states={},
                states_digest="",
                distances={},
            )
            for name, column in made.columns.items()
        }
        return replace(made, columns=lost, checks={}, variants={}, sample=None)
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


CHECKS = Checks("t")
CHECKS.rows(error=">0")
CHECKS.col("amount").completeness(error=">=0.5")
CHECKS.col("amount").mean(error=">0", warn=">1")
CHECKS.rule("amount >= 0")
CHECKS.col("word").isin(["a", "b", "", "ß"])
OPTIONS = (
    SynthesisOptions(checks=tuple(CHECKS)),
    SynthesisOptions(),
    SynthesisOptions(scope="column", target_fpr=0.05, stationary=False),
    SynthesisOptions(max_clauses=1, metrics=("row_count", "mean", "l1", "new_ratio", "complete_ratio")),
    SynthesisOptions(columns=("amount", "word", "day")),
    SynthesisOptions(exclude=("amount", "number")),
    SynthesisOptions(mode="paper"),
)


@cache
def learned(count: int = NOVELTY_HISTORY) -> tuple[tuple[Constraint, ...], History]:
    """What all detectors say of a history without damages, which is long enough for each."""
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
    assert result.constraints, "a family without constraints says why"
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


# The standard deviation of 1e308 among zeros has a logarithm near the largest that a float's may be.
@example([(index, "clean") for index in range(7)], (0, "clean"), OPTIONS[0])
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
                assert from_json(NotEvaluated, to_json(outcome)) == outcome
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
    return synthesize(clean(20), SynthesisOptions(mode=mode))


NEEDS_VALUES = frozenset(families()) - {"expected_column", "no_other_column"}
"""The families that compare what columns hold; the others compare which columns there are."""

BESIDE = frozenset({"novelty", "pattern", "relation", "between", "segment", "sign_gone", "value_gone"})
"""The families that judge what may not be known: what keeps a partition from passing is told by the others."""


def silent(constraints: Sequence[Constraint], view: PartitionView) -> list[Constraint]:
    """The constraints that say nothing of a partition."""
    return [one for one in constraints if one.check(view) is None]


@every_family
@pytest.mark.parametrize("damage", [UNMEASURED, UNKNOWN, "nothing but another column"])
def test_what_was_not_measured_never_holds(family: str, damage: str) -> None:
    constraints, past = learned()
    own = [one for one in constraints if one.family == family]
    if damage in (UNMEASURED, UNKNOWN):
        now = partition(20, damage)
    else:
        made = profile_table(pa.table({"other": pa.array(range(ROWS))}), str(FIRST + timedelta(20)))
        now = replace(made, row_count=partition(20).row_count)
    held = silent(own, PartitionView(now, past))
    if family in NEEDS_VALUES:
        # The number of rows of the table is known whatever its columns hold.
        assert {one.scope for one in held} <= {TABLE}
        blocking = [found for one in own if isinstance(found := one.check(PartitionView(now, past)), NotEvaluated)]
        assert blocking if family in BESIDE else any(found.applies for found in blocking)
    elif damage not in (UNMEASURED, UNKNOWN):
        assert held == []


@every_family
def test_a_column_without_values_never_holds_but_by_how_many_it_has(family: str) -> None:
    constraints, past = learned()
    own = [one for one in constraints if one.family == family and family in NEEDS_VALUES]
    for damage in ("all null", "null without a type", "empty"):
        now = partition(20, damage)
        for one in silent(own, PartitionView(now, past)):
            measured = None if one.scope.column is None else now.columns[one.scope.column]
            value = None if measured is None else measured.metrics.get(getattr(one, "metric", ""))
            assert one.scope == TABLE or isinstance(value, float), f"{one.scope} held without a value"


@pytest.mark.parametrize("mode", DETECTORS)
def test_no_learned_range_allows_whatever_the_metric_can_be(mode: str) -> None:
    """A share that was once 0 and else 1 has bounds of -1.1 to 3.1: that is no constraint."""
    days = [partition(i, "all null" if i == 7 else "clean") for i in range(20)]
    past = history(*days)
    for one in synthesize(past, SynthesisOptions(mode=mode)).ranges():  # type: ignore[arg-type]
        assert one.catches or not one.is_idle
        lowest, highest = find_metric(one.metric, one.kind).natural_range  # type: ignore[union-attr]
        lower, upper = one.bounds(PartitionView(partition(20), past)) or (None, None)
        assert lower is None or lowest <= lower <= highest
        assert upper is None or lowest <= upper <= highest


@pytest.mark.parametrize("damage", [UNMEASURED, UNKNOWN])
@pytest.mark.parametrize("mode", DETECTORS)
def test_a_partition_that_was_not_measured_does_not_pass(damage: str, mode: Literal["calibrated", "paper"]) -> None:
    verdict = evaluate(synthesized(mode), partition(20, damage), clean(20))
    assert verdict.status != "pass"
    assert {column.status for column in verdict.columns.values()} <= {"not_evaluated", "fail"}


@pytest.mark.parametrize("damage", [*DAMAGES, BARE])
@pytest.mark.parametrize("mode", DETECTORS)
def test_a_verdict_counts_what_could_have_failed_and_names_the_rest(
    damage: str, mode: Literal["calibrated", "paper"]
) -> None:
    program, now = synthesized(mode), partition(20, damage)
    verdict, view = evaluate(program, now, clean(20)), PartitionView(now, history(*clean(20).profiles))
    assert verdict.checked <= len(program.constraints) - len(verdict.not_evaluated)
    assert {*verdict.judged, *verdict.not_judged} == set(program.reports)
    assert all(verdict.not_judged.values())
    for name in verdict.judged:
        assert verdict.columns[name].checked > 0
        assert any(
            one.suffices
            for one in program.constraints
            if one.scope.column == name and not isinstance(one.check(view), NotEvaluated)
        )


@pytest.mark.parametrize("damage", [*DAMAGES, BARE])
@pytest.mark.parametrize("mode", DETECTORS)
def test_a_verdict_that_is_no_pass_says_why(damage: str, mode: Literal["calibrated", "paper"]) -> None:
    verdict = evaluate(synthesized(mode), partition(20, damage), clean(20))
    assert verdict.reason or verdict.findings or verdict.status == "pass"
    assert bool(verdict.alerts) == bool(verdict.findings)
    # Where no row came, that alone is told.
    told = {alert.column for alert in verdict.alerts}
    nothing_came = any((alert.metric, alert.observed) == ("row_count", 0.0) for alert in verdict.alerts)
    assert nothing_came or {finding.scope.column for finding in verdict.findings} <= told | {None}
    assert all(alert.message for alert in verdict.alerts)
    assert all(one.reason for one in verdict.not_evaluated)
    for scope in verdict.columns.values():
        assert scope.status in ("pass", "fail") or scope.reason


# ---- every length of a history -------------------------------------------------------------------------------------

LONGEST = 40
FEW_ROWS = 12


@cache
def small(index: int, *, odd: bool = False) -> Profile:
    """A day of few rows and one column of each kind that families care for; ``odd`` days have no values."""
    rng, day = np.random.default_rng(index), FIRST + timedelta(index)
    columns = {
        "amount": pa.array([None] * FEW_ROWS if odd else rng.gamma(4.0, 10.0, FEW_ROWS), pa.float64()),
        "word": pa.array([""] * FEW_ROWS if odd else rng.choice(["a", "b", "c"], FEW_ROWS).tolist()),
        "id": pa.array([f"{index}-{row}" for row in range(FEW_ROWS)]),
        "day": pa.array([day] * FEW_ROWS),
    }
    return profile_table(pa.table(columns), str(day), ProfileOptions(sample_rows=FEW_ROWS))


SHAPES: Sequence[Callable[[int], Profile]] = (
    small,
    lambda index: small(2 * index + (index > LONGEST // 2)),
    lambda index: small(index, odd=index % 4 == 1),
)
"""Day after day, with gaps, and with days that have no values."""


@pytest.mark.parametrize("mode", DETECTORS)
@pytest.mark.parametrize("count", range(LONGEST + 1))
def test_no_length_of_a_history_is_an_obstacle(mode: str, count: int) -> None:
    shapes = SHAPES if count <= 2 * MIN_HISTORY else (SHAPES[count % len(SHAPES)],)
    options = SynthesisOptions(mode=mode, min_history=MIN_HISTORY, history=LONGEST)  # type: ignore[arg-type]
    for day in shapes:
        past = [day(index) for index in range(count)]
        program = synthesize(past, options)
        verdict = evaluate(program, day(count), past)
        assert (verdict.status == "warming_up") == (count < MIN_HISTORY)
        # The schema and patterns need one partition.
        assert bool(program.constraints) == (count >= (1 if mode == "calibrated" else MIN_HISTORY))
        assert verdict.status in ("pass", "fail") or verdict.reason

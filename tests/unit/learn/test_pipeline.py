from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from airflow_dq.exceptions import SynthesisError, UnknownColumnError
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.expect.expectation import Forecast
from airflow_dq.metrics.descriptor import Bound, Reason
from airflow_dq.profile.model import Profile
from airflow_dq.program import SynthesisOptions, synthesize
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import column, day, flights, profile, variant, with_metric, without_states

HISTORY = [flights(i) for i in range(12)]
PER_COLUMN = SynthesisOptions(target_fpr=1e-3, scope="column", mode="paper")


def _violates(clause: Range, value: float | Reason) -> bool:
    """An independent reading of a range around a level."""
    if isinstance(value, Reason):
        return True
    center = clause.expectation.center
    low = clause.below is not None and value < center - clause.below
    return low or (clause.above is not None and value > center + clause.above)


def test_too_short_a_history_says_how_many_partitions_are_missing() -> None:
    program = synthesize(HISTORY[:4])
    assert (program.missing, program.columns, program.partitions) == (
        3,
        {},
        ("2013-01-01", "2013-01-02", "2013-01-03", "2013-01-04"),
    )
    assert synthesize([]).missing == 7
    assert synthesize(HISTORY[:7]).missing == 0


def test_program_of_a_column() -> None:
    program = synthesize(HISTORY, PER_COLUMN)
    air_time = program.columns["air_time"]
    assert air_time.kind is Kind.NUMERIC
    assert air_time.fpr <= 1e-3
    assert (air_time.variants, air_time.coverage) == (4, 4)
    assert program.table.schema == {"air_time": Kind.NUMERIC, "carrier": Kind.STRING}
    assert program.table.clauses == ()
    assert program.partitions == tuple(day(i) for i in range(12))
    assert "unit_change x60" in {label for clause in air_time.clauses for label in clause.catches}


def test_clauses_are_what_the_history_says() -> None:
    program = synthesize(HISTORY, replace(PER_COLUMN, metrics=("mean",)))
    (clause,) = program.columns["air_time"].clauses
    means = np.array([p.columns["air_time"].metrics["mean"] for p in HISTORY])
    assert clause.expectation.is_fixed
    assert clause.expectation.center == pytest.approx(means.mean())
    assert clause.spread == pytest.approx(means.std(ddof=1))
    assert (clause.samples, clause.bound, clause.pair, clause.column) == (12, Bound.CLT, False, "air_time")
    variants = {v.label: v.metrics["mean"] for v in HISTORY[-1].variants["air_time"]}
    assert set(clause.catches) == {label for label, value in variants.items() if _violates(clause, value)}
    # The mean of nothing is missing, and a metric that goes missing is caught.
    assert variants["nulls 100%"] is Reason.NO_VALUES
    assert "nulls 100%" in clause.catches


def test_pair_metrics_of_variants_are_measured_against_the_partition_before() -> None:
    program = synthesize(HISTORY, replace(PER_COLUMN, target_fpr=0.1, metrics=("l1",)))
    (clause,) = program.columns["carrier"].clauses
    assert (clause.pair, clause.below, clause.bound, clause.samples) == (True, None, Bound.CANTELLI, 11)
    # Lower-cased codes share no value with the day before: L1 is 2; padded ones neither.
    assert clause.above is not None
    assert clause.expectation.center + clause.above < 2.0
    assert set(clause.catches) == {"casing_change 100%", "padding 100%", "distribution_change first 10%"}


def test_budget_of_a_table_is_shared_by_its_columns() -> None:
    for target in (1e-2, 1e-3, 1e-4):
        program = synthesize(HISTORY, SynthesisOptions(target_fpr=target, scope="partition", mode="paper"))
        assert sum(col.fpr for col in program.columns.values()) <= target * (1 + 1e-12)
        assert all(col.fpr <= target / 2 * (1 + 1e-12) for col in program.columns.values())
        assert program.columns["air_time"].coverage == 4


def test_only_the_tightest_of_several_clauses_on_one_metric_is_kept() -> None:
    program = synthesize(HISTORY, replace(PER_COLUMN, target_fpr=0.2))
    for col in program.columns.values():
        keys = [(clause.metric, clause.expectation) for clause in col.clauses]
        assert len(set(keys)) == len(keys)
        assert col.coverage == len({label for clause in col.clauses for label in clause.catches})


def test_columns_exclude_metrics_and_max_clauses_are_honoured() -> None:
    assert list(synthesize(HISTORY, replace(PER_COLUMN, columns=("carrier",))).columns) == ["carrier"]
    excluded = synthesize(HISTORY, replace(PER_COLUMN, exclude=("carrier",)))
    assert list(excluded.columns) == list(excluded.table.schema) == ["air_time"]
    chosen = synthesize(HISTORY, replace(PER_COLUMN, metrics=("mean", "complete_ratio"))).columns["air_time"]
    assert {clause.metric for clause in chosen.clauses} <= {"mean", "complete_ratio"}
    assert all(len(c.clauses) <= 1 for c in synthesize(HISTORY, replace(PER_COLUMN, max_clauses=1)).columns.values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ("air_tme",)}, r"columns=\.\.\..*'air_tme'.*2013-01-12.*'air_time', 'carrier'"),
        ({"exclude": ("x",)}, r"exclude=\.\.\..*'x'"),
        ({"metrics": ("average",)}, r"metrics=\.\.\..*'average'.*'mean'"),
    ],
)
def test_unknown_names_are_refused_and_the_known_ones_named(options: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises((SynthesisError, UnknownColumnError), match=message):
        synthesize(HISTORY, replace(PER_COLUMN, **options))


def test_only_the_newest_partitions_are_learned_from() -> None:
    program = synthesize(HISTORY, replace(PER_COLUMN, history=8, metrics=("mean",)))
    assert program.partitions == tuple(day(i) for i in range(4, 12))
    assert program.columns["air_time"].clauses[0].samples == 8


def test_a_metric_missing_somewhere_is_ignored_with_its_reason() -> None:
    broken = [with_metric(HISTORY[0], "air_time", {"median": Reason.OVERFLOW}), *HISTORY[1:]]
    ignored = synthesize(broken, PER_COLUMN).columns["air_time"].ignored
    assert ignored == {"median": "missing in the history (overflow in partition 2013-01-01)"}


def test_growing_metric_is_differenced() -> None:
    history = [flights(i, rows=400 + 20 * i) for i in range(20)]
    program = synthesize(history, replace(PER_COLUMN, metrics=("row_count",)))
    (clause,) = program.columns["air_time"].clauses
    assert (clause.expectation.forecast, clause.expectation.cycle) == (Forecast.DIFFERENCE, 1)
    assert (clause.expectation.center, clause.spread) == (20.0, 0.0)
    assert clause.catches == ("volume_change x10",) or "volume_change x10" in clause.catches


def test_a_new_column_warms_up_by_itself() -> None:
    def wider(source: Profile) -> Profile:
        extra = column("gate", Kind.NUMERIC, np.arange(source.row_count))
        return replace(source, columns={**source.columns, "gate": extra})

    program = synthesize([*HISTORY[:9], *(wider(p) for p in HISTORY[9:])], PER_COLUMN)
    gate = program.columns["gate"]
    assert (gate.clauses, gate.reason) == ((), "3 of 7 partitions have it as a numeric column so far")
    assert program.columns["air_time"].clauses


def test_a_column_that_was_once_all_null_keeps_its_kind() -> None:
    empty = profile(day(11), column("air_time", Kind.NULL, [None] * 400), HISTORY[11].columns["carrier"])
    program = synthesize([*HISTORY[:11], empty], PER_COLUMN)
    air_time = program.columns["air_time"]
    assert program.table.schema["air_time"] is Kind.NUMERIC
    assert {clause.samples for clause in air_time.clauses if clause.metric == "mean"} == {11}
    assert "mean" not in air_time.ignored


def test_variants_of_an_older_partition_serve_when_the_newest_has_none() -> None:
    newest = replace(HISTORY[-1], variants={})
    program = synthesize([*HISTORY[:-1], newest], PER_COLUMN)
    assert program.columns["air_time"].coverage == 4


def test_without_any_variants_no_clause_can_be_chosen() -> None:
    bare = [replace(p, variants={}) for p in HISTORY]
    program = synthesize(bare, PER_COLUMN)
    assert program.columns["carrier"].clauses == ()
    assert program.columns["carrier"].reason == "no injected errors to choose constraints by"


def test_pair_metrics_need_the_states_that_variants_are_compared_with() -> None:
    first = synthesize(HISTORY, PER_COLUMN)
    pruned = [*(without_states(p) for p in HISTORY[:-1]), HISTORY[-1]]
    program = synthesize(pruned, PER_COLUMN)
    assert program.columns["carrier"].ignored["l1"] == (
        "not measured on the injected errors (their statistics are not kept)"
    )
    # The newest two keep their states: the cached comparisons stand in for the others.
    kept = [*(without_states(p) for p in HISTORY[:-2]), *HISTORY[-2:]]
    assert synthesize(kept, PER_COLUMN) == first


def test_variant_that_no_affordable_constraint_catches() -> None:
    history = [replace(flights(i), variants={}) for i in range(8)]
    same = variant(Kind.STRING, "casing_change 1%", ["AA", "B6"] * 200)
    history[-1].variants["carrier"] = (same,)
    program = synthesize(history, replace(PER_COLUMN, columns=("carrier",), metrics=("row_count",)))
    carrier = program.columns["carrier"]
    assert (carrier.clauses, carrier.variants, carrier.coverage) == ((), 1, 0)
    assert carrier.reason == "no constraint catches an injected error within the target"

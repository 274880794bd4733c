"""Novelty as a family of constraints: when it is learned, what it says, and when it is silent."""

from __future__ import annotations

from dataclasses import replace

import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.explain.novelty import novelty_words
from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.verdict import Status, Verdict
from airflow_dq.learn.constraint.base import TABLE, Finding, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.novelty import NoNovelty, NoveltyDetector
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.learn.program import Program
from airflow_dq.options import SynthesisOptions
from airflow_dq.profile.model import Profile
from tests.unit.novelty.table import history, profile

PAST = history(40)
OPTIONS = SynthesisOptions(history=60)


def learned(options: SynthesisOptions = OPTIONS, past: list[Profile] = PAST) -> NoNovelty:
    found = NoveltyDetector().learn(History.of(past, dated=False), options)
    assert not isinstance(found, Skipped), found
    (constraint,) = found.constraints
    assert isinstance(constraint, NoNovelty)
    return constraint


def view(now: Profile, past: list[Profile] = PAST) -> PartitionView:
    return PartitionView(now, History.of(past, dated=False))


def odd(*names: str) -> Profile:
    now = profile(1000)
    changed = {name: replace(now.columns[name], metrics={**now.columns[name].metrics, "mean": 130.0}) for name in names}
    return replace(now, columns={**now.columns, **changed})


@pytest.mark.parametrize(
    ("options", "past", "reason"),
    [
        (replace(OPTIONS, novelty="off"), PAST, "switched off"),
        (OPTIONS, PAST[:29], "29 past partitions; 30 are needed"),
        (replace(OPTIONS, metrics=("mean",)), PAST, "other metrics were chosen"),
        (replace(OPTIONS, columns=()), PAST, "there is no column"),
    ],
)
def test_it_is_not_learned_where_it_cannot_or_shall_not_be(
    options: SynthesisOptions, past: list[Profile], reason: str
) -> None:
    found = NoveltyDetector().learn(History.of(past, dated=False), options)
    assert isinstance(found, Skipped)
    assert reason in found.reason


def test_it_warns_by_default_and_fails_when_told_to_with_the_target() -> None:
    assert (learned().severity, learned().rate) == ("warn", 0.01)
    strict = learned(replace(OPTIONS, novelty="fail", target_fpr=1e-4))
    assert (strict.severity, strict.rate) == ("fail", 1e-4)
    with pytest.raises(ConfigurationError, match="'warn', 'fail' or 'off'"):
        SynthesisOptions(novelty="maybe")  # type: ignore[arg-type]


def test_a_finding_names_columns_and_metrics_in_order() -> None:
    constraint = learned()
    assert constraint.check(view(profile(1000))) is None
    finding = constraint.check(view(odd("c1", "c4")))
    assert isinstance(finding, Finding)
    assert finding.scope == Scope(("c1", "c4")) or finding.scope == Scope(("c4", "c1"))
    assert [metric for _, metric, _ in finding.attributes] == ["mean", "mean"]
    assert finding.evidence is not None
    assert finding.evidence.rank == 1
    words = novelty_words(finding, "40 past partitions")
    assert "no past one was so odd" in words
    assert "the same metric moved in 2 columns" in words


def test_it_is_told_by_others_only_where_they_concern_the_column_most_responsible() -> None:
    constraint = learned()
    finding = constraint.check(view(odd("c3")))
    assert isinstance(finding, Finding)
    assert constraint.is_told(finding, [Finding("range", Scope(("c3",)))])
    assert not constraint.is_told(finding, [Finding("range", Scope(("c1",))), Finding("range", TABLE)])
    assert not constraint.is_told(finding, [])


@pytest.mark.parametrize(("novelty", "severity"), [("warn", "warn"), ("fail", "fail")])
def test_a_verdict_of_novelty_alone_leaves_table_and_columns_as_they_are(novelty: str, severity: str) -> None:
    options = replace(OPTIONS, novelty=novelty)  # type: ignore[arg-type]
    program = Program(options, tuple(one.partition for one in PAST), (learned(options),))
    verdict = evaluate(program, odd("c2"), History.of(PAST, dated=False))
    assert verdict.table.status is not Status.FAIL
    assert all(one.status is not Status.FAIL for one in verdict.columns.values())
    (alert,) = verdict.alerts
    assert (alert.rule, alert.column, alert.severity) == ("novelty", "c2", severity)
    assert (verdict.status is Status.FAIL) is (severity == "fail" or verdict.only_warns)
    assert from_json(Verdict, to_json(verdict)) == verdict
    assert from_json(Program, to_json(program)) == program


def test_nothing_to_compare_keeps_no_partition_from_passing() -> None:
    other = replace(profile(1000), columns={})
    found = replace(learned(), scope=Scope(("gone",))).check(view(replace(other, row_count=1000), PAST[:3]))
    assert isinstance(found, NotEvaluated)
    assert not found.applies

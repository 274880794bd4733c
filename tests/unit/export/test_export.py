"""Exports: every rule is said or reported, and a learned constraint is the check that measures the same."""

from __future__ import annotations

import pytest

from airflow_dq.check import Checks
from airflow_dq.check.bounds import Bounds
from airflow_dq.export.learned import rules_of_checks
from airflow_dq.export.registry import TARGETS
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.pipeline import placed
from airflow_dq.profile.check.answer import answer
from tests.unit.export.rules import export, export_of, history, program, rules


@pytest.mark.parametrize("target", TARGETS)
def test_every_rule_is_said_or_reported(target: str) -> None:
    found, lost = rules()
    written = export(target)
    assert written.said + len(written.lost) == len(found) + len(lost)
    assert all(one.reason for one in written.lost)
    text = "".join(written.files.values())
    assert all(one.name in text for one in written.lost), "what is not said is told in the file, too"


@pytest.mark.parametrize("target", TARGETS)
def test_most_of_what_is_asked_can_be_said(target: str) -> None:
    asked = len(rules()[0])
    assert export(target).said >= (0.65 if target == "deequ" else 0.85) * asked


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_is_exported_of_nothing(target: str) -> None:
    written = export_of(target, Checks("orders"))
    assert (written.said, written.lost) == (0, ())
    assert all(written.files.values())


def test_every_constraint_becomes_rules_or_is_reported() -> None:
    found, lost = rules()
    own_rules, own_lost = rules_of_checks(program().options.checks)
    silent = [one for one in program().constraints if one.family == "expected_column" and str(one.kind) == "null"]  # type: ignore[attr-defined]
    learned = len(program().constraints) - len(program().options.checks)
    assert len(found) + len(lost) == learned + len(own_rules) + len(own_lost) - len(silent)
    assert {one.name for one in own_lost} == {"odd mean"}


def test_a_learned_bound_is_one_of_what_the_gate_measures() -> None:
    """The newest partition, which the gate passes, lies within each rule; and none is idle."""
    newest = history()[-1]
    for rule in rules()[0]:
        value = answer(rule.check, newest).value
        if rule.learned and value is not None:
            assert rule.bounds.holds(value), rule.words
    assert sum(one.learned is not None for one in rules()[0]) > 15


def test_a_learned_bound_is_the_range_s_own_and_never_tighter() -> None:
    from dataclasses import replace

    view = PartitionView(replace(history()[-1], partition=None), placed(history(), program().options))
    table = next(one for one in program().ranges() if one.column is None)
    low, high = table.bounds(view) or (None, None)
    rule = next(one for one in rules()[0] if one.name == "learned.rows")
    assert low is not None
    assert high is not None
    assert rule.bounds.lower is not None
    assert rule.bounds.upper is not None
    assert low - 1e-6 <= rule.bounds.lower <= low + 1e-9
    assert high - 1e-9 <= rule.bounds.upper <= high + 1e-6


def test_names_are_told_apart() -> None:
    for target in TARGETS:
        text = "".join(export(target).files.values())
        assert "learned.rows" in text or "learned_rows" in text
    names = [rule.name for rule in rules()[0] if rule.level == "error"]
    assert len(names) == len(set(names)) or any(name.count(".") for name in names)


def test_what_only_warns_never_fails_elsewhere() -> None:
    checks = Checks("orders")
    checks.rows(warn=Bounds(lower=3))
    assert [one.name for one in export_of("dqdl", checks).lost] == ["rows.warn"]
    assert '"severity": "warning"' in "".join(export_of("gx", checks).files.values())
    assert "level: warn" in "".join(export_of("soda", checks).files.values())
    assert "severity: warn" in "".join(export_of("dbt", checks).files.values())
    assert "severity: warning" in "".join(export_of("odcs", checks).files.values())
    assert "warning = warning.hasSize(lambda value: 3 <= value)" in "".join(export_of("deequ", checks).files.values())

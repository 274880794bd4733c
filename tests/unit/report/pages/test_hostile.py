"""Names and values from tables, DAGs and people are text on every page, whatever is in them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2.runtime import Macro

from airflow_dq.backtest.model import BacktestResult, ColumnOutcome, PartitionOutcome, Recall, Suggestion, TargetOutcome
from airflow_dq.backtest.summary import rate
from airflow_dq.check import Checks
from airflow_dq.drill.model import Condition, Contrast, Drilled, Slice
from airflow_dq.drill.report import DrillReport
from airflow_dq.explain.alert import Alert, Change
from airflow_dq.explain.problem import Problem
from airflow_dq.judge.calendar import CalendarEvent
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.constraint.base import ColumnReport
from airflow_dq.learn.constraint.declared import declared
from airflow_dq.learn.program import Program
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.failed_rows import FailedRows
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.relation.condition import Order
from airflow_dq.relation.rule import RELATION, RelationRule
from airflow_dq.report import pages
from airflow_dq.report.ahead import Ahead, Expected
from airflow_dq.report.course import Insight
from airflow_dq.report.pages import Addresses, AlertView, DatasetView, ListView
from airflow_dq.report.pages.drill import DrillTask, Stage
from airflow_dq.report.pages.problem import Impact
from airflow_dq.report.words import clean
from airflow_dq.states.base import Kind
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.number import NumberDistribution
from airflow_dq.store.problem_history import ProblemSummary
from airflow_dq.store.review_model import (
    AlertFilter,
    AlertSummary,
    MetricHistory,
    Origin,
    ReviewEvent,
    Snooze,
    VerdictDetail,
    VerdictSummary,
)
from airflow_dq.store.rule_list import StoredRule
from airflow_dq.store.summary import DatasetOverview, DatasetSummary, OpenProblem, PartitionMark, PartitionSummary
from tests.unit.learn.builder import a_range
from tests.unit.report.pages.conftest import NOW

TEMPLATES = Path(str(files("airflow_dq.report"))) / "templates"
WHERE = Addresses(version="v1")
FRAGMENTS = (
    "<script>alert(1)</script>", "</style><b>", "</title></textarea>", "<!--", "-->", "]]>", "&amp;", "&#x3c;", '"',
    "'", "` onload=x ", "{{ 7 * 7 }}", "{% raw %}", "{#", "\x00", "\x1b[31m", "\u202e", "\u200f", "\u2067", "\ufffe",
)  # fmt: skip
HOSTILE = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), min_size=1, max_size=6).map("".join).filter(bool)


class Skeleton(HTMLParser):
    """A page without its names: tags and their attributes in order; and all that is text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, ...]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, *(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(("/", tag))

    def handle_comment(self, data: str) -> None:
        self.tags.append(("<!--", data))

    def handle_data(self, data: str) -> None:
        self.text += data


def _alert(name: str, *, root: bool) -> Alert:
    changes = (
        Change("value", f"'{name}' appeared", name, 0.0, 0.5),
        Change("quantile", f"{name} 1 -> 2", name, 1.0, 2.0),
        Change("text", f"{name}: 1%, before 2%", name, 0.02, 0.01),
        Change("pattern", f"pattern {name} is new", None, 0.0, 0.2),
    )
    return Alert(
        rule="range",
        column=name if root else f"{name} moved",
        statement="mean was 1,000.",
        metric="mean",
        observed=1000.0,
        lower=90.0,
        upper=110.0,
        history=tuple((f"{name}{place}", 100.0 + place % 3) for place in range(10)),
        kind=Kind.STRING,
        changes=changes,
        cause=name,
        root=root,
    )


def _failing(name: str) -> FailedRows:
    return FailedRows((name, "other"), ((name, None),), 1)


def _verdict(name: str) -> Verdict:
    schema = Alert("column_missing", name, "the column is missing.", cause=f"not {name}", failing=_failing(name))
    alerts = (_alert(name, root=True), schema, _alert(name, root=False))
    return Verdict(name, Status.FAIL, ScopeVerdict(Status.FAIL), {}, alerts=alerts)


def _judged(name: str) -> VerdictSummary:
    origin = Origin(name, name, name)
    said = f"{name}. Looks like: {name}."
    return VerdictSummary(
        3, name, name, Status.FAIL, NOW, origin, None, None, None, 3, 2, "fail", 11, said, name
    )  # fmt: skip


def _partition(name: str, **changes: object) -> PartitionSummary:
    made = PartitionSummary(
        name, 10, NOW, "succeeded", None, Status.FAIL, None, 1, 1, "fail", 1, 11, (Origin("d", "", ""),)
    )
    return replace(made, **changes)


def _detail(name: str) -> VerdictDetail:
    alerts = tuple(
        AlertSummary(
            11 + place, name, name, one.rule, one.column, one.metric, one.message, "fail", 1.0, None, None, None,
            NOW, NOW if place else None, name, None, None, None, problem.key,
        )
        for place, (problem, one) in enumerate(_told(_verdict(name)))
    )  # fmt: skip
    events = (ReviewEvent(1, name, name, "snoozed", name, NOW, name, name),)
    return VerdictDetail(_judged(name), _verdict(name), None, alerts, events, (_snooze(name),), name)


def _drilled(name: str) -> DrillReport:
    found = Slice(
        conditions=(Condition(name, name),), columns=(name,), rows=3, rows_before=2, share=0.5,
        changed=0.9, carried=0.8,
        contrasts=(Contrast(name, name, name, name),),
    )  # fmt: skip
    whole = Drilled((found,), (name,), 1, (name,))
    return DrillReport.of(whole, [_failing(name)], name, name, last_good=True, columns=None, drawn=1.0)


def _told(verdict: Verdict) -> list[tuple[Problem, Alert]]:
    return [(problem, alert) for problem in verdict.problems for alert in problem.alerts]


def _problems(name: str) -> list[ProblemSummary]:
    given = {"acknowledged": "", "assigned": name, "ticket": f"https://x/{name}", "noise": [[name, "mean"]]}
    said = tuple(
        ReviewEvent(place, name, name, action, name, NOW, name, name, name, value)  # type: ignore[arg-type]
        for place, (action, value) in enumerate(given.items())
    )
    days = ProblemSummary(name, "", name, (name,), name, name, 2, "open", "fail", 11, NOW, name, name)
    first, *others = [replace(days, key=problem.key) for problem in _verdict(name).problems]
    return [replace(first, said=said), *others]


def _rules(name: str) -> list[StoredRule]:
    relation = RelationRule(Order(name, f"{name}!")).to_json()
    made = [
        LearnedRule(family, (name, f"{name}!"), name, document, (name,))
        for family, document in ((RELATION, relation), ("pattern", name))
    ]
    return [StoredRule(place, "active", rule, name, name, 1, 10, 1, 0) for place, rule in enumerate(made)]


def _events(name: str) -> list[CalendarEvent]:
    event = CalendarEvent(1, name, name, "promotion", "expected", name, f"{name}!", name, name, NOW)
    return [event, replace(event, dataset=None, effect="left_out")]


def _snooze(name: str) -> Snooze:
    return Snooze(1, name, name, name, NOW + timedelta(days=1), name, name, NOW)


def verdict_page(name: str) -> str:
    reason = Verdict(name, Status.ERROR, ScopeVerdict(Status.ERROR), {}, reason=name)
    return pages.render_page([(name, _verdict(name)), (f"{name}!", reason)])


def backtest_page(name: str) -> str:
    alarm = PartitionOutcome(name, 10, Status.FAIL, _verdict(name).alerts, None, "rejected")
    other = PartitionOutcome(name, None, Status.ERROR, reason=name)
    columns = (ColumnOutcome(name, rate(1, 2)), ColumnOutcome(None, rate(0, 2)))
    result = BacktestResult(
        name, SynthesisOptions(), None, (alarm, other), rate(1, 2), columns, (), (Recall(name, 1, 2),), (name,),
        (TargetOutcome(1e-3, 1, 2, 1, 2),), Suggestion(1e-3, name),
    )  # fmt: skip
    return pages.render_backtest_page(result)


def listing_page(name: str) -> str:
    decided = replace(_judged(name), decision="accepted", decided_by=name)
    summaries = [DatasetSummary(name, 3, name, NOW, 1, 1), DatasetSummary(f"{name}!", 3, None, None)]
    chosen = AlertFilter(dataset=name, since=NOW.date())
    view = ListView([_judged(name), decided], chosen, summaries, name, 7, False, NOW)
    return pages.render_list(view, WHERE)


def problem_page(name: str) -> str:
    detail = _detail(name)
    decided = replace(detail, partition=replace(detail.partition, decision="rejected", decided_by=name, decided_at=NOW))
    recent = (_partition(name), _partition(f"{name}!", origins=(), decision="accepted"))
    impact = Impact((name,), (name,), (name,), name)
    view = AlertView(
        detail, name, True, recent, frozenset({"d"}), NOW, name, name,
        impact=impact, problems=_problems(name), drilled=_drilled(name),
    )  # fmt: skip
    undrilled = replace(
        view, drilled=None, drills=[DrillTask(name, Stage.WAITS)], recent=recent[::-1], profile=_profile(name, name)
    )
    views = (view, replace(view, detail=decided), replace(view, may_decide=False), undrilled)
    return "".join(pages.render_alert(one, WHERE) for one in views)


def _profile(name: str, partition: str) -> Profile:
    """A partition with a number, a text and a name that is anything."""
    numbers = NumberDistribution.from_counts(np.array([1.0, 2.0]), np.array([3, 4]))
    texts = CategoryDistribution.from_counts(pa.array([clean(name), "other"], pa.large_string()), np.array([5, 2]))
    metrics: dict[str, MetricValue] = {"mean": 1.5, "min": 1.0, "max": 2.0, "complete_ratio": 1.0, "str_len": 3.0}
    number = ColumnProfile(name, Kind.NUMERIC, name, metrics, {numbers.key: numbers}, remark=name)
    text = ColumnProfile(f"{name}!", Kind.STRING, name, metrics, {texts.key: texts})
    return Profile(partition, 7, {column.name: column for column in (number, text)})


def _insight(name: str) -> Insight:
    history = [_profile(name, f"{name}{place}") for place in range(3)]
    ranges = (a_range("mean", 1.0, 2.0, column=name), a_range("row_count", 6.0, 8.0))
    program = Program(SynthesisOptions(), tuple(f"{name}{place}" for place in range(3)), ranges)
    found = Insight.of(program, _profile(name, name), history)
    assert found is not None
    return found


def partition_page(name: str) -> str:
    recent = (_partition(name), _partition(f"{name}!"))
    moves = [MetricHistory(f"{name}!", "str_len", ((name, 1.0), (f"{name}!", 2.0)))]
    insight = _insight(name)
    view = pages.PartitionView(
        name, name, insight.view.profile, _detail(name), insight, recent, frozenset({"d"}), NOW, moves,
        _profile(name, f"{name}!"),
    )  # fmt: skip
    return pages.render_partition(view, WHERE)


def dataset_page(name: str) -> str:
    reports = {name: ColumnReport(Kind.NUMERIC), f"{name}!": ColumnReport(Kind.STRING, reason=name)}
    program = Program(SynthesisOptions(), (name, name), (a_range("mean", 1.0, 2.0, column=name),), reports)
    series = [MetricHistory(name, name, ((name, 1.0), (name, 2.0)))]
    partitions = [_partition(name), _partition(f"{name}!")]
    insight = _insight(name)
    checks = Checks(name)
    checks.col(name).complete(id=f"x{name}x")
    declared_too = replace(insight.program, constraints=(*insight.program.constraints, *declared(checks.checks)))
    view = DatasetView(
        name, frozenset({"d"}), partitions, series, (name, program), [_snooze(name)], NOW, (), frozenset({"d"}),
        insight.view.profile, None, replace(insight, program=declared_too),
        Ahead(name, {name: [Expected(name, name)] * 3}), _rules(name), _events(name), True, name, name,
    )  # fmt: skip
    return pages.render_dataset(view, WHERE)


def message_page(name: str) -> str:
    login = pages.render_message(WHERE, name, name, login=WHERE.login(name))
    return pages.render_message(WHERE, name, name) + login


def overview_page(name: str) -> str:
    marks = [PartitionMark(f"{name}{place}", 10, Status.PASS, None, None) for place in range(5)]
    failed = PartitionMark(name, 9, Status.FAIL, "rejected", "fail", 2)
    problem = OpenProblem(name, name, 7, name, 2, "fail")
    lines = [DatasetOverview(name, (*marks, failed), NOW, problem), DatasetOverview(f"{name}!", (), None, None, name)]
    return pages.render_overview(pages.Overview(lines, NOW, name, name, "all", more=True), WHERE)


PAGES: dict[str, Callable[[str], str]] = {
    "backtest.html": backtest_page,
    "dataset.html": dataset_page,
    "listing.html": listing_page,
    "message.html": message_page,
    "overview.html": overview_page,
    "partition.html": partition_page,
    "problem.html": problem_page,
    "verdict.html": verdict_page,
}


def test_every_page_is_tried():
    assert {path.name for path in TEMPLATES.glob("*.html")} == set(PAGES)


def test_every_macro_is_tried(monkeypatch: pytest.MonkeyPatch):
    called: set[str] = set()
    call = Macro.__call__

    def record(macro: Macro, *args: Any, **kwargs: Any) -> Any:
        called.add(macro.name)
        return call(macro, *args, **kwargs)

    monkeypatch.setattr(Macro, "__call__", record)
    for page in PAGES.values():
        page("name")
    defined = {
        name
        for path in TEMPLATES.rglob("*.html")
        for name in re.findall(r"\{% macro (\w+)", path.read_text(encoding="utf-8"))
    }
    assert defined == called


@pytest.mark.parametrize("template", sorted(PAGES))
@settings(max_examples=15, deadline=None)
@given(name=HOSTILE)
def test_names_never_become_markup(template: str, name: str):
    hostile, harmless = Skeleton(PAGES[template](name)), Skeleton(PAGES[template]("name"))
    assert hostile.tags == harmless.tags
    # Nothing is dropped either: the name is there to be read.
    assert clean(name) in hostile.text


@pytest.mark.parametrize("template", sorted(PAGES))
def test_each_way_out_of_a_text_is_closed(template: str):
    harmless = Skeleton(PAGES[template]("name")).tags
    for name in FRAGMENTS:
        html = PAGES[template](name)
        assert Skeleton(html).tags == harmless, name
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", html), name


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.stem)
def test_no_template_goes_around_the_escaping(path: Path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\bautoescape\b|\|\s*(?:safe|tojson|xmlattr|forceescape)\b", text)
    # Without quotes around it a value could begin another attribute.
    assert not re.search(r"=\s*\{\{", re.sub(r"\{%.*?%\}", "", text))
    assert not re.search(r"""(?:\son\w+|\bsrcdoc)\s*=""", text)

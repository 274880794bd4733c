"""One judged partition: what happened, the decision, the evidence, and what was said about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from airflow_dq.drill.report import DrillReport
from airflow_dq.explain.problem import same_problem
from airflow_dq.explain.wording import listed
from airflow_dq.profile.model import Profile
from airflow_dq.report.course import Insight
from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.pages.decision import DecisionCard, Waiting, decision_card, trail
from airflow_dq.report.pages.drill import DrillCard, DrillTask, drill_card
from airflow_dq.report.pages.evidence import evidence, first_words
from airflow_dq.report.pages.life import Life, life_of
from airflow_dq.report.pages.mark import badge, is_good, marks_of
from airflow_dq.report.pages.snooze import DAY_OPTIONS, scope_options
from airflow_dq.report.render import render
from airflow_dq.report.words import capitalized, count, count_or_no
from airflow_dq.store.problem_history import ProblemSummary
from airflow_dq.store.review_model import MetricHistory, Snooze, VerdictDetail, through
from airflow_dq.store.summary import PartitionSummary


@dataclass(frozen=True, slots=True)
class Impact:
    """What the gate holds up, as Airflow knows it.

    :param held: tasks behind the gate that have not run, by id
    :param went_on: tasks behind it that have
    :param assets: assets that the gate or these tasks would have written
    :param owner: who answers for the gate's task
    """

    held: Sequence[str] = ()
    went_on: Sequence[str] = ()
    assets: Sequence[str] = ()
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class AlertView:
    """What the page shows.

    :param dag_id: the DAG through which the reader came; None in a report that was written to files
    :param may_decide: whether the reader may decide
    :param recent: the dataset's newest partitions, oldest first
    :param readable: DAGs that the reader may see: only what they judged is linked
    :param notice: what has just been done, in words
    :param refusal: why it was not done
    :param unreadable: columns of which what is stored is damaged
    :param profile: the partition's, to show its columns beside those of the partition before
    :param insight: the partition beside its program and history, as far as these are known
    :param moves: metrics of the columns over the newest partitions
    :param impact: what is held up; None where Airflow does not know
    :param may_rerun: whether the profile can be made again from here
    :param problems: those of the dataset that the partition has, over time
    :param drilled: the slices that carry the change; None where nobody has looked
    :param drills: tasks of the gate's run that look for them
    :param may_clear: whether the reader may clear tasks
    """

    detail: VerdictDetail
    dag_id: str | None
    may_decide: bool
    recent: Sequence[PartitionSummary]
    readable: frozenset[str]
    now: datetime
    notice: str | None = None
    refusal: str | None = None
    unreadable: Sequence[str] = ()
    profile: Profile | None = None
    insight: Insight | None = None
    moves: Sequence[MetricHistory] = ()
    impact: Impact | None = None
    may_rerun: bool = False
    problems: Sequence[ProblemSummary] = ()
    drilled: DrillReport | None = None
    drills: Sequence[DrillTask] = ()
    may_clear: bool = False


@dataclass(frozen=True, slots=True)
class _Actions:
    """What can be done about the partition.

    :param snooze: where the form of a new snooze is sent; None for a reader who may not
    :param end_snooze: where the form is sent that ends one; None for a reader who may not
    """

    decision: DecisionCard
    snoozes: Sequence[Snooze]
    snooze: str | None
    end_snooze: str | None
    scopes: Sequence[tuple[str, str]]
    days: Sequence[tuple[str, str]]


def render_alert(view: AlertView, addresses: Addresses) -> str:
    """The page."""
    detail, partition = view.detail, view.detail.partition
    closed = [alert for alert in detail.alerts if alert.closed_at is not None]
    return render(
        "problem.html",
        links=addresses,
        title=f"{partition.dataset} {partition.partition}",
        partition=partition,
        origin=None if view.dag_id is None else through(partition.origins, (view.dag_id,)),
        shown=badge(partition.status, partition.severity, partition.decision),
        found_words=_found_words(detail),
        notice=view.notice,
        refusal=view.refusal,
        damaged=_damaged_words(view.unreadable),
        first=first_words(detail.verdict, _lives(view, addresses)),
        recent=marks_of(
            view.recent,
            view.readable,
            partition.dataset,
            addresses,
            here=partition.partition,
            through_dag=view.dag_id,
        ),
        facts=_facts(view),
        last_good=_last_good(view, addresses),
        columns_page=addresses.partition(view.dag_id or "", partition.dataset, partition.partition),
        actions=None if view.dag_id is None or not partition.alert_count else _actions(view, view.dag_id, addresses),
        where=_where(view, addresses),
        found=evidence(detail.verdict, view.profile, view.insight, view.moves),
        # Where none is open the trail says why.
        closed=closed if len(closed) < len(detail.alerts) else [],
        events=trail(partition, detail.events),
        now=view.now,
    )


def _lives(view: AlertView, addresses: Addresses) -> dict[str, Life]:
    """What is known of each problem over time, by its key; with a form for whoever may say something of it."""
    detail = view.detail
    speakers = {alert.problem: alert.id for alert in reversed(detail.alerts)}
    found = {}
    for one in detail.verdict.problems:
        here = (other for other in view.problems if other.is_on(detail.partition.partition))
        summary = next((other for other in here if same_problem(one.key, other.key)), None)
        alert_id = speakers.get(one.key)
        if summary is None or alert_id is None:
            continue
        action = None
        if view.may_decide and view.dag_id is not None:
            action = addresses.action(view.dag_id, alert_id, "problem")
        found[one.key] = life_of(summary, detail.partition.partition, action)
    return found


def _damaged_words(columns: Sequence[str]) -> str | None:
    """What cannot be read of the partition's profile, so that no later partition is compared with it."""
    if not columns:
        return None
    return (
        f"What is stored of this partition's {', '.join(columns)} is damaged: later partitions are judged without it. "
        "Profile the partition again."
    )


def _found_words(detail: VerdictDetail) -> str:
    columns = len({alert.column for alert in detail.verdict.alerts if alert.column is not None})
    found = capitalized(count_or_no(detail.partition.alert_count, "alert"))
    return f"{found} in {count(columns, 'column')}" if columns else found


def _actions(view: AlertView, dag_id: str, addresses: Addresses) -> _Actions:
    detail, alert_id = view.detail, view.detail.partition.first_alert_id
    readable = [origin for origin in detail.partition.origins if origin.dag_id in {*view.readable, dag_id}]
    waiting = [Waiting(f"{origin.dag_id} · {origin.task_id}", addresses.waiting(origin)) for origin in readable]
    decide = snooze = end = rerun = None
    if view.may_rerun and alert_id is not None:
        rerun = addresses.action(dag_id, alert_id, "rerun")
    if view.may_decide and alert_id is not None:
        decide, snooze, end = (
            addresses.action(dag_id, alert_id, name) for name in ("decision", "snooze", "snooze/end")
        )
    return _Actions(
        decision=decision_card(detail, decide, waiting, dag_id, rerun),
        snoozes=detail.snoozes,
        snooze=snooze if detail.alerts else None,
        end_snooze=end,
        scopes=scope_options(detail.alerts),
        days=DAY_OPTIONS,
    )


def _where(view: AlertView, addresses: Addresses) -> DrillCard | None:
    """Where the change is; None where nothing has changed, or nobody may be shown values."""
    partition, profile = view.detail.partition, view.profile
    keys = [one.partition for one in view.recent]
    before = view.recent[: keys.index(partition.partition)] if partition.partition in keys else ()
    # What no gate has judged, such as a backfilled past, is compared with as well.
    comparable = any(one.rows is not None and (one.verdict is None or is_good(one)) for one in before)
    # No rows of an empty partition carry its change.
    shows = profile is not None and profile.row_count and profile.options.store_values and comparable
    if view.drilled is None and not (shows and view.detail.alerts):
        return None
    action = None
    if view.may_clear and view.dag_id is not None and partition.first_alert_id is not None:
        action = addresses.action(view.dag_id, partition.first_alert_id, "drill")
    return drill_card(partition.dataset, partition.partition, view.drilled, view.drills, action)


def _facts(view: AlertView) -> list[tuple[str, str]]:
    """What a person asks first: how many rows, what is held up, who answers for it."""
    facts = []
    if view.profile is not None:
        usual = None if view.insight is None else view.insight.view.usual_rows
        facts.append(("Rows", f"{view.profile.row_count:,}" + (f", usually {usual:,.0f}" if usual else "")))
    impact = view.impact
    if impact is not None:
        if impact.held:
            facts.append(("Held up", listed(impact.held, 5)))
        if impact.went_on:
            facts.append(("Went on all the same", listed(impact.went_on, 5)))
        if impact.assets:
            facts.append(("Assets without a new event", listed(impact.assets, 5)))
        if impact.owner:
            facts.append(("Owner of the gate", impact.owner))
    return facts


def _last_good(view: AlertView, addresses: Addresses) -> tuple[str, str | None] | None:
    """The newest good partition before this one, and its page."""
    keys = [one.partition for one in view.recent]
    here = view.detail.partition.partition
    before = view.recent[: keys.index(here)] if here in keys else ()
    good = next((one for one in reversed(before) if is_good(one)), None)
    if good is None:
        return None
    may_see = through(good.origins, view.readable) is not None
    dataset = view.detail.partition.dataset
    return good.partition, addresses.partition(view.dag_id or "", dataset, good.partition) if may_see else None

"""The evidence: column by column, what changed and how far outside the learned range it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from airflow_dq.explain.alert import Alert
from airflow_dq.explain.problem import Problem
from airflow_dq.explain.record import record_words
from airflow_dq.explain.wording import listed
from airflow_dq.judge.verdict import Verdict
from airflow_dq.judge.wording import not_judged_words, what_holds
from airflow_dq.profile.check.failed_rows import FailedRows
from airflow_dq.profile.model import Profile
from airflow_dq.report.course import Course, Insight
from airflow_dq.report.pages.card import Card, cards
from airflow_dq.report.pages.column_table import by_column
from airflow_dq.report.pages.contrast import Contrast, contrast
from airflow_dq.report.pages.difference import Group, difference
from airflow_dq.report.pages.life import Life
from airflow_dq.report.words import count
from airflow_dq.store.review_model import MetricHistory

CARDS = 60
"""Most alerts that get a chart: a page must load in a second even when every column of a wide table broke."""


_SHOWN, _FOLDED = 3, 2
"""Problems that are told in full where there are many, so that what is held up is seen on the same screen; fewer than
two are not worth a fold."""


@dataclass(frozen=True, slots=True)
class ProblemWords:
    """One problem as its page tells it.

    :param facts: (name, value): rows and columns concerned, how many alerts say so
    :param measured: what the alert says that shows it best, where the headline does not say the same
    :param life: since when it is there, and who sees to it; None where that is not known
    """

    headline: str
    facts: Sequence[tuple[str, str]]
    measured: str
    advice: str | None
    snoozed: str | None
    warns: bool
    life: Life | None = None


@dataclass(frozen=True, slots=True)
class First:
    """What happened, the worst problem first; ``text`` says what there is to say when nothing did.

    :param record: how reliable the gate has been so far
    :param notes: what the calendar of events says
    """

    heading: str
    problems: Sequence[ProblemWords] = ()
    text: str = ""
    not_judged: str = ""
    record: str | None = None
    notes: Sequence[str] = ()

    @property
    def shown(self) -> int:
        """How many problems are told in full; the others are folded."""
        count = len(self.problems)
        return _SHOWN if count >= _SHOWN + _FOLDED else count


@dataclass(frozen=True, slots=True)
class Column:
    """A column that speaks for itself, or the table as a whole.

    :param sentences: of alerts that have no chart
    :param contrast: the column before, as usual and now; None where that is not kept
    :param difference: what else changed against the partition before
    :param cards: the chart of the alert that shows it best, and those of the others
    :param failing: check -> some of the rows that it found wrong
    """

    name: str | None
    kind: str | None
    sentences: Sequence[str]
    contrast: Contrast | None
    difference: Sequence[Group]
    cards: Sequence[Card]
    failing: Sequence[tuple[str, FailedRows]] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """All of it.

    :param moved: alerts of columns that only moved with another
    :param rest: sentences of the alerts that are too many for a chart
    """

    columns: Sequence[Column]
    moved: Sequence[Card]
    moved_words: str
    rest: Sequence[str]


def first_words(verdict: Verdict, lives: Mapping[str, Life] | None = None) -> First:
    """What happened, in words.

    :param lives: by the problems' keys
    """
    if not verdict.problems:
        held = f"Everything that was checked holds: {what_holds(verdict)}."
        text, unknown = verdict.reason or held, not_judged_words(verdict)
        return First("What the gate found", text=text, not_judged=unknown, notes=verdict.notes)
    heading = "What happened" if len(verdict.problems) == 1 else f"What happened: {len(verdict.problems)} problems"
    found = [_problem_words(problem, (lives or {}).get(problem.key)) for problem in verdict.problems]
    return First(
        heading, found, not_judged=not_judged_words(verdict), record=record_words(verdict.record), notes=verdict.notes
    )


def _problem_words(problem: Problem, life: Life | None) -> ProblemWords:
    first = problem.alerts[0]
    return ProblemWords(
        # It may begin with the name of a column, which is written as it is.
        headline=problem.headline + ("" if problem.headline.endswith(".") else "."),
        facts=list(_facts(problem)),
        # A headline that was made of the sentence says it already.
        measured="" if first.statement.rstrip(".") in problem.headline else first.sentence,
        advice=problem.advice,
        snoozed=problem.snoozed,
        warns=problem.severity == "warn",
        life=life,
    )


def _facts(problem: Problem) -> Iterator[tuple[str, str]]:
    if problem.rows:
        yield "Rows concerned", f"{problem.rows:,}"
    if len(problem.columns) > 1:
        yield "Columns", listed(problem.columns, 6)
    yield "Alerts", f"{len(problem.alerts):,}"


def evidence(
    verdict: Verdict,
    profile: Profile | None = None,
    insight: Insight | None = None,
    moves: Iterable[MetricHistory] = (),
) -> Evidence:
    """The evidence of a verdict's alerts.

    :param profile: the partition's, to show its columns beside those of the partition before
    :param insight: the partition beside its program and history, as far as these are known
    :param moves: metrics of the columns over the newest partitions
    """
    seen = _Seen(verdict, profile, insight, by_column(moves))
    shown = verdict.alerts[:CARDS]
    # One section for a column, even when one of its alerts speaks for the group and others moved with it.
    leading = dict.fromkeys(alert.column for alert in shown if alert.root)
    moved = [alert for alert in shown if alert.column not in leading]
    columns = dict.fromkeys(alert.column for alert in shown if alert.column in leading)
    return Evidence(
        columns=[seen.column(name, [alert for alert in shown if alert.column == name]) for name in columns],
        moved=cards(moved, verdict.partition),
        moved_words=f"{count(len(moved), 'alert')} in {count(len({alert.column for alert in moved}), 'column')}",
        rest=[alert.message for alert in verdict.alerts if alert not in shown],
    )


@dataclass(frozen=True)
class _Seen:
    """All that is known of a judged partition."""

    verdict: Verdict
    profile: Profile | None
    insight: Insight | None
    moves: Mapping[str | None, Mapping[str, MetricHistory]]

    def column(self, name: str | None, alerts: Sequence[Alert]) -> Column:
        """A column that speaks for itself."""
        changes = next((alert.changes for alert in alerts if alert.changes), ())
        kind = next((alert.kind for alert in alerts if alert.kind), None)
        contrast = self._contrast(name)
        if contrast is not None:
            # What stands in the table of both is not told again.
            told = {"quantile", "missing", *(["value"] if contrast.values else [])}
            changes = tuple(change for change in changes if change.aspect not in told)
        ranges = [alert for alert in alerts if alert.is_range]
        courses = [self._course(alert) for alert in ranges]
        return Column(
            name=name,
            kind=str(kind) if kind and name else None,
            sentences=[alert.message for alert in alerts if not alert.is_range],
            contrast=contrast,
            difference=difference(changes, kind),
            cards=cards(ranges, self.verdict.partition, courses),
            failing=[(alert.metric or alert.rule, alert.failing) for alert in alerts if alert.failing is not None],
        )

    def _contrast(self, name: str | None) -> Contrast | None:
        if name is None or self.profile is None or self.insight is None:
            return None
        past = self.insight.view.history.profiles
        return contrast(name, self.profile, past[-1], past)

    def _course(self, alert: Alert) -> Course | None:
        if self.insight is None or alert.metric is None:
            return None
        return self.insight.course(alert.column, alert.metric, self.moves.get(alert.column, {}))

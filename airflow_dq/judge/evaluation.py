"""Program + profile -> verdict: which constraints a partition violates, and which could not be checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from airflow_dq.exceptions import UnknownColumnError
from airflow_dq.explain.explanation import explain
from airflow_dq.explain.relation import with_blame
from airflow_dq.judge.verdict import ScopeVerdict, Status, Verdict
from airflow_dq.learn.constraint.base import Constraint, Finding, NotEvaluated
from airflow_dq.learn.constraint.declared import Declared
from airflow_dq.learn.constraint.pattern import Conforming
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.constraint.schema import ExpectedColumn, compatible
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.history import History
from airflow_dq.learn.pipeline import placed
from airflow_dq.learn.program import Program
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.registry import get_metric
from airflow_dq.profile.model import ColumnProfile, Profile
from airflow_dq.uncollected import uncollected

Outcome = Finding | NotEvaluated | None


@uncollected()
def evaluate(
    program: Program, profile: Profile, history: Sequence[Profile] | History, columns: Sequence[str] | None = None
) -> Verdict:
    """Judge one partition.

    :param program: what :func:`~airflow_dq.learn.pipeline.synthesize` learned from ``history``
    :param profile: the partition to judge
    :param history: the profiles the partition follows, oldest first: the newest ones are the baseline of
        two-distribution metrics, earlier ones are what a moving series is compared with
    :param columns: judge only these columns (None: all that the program has)
    :return: the verdict; ``pass`` only if everything that was asked for was checked and nothing was violated.  While
        the history is too short to learn from, declared checks alone are judged
    :raises UnknownColumnError: when ``columns`` names one that neither the program nor the partition has
    """
    names = _asked(program, profile, columns)
    past = placed(history, program.options).last(max(1, len(program.partitions)))
    partition = PartitionView(profile, past, None if columns is None else frozenset(columns))
    checked = _with_blame(_check(program, partition), partition)
    reason: str | None
    if program.missing:
        table, scopes, status, reason = _warming_up(program, profile, checked)
    else:
        table = _table(checked)
        # A column that nothing was learned of has a verdict where a declared check has looked at it.
        names += [] if columns is not None else [name for name in _declared_columns(checked) if name not in names]
        scopes = {name: _column(program, name, partition, checked) for name in names}
        status, reason = (
            _overall(table, scopes, checked, partition) if program.options.learn else _overall_declared(checked)
        )
    skipped = tuple(one.outcome for one in checked if isinstance(one.outcome, NotEvaluated))
    found = [(one.constraint, one.outcome) for one in checked if isinstance(one.outcome, Finding)]
    alerts = explain(partition, found, len(scopes))
    return Verdict(
        profile.partition, status, table, scopes, tuple(finding for _, finding in found), skipped, alerts, reason
    )


_NEVER_A_ROW = (
    "neither it nor any of the {} past partitions that it is judged by has a row, so that nothing was checked: look at "
    "its source and filter (where=), or declare a check where a table is meant to be empty"
)


@dataclass(frozen=True, slots=True)
class _Checked:
    """A constraint, and what it said."""

    constraint: Constraint
    outcome: Outcome

    @property
    def counts(self) -> bool:
        """Whether something was compared that could have broken the constraint."""
        return not isinstance(self.outcome, NotEvaluated)

    @property
    def blocks(self) -> bool:
        """Whether it keeps the partition from passing: what it needs is not known."""
        return isinstance(self.outcome, NotEvaluated) and self.outcome.applies

    @property
    def reason(self) -> str:
        """Why it was not judged."""
        one = self.outcome
        return f"{one.metric or one.rule}: {one.reason}" if isinstance(one, NotEvaluated) else ""

    @property
    def fails(self) -> bool:
        """Whether it found what must not pass."""
        return isinstance(self.outcome, Finding) and self.outcome.severity == "fail"

    @property
    def of_table(self) -> bool:
        """Whether it counts for the table: so does the schema, for a column that is missing has no verdict."""
        of_several = self.column is None and self.constraint.settles
        return of_several or isinstance(self.constraint, ExpectedColumn)

    def of_column(self, name: str) -> bool:
        """Whether it counts for a column."""
        return self.column == name and self.constraint.settles and not self.of_table

    @property
    def column(self) -> str | None:
        """The column that it speaks of: of several together, the one that is likely wrong."""
        blamed = self.outcome.blamed if isinstance(self.outcome, Finding) else None
        return blamed or self.constraint.scope.column


def _check(program: Program, partition: PartitionView) -> list[_Checked]:
    """Every constraint on what is asked for, with its outcome."""
    asked = partition.asked
    constraints = [one for one in program.constraints if asked is None or one.scope.lies_within(asked)]
    vouched = frozenset[str]().union(*(one.vouches_for(partition) for one in constraints))
    found = []
    for one in constraints:
        known = program.ahead is not None and program.ahead == partition.profile.partition
        constraint = one if known else one.on_occasion(partition, broken=False)
        outcome, explained = constraint.check(partition), constraint.scope.column in vouched
        if isinstance(outcome, Finding):
            constraint = constraint.on_occasion(partition, broken=True)
            outcome = constraint.check(partition)
        if explained and isinstance(outcome, Finding) and not _is_presence(outcome, partition):
            outcome = None
        found.append(_Checked(constraint, outcome))
    return _without_told(found)


def _with_blame(checked: Sequence[_Checked], partition: PartitionView) -> list[_Checked]:
    """The same, with the column that is likely wrong in what was found of several together."""
    found = [(one.constraint, one.outcome) for one in checked if isinstance(one.outcome, Finding)]
    blamed = iter(with_blame(found, partition))
    return [replace(one, outcome=next(blamed)[1]) if isinstance(one.outcome, Finding) else one for one in checked]


def _without_told(checked: Sequence[_Checked]) -> list[_Checked]:
    """The same without findings that only repeat what others have found."""
    told = [one.outcome for one in checked if isinstance(one.outcome, Finding) and one.constraint.settles]
    return [
        replace(one, outcome=None)
        if isinstance(one.outcome, Finding) and not one.constraint.settles and one.constraint.is_told(one.outcome, told)
        else one
        for one in checked
    ]


def _is_presence(finding: Finding, partition: PartitionView) -> bool:
    """Whether a finding says that values are missing: only their value follows from the date."""
    column = None if finding.scope.column is None else partition.column(finding.scope.column)
    metric = None if column is None or finding.metric is None else get_metric(finding.metric, column.kind)
    return metric is None or metric.presence


def _warming_up(
    program: Program, profile: Profile, checked: Sequence[_Checked]
) -> tuple[ScopeVerdict, dict[str, ScopeVerdict], Status, str]:
    """No range is learned so far: what was declared, the schema and patterns are all that can be judged."""
    needed = program.options.min_history
    reason = f"{needed - program.missing} of {needed} partitions; {program.missing} more {_are(program.missing)} needed"
    early = [one for one in checked if not isinstance(one.constraint, Declared)]
    asked = [one for one in checked if isinstance(one.constraint, Declared)]
    if early:
        reason = f"{reason}. {_early_words(early)}"
    if asked:
        held = sum(one.outcome is None for one in asked)
        checks = f"{len(asked)} declared check{'' if len(asked) == 1 else 's'}"
        reason = f"{reason}. Of {checks} {held} hold{'s' if held == 1 else ''}{_rest_words(asked)}"
    status = Status.WARMING_UP
    if any(one.fails for one in checked):
        status = Status.FAIL
    elif blocking := [one for one in checked if one.blocks]:
        status, reason = Status.NOT_EVALUATED, f"{_reasons(blocking)} ({reason})"
    waiting = ScopeVerdict(Status.WARMING_UP, reason=reason)
    failed = {one.column for one in checked if one.fails}
    columns = dict.fromkeys((*profile.columns, *(name for name in failed if name is not None)), waiting)
    columns |= {name: ScopeVerdict(Status.FAIL, 1) for name in failed if name is not None}
    table = ScopeVerdict(Status.FAIL, 1) if None in failed else waiting
    return table, columns, status, reason


def _early_words(checked: Sequence[_Checked]) -> str:
    """What needs no history, and what became of it: ``Until then the schema and 3 patterns are judged, which hold``."""
    patterns = sum(isinstance(one.constraint, Conforming) and one.counts for one in checked)
    subject = "the schema" + (f" and {patterns} pattern{'' if patterns == 1 else 's'}" if patterns else "")
    broken = sum(one.fails for one in checked)
    fate = f"{broken} of their constraints {_are(broken)} broken" if broken else "nothing is broken"
    return f"Until then {subject} {'are' if patterns else 'is'} judged, and {fate}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _rest_words(checked: Sequence[_Checked]) -> str:
    """What became of the checks that do not hold: ``, 1 fails, 2 could not be computed``."""
    unknown = [one.outcome for one in checked if isinstance(one.outcome, NotEvaluated)]
    counts = (
        (sum(one.fails for one in checked), "fail"),
        (sum(isinstance(one.outcome, Finding) and not one.fails for one in checked), "warn"),
        (sum(one.applies for one in unknown), "could not be computed"),
        (sum(not one.applies for one in unknown), "had nothing to look at"),
    )
    return "".join(f", {count} {words}" for count, words in counts if count)


def _asked(program: Program, profile: Profile, columns: Sequence[str] | None) -> list[str]:
    if columns is None:
        return list(program.reports)
    known = [*program.reports, *(name for name in profile.columns if name not in program.reports)]
    unknown = [name for name in columns if name not in known]
    if unknown:
        raise UnknownColumnError(
            f"Partition {profile.partition}: columns {', '.join(map(repr, unknown))} cannot be judged, neither the "
            f"program nor the partition has them; known are {', '.join(map(repr, known))}. Correct the list."
        )
    return list(columns)


def _declared_columns(checked: Sequence[_Checked]) -> dict[str, None]:
    """The columns that a declared check has looked at, or should have."""
    found = [one for one in checked if isinstance(one.constraint, Declared) and (one.counts or one.blocks)]
    return {name: None for one in found if (name := one.constraint.scope.column) is not None}


def _overall_declared(checked: Sequence[_Checked]) -> tuple[Status, str | None]:
    """The verdict where declared checks are all that there is: no column has to be judged, but some check."""
    if any(one.fails for one in checked):
        return Status.FAIL, None
    if blocking := [one for one in checked if one.blocks]:
        return Status.NOT_EVALUATED, _reasons(blocking)
    if not any(one.counts for one in checked):
        return Status.NOT_EVALUATED, f"no check had anything to look at ({_reasons(checked)})"
    warned = any(isinstance(one.outcome, Finding) for one in checked)
    return (Status.FAIL if warned else Status.PASS), None


def _table(checked: Sequence[_Checked]) -> ScopeVerdict:
    own = [one for one in checked if one.of_table]
    count = sum(one.counts for one in own)
    if any(isinstance(one.outcome, Finding) for one in own):
        return ScopeVerdict(Status.FAIL, count)
    if blocking := [one for one in own if one.blocks]:
        return ScopeVerdict(Status.NOT_EVALUATED, count, _reasons(blocking))
    return ScopeVerdict(Status.PASS, count)


def _reasons(checked: Sequence[_Checked]) -> str:
    """Why constraints were not judged, each reason once: ``mean, std: engine error``."""
    named: dict[str, list[str]] = {}
    for one in checked:
        subject, _, reason = one.reason.partition(": ")
        named.setdefault(reason, []).append(subject)
    return "; ".join(f"{', '.join(dict.fromkeys(subjects))}: {reason}" for reason, subjects in named.items())


def _column(program: Program, name: str, partition: PartitionView, checked: Sequence[_Checked]) -> ScopeVerdict:
    """The verdict on one column."""
    report, now = program.reports.get(name), partition.column(name)
    own = [one for one in checked if one.of_column(name)]
    count = sum(one.counts for one in own)
    if any(isinstance(one.outcome, Finding) for one in own):
        return ScopeVerdict(Status.FAIL, count)
    if report is None and (blocking := [one for one in own if one.blocks]):
        return ScopeVerdict(Status.NOT_EVALUATED, count, _reasons(blocking))
    if report is None and count:
        return ScopeVerdict(Status.PASS, count)
    if report is None:
        return ScopeVerdict(Status.NOT_EVALUATED, reason="no program: the history does not have this column")
    if now is None:
        absence = partition.history.optional.get(name)
        often = "" if absence is None else f", as in {absence.partitions} of {len(partition.history)} past ones"
        return ScopeVerdict(Status.NOT_EVALUATED, reason=f"the column is missing in the partition{often}")
    if not compatible(report.kind, now.kind):
        return ScopeVerdict(Status.NOT_EVALUATED, reason=f"the column is {now.kind}, its history is {report.kind}")
    if blocking := [one for one in own if one.blocks]:
        return ScopeVerdict(Status.NOT_EVALUATED, count, _reasons(blocking))
    if not any(one.counts and one.constraint.suffices for one in own):
        # That no unheard-of values came is not enough to say that the column is right.
        idle = [one for one in own if not one.counts and one.constraint.suffices]
        reason = report.reason or _reasons(idle) or "the program has no range for it"
        return ScopeVerdict(Status.NOT_EVALUATED, reason=reason)
    return ScopeVerdict(Status.PASS, count)


def _engine_failed(column: ColumnProfile) -> bool:
    """Whether the engine could not measure the column, whatever its history would have made of the values."""
    return any(value is Reason.ENGINE_ERROR for value in column.metrics.values())


def _overall(
    table: ScopeVerdict, columns: Mapping[str, ScopeVerdict], checked: Sequence[_Checked], partition: PartitionView
) -> tuple[Status, str | None]:
    """The verdict on the partition, and the reason when it is neither pass nor fail."""
    if any(one.fails for one in checked):
        return Status.FAIL, None
    status, reason = _without_failure(table, columns, checked, partition)
    warned = any(isinstance(one.outcome, Finding) for one in checked)
    # What only warns makes nothing pass that was not judged.
    return (Status.FAIL, None) if warned and status is Status.PASS else (status, reason)


def _without_failure(
    table: ScopeVerdict, columns: Mapping[str, ScopeVerdict], checked: Sequence[_Checked], partition: PartitionView
) -> tuple[Status, str | None]:
    profile = partition.profile
    unjudged = {one.constraint.scope.column for one in checked if one.blocks}
    known = {one.constraint.scope.column for one in checked if isinstance(one.constraint, ExpectedColumn)}
    skipped = {
        name: scope.reason
        for name, scope in columns.items()
        if name in unjudged or (name not in known and scope.status is not Status.PASS)
    }
    if table.status is Status.NOT_EVALUATED:
        skipped = {"the table": table.reason, **skipped}
    if skipped:
        return Status.NOT_EVALUATED, "; ".join(f"{name}: {reason}" for name, reason in skipped.items())
    broken = [name for name in columns if name in profile.columns and _engine_failed(profile.columns[name])]
    if broken:
        return Status.NOT_EVALUATED, "; ".join(f"{name}: measuring it failed (engine error)" for name in broken)
    if not profile.row_count and any(
        isinstance(one.constraint, Range) and one.of_table and one.counts for one in checked
    ):
        # The number of rows is all that there is to check; it says something where there can be some.
        declared = any(isinstance(one.constraint, Declared) and one.counts for one in checked)
        if partition.usual_rows or declared:
            return Status.PASS, None
        return Status.NOT_EVALUATED, _NEVER_A_ROW.format(len(partition.history.profiles))
    if not any(scope.checked for scope in columns.values()):
        reasons = "; ".join(f"{name}: {scope.reason}" for name, scope in columns.items())
        return Status.NOT_EVALUATED, f"no column could be judged ({reasons or 'there is none'})"
    return Status.PASS, None

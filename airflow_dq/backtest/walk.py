"""Walking through the past as if the gate had been on: each partition judged as of its own time."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from airflow_dq.backtest.history import EligiblePast, Reload
from airflow_dq.backtest.model import (
    JUDGED,
    BacktestResult,
    FailedPartition,
    PartitionOutcome,
    Recall,
    TargetOutcome,
)
from airflow_dq.backtest.recall import TriedPartition, add_up
from airflow_dq.backtest.suggestion import suggest
from airflow_dq.backtest.summary import Tally, false_alarms, fired_clauses
from airflow_dq.exceptions import DQError, ProfileError
from airflow_dq.judge.evaluation import evaluate
from airflow_dq.judge.verdict import Decision, Status, Verdict
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.history.answer import AnsweredAlarm, Answers
from airflow_dq.learn.history.history import History
from airflow_dq.learn.pipeline import synthesize
from airflow_dq.learn.program import Program
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile
from airflow_dq.uncollected import uncollected

log = logging.getLogger(__name__)

TARGETS = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
"""Values of ``target_fpr`` that are compared with each other."""
ACCEPT_AFTER = 2
"""One alarm may be a bad partition; this many in a row are taken for a change that is there to stay."""
TRIED = 3
"""Number of the newest partitions that passed on which injected errors are tried: they stand for those to come."""


def backtest(
    profiles: Iterable[Profile | FailedPartition],
    options: SynthesisOptions | None = None,
    *,
    dataset: str | None = None,
    learn_only: Collection[str] = (),
    decisions: Mapping[str, Decision] | None = None,
    answers: Sequence[AnsweredAlarm] = (),
    accept_after: int | None = ACCEPT_AFTER,
    targets: Sequence[float] = TARGETS,
    reload: Reload | None = None,
    left_out: Collection[str] = (),
) -> BacktestResult:
    """Judge past partitions as the gate would have, each by a program from the partitions before it.

    As with the gate, a partition that alarms is not learned from unless a person accepts it.  With nobody to do so a
    table that has changed for good would alarm for ever, so a person is assumed to accept the new normal after
    ``accept_after`` alarms in a row.  The partitions are asked for one at a time, and of most only the metrics are
    kept, so they may be many.

    :param profiles: the partitions, oldest first
    :param options: what the gate would have been given (default: ``SynthesisOptions()``)
    :param dataset: its name, for the report
    :param learn_only: keys of partitions that are learned from without being judged
    :param decisions: what a person has decided about a partition, by key; rejected ones are never learned from, and
        after a new normal nothing before it is
    :param answers: the gate's own alarms that people have decided about; each partition is judged by those before it
    :param accept_after: 1: every alarm is accepted at once; None: none ever is
    :param targets: further values of ``target_fpr`` to compare; none: only that of the options
    :param reload: loads a profile with its states, for profiles that are given without them
    :param left_out: keys of partitions that the calendar leaves out: they are judged, and never learned from
    :raises DQError: when every partition ended in an error, saying which
    """
    walk = _Walk(options or SynthesisOptions(), decisions or {}, answers, accept_after, targets, reload, left_out)
    for profile in profiles:
        if isinstance(profile, FailedPartition):
            walk.outcomes.append(PartitionOutcome(profile.partition, None, Status.ERROR, reason=profile.reason))
        elif profile.partition is not None and profile.partition in learn_only:
            walk.learn(profile)
        else:
            walk.judge(profile)
    return walk.result(dataset)


class _Walk:
    """The state of a walk between two partitions."""

    def __init__(
        self,
        options: SynthesisOptions,
        decisions: Mapping[str, Decision],
        answers: Sequence[AnsweredAlarm],
        accept_after: int | None,
        targets: Sequence[float],
        reload: Reload | None,
        left_out: Collection[str],
    ) -> None:
        self._left_out = left_out
        self.outcomes: list[PartitionOutcome] = []
        self._options = options
        self._decisions = decisions
        self._answers = answers
        self._accept_after = accept_after
        self._targets = sorted({*targets, options.target_fpr}) if targets else []
        self._past = EligiblePast(options.history, reload)
        self._tally = Tally()
        self._alarms = dict.fromkeys(self._targets, 0)
        self._recent: deque[TriedPartition] = deque(maxlen=TRIED)
        self._alarmed: list[Profile] = []
        """The latest alarms in a row that are not accepted so far."""
        self._accepted = False
        """Whether they are alarms of a row that was accepted as the new normal."""
        self._problem: DQError | None = None

    def learn(self, profile: Profile) -> None:
        """Add a partition to the history unless a person has rejected it."""
        decision = self._decision(profile)
        if decision == "new_normal":
            self._past.restart()
        if decision != "rejected" and profile.partition not in self._left_out:
            self._past.add(profile)

    @uncollected()
    def judge(self, profile: Profile) -> None:
        """Judge a partition, and let it be learned from if the gate would have."""
        distances = self._past.compare(profile)
        # One for all targets: what does not depend on the target is computed once.
        history = self._past.history(Answers.of(self._answers, profile.partition))
        outcome = self._outcome(profile, history, distances)
        self.outcomes.append(outcome)
        decision = outcome.decision
        if outcome.status is Status.PASS and decision is None:
            self._recent.append(TriedPartition(profile, history))
        if decision == "rejected" or profile.partition in self._left_out:
            return
        if decision is not None or outcome.status in (Status.PASS, Status.WARMING_UP) or outcome.only_warns:
            self._alarmed, self._accepted = [], False
            self.learn(profile)
        elif outcome.status is Status.FAIL and self._accept_after is not None:
            self._alarm(profile, self._accept_after)

    def _alarm(self, profile: Profile, accept_after: int) -> None:
        """Learn from a row of alarms once it is long enough."""
        self._alarmed.append(profile)
        if self._accepted or len(self._alarmed) >= accept_after:
            for alarmed in self._alarmed:
                self._past.add(alarmed)
            self._alarmed, self._accepted = [], True

    def _outcome(self, profile: Profile, history: History, distances: bool) -> PartitionOutcome:
        decision = self._decision(profile)
        try:
            program, verdict = _verdict(profile, history, self._options, distances)
        except DQError as error:
            self._problem = self._problem or error
            return PartitionOutcome(profile.partition, profile.row_count, Status.ERROR, (), str(error), decision)
        except Exception as error:
            log.exception("Partition %r could not be judged.", profile.partition)
            reason = f"Judging failed with {type(error).__name__}: {error}. This is a fault of the product."
            return PartitionOutcome(profile.partition, profile.row_count, Status.ERROR, (), reason, decision)
        judged = [name for name, scope in verdict.columns.items() if scope.status in JUDGED]
        if verdict.status in JUDGED and decision != "rejected":
            self._tally.add(verdict, judged)
            self._try_targets(profile, history, verdict, distances)
        return PartitionOutcome(
            partition=profile.partition,
            rows=profile.row_count,
            status=verdict.status,
            alerts=verdict.alerts,
            reason=verdict.reason,
            decision=decision,
            columns=len(judged),
            # While the dataset is young a column may be broken of which the program has nothing but its pattern.
            untrained=sum(not program.columns[name].variants for name in judged if name in program.columns),
            without_distances=verdict.status in JUDGED and not distances,
        )

    def _try_targets(self, profile: Profile, history: History, verdict: Verdict, distances: bool) -> None:
        """Count the alarms at each target.

        A partition that passes at one target is assumed to pass at every smaller one, and one that alarms to alarm at
        every larger one: only what lies between is judged again.
        """
        lowest_alarm, highest_pass = float("inf"), 0.0

        def narrow(target: float, status: Status) -> None:
            """Narrow down where alarms begin."""
            nonlocal lowest_alarm, highest_pass
            if status is Status.FAIL:
                lowest_alarm = min(lowest_alarm, target)
            else:
                highest_pass = max(highest_pass, target)

        narrow(self._options.target_fpr, verdict.status)
        # The ends first: what alarms at the smallest or passes at the largest does so everywhere.
        for target in (*self._targets[-1:], *self._targets):
            if highest_pass < target < lowest_alarm:
                options = replace(self._options, target_fpr=target)
                narrow(target, _verdict(profile, history, options, distances)[1].status)
        for target in self._targets:
            self._alarms[target] += target >= lowest_alarm

    def result(self, dataset: str | None) -> BacktestResult:
        """Add everything up.

        :raises DQError: the first problem, when there was nothing but problems
        """
        judged = len(self._tally.partitions)
        if self.outcomes and all(outcome.status is Status.ERROR for outcome in self.outcomes):
            raise self._problem or ProfileError(f"No partition could be judged. {self.outcomes[0].reason}")
        recall = {target: self._recall(target) for target in {*self._targets, self._options.target_fpr}}
        targets = []
        for target in self._targets:
            caught, injected = (sum(getattr(one, name) for one in recall[target]) for name in ("caught", "injected"))
            targets.append(TargetOutcome(target, self._alarms[target], judged, caught, injected))
        mine = recall[self._options.target_fpr]
        return BacktestResult(
            dataset=dataset,
            options=self._options,
            accept_after=self._accept_after,
            partitions=tuple(self.outcomes),
            false_alarms=false_alarms(self.outcomes),
            columns=self._tally.columns(),
            clauses=fired_clauses(self.outcomes),
            recall=mine,
            recall_partitions=tuple(errors.partition for errors in self._recent) if mine else (),
            targets=tuple(targets),
            suggestion=suggest(targets),
        )

    def _recall(self, target: float) -> tuple[Recall, ...]:
        options = replace(self._options, target_fpr=target)
        return add_up([errors.recall(_program(errors.history, options)) for errors in self._recent])

    def _decision(self, profile: Profile) -> Decision | None:
        return self._decisions.get(profile.partition) if profile.partition is not None else None


def _verdict(profile: Profile, history: History, options: SynthesisOptions, distances: bool) -> tuple[Program, Verdict]:
    program = _program(history, options)
    if not distances:
        program = _measurable(program, profile, history)
    return program, evaluate(program, profile, history)


def _program(history: History, options: SynthesisOptions) -> Program:
    """The program of a target, which differs from the others of a walk in that alone."""
    # Those of the last partitions are judged by as these are walked through, and tried again at the end.
    return history.remembered(("program", options.target_fpr), lambda: synthesize(history, options))


def _measurable(program: Program, profile: Profile, history: History) -> Program:
    """The program without the ranges of two-distribution metrics whose value is not kept and can't be measured now."""
    view = PartitionView(profile, history)
    unknown = {one for one in program.ranges() if one.pair and one.observe(view)[0] is None}
    return program.without(frozenset(unknown))

"""The store as its callers see it: the few things the product does with its database, one transaction each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sqlalchemy import Connection, Engine

from airflow_dq.store import (
    answer,
    between,
    distance_writer,
    maturity,
    metric_history,
    overview,
    pattern_index,
    problem_reader,
    profile_reader,
    profile_writer,
    prune,
    relation,
    retention,
    review,
    rule,
    rule_list,
    snooze,
    status,
    total,
    verdict_reader,
    verdict_writer,
)
from airflow_dq.store import attempt as attempts
from airflow_dq.store.address import describe
from airflow_dq.store.state_cache import StateCache
from airflow_dq.store.summary import Pruned
from airflow_dq.store.transaction import run

if TYPE_CHECKING:
    from airflow_dq.check.model import Check
    from airflow_dq.explain.record import Record, Replay
    from airflow_dq.judge.verdict import Decision, Verdict
    from airflow_dq.learn.history.answer import AnsweredAlarm
    from airflow_dq.learn.program import Program
    from airflow_dq.metrics.descriptor import MetricValue
    from airflow_dq.options.rule import LearnedRule
    from airflow_dq.pattern import PatternIndex
    from airflow_dq.profile.check.many_keys import KeyFolder
    from airflow_dq.profile.model import Profile
    from airflow_dq.store.maturity import Maturity
    from airflow_dq.store.problem_history import ProblemSummary
    from airflow_dq.store.review_model import (
        AlertFilter,
        HistoryStart,
        MetricHistory,
        Origin,
        Review,
        ReviewEvent,
        Snooze,
        VerdictDetail,
        VerdictSummary,
    )
    from airflow_dq.store.rule_list import StoredRule
    from airflow_dq.store.summary import (
        AttemptStatus,
        DatasetOverview,
        DatasetSummary,
        PartitionSummary,
        WhereRead,
    )


class Repository:
    """The statistics database; :func:`airflow_dq.store.open_store` makes one.

    Every method raises :class:`~airflow_dq.exceptions.StoreUnreachableError` when the connection is lost and cannot
    be made again, and :class:`~airflow_dq.exceptions.StoreError` when the database refuses.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._states = StateCache()

    def __repr__(self) -> str:
        """Names the database, never the password."""
        return f"<Repository of the {describe(self._engine.url)}>"

    def __enter__(self) -> Self:
        """The repository itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections; the repository can still be used and then makes new ones."""
        self._engine.dispose()

    def begin_attempt(
        self,
        dataset: str,
        partition: str,
        *,
        source: str | None = None,
        read_options: Mapping[str, str] | None = None,
        engine: str | None = None,
    ) -> int:
        """Start an attempt at profiling a partition; any earlier attempt at it can no longer write.

        :param source: path, table or query that is read
        :param read_options: reader options, kept with the attempt: no secrets
        :param engine: what reads, and its version
        :return: the attempt's id, greater than that of any earlier one
        """
        return self.begin_attempts(dataset, [partition], source=source, read_options=read_options, engine=engine)[
            partition
        ]

    def begin_attempts(
        self,
        dataset: str,
        partitions: Sequence[str],
        *,
        source: str | None = None,
        read_options: Mapping[str, str] | None = None,
        engine: str | None = None,
        place: Mapping[str, str] | None = None,
    ) -> dict[str, int]:
        """Start attempts at several partitions at once; their ids by partition.

        :param place: by what :meth:`where_read` tells where a partition was read
        """
        return run(self._engine, lambda c: attempts.begin(c, dataset, partitions, source, read_options, engine, place))

    def where_read(self, dataset: str, partition: str) -> WhereRead | None:
        """Where, and as what, the current profile's rows were read; None when there is no profile."""
        return run(self._engine, lambda c: attempts.where_read(c, dataset, partition))

    def save_profile(self, attempt: int, dataset: str, profile: Profile, *, tidy: bool = True) -> bool:
        """Make this the partition's current profile, all of it or nothing, and end the attempt.

        :param tidy: False when the caller saves several profiles and calls :meth:`tidy` itself
        :return: False when the same content was stored already, and only its times and attempt changed
        :raises StaleAttemptError: when a newer attempt at the partition has started
        """
        changed = run(self._engine, lambda c: profile_writer.save(c, attempt, dataset, profile))
        self._states.keep_all(profile)
        if tidy:
            self.tidy(dataset)
        return changed

    def import_profiles(self, profiles: Callable[[], Iterable[tuple[str, Profile]]]) -> int:
        """Store profiles that were exported, each as a new attempt at its partition: all of them, or nothing.

        :param profiles: gives (dataset, profile); asked again should the connection die
        :return: how many of them are new, or have other content than what was stored
        """
        datasets: set[str] = set()

        def work(connection: Connection) -> int:
            changed = 0
            for dataset, profile in profiles():
                key = str(profile.partition)
                attempt = attempts.begin(connection, dataset, [key], "import", None, None)[key]
                changed += profile_writer.save(connection, attempt, dataset, profile)
                datasets.add(dataset)
            return changed

        stored = run(self._engine, work)
        for dataset in sorted(datasets):
            self.tidy(dataset)
        return stored

    def update_totals(
        self, dataset: str, checks: Sequence[Check], changed: Sequence[str], folder: KeyFolder | None = None
    ) -> int:
        """Measure the totals of checks anew, from the first of some partitions on; how many were merged for that.

        :param folder: where keys are that are too many to be stored here
        """
        return run(self._engine, lambda c: total.update_totals(c, dataset, checks, changed, folder))

    def add_between(self, dataset: str, found: Sequence[LearnedRule]) -> int:
        """Store the relations between rows among some that are new; how many there were."""
        return run(self._engine, lambda c: between.add_between(c, dataset, found))

    def update_between(self, dataset: str, rules: Sequence[LearnedRule], changed: Sequence[str]) -> None:
        """Count the rows of some partitions that break relations between rows, by what is held of those before."""
        run(self._engine, lambda c: between.update_between(c, dataset, rules, changed))

    def tidy(self, dataset: str) -> None:
        """Drop the states and injected errors of old partitions, once the distances that need them are stored."""
        retention.tidy(self._engine, dataset, self._states)

    def fail_attempt(self, attempt: int, error: str) -> None:
        """Record in a sentence why an attempt failed; the partition keeps the profile it had."""
        run(self._engine, lambda c: attempts.fail(c, attempt, error))

    def attempt_status(self, dataset: str, partition: str) -> AttemptStatus | None:
        """The newest attempt at a partition, or None when there was none."""
        return run(self._engine, lambda c: attempts.status(c, dataset, partition))

    def load_profile(self, dataset: str, partition: str, *, variants: bool = True) -> Profile | None:
        """The current profile of a partition, with its states and variants as far as they are kept, or None.

        :param variants: False leaves them out; they are most of what there is to read
        """
        return run(self._engine, lambda c: profile_reader.load(c, dataset, partition, variants=variants), snapshot=True)

    def load_history(self, dataset: str, before: str, limit: int) -> list[Profile]:
        """What a partition is judged against: the newest ``limit`` eligible profiles before it, oldest first.

        Eligible is a partition that was never judged, passed, is warming up, or was accepted by a person; not one
        that failed, could not be judged or was rejected, also when it was profiled anew with other content since, and
        nothing before the partition that a person has called the new normal.  Only the
        newest has its variants.  It has its states, as have the partitions that it and the next one are compared with,
        and every one that is needed for a two-distribution metric which is not stored.
        """
        return run(self._engine, lambda c: profile_reader.history(c, dataset, before, limit), snapshot=True)

    def load_like_days(self, dataset: str, before: str, limit: int, *, every: bool = False) -> list[Profile]:
        """Eligible partitions before the history of a partition that stand at its place in the calendar, oldest first.

        With them come the days around each, which say what was to be expected of it, and those of the beginnings and
        ends of months within the history; all without states and variants.  Nothing where keys are no dates.

        :param limit: the most partitions of the history, as for :meth:`load_history`
        :param every: for places like the 15th of a month too, which are no beginning and no end
        """
        return run(
            self._engine, lambda c: profile_reader.like_days(c, dataset, before, limit, every=every), snapshot=True
        )

    def learn_rules(self, dataset: str, before: str) -> tuple[LearnedRule, ...]:
        """Learn what is due of a dataset's rows from the partitions before one, and return the rules for that one."""
        return run(self._engine, lambda c: rule.learn_due(c, dataset, before))

    def rules(self, dataset: str, before: str) -> tuple[LearnedRule, ...]:
        """The rules on rows that a partition is judged by: those learned from partitions before it, but muted ones."""
        return run(self._engine, lambda c: rule.rules_before(c, dataset, before))

    def add_relations(self, dataset: str, found: Sequence[LearnedRule]) -> int:
        """Store the relations among some that are new; how many there were."""
        return run(self._engine, lambda c: relation.add_relations(c, dataset, found))

    def stored_rules(self, dataset: str) -> list[StoredRule]:
        """The learned rules of a dataset that are counted or muted, in words and with what speaks for each."""
        return run(self._engine, lambda c: rule_list.stored_rules(c, dataset))

    def mute_rule(self, dataset: str, rule: int) -> bool:
        """Neither count nor judge a learned rule any more; False when there is no such active one.

        :param rule: its number
        """
        return run(self._engine, lambda c: rule_list.mute(c, dataset, rule))

    def delete_rule(self, dataset: str, rule: int) -> bool:
        """Forget a learned rule, which may be learned again; False when there is none.

        :param rule: its number
        """
        return run(self._engine, lambda c: rule_list.remove(c, dataset, rule))

    def pattern_index(self) -> PatternIndex | None:
        """What is known of the patterns of all datasets and lakes that were indexed; None before the first time.

        :raises CodecError: when it is damaged, or of another version
        """
        return run(self._engine, pattern_index.load)

    def save_pattern_index(self, index: PatternIndex) -> None:
        """Put a pattern index in the place of the one that there was."""
        run(self._engine, lambda c: pattern_index.save(c, index))

    def dataset_names(self) -> list[str]:
        """The names of all datasets."""
        return run(self._engine, pattern_index.dataset_names)

    def newest_texts(self, dataset: str) -> list[list[str]]:
        """The texts that the newest profile keeps of each column of strings, each as often as its share asks for."""
        return run(self._engine, lambda c: list(pattern_index.texts(c, dataset)))

    def save_distances(
        self, dataset: str, profiles: Sequence[Profile], measured: Mapping[tuple[str, str], Mapping[str, MetricValue]]
    ) -> int:
        """Keep the distances that have been measured between some profiles; the number of columns that changed.

        :param measured: by the fingerprints of a column and its baseline, as
            :attr:`airflow_dq.learn.history.distance.Distances.measured` gives them
        """
        return run(self._engine, lambda c: distance_writer.save_distances(c, dataset, profiles, measured))

    def save_verdict(
        self,
        dataset: str,
        profile: Profile,
        program: Program | None,
        verdict: Verdict,
        *,
        inputs: str | None = None,
        origin: Origin | None = None,
    ) -> None:
        """Make this the verdict on the profile's partition; the same one again changes only its time.

        :param program: what it was judged by; None when none could be synthesized
        :param inputs: digest of what the program was synthesized from
        :param origin: the task that judged, beside those that did before
        :raises StaleAttemptError: when the partition was profiled anew with other content in the meantime
        """
        run(self._engine, lambda c: verdict_writer.save(c, dataset, profile, program, verdict, inputs, origin))

    def load_verdict(self, dataset: str, partition: str) -> Verdict | None:
        """The verdict on the partition's current profile; None when that one was not judged."""
        return run(self._engine, lambda c: verdict_reader.load_verdict(c, dataset, partition))

    def load_program(self, dataset: str, partition: str, *, inputs: str | None = None) -> Program | None:
        """The program the partition was judged by; with ``inputs``, only if it was synthesized from these."""
        return run(self._engine, lambda c: verdict_reader.load_program(c, dataset, partition, inputs))

    def datasets(self) -> list[DatasetSummary]:
        """Every dataset, by name."""
        return run(self._engine, status.datasets)

    def partitions(self, dataset: str, limit: int = 30) -> list[PartitionSummary]:
        """The newest partitions of a dataset that were at least attempted, newest first."""
        return run(self._engine, lambda c: status.partitions(c, dataset, limit))

    def datasets_of(self, dag_ids: frozenset[str] | None) -> list[DatasetSummary]:
        """The datasets of which a task of these DAGs has judged a partition (None: every dataset), by name."""
        return run(self._engine, lambda c: status.datasets(c, dag_ids))

    def overview(
        self, dag_ids: frozenset[str], *, partitions: int = 30, most: int = 2000, name: str | None = None
    ) -> list[DatasetOverview]:
        """The datasets of which a task of these DAGs has judged a partition, each in a line, by name.

        :param partitions: how many of the newest partitions of each
        :param most: most datasets
        :param name: only those that have this in their names
        """
        return run(self._engine, lambda c: overview.datasets(c, dag_ids, partitions, most, name))

    def waiting(self, dag_ids: frozenset[str]) -> int:
        """How many partitions that tasks of these DAGs have judged wait for a person."""
        return run(self._engine, lambda c: overview.waiting(c, dag_ids))

    def dags_of(self, dataset: str) -> frozenset[str]:
        """The DAGs whose tasks have judged partitions of a dataset."""
        return run(self._engine, lambda c: verdict_reader.dags_of(c, dataset))

    def metric_histories(
        self, dataset: str, limit: int = 60, metrics: Sequence[str] | None = None
    ) -> list[MetricHistory]:
        """A few metrics over the newest partitions: ``row_count`` of the table, then those of each column."""
        return run(self._engine, lambda c: metric_history.load(c, dataset, limit, metrics))

    def current_program(self, dataset: str) -> tuple[str, Program | None] | None:
        """The key of the newest partition that has a program, and that program; None in its place when damaged."""
        return run(self._engine, lambda c: metric_history.newest_program(c, dataset))

    def unreadable_columns(self, dataset: str, partition: str) -> tuple[str, ...]:
        """The columns of a partition whose stored values or statistics are damaged."""
        return run(self._engine, lambda c: profile_reader.unreadable_columns(c, dataset, partition))

    def verdicts(self, chosen: AlertFilter, *, limit: int = 50, before: int | None = None) -> list[VerdictSummary]:
        """Partitions with alerts, open or closed, the newest verdict first.

        :param limit: at most 200
        :param before: the last ``verdict_id`` of the page before this one
        """
        return run(self._engine, lambda c: verdict_reader.summaries(c, chosen, limit, before))

    def problems(self, dataset: str, *, limit: int = 60) -> list[ProblemSummary]:
        """The problems of a dataset's newest judged partitions, with what has become of them; the newest first.

        :param limit: partitions that are looked at: a problem that is on all of them may have begun before
        """
        return run(self._engine, lambda c: problem_reader.problems(c, dataset, limit))

    def verdict_of_alert(self, alert_id: int) -> VerdictDetail | None:
        """Everything about the partition that an alert belongs to; None when there is no such alert."""
        return run(self._engine, lambda c: verdict_reader.of_alert(c, alert_id))

    def verdict_of_partition(self, dataset: str, partition: str) -> VerdictDetail | None:
        """Everything about a judged partition; None when it was not judged."""
        return run(self._engine, lambda c: verdict_reader.of_partition(c, dataset, partition))

    def verdict_of_task(self, origin: Origin) -> VerdictDetail | None:
        """Everything about the partition that a task has judged last; None when it has judged none."""
        return run(self._engine, lambda c: verdict_reader.of_task(c, origin))

    def decide(
        self,
        dataset: str,
        partition: str,
        decision: Decision,
        by: str,
        comment: str | None = None,
        *,
        revise: bool = False,
        fingerprint: str | None = None,
    ) -> ReviewEvent:
        """Record what a person decided about a partition as it is now, and close its open alerts.

        Of two decisions at once one is recorded, and the other raises.

        :param by: name of the person
        :param revise: replace an earlier decision, which stays in the audit trail
        :param fingerprint: of the content that the person has seen (``VerdictSummary.fingerprint``): the decision is
            about that, and about nothing that has replaced it since
        :raises AlreadyDecidedError: when there is a decision, and ``revise`` is False
        :raises NotJudgedError: when there is no verdict on the partition's current profile
        """
        return run(
            self._engine,
            lambda c: review.decide(
                c, dataset, partition, decision, by, comment=comment, revise=revise, fingerprint=fingerprint
            ),
        )

    def decision(self, dataset: str, partition: str) -> Review | None:
        """What a person decided about the partition's verdict, or None."""
        return run(self._engine, lambda c: review.load(c, dataset, partition))

    def answered_alarms(self, dataset: str, before: str | None = None) -> list[AnsweredAlarm]:
        """The alarms that people have decided about: of all partitions, or of those before one."""
        return run(self._engine, lambda c: answer.answered_alarms(c, dataset, before))

    def record(self, dataset: str, before: str, options: str) -> Record:
        """How reliable the gate has been on the partitions before one, as far as verdicts and decisions tell.

        :param options: digest of the gate's options: of a backtest with others nothing is said
        """
        return run(self._engine, lambda c: answer.record(c, dataset, before, options))

    def save_replay(self, dataset: str, options: str, replay: Replay) -> None:
        """Keep what a backtest of a dataset's stored history found, in place of the one before.

        :param options: digest of the options that it was made with
        """
        run(self._engine, lambda c: answer.save_replay(c, dataset, options, replay))

    def history_start(self, dataset: str, before: str) -> HistoryStart | None:
        """The newest partition before another that a person has called the new normal, or None."""
        return run(self._engine, lambda c: review.history_start(c, dataset, before))

    def maturity(self, dataset: str, partition: str) -> Maturity:
        """What a program may learn from in a dataset beside a partition, wherever it stands in the order."""
        return run(self._engine, lambda c: maturity.of(c, dataset, partition))

    def dataset_alike(self, dataset: str, least: int) -> str | None:
        """Another dataset with nearly the same name and at least so many profiles, or None."""
        return run(self._engine, lambda c: maturity.alike(c, dataset, least))

    def dataset_before(self, dataset: str, origin: Origin, least: int) -> str | None:
        """Another dataset with at least so many profiles that the same task has judged in an earlier run, or None."""
        return run(self._engine, lambda c: maturity.judged_before(c, dataset, origin, least))

    def stalled(self, dataset: str, partition: str, origin: Origin, least: int) -> str | None:
        """Why a dataset will never have so many partitions as its gate is called, or None."""
        return run(self._engine, lambda c: maturity.stalled(c, dataset, partition, origin, least))

    def snooze(
        self,
        dataset: str,
        *,
        column: str | None = None,
        metric: str | None = None,
        until: datetime,
        by: str,
        comment: str | None = None,
    ) -> Snooze:
        """Let alerts only warn until a moment, from the next judgement on: all, of a column, of a metric, of both.

        :param until: with a time zone, in the future
        :raises ReviewError: when the dataset is unknown, or ``until`` cannot be used
        """
        return run(
            self._engine,
            lambda c: snooze.add(c, dataset, column=column, metric=metric, until=until, by=by, comment=comment),
        )

    def end_snooze(self, snooze_id: int, by: str) -> None:
        """End a snooze now.

        :raises ReviewError: when there is none with this id
        """
        run(self._engine, lambda c: snooze.end(c, snooze_id, by))

    def snoozes(self, dataset: str) -> list[Snooze]:
        """The active snoozes of a dataset."""
        return run(self._engine, lambda c: snooze.active(c, dataset))

    def prune(self, keep: int, dataset: str | None = None, say: Callable[[str, Pruned], None] | None = None) -> Pruned:
        """Drop all but the newest ``keep`` partitions, by key, of one dataset or of all.

        With a partition go its attempts, profile, program, verdict and alerts; decisions stay in the audit trail.
        It is done in many small transactions, with a rest as long as each: no gate waits for it, and what was
        interrupted is finished by the next call.  Partitions without a key are neither counted nor dropped.

        :param keep: at least 1
        :param say: called with the name of each dataset that is done, and what was dropped of it
        :raises StoreError: when the dataset is unknown, nothing would be kept, or too little for a dataset's gate to
            learn from: then nothing is dropped of any dataset
        """
        return prune.prune(self._engine, keep, dataset, say)

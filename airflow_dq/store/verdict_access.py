"""Verdicts and programs, what people decided about them, and what is known of how reliable a gate is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from airflow_dq.store import (
    answer,
    maturity,
    review,
    snooze,
    verdict_reader,
    verdict_writer,
)
from airflow_dq.store.connected import Connected
from airflow_dq.store.transaction import run

if TYPE_CHECKING:
    from airflow_dq.explain.record import Record, Replay
    from airflow_dq.judge.verdict import Decision, Status, Verdict
    from airflow_dq.learn.history.answer import AnsweredAlarm
    from airflow_dq.learn.program import Program
    from airflow_dq.profile.model import Profile
    from airflow_dq.store.maturity import Maturity
    from airflow_dq.store.review_model import (
        HistoryStart,
        Origin,
        Review,
        ReviewEvent,
        Snooze,
    )


class VerdictAccess(Connected):
    """What gates and people do with verdicts."""

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

    def save_replay(
        self, dataset: str, options: str, replay: Replay, outcomes: Mapping[str, Status] | None = None
    ) -> None:
        """Keep what a backtest of a dataset's stored history found, in place of the one before.

        :param options: digest of the options that it was made with
        :param outcomes: what the gate would have said of each partition, by its key
        """
        run(self._engine, lambda c: answer.save_replay(c, dataset, options, replay, outcomes or {}))

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

"""The gate: waits for a partition's profile, judges it, and lets the DAG pass or not."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from airflow.sdk import BaseNotifier, BaseSensorOperator, PokeReturnValue

from airflow_dq.check.builder import Checks
from airflow_dq.check.file import declared_checks
from airflow_dq.exceptions import StoreUnreachableError
from airflow_dq.gate.answer import answer_of, settle
from airflow_dq.gate.conclusion import Conclusion, OnViolation, WarmingUp, conclude, unjudged
from airflow_dq.gate.patience import Wait, when_reachable
from airflow_dq.gate.progress import progress
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.metric import timed
from airflow_dq.hooks.task import explained, is_backfill, partition_key, rendering
from airflow_dq.judge.severity import check_severity
from airflow_dq.links.alert import DQAlertLink
from airflow_dq.sensors.argument import moment_of, options_of, origin_of, require
from airflow_dq.sensors.ending import ask, finish
from airflow_dq.sensors.waiting import has_waited, waiting_since
from airflow_dq.triggers.profile import ProfileTrigger
from airflow_dq.version_compat import (
    AirflowException,
    AirflowFailException,
    AirflowSensorTimeout,
    AirflowSkipException,
    conf,
)

if TYPE_CHECKING:
    from airflow.sdk import Context

    from airflow_dq.gate.answer import Settled
    from airflow_dq.learn.constraint.base import Severity
    from airflow_dq.options.learning import SynthesisOptions
    from airflow_dq.store import Repository
    from airflow_dq.store.review_model import VerdictDetail

RETRIES = max(2, conf.getint("core", "default_task_retries", fallback=0))
"""Of a gate that is given none.  What was found in the data is never tried again.  A worker whose Airflow has not
answered five times running, in some 30 s, has judged nothing and asked nobody, and a busy machine does that twice."""
_BACKFILL = "the run is a backfill, which only profiles (judge_backfills=True judges too)."


class DQGateSensor(BaseSensorOperator):
    """Waits for the profile of the newest attempt, judges it against the learned program, and passes or not.

    It fails at once when profiling failed, or when the partition could not be judged.  Only a partition that was
    checked and found right passes, or one whose history is too short to learn from.

    The conclusion is in XCom (``return_value``) however the task ends: ``dataset``, ``partition``, ``outcome``
    (``pass``, ``warn``, ``skip``, ``fail``, ``warming_up``, ``unjudged``, ``accepted``, ``new_normal``), the verdict's
    ``status`` and ``reason``, a ``headline``, the first 20 ``problems``, their number (``problem_count``), that of
    the alerts they rest on (``alert_count``), and a person's ``decision`` and ``decided_by``. When the data was found
    right (``pass``, or ``accepted`` or ``new_normal`` by a person), each asset in ``outlets`` gets an event with the
    conclusion as its ``extra``; else there is no event. Airflow's metrics get ``dq.gate.<outcome>`` (``review``: a
    person is asked) and ``dq.gate.duration``.

    What a person has decided about the partition still holds when it is judged again with the same verdict: if it was
    accepted, the gate passes; if it was rejected, it fails (with ``on_violation="skip"`` it skips).

    In every mode (``poke``, ``reschedule``, ``deferrable``) ``timeout`` counts from the first start of the task and
    ends it without a retry.  A statistics database that goes away meanwhile is waited for like the profile; one that
    cannot be reached at the first look fails the try, and is tried again with ``retries``.

    ``soft_fail`` skips the task when the data violates its program, or when its profile has not come in time.  Whatever
    else goes wrong fails it: a wrong argument, a profile that failed, data that could not be judged, a lost database.

    :param dataset: name under which the profiles are stored (templated)
    :param partition: the partition's key, as given to ``DQProfileOperator`` (templated)
    :param newer_than: judge only what an attempt has profiled that began at this moment or later, by the clocks of the
        statistics database and of the worker (templated).  The gate waits for the newest attempt; one that starts
        before the profile's own task has begun (``write >> [profile, gate]``, a gate in another DAG) would take the
        attempt before for it: ``newer_than="{{ dag_run.start_date }}"``.  Behind its profile (``profile >> gate``) it
        needs none
    :param on_violation: ``fail``: a violated constraint fails the task, without a retry; ``skip``: it skips the task
        and by their trigger rules the tasks after it; ``warn``: it is logged and recorded, and the task succeeds;
        ``review``: the task waits, without a worker, for a person who accepts or rejects the partition (Airflow's
        *Required Action*, the alert's page, or ``airflow dq accept``).  ``dag.test()`` waits for an answer, too; a
        backfill never waits: with ``judge_backfills`` the violation fails its task
    :param severity: which alerts only warn: a dict from ``column:<name>``, ``metric:<name>`` or ``rule:<name>``
        (``column_added`` ...) to ``warn`` or ``fail``; where several apply, the column decides, then the metric.  A
        partition all of whose alerts only warn passes, as with ``on_violation="warn"``
    :param warming_up: what to do while the history is too short to learn from: ``pass`` (with a warning in the log), or
        ``fail``
    :param response_timeout: with ``review``: how long to wait for a person before the task fails (default: for ever)
    :param notifiers: with ``review``: who is told that a person is asked, such as ``DQAlertNotifier``
    :param judge_backfills: judge in runs of ``airflow backfill`` too; by default these only profile, and the gate
        passes with a warning when the profile is there
    :param target_fpr: accepted false-positive rate (default: that of ``options``)
    :param options: how constraints are learned, as ``SynthesisOptions`` or a dict of its fields (``history``,
        ``min_history``, ``scope``, ``mode``, ``novelty``, ``columns``, ``exclude``, ``direction``, ``timezone`` ...)
    :param checks: declared checks, as ``Checks`` or the path of a file ``orders.dq.yml``; they are judged with what is
        learned, and by themselves while the history is too short.  Give the same to the profile's task, which counts
        what they need
    :param dq_conn_id: connection to the statistics database; the variable ``AIRFLOW_DQ_DSN`` wins over it (templated)
    :param retries: tries after the first, for what is not the data's fault: a database or an Airflow that does not
        answer, a killed worker, a task that the scheduler lost when it was resumed the moment it deferred (default: 2,
        or Airflow's ``default_task_retries`` when that is more)
    :param deferrable: wait in the triggerer instead of on a worker
    """

    template_fields: Sequence[str] = ("dataset", "partition", "newer_than", "dq_conn_id")
    ui_color = "#e3f2e6"

    operator_extra_links = (DQAlertLink(),)

    alert_id: int | None = None
    """The alert that speaks for the partition, once it is judged; for the link."""
    conclusion: Conclusion | None = None
    """What the gate did, once it has; for callbacks that run in the task's process."""

    def __init__(
        self,
        *,
        dataset: str,
        partition: str,
        newer_than: str | datetime | None = None,
        on_violation: OnViolation = "fail",
        severity: Mapping[str, Severity] | None = None,
        warming_up: WarmingUp = "pass",
        response_timeout: timedelta | None = None,
        notifiers: BaseNotifier | Sequence[BaseNotifier] = (),
        judge_backfills: bool = False,
        target_fpr: float | None = None,
        options: SynthesisOptions | Mapping[str, Any] | None = None,
        checks: Checks | str | Path | None = None,
        dq_conn_id: str = DQHook.default_conn_name,
        retries: int | None = RETRIES,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        **kwargs: Any,
    ) -> None:
        require("on_violation", on_violation, get_args(OnViolation))
        require("warming_up", warming_up, get_args(WarmingUp))
        check_severity(severity or {})
        super().__init__(retries=retries, **kwargs)
        self.dataset = dataset
        self.partition = partition
        self.newer_than = newer_than
        self.on_violation = on_violation
        self.severity = severity
        self.warming_up = warming_up
        self.response_timeout = response_timeout
        self.notifiers = [notifiers] if isinstance(notifiers, BaseNotifier) else list(notifiers)
        self.judge_backfills = judge_backfills
        self.target_fpr = target_fpr
        self.options = options
        self.checks = declared_checks(checks, dataset)
        self.dq_conn_id = dq_conn_id
        self.deferrable = deferrable
        self._wait = Wait()
        # Airflow's own flag would turn every failure into a skip, a misconfigured gate and a lost database included.
        self.softens, self.soft_fail = self.soft_fail, False
        self.synthesis_options()  # a misspelt field is told when the DAG is parsed

    def synthesis_options(self) -> SynthesisOptions:
        """The options in effect.

        :raises ConfigurationError: when ``options`` is a dict with an unknown field.
        """
        return options_of(self.options, self.target_fpr, self.checks)

    def render_template_fields(self, context: Context, jinja_env: Any = None) -> None:
        """Render the templated arguments; a value that the run does not have is explained."""
        with rendering(self.task_id, self.log):
            super().render_template_fields(context, jinja_env)

    def execute(self, context: Context) -> Any:
        """Wait and judge.

        :return: the conclusion as a small dict, see :class:`airflow_dq.gate.conclusion.Conclusion`
        :raises AirflowFailException: when the partition violates its program, or could not be judged.
        :raises AirflowSkipException: when it violates its program and ``on_violation`` is ``skip``.
        :raises AirflowSensorTimeout: when its profile has not come in time.
        """
        deadline = waiting_since(context, self.retries) + self.timeout
        if self.deferrable:
            return self._judge_or_defer(context, deadline)
        self._wait.deadline = deadline
        with self._softening():
            try:
                return super().execute(context)
            except AirflowSensorTimeout:
                # The base class looks at the clock a moment after poke(), and does not know what was waited for.
                raise self._timeout(self._wait.said) from None

    def resume_execution(self, next_method: str, next_kwargs: dict[str, Any] | None, context: Context) -> Any:
        """Resume after a deferral, as Airflow asks for it."""
        with self._softening():
            return super().resume_execution(next_method, next_kwargs, context)

    def poke(self, context: Context) -> PokeReturnValue:
        """Look for the profile; judge it when it is there."""
        with explained(self.log):
            partition = partition_key(self.partition, self.dataset)
            newer_than = moment_of(self.newer_than, self.dataset)
            try:
                with DQHook(self.dq_conn_id).get_store() as repository:
                    compare = self._wait.compares
                    self._wait.has_reached = True
                    seen = progress(repository, self.dataset, partition, newer_than=newer_than, compare=compare)
                    self.log.info(seen.message)
                    if seen.state == "waiting":
                        return self._not_yet(seen.message)
                    if seen.state == "failed":
                        raise AirflowFailException(seen.message)
                    conclusion, detail = self._conclude(context, repository, partition)
            except StoreUnreachableError as error:
                self._wait.require_patience(error, has_waited(context))
                self.log.warning("%s Looking again.", error)
                return self._not_yet(str(error))
        self.alert_id = None if detail is None else detail.partition.first_alert_id
        self.conclusion = conclusion
        if conclusion.outcome == "review" and detail is not None:
            ask(self, context, conclusion, detail, notifiers=self.notifiers, timeout=self.response_timeout)
        return PokeReturnValue(is_done=True, xcom_value=finish(self, context, conclusion))

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:
        """Resume after :class:`~airflow_dq.triggers.profile.ProfileTrigger` has fired."""
        if event["status"] == "error":
            raise (AirflowException if event["retry"] else AirflowFailException)(event["message"])
        if event["status"] == "timeout":
            raise self._timeout(event["message"])
        self._wait.has_reached = True  # a task defers only when it has seen the store
        return self._judge_or_defer(context, event["deadline"])

    def execute_review(self, context: Context, event: dict[str, Any], fingerprint: str) -> Any:
        """Resume with a person's answer, or with the news that there is none.

        :param fingerprint: of the content that the question was about
        """
        answer = answer_of(event)
        with explained(self.log):
            partition = partition_key(self.partition, self.dataset)

            def record() -> Settled:
                with DQHook(self.dq_conn_id).get_store() as repository:
                    return settle(repository, self.dataset, partition, answer, fingerprint, self.log)

            settled = when_reachable(record, self.poke_interval, self.log)
        self.alert_id = settled.alert_id
        if settled.review is None and answer.decision is None:
            raise (AirflowSkipException if self.softens else AirflowFailException)(
                f"Dataset {self.dataset!r}, partition {partition!r}: nobody has decided about it. {answer.problem} "
                "It does not pass; decide on the alert's page or with `airflow dq accept`, then clear the task."
            )
        if settled.verdict is None:
            self.log.warning(
                "The partition was profiled or judged anew since the question was asked: judging it again."
            )
            return self.execute(context)
        on_violation = "skip" if self.softens else self.on_violation
        self.conclusion = conclude(self.dataset, settled.verdict, on_violation, self.warming_up, settled.review)
        return finish(self, context, self.conclusion)

    def _conclude(
        self, context: Context, repository: Repository, partition: str
    ) -> tuple[Conclusion, VerdictDetail | None]:
        """Judge, and conclude; the second is what there is to show of the alerts, if there are any."""
        in_backfill = is_backfill(context)
        if in_backfill and not self.judge_backfills:
            return unjudged(self.dataset, partition, _BACKFILL), None
        from airflow_dq.gate.pipeline import judge

        with timed("gate.duration", self.dataset):
            verdict = judge(
                repository, self.dataset, partition, self.synthesis_options(), self.severity, origin_of(context)
            )
        # Nobody sits and waits for what a backfill finds.
        on_violation = "fail" if in_backfill and self.on_violation == "review" else self.on_violation
        on_violation = "skip" if self.softens and on_violation == "fail" else on_violation
        review = repository.decision(self.dataset, partition)
        conclusion = conclude(self.dataset, verdict, on_violation, self.warming_up, review)
        alerted = bool(conclusion.problems)
        return conclusion, repository.verdict_of_partition(self.dataset, partition) if alerted else None

    def _not_yet(self, message: str) -> PokeReturnValue:
        self._wait.said = message
        if self._wait.is_late:
            raise self._timeout(message)
        return PokeReturnValue(is_done=False)

    def _timeout(self, message: str) -> AirflowSensorTimeout:
        return AirflowSensorTimeout(f"No profile within {self.timeout:g} s. {message}")

    @contextmanager
    def _softening(self) -> Iterator[None]:
        """Skip instead of timing out, with ``soft_fail``; what the data violates, the conclusion skips by itself."""
        try:
            yield
        except AirflowSensorTimeout as error:
            if self.softens:
                raise AirflowSkipException(str(error)) from None
            raise

    def _judge_or_defer(self, context: Context, deadline: float) -> Any:
        seen = self._poke_or_skip(context)
        if seen.is_done:
            return seen.xcom_value
        left = max(deadline - time.time(), 0.0)
        since = moment_of(self.newer_than, self.dataset)
        waited = (self.dataset, self.partition, self.dq_conn_id, self.poke_interval, deadline)
        self.defer(
            trigger=ProfileTrigger(*waited, newer_than=None if since is None else since.isoformat()),
            method_name="execute_complete",
            # The trigger ends the wait itself and says what it waited for; this is for a triggerer that is gone.
            timeout=timedelta(seconds=left + self.poke_interval),
        )

    def _poke_or_skip(self, context: Context) -> PokeReturnValue:
        # What the base class does around poke() in the other modes, for the look before the first deferral.
        try:
            return self.poke(context)
        except AirflowSkipException:
            raise
        except AirflowException as error:
            if self.never_fail:
                raise AirflowSkipException(str(error)) from None
            raise

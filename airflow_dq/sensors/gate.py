"""The gate: waits for a partition's profile, judges it, and lets the DAG pass or not."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, get_args

from airflow.sdk import BaseSensorOperator, PokeReturnValue

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.task import explained, partition_key
from airflow_dq.program import SynthesisOptions
from airflow_dq.sensors.conclusion import OnViolation, conclude
from airflow_dq.triggers.profile import ProfileTrigger, progress
from airflow_dq.version_compat import (
    AirflowException,
    AirflowFailException,
    AirflowSensorTimeout,
    AirflowSkipException,
    conf,
)

if TYPE_CHECKING:
    from airflow.sdk import Context


class DQGateSensor(BaseSensorOperator):
    """Waits for the profile of the newest attempt, judges it against the learned program, and passes or fails.

    It fails at once when profiling failed, and when the partition could not be judged: only what was checked and
    found right, or has too short a history to judge, passes.  The verdict is stored and returned (XCom).

    In every mode (``poke``, ``reschedule``, ``deferrable``) ``timeout`` counts from the first look of a try and ends
    it without a retry.  With ``deferrable`` give the task ``retries=1`` or more: a task that is resumed the moment it
    deferred can be lost by the scheduler.

    :param dataset: name under which the profiles are stored (templated)
    :param partition: the partition's key, as given to ``DQProfileOperator`` (templated)
    :param on_violation: ``fail``: a violated constraint fails the task; ``warn``: it is logged and the task succeeds
    :param target_fpr: accepted false-positive rate (default: that of ``options``)
    :param options: how constraints are learned, as ``SynthesisOptions`` or a dict of its fields (``history``,
        ``min_history``, ``scope``, ``mode``, ``columns``, ``exclude``, ``max_clauses`` ...)
    :param dq_conn_id: connection to the statistics database; the variable ``AIRFLOW_DQ_DSN`` wins over it (templated)
    :param deferrable: wait in the triggerer instead of on a worker
    """

    template_fields: Sequence[str] = ("dataset", "partition", "dq_conn_id")
    ui_color = "#e3f2e6"

    def __init__(
        self,
        *,
        dataset: str,
        partition: str,
        on_violation: OnViolation = "fail",
        target_fpr: float | None = None,
        options: SynthesisOptions | Mapping[str, Any] | None = None,
        dq_conn_id: str = DQHook.default_conn_name,
        deferrable: bool = conf.getboolean("operators", "default_deferrable", fallback=False),
        **kwargs: Any,
    ) -> None:
        if on_violation not in get_args(OnViolation):
            raise ConfigurationError(f"on_violation is {on_violation!r}; allowed: {', '.join(get_args(OnViolation))}.")
        super().__init__(**kwargs)
        self.dataset = dataset
        self.partition = partition
        self.on_violation = on_violation
        self.target_fpr = target_fpr
        self.options = options
        self.dq_conn_id = dq_conn_id
        self.deferrable = deferrable
        self.synthesis_options()  # a misspelt field is told when the DAG is parsed

    def synthesis_options(self) -> SynthesisOptions:
        """The options in effect.

        :raises ConfigurationError: when ``options`` is a dict with an unknown field.
        """
        options = self.options or {}
        if isinstance(options, Mapping):
            known = [field.name for field in fields(SynthesisOptions)]
            if unknown := sorted(set(options) - set(known)):
                raise ConfigurationError(f"options has no field {', '.join(unknown)}; it has {', '.join(known)}.")
            # JSON and YAML know no tuple.
            given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}
            options = SynthesisOptions(**given)
        return options if self.target_fpr is None else replace(options, target_fpr=self.target_fpr)

    def execute(self, context: Context) -> Any:
        """Wait and judge.

        :return: the verdict as a small dict, see :func:`airflow_dq.sensors.conclusion.conclude`
        :raises AirflowFailException: when the partition violates its program, or could not be judged.
        :raises AirflowSensorTimeout: when its profile has not come in time.
        """
        if not self.deferrable:
            return super().execute(context)
        return self._judge_or_defer(context, deadline=time.time() + self.timeout)

    def poke(self, context: Context) -> PokeReturnValue:
        """Look for the profile; judge it when it is there."""
        with explained(self.log):
            partition = partition_key(self.partition, self.dataset)
            with DQHook(self.dq_conn_id).get_store() as repository:
                seen = progress(repository, self.dataset, partition)
                self.log.info(seen.message)
                if seen.state == "waiting":
                    return PokeReturnValue(is_done=False)
                if seen.state == "failed":
                    raise AirflowFailException(seen.message)
                from airflow_dq.store.judge import judge

                verdict = judge(repository, self.dataset, partition, self.synthesis_options())
        return PokeReturnValue(is_done=True, xcom_value=conclude(self.dataset, verdict, self.on_violation, self.log))

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:
        """Resume after :class:`~airflow_dq.triggers.profile.ProfileTrigger` has fired."""
        if event["status"] == "error":
            raise (AirflowException if event["retry"] else AirflowFailException)(event["message"])
        if event["status"] == "timeout":
            raise AirflowSensorTimeout(f"No profile within {self.timeout:g} s. {event['message']}")
        return self._judge_or_defer(context, event["deadline"])

    def _judge_or_defer(self, context: Context, deadline: float) -> Any:
        seen = self._poke_softly(context)
        if seen.is_done:
            return seen.xcom_value
        left = max(deadline - time.time(), 0.0)
        self.defer(
            trigger=ProfileTrigger(self.dataset, self.partition, self.dq_conn_id, self.poke_interval, deadline),
            method_name="execute_complete",
            # The trigger ends the wait itself and says what it waited for; this is for a triggerer that is gone.
            timeout=timedelta(seconds=left + self.poke_interval),
        )

    def _poke_softly(self, context: Context) -> PokeReturnValue:
        # What the base class does around poke() in the other modes, for the look before the first deferral.
        try:
            return self.poke(context)
        except AirflowException as error:
            if self.soft_fail or self.never_fail:
                raise AirflowSkipException(str(error)) from None
            raise

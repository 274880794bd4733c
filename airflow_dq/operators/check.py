"""The operator that profiles a table and judges its declared checks, in one task and without a history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow.sdk import Asset

from airflow_dq.check.builder import Checks
from airflow_dq.check.ruleset import RESULT_KEY, checks_of_ruleset, is_ruleset, summary_of
from airflow_dq.exceptions import ConfigurationError, ProfileError
from airflow_dq.gate.conclusion import Conclusion, OnViolation, conclude
from airflow_dq.gate.progress import progress
from airflow_dq.hooks.dq import DQHook
from airflow_dq.hooks.metric import timed
from airflow_dq.hooks.task import explained, partition_key
from airflow_dq.judge.severity import check_severity
from airflow_dq.links.alert import DQAlertLink
from airflow_dq.operators.profile import DQProfileOperator
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.sensors.argument import origin_of, require
from airflow_dq.sensors.ending import finish

if TYPE_CHECKING:
    from airflow.sdk import Context

    from airflow_dq.judge.verdict import Verdict
    from airflow_dq.learn.constraint.base import Severity
    from airflow_dq.options.job import JobSpec

PARTITION = "{{ partition_key | default(none) or ds }}"
"""The run's own partition: the key of a partitioned timetable, else the logical date."""


class DQCheckOperator(DQProfileOperator):
    """Profiles a table as it is now, judges its declared checks, and passes, warns, skips or fails: all in one task.

    ::

        check = DQCheckOperator(task_id="check", dataset="customers", table="crm.customers", checks="customers.dq.yml")

    Nothing is learned: the checks are judged from the first run on, as a gate judges them, and one without bounds is
    compared with its own past values.  What was measured is stored under ``partition``, so that alerts, pages,
    ``airflow dq rows`` and histories are there as with a gate.  A partition passes when every check that had something
    to look at holds; one that could not be computed fails the task.

    It returns (XCom) what a gate returns, and ``checks``: the score and the counts that Airflow's common-dataquality
    provider calls a summary.  Each asset in ``outlets`` gets an event when the task has succeeded (``pass``, ``warn``),
    with the conclusion as its ``extra``, and that summary under ``airflow.dataquality.result``, where the provider's
    ``require_quality(asset, min_score=...)`` looks for it.

    All other arguments are those of ``DQProfileOperator``: ``source``, ``table``, ``engine``, ``conf`` ...

    :param dataset: name under which the profiles are stored (templated)
    :param checks: declared checks, as ``Checks``, the path of a file ``orders.dq.yml``, or the ``RuleSet`` of the
        common-dataquality provider (or the mapping that one is written as), of which ``custom_sql`` is refused by name
    :param partition: under which key this run's profile is stored (templated; default: the run's own partition)
    :param on_violation: ``fail``, ``skip`` or ``warn``, as with ``DQGateSensor``
    :param severity: which alerts only warn, as with ``DQGateSensor``
    """

    operator_extra_links = (DQAlertLink(),)

    alert_id: int | None = None
    """The alert that speaks for the partition, once it is judged; for the link."""
    conclusion: Conclusion | None = None
    """What was concluded, once it is; for callbacks that run in the task's process."""

    def __init__(
        self,
        *,
        dataset: str,
        checks: Any,
        partition: str = PARTITION,
        on_violation: OnViolation = "fail",
        severity: Mapping[str, Severity] | None = None,
        **kwargs: Any,
    ) -> None:
        require("on_violation", on_violation, ("fail", "skip", "warn"))
        self.ruleset = str(_named(checks) or dataset)
        declared: Checks | str | Path = checks_of_ruleset(checks, dataset) if is_ruleset(checks) else checks
        super().__init__(dataset=dataset, partition=partition, checks=declared, **kwargs)
        if not self.checks:
            raise ConfigurationError(f"Dataset {dataset!r}: there is no check to judge; give checks=.")
        self.on_violation = on_violation
        self.severity = dict(severity or {})
        check_severity(self.severity)

    def execute(self, context: Context) -> dict[str, Any]:
        """Profile, and judge.

        :return: the conclusion as a small dict, with ``checks``, the summary
        :raises AirflowFailException: when a check is violated, or could not be computed
        :raises AirflowSkipException: when one is violated and ``on_violation`` is ``skip``
        """
        super().execute(context)
        return self._judge(context)

    def resume(self, context: Context, event: Any = None, state: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Judge what was profiled while the task had deferred, to the same end as :meth:`execute`."""
        super().resume(context, event, state)
        return self._judge(context)

    def _judge(self, context: Context) -> dict[str, Any]:
        with explained(self.log), DQHook(self.dq_conn_id).get_store() as repository:
            from airflow_dq.gate.pipeline import judge

            partition = partition_key(self.partition, self.dataset)
            seen = progress(repository, self.dataset, partition, compare=False)
            if seen.state != "ready":
                # What is stored is not what this task's job has found.
                raise ProfileError(seen.message)
            options = SynthesisOptions(checks=self.checks, learn=False)
            with timed("gate.duration", self.dataset):
                verdict = judge(repository, self.dataset, partition, options, self.severity, origin_of(context))
            review = repository.decision(self.dataset, partition)
            conclusion = conclude(self.dataset, verdict, self.on_violation, "fail", review)
            detail = repository.verdict_of_partition(self.dataset, partition) if conclusion.problems else None
        self.alert_id = None if detail is None else detail.partition.first_alert_id
        self.conclusion = conclusion
        run = str(getattr(context.get("ti"), "run_id", "") or partition)
        summary = summary_of(self.ruleset, self.table or self.source or self.dataset, run, self._outcomes(verdict))
        # A gate has no event for what only warned; here the summary says how far it was right, and its reader decides.
        outlets, self.outlets = self.outlets, []
        told = finish(self, context, conclusion)
        self.outlets = outlets
        for asset in outlets:
            if isinstance(asset, Asset):
                context["outlet_events"][asset].extra = {**told, RESULT_KEY: summary}
        return {**told, "checks": summary}

    def job_spec(self) -> JobSpec:
        """What is to be profiled: a table as it is now, and not a part of it, unless the arguments say which."""
        spec = super().job_spec()
        whole = spec.shared and spec.where is None and spec.partition_by is None
        return replace(spec, where="true") if whole else spec

    def _outcomes(self, verdict: Verdict) -> dict[str, str]:
        """Check id -> what became of it; without those that had nothing to look at."""
        outcomes = dict.fromkeys((check.id for check in self.checks), "pass")
        for skipped in verdict.not_evaluated:
            if skipped.metric in outcomes:
                outcomes[skipped.metric] = "error" if skipped.applies else ""
        for alert in verdict.alerts:
            if alert.metric in outcomes:
                outcomes[alert.metric] = alert.severity
        return {name: outcome for name, outcome in outcomes.items() if outcome}


def _named(checks: Any) -> str | None:
    """What a RuleSet is called."""
    if not is_ruleset(checks):
        return None
    name = checks.get("name") if isinstance(checks, Mapping) else getattr(checks, "name", None)
    return None if name is None else str(name)

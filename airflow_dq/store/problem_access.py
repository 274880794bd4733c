"""Problems over time, and what people say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airflow_dq.store import problem_reader, problem_writer
from airflow_dq.store.connected import Connected
from airflow_dq.store.transaction import run

if TYPE_CHECKING:
    from airflow_dq.store.problem_history import ProblemSummary
    from airflow_dq.store.review_model import ReviewEvent


class ProblemAccess(Connected):
    """What people see and say of problems; one is named by any alert that is evidence of it.

    Each of the writing methods adds a line to the audit trail, and raises
    :class:`~airflow_dq.exceptions.ReviewError` when there is no such alert.
    """

    def problems(self, dataset: str, *, limit: int = 60, until: str | None = None) -> list[ProblemSummary]:
        """The problems of a dataset's newest judged partitions, with what has become of them; the newest first.

        :param limit: partitions that are looked at: a problem that is on all of them may have begun before
        :param until: the last partition that is looked at; None: the newest one
        """
        return run(self._engine, lambda c: problem_reader.problems(c, dataset, limit, until))

    def acknowledge_problem(self, alert_id: int, by: str, comment: str | None = None) -> ReviewEvent:
        """Say that somebody has seen it; it goes on waiting for a decision."""
        return run(self._engine, lambda c: problem_writer.acknowledge(c, alert_id, by, comment))

    def assign_problem(self, alert_id: int, owner: str | None, by: str) -> ReviewEvent:
        """Say who sees to it, on all of its partitions; None: whoever does by default."""
        return run(self._engine, lambda c: problem_writer.assign(c, alert_id, owner, by))

    def link_ticket(self, alert_id: int, address: str | None, by: str) -> ReviewEvent:
        """Say where its ticket is; None: it has none any more.

        :raises ReviewError: when the address is not one of http or https
        """
        return run(self._engine, lambda c: problem_writer.link_ticket(c, alert_id, address, by))

    def call_noise(self, alert_id: int, by: str, comment: str | None = None) -> ReviewEvent:
        """Say that its alarm on this partition was a false one: later partitions are judged by wider ranges.

        As an accepted partition says of all of its alarms; about this partition itself nothing is decided.

        :raises ReviewError: when there is no range that could be widened
        """
        return run(self._engine, lambda c: problem_writer.call_noise(c, alert_id, by, comment))

    def take_back_noise(self, alert_id: int, by: str) -> ReviewEvent:
        """Say that its alarm on this partition was none of noise after all."""
        return run(self._engine, lambda c: problem_writer.take_back_noise(c, alert_id, by))

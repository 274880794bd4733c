"""A look at a judged partition of a DAG: who looks, from where and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends

from airflow_dq.plugins.web.access import MayDecide, ReadableDags, judged_by
from airflow_dq.plugins.web.context import Now, Store, Where
from airflow_dq.report.pages import Addresses, AlertView, render_alert
from airflow_dq.store import Repository
from airflow_dq.store.review_model import VerdictDetail

RECENT = 60
"""Partitions of the dataset in the strip on the page."""


@dataclass(frozen=True, slots=True)
class Visit:
    """What every page and action below ``/dags/{dag_id}`` needs."""

    dag_id: str
    store: Repository
    where: Addresses
    now: datetime
    readable: frozenset[str]
    """The DAGs that the user may read."""
    may_decide: bool
    """Whether the user may decide about partitions of this DAG."""

    def judged(self, detail: VerdictDetail | None, what: str) -> VerdictDetail:
        """See :func:`~airflow_dq.plugins.web.access.judged_by`."""
        return judged_by(self.dag_id, detail, what)

    def of_alert(self, alert_id: int) -> VerdictDetail:
        """The partition that an alert is about.

        :raises HTTPException: 404 when there is no such alert, or it is another DAG's
        """
        return self.judged(self.store.verdict_of_alert(alert_id), f"alert {alert_id}")

    def render(self, detail: VerdictDetail, *, notice: str | None = None, refusal: str | None = None) -> str:
        """The page of a partition that the user may see."""
        newest = self.store.partitions(detail.partition.dataset, RECENT)
        view = AlertView(
            detail=detail,
            dag_id=self.dag_id,
            may_decide=self.may_decide,
            recent=list(reversed(newest)),
            readable=self.readable,
            now=self.now,
            notice=notice,
            refusal=refusal,
            unreadable=self.store.unreadable_columns(detail.partition.dataset, detail.partition.partition),
        )
        return render_alert(view, self.where)


def visit(dag_id: str, store: Store, where: Where, now: Now, readable: ReadableDags, may_decide: MayDecide) -> Visit:
    """The request's visit."""
    return Visit(dag_id, store, where, now, readable, may_decide)


Visiting = Annotated[Visit, Depends(visit)]

"""A look at a judged partition of a DAG: who looks, from where and when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from airflow.api_fastapi.common.db.common import SessionDep
from fastapi import Depends
from sqlalchemy.orm import Session

from airflow_dq.plugins.web.access import MayClear, MayDecide, ReadableDags, judged_by, not_there
from airflow_dq.plugins.web.context import Now, Store, Where
from airflow_dq.plugins.web.impact import drills_of, impact_of, profiles_of
from airflow_dq.report.known import PARTITIONS, known_of
from airflow_dq.report.pages import Addresses, AlertView, PartitionView, render_alert, render_partition
from airflow_dq.store import Repository
from airflow_dq.store.problem_history import ProblemSummary
from airflow_dq.store.review_model import VerdictDetail, through


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
    may_clear: bool
    """Whether the user may clear tasks of this DAG."""
    session: Session
    """Airflow's own database."""

    def judged(self, detail: VerdictDetail | None, what: str) -> VerdictDetail:
        """See :func:`~airflow_dq.plugins.web.access.judged_by`."""
        return judged_by(self.dag_id, detail, what)

    def of_alert(self, alert_id: int) -> VerdictDetail:
        """The partition that an alert is about.

        :raises HTTPException: 404 when there is no such alert, or it is another DAG's
        """
        return self.judged(self.store.verdict_of_alert(alert_id), f"alert {alert_id}")

    def render(self, detail: VerdictDetail, *, notice: str | None = None, refusal: str | None = None) -> str:
        """The page of a judged partition that the user may see."""
        partition = detail.partition
        newest = self.store.partitions(partition.dataset, PARTITIONS)
        known = known_of(self.store, partition.dataset, partition.partition, detail)
        origin = through(partition.origins, (self.dag_id,))
        view = AlertView(
            detail=detail,
            dag_id=self.dag_id,
            may_decide=self.may_decide,
            recent=list(reversed(newest)),
            readable=self.readable,
            now=self.now,
            notice=notice,
            refusal=refusal,
            unreadable=self.store.unreadable_columns(partition.dataset, partition.partition),
            profile=known.profile,
            insight=known.insight,
            moves=known.moves,
            drilled=known.drilled,
            impact=None if origin is None else impact_of(origin, self.session),
            problems=self.problems(detail),
            drills=() if origin is None else drills_of(origin, self.session),
            may_clear=self.may_clear,
            may_rerun=self.may_clear and origin is not None and bool(profiles_of(origin, self.session)),
        )
        return render_alert(view, self.where)

    def problems(self, detail: VerdictDetail) -> list[ProblemSummary]:
        """The problems of a judged partition over time."""
        judged = detail.partition
        for until in (None, judged.partition):
            found = self.store.problems(judged.dataset, limit=PARTITIONS, until=until)
            # A partition that is older than the newest sixty is the end of the sixty before.
            if here := [one for one in found if one.is_on(judged.partition)]:
                return here
        return []

    def render_columns(self, dataset: str, partition: str, other: str | None) -> str:
        """The columns of any partition of a dataset that a task of the DAG judges.

        :param other: key of the partition that it is compared with
        :raises HTTPException: 404 when there is none, or only tasks of other DAGs have judged it
        """
        detail = self.seen(dataset, partition)
        known = known_of(self.store, dataset, partition, detail)
        if known.profile is None:
            raise not_there(self.dag_id, f"partition {partition!r} of {dataset!r}")
        compared = None
        if other:
            self.seen(dataset, other)
            compared = self.store.load_profile(dataset, other, variants=False)
        view = PartitionView(
            dataset=dataset,
            dag_id=self.dag_id,
            profile=known.profile,
            detail=detail,
            insight=known.insight,
            recent=list(reversed(self.store.partitions(dataset, PARTITIONS))),
            readable=self.readable,
            now=self.now,
            moves=known.moves,
            other=compared,
        )
        return render_partition(view, self.where)

    def seen(self, dataset: str, partition: str) -> VerdictDetail | None:
        """The verdict on a partition that the user may see through this DAG; None when nobody has judged it.

        :raises HTTPException: 404 when only tasks of other DAGs have judged it, or none of this DAG judges the dataset
        """
        what = f"partition {partition!r} of {dataset!r}"
        detail = self.store.verdict_of_partition(dataset, partition)
        if detail is not None and detail.partition.origins:
            return self.judged(detail, what)
        if self.dag_id not in self.store.dags_of(dataset):
            raise not_there(self.dag_id, what)
        return detail


def visit(
    dag_id: str,
    store: Store,
    where: Where,
    now: Now,
    readable: ReadableDags,
    may_decide: MayDecide,
    may_clear: MayClear,
    session: SessionDep,
) -> Visit:
    """The request's visit."""
    return Visit(dag_id, store, where, now, readable, may_decide, may_clear, session)


Visiting = Annotated[Visit, Depends(visit)]

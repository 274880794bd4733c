"""Who may do what: Airflow's own rules, asked for each DAG, and nothing allowed that they do not allow."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any
from urllib.parse import urlsplit

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity
from airflow.api_fastapi.core_api.security import GetUserDep, requires_access_dag
from fastapi import Depends, HTTPException, Request

from airflow_dq.store.review_model import VerdictDetail, through
from airflow_dq.version_compat import conf

# Whoever may answer a required action of a DAG may decide about its partitions: it is the same question.
requires_reading = requires_access_dag("GET")
requires_deciding: Any = requires_access_dag("PUT", DagAccessEntity.HITL_DETAIL)
requires_clearing: Any = requires_access_dag("PUT", DagAccessEntity.TASK_INSTANCE)


def readable_dags(user: GetUserDep) -> frozenset[str]:
    """The DAGs that the user may read."""
    return frozenset(get_auth_manager().get_authorized_dag_ids(user=user, method="GET"))


ReadableDags = Annotated[frozenset[str], Depends(readable_dags)]


def may_decide(request: Request, user: GetUserDep) -> bool:
    """Whether the user may decide about partitions of the DAG in the request's path."""
    try:
        requires_deciding(request, user)
    except HTTPException:
        return False
    return True


MayDecide = Annotated[bool, Depends(may_decide)]


def may_clear(request: Request, user: GetUserDep) -> bool:
    """Whether the user may clear tasks of the DAG in the request's path."""
    try:
        requires_clearing(request, user)
    except HTTPException:
        return False
    return True


MayClear = Annotated[bool, Depends(may_clear)]


def undecidable(user: GetUserDep, dag_ids: Iterable[str]) -> list[str]:
    """Those of some DAGs about whose partitions the user may not decide."""
    refused = []
    for dag_id in sorted(dag_ids):
        may: Any = requires_access_dag("PUT", DagAccessEntity.HITL_DETAIL, dag_id)
        try:
            may(None, user)
        except HTTPException:
            refused.append(dag_id)
    return refused


def require_right_on_all(
    user: GetUserDep, dag_ids: frozenset[str], readable: frozenset[str], dataset: str | None, what: str
) -> None:
    """Refuse what holds for every DAG that gates a dataset (None: any) to whoever may not decide for each of them.

    :param dag_ids: those DAGs
    :param readable: those that the user may see, and that are therefore named
    :param what: what was asked for, in words
    :raises HTTPException: 403
    """
    if refused := undecidable(user, dag_ids):
        named = ", ".join(repr(dag_id) for dag_id in refused if dag_id in readable) or "others"
        gated = "a dataset" if dataset is None else f"dataset {dataset!r}"
        raise HTTPException(
            403,
            f"{what} holds for every DAG that gates {gated}, and you may not decide for "
            f"all of them ({named}). Ask somebody who may.",
        )


def judged_by(dag_id: str, detail: VerdictDetail | None, what: str) -> VerdictDetail:
    """The partition, if a task of this DAG judged it, whoever else did: one DAG gives access to no other's.

    :param what: what was asked for, in words
    :raises HTTPException: 404 when there is none, or it is another DAG's; the two look the same
    """
    if detail is None or through(detail.partition.origins, (dag_id,)) is None:
        raise not_there(dag_id, what)
    return detail


def not_there(dag_id: str, what: str) -> HTTPException:
    """404, which also what belongs to another DAG looks like."""
    return HTTPException(404, f"DAG {dag_id!r} has no {what}. It may have been removed with old partitions.")


def requires_same_origin(request: Request) -> None:
    """Refuse a change that another site's page asks for with the user's cookie.

    :raises HTTPException: 403 when the request does not come from a page of this server
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        allowed = site == "same-origin"
    elif origin is not None:
        allowed = urlsplit(origin).netloc.lower() in _own_hosts(request)
    else:
        # No browser: a program that shows a token of its own, which no foreign page can make a browser send.
        allowed = request.headers.get("authorization", "").lower().startswith("bearer ")
    if not allowed:
        raise HTTPException(403, "The request comes from another site's page. Open this page in Airflow and try again.")


def _own_hosts(request: Request) -> set[str]:
    configured = urlsplit(conf.get("api", "base_url", fallback="") or "").netloc
    return {host.lower() for host in (request.headers.get("host", ""), configured) if host}

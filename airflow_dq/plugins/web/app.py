"""The application: its routes, and what guards all of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from airflow.api_fastapi.core_api.security import get_user
from fastapi import Depends, FastAPI, Request, Response

from airflow_dq.plugins.web import (
    alert,
    dataset,
    dataset_edit,
    decision,
    failure,
    listing,
    overview,
    problem,
    rerun,
    static,
)
from airflow_dq.plugins.web.header import with_headers


def build_app() -> FastAPI:
    """The application, for Airflow to mount.

    Whoever is not logged in gets nothing at all: the user is resolved before any route's own checks.
    """
    app = FastAPI(
        title="Data quality", docs_url=None, redoc_url=None, openapi_url=None, dependencies=[Depends(get_user)]
    )
    app.middleware("http")(_with_headers)
    for module in (static, overview, listing, dataset, dataset_edit, alert, decision, problem, rerun):
        app.include_router(module.router)
    failure.register(app)
    return app


async def _with_headers(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
    return with_headers(await answer(request))

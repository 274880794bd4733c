"""What every page needs: the store, its own address, the present."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from threading import Lock
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse

from airflow_dq.hooks.dq import DQHook
from airflow_dq.report.pages import Addresses
from airflow_dq.report.style import version
from airflow_dq.settings import REVIEW_PATH
from airflow_dq.store import Repository, open_store

_LOCK = Lock()


@cache
def _opened(dsn: str) -> Repository:
    return open_store(dsn, patient=False)


def store() -> Repository:
    """The statistics database of the connection ``dq_default``, opened once for the process.

    :raises DQError: when it is not configured, cannot be reached or is not migrated; the next request tries again
    """
    dsn = DQHook().get_dsn()
    with _LOCK:
        return _opened(dsn)


def addresses(request: Request) -> Addresses:
    """Addresses as the request's own: below the base path that the server or a proxy has given to Airflow."""
    base = str(request.scope.get("root_path", "")).rstrip("/")
    return Addresses(airflow=base.removesuffix(REVIEW_PATH), version=version())


def present() -> datetime:
    """The present moment."""
    return datetime.now(UTC)


def page(text: str, status: int = 200) -> HTMLResponse:
    """An HTML answer."""
    return HTMLResponse(text, status)


Store = Annotated[Repository, Depends(store)]
Where = Annotated[Addresses, Depends(addresses)]
Now = Annotated[datetime, Depends(present)]

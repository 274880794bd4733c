"""What every page needs: the store, its own address, the present."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import cache
from threading import Lock
from typing import Annotated

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse

from airflow_dq.exceptions import StoreUnreachableError
from airflow_dq.hooks.dq import DQHook
from airflow_dq.plugins.web.route import in_page_thread
from airflow_dq.report.pages import Addresses
from airflow_dq.report.style import version
from airflow_dq.settings import REVIEW_PATH
from airflow_dq.store import Repository, open_store
from airflow_dq.store.patience import PAGE

FAILURE_SECONDS = 5.0
"""How long a database that could not be reached is not asked again: who waits for it keeps others waiting too."""


class Database:
    """The statistics database at one address, opened once for the process."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._lock = Lock()
        self._repository: Repository | None = None
        self._failure: tuple[float, StoreUnreachableError] | None = None

    def open(self) -> Repository:
        """The store.

        :raises DQError: when it cannot be reached or is not migrated; the next request tries again
        """
        with self._lock:
            if self._failure is not None and time.monotonic() < self._failure[0]:
                # A new one: each traceback that an error is raised with makes it longer.
                raise StoreUnreachableError(str(self._failure[1]))
            if self._repository is None:
                try:
                    self._repository = open_store(self._dsn, patience=PAGE)
                except StoreUnreachableError as error:
                    self.failed(error)
                    raise
            return self._repository

    def failed(self, error: StoreUnreachableError) -> None:
        """Remember for a moment that it could not be reached."""
        self._failure = (time.monotonic() + FAILURE_SECONDS, error)


@cache
def _database(dsn: str) -> Database:
    return Database(dsn)


def _open(request: Request) -> Repository:
    database = _database(DQHook().get_dsn())
    request.state.dq_database = database
    return database.open()


async def store(request: Request) -> Repository:
    """The statistics database of the connection ``dq_default``.

    :raises DQError: when it is not configured, cannot be reached or is not migrated
    """
    return await in_page_thread(_open, request)


def remember(request: Request, error: StoreUnreachableError) -> None:
    """Let the requests that come next fail at once: this one's database does not answer."""
    database = getattr(request.state, "dq_database", None)
    if isinstance(database, Database):
        database.failed(error)


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

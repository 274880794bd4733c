"""An ASGI application that is built when the first request comes: every Airflow process imports the plugin."""

from __future__ import annotations

from threading import Lock
from typing import Any


class LazyApp:
    """Stands for the review pages; only the API server ever asks it for one."""

    def __init__(self) -> None:
        self._app: Any = None
        self._lock = Lock()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        await self.app(scope, receive, send)

    @property
    def app(self) -> Any:
        """The FastAPI application itself."""
        with self._lock:
            if self._app is None:
                from airflow_dq.plugins.web.app import build_app

                self._app = build_app()
        return self._app

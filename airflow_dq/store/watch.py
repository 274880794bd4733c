"""Ending a connection whose server does not answer.

The server's own time limits need a server that runs, and the network's only see a machine that is gone.  A process that
is stopped, or hangs on its disk, keeps its clients waiting for ever: libpq has no time limit for an answer.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Engine, event

_CURRENT: ContextVar[Watch | None] = ContextVar("airflow_dq_watch", default=None)


def guard(engine: Engine) -> None:
    """Let the watch in whose ``with`` statement a connection of this engine is made or used guard it."""
    # First of the listeners: SQLAlchemy's own puts its first questions to a new connection.
    event.listen(engine, "connect", _connected, insert=True)
    event.listen(engine, "before_cursor_execute", lambda *_: _begin())
    event.listen(engine, "after_cursor_execute", lambda *_: _end())
    for ending in ("commit", "rollback"):
        event.listen(engine, ending, lambda _: _begin())


def _connected(driver_connection: Any, _record: Any) -> None:
    if watch := _CURRENT.get():
        watch.guard(driver_connection)
        watch.begin()


def _begin() -> None:
    if watch := _CURRENT.get():
        watch.begin()


def _end() -> None:
    if watch := _CURRENT.get():
        watch.end()


class Watch:
    """Guards one connection while it is used; shutting its socket down makes libpq's wait end in an error.

    A thread is started with the first question to the server, and ends with the ``with`` statement.

    :param seconds: how long the answer to one question may take; 0: any time
    """

    def __init__(self, seconds: float) -> None:
        self.overdue: float | None = None
        """The seconds that an answer was waited for in vain; None while all came in time."""
        self._changed = threading.Condition()
        self._seconds = seconds
        self._deadline: float | None = None
        self._socket: socket.socket | None = None
        self._thread: threading.Thread | None = None
        self._token: Token[Watch | None] | None = None

    def __enter__(self) -> Self:
        """The watch over whatever connection is used from now on."""
        self._token = _CURRENT.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Leave the connection alone from now on."""
        if self._token is not None:
            _CURRENT.reset(self._token)
        with self._changed:
            if self._socket is not None:
                self._socket.close()
            self._socket = self._deadline = None
            self._changed.notify()

    def guard(self, driver_connection: Any) -> None:
        """Take this connection; one that is closed already needs no guard."""
        if driver_connection.closed:
            return
        # A duplicate: whatever becomes of the connection's own descriptor, this one is never another file.
        connected = socket.socket(fileno=os.dup(driver_connection.fileno()))
        with self._changed:
            if self._socket is not None:
                self._socket.close()
            self._socket = connected

    def allow(self, seconds: float) -> None:
        """From the next question on, an answer may take so long; 0: any time."""
        with self._changed:
            self._seconds = seconds

    def begin(self) -> None:
        """A question is put to the server now."""
        with self._changed:
            if not self._seconds or self._socket is None:
                return
            self._deadline = time.monotonic() + self._seconds
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="airflow-dq-watch", daemon=True)
                self._thread.start()

    def end(self) -> None:
        """It was answered."""
        with self._changed:
            self._deadline = None

    def _run(self) -> None:
        with self._changed:
            while self._socket is not None:
                now = time.monotonic()
                if self._deadline is not None and now >= self._deadline:
                    self.overdue, self._deadline = self._seconds, None
                    self._cut(self._socket)
                # Whatever is asked meanwhile is due no earlier than this, so that nobody need wake the thread for it.
                self._changed.wait((self._seconds or None) if self._deadline is None else self._deadline - now)

    @staticmethod
    def _cut(connected: socket.socket) -> None:
        try:
            connected.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the other side was quicker

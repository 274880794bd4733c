"""One unit of work, one transaction: all or nothing, done again as a whole when the connection dies."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TypeVar
from weakref import WeakSet

from sqlalchemy import URL, Connection, Engine, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from airflow_dq.exceptions import StoreError, StoreUnreachableError
from airflow_dq.settings import DEFAULT_CONN_ID, DSN_VARIABLE, SCHEMA
from airflow_dq.store.address import describe, without_password
from airflow_dq.store.patience import TASK, Patience
from airflow_dq.store.watch import Watch

log = logging.getLogger(__name__)

T = TypeVar("T")

PAUSE_SECONDS = 0.5
"""Pause before a transaction is done again that others got in the way of, in which they can end."""
RESTART_PAUSE_SECONDS = 1.0
"""Pause between looking for a server that went away."""
PATIENCE = "airflow_dq_patience"
"""Execution option of an engine: its :class:`~airflow_dq.store.patience.Patience`; a task's where there is none."""
ANSWER_SECONDS = 5
"""How much longer than a statement may take its answer is waited for: the server's own word on it says more."""
_TRY_AGAIN = {"40001", "40P01"}  # serialization failure, deadlock
_READS_ONLY = "25006"
"""A standby answers: for the seconds of a failover, before it is promoted or the address moves."""
_TOO_LATE = {"55P03", "57014"}  # lock timeout; statement timeout, or canceled
_PASSING = {_READS_ONLY, *_TOO_LATE}
_NO_SUCH_TABLE = {"42P01", "3F000"}
_FORBIDDEN = "42501"
_EXHAUSTED = "53"
"""Class of what a server lacks for a while: room on its disk, memory, connections."""

_reached: WeakSet[Engine] = WeakSet()
"""Engines that have had a connection: a wrong address is told at once, a server that went away is awaited."""


def run(
    engine: Engine, work: Callable[[Connection], T], *, statement_seconds: int | None = None, snapshot: bool = False
) -> T:
    """Do ``work`` in one transaction and return its result.

    When the connection dies or the server finds a deadlock, nothing of it is in the database and the whole of it
    is done again, on a fresh connection, as often as the engine's patience allows; ``work`` must therefore be free of
    side effects.  A server that this engine has reached before is awaited, and so is one that only reads, or that keeps
    a statement waiting for longer than it may; one that does not answer is given up.

    :param statement_seconds: how long one statement may take, at most what the engine's patience allows; 0: any time
    :param snapshot: read only, and every statement of ``work`` sees the database as the first one did: what several
        statements read fits together, whatever is replaced or dropped meanwhile
    :raises StoreUnreachableError: when there is no connection, or it dies every time, or the server goes on only
        reading or not answering in time
    :raises StoreError: when the database refuses the work
    """
    patience: Patience = engine.get_execution_options().get(PATIENCE, TASK)
    seconds = patience.statement if statement_seconds is None else statement_seconds
    attempt, deadline, stale = 1, None, False
    while True:
        connected = ready = False
        try:
            with Watch(patience.connect) as watch, engine.begin() as connection:
                connected = True
                _reached.add(engine)
                watch.guard(connection.connection.driver_connection)
                _configure(connection, seconds, patience.lock, snapshot)
                ready = True
                watch.allow(seconds and seconds + ANSWER_SECONDS)
                return work(connection)
        except PoolTimeoutError:
            raise _busy(engine.url) from None
        except DBAPIError as error:
            passing = _sqlstate(error) in _PASSING
            if _sqlstate(error) == _READS_ONLY:
                engine.dispose()  # the next connection may lead to another server
            if (passing or not connected) and engine in _reached and patience.restart:
                deadline = _await_restart(engine, error, deadline, patience.restart)
                continue
            if connected and not ready and not stale and error.connection_invalidated:
                stale = True  # a connection of the pool that had died since its last use: nothing was lost with it
                continue
            again = error.connection_invalidated or _sqlstate(error) in _TRY_AGAIN
            if not again or attempt >= patience.attempts:
                raise explain(error, engine.url, overdue=watch.overdue) from None
            said = _words(error, engine.url)
            log.warning("The transaction failed and is done again (%d of %d): %s", attempt, patience.attempts, said)
            time.sleep(PAUSE_SECONDS * attempt)
            attempt, deadline = attempt + 1, None


def _configure(connection: Connection, statement_seconds: int, lock_seconds: int, snapshot: bool) -> None:
    if snapshot:
        connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
    # Set per transaction, not per session: a pooler in between hands sessions around.
    connection.execute(
        text("SELECT set_config('statement_timeout', :s, true), set_config('lock_timeout', :l, true)"),
        {"s": f"{statement_seconds}s", "l": f"{lock_seconds}s"},
    )


def _busy(url: URL) -> StoreError:
    return StoreUnreachableError(
        f"The statistics {describe(url)} answers too slowly: all of this process's connections to it are in use. "
        "Try again in a moment."
    )


def _await_restart(engine: Engine, error: DBAPIError, deadline: float | None, seconds: float) -> float:
    """Wait a moment for a server that was there before and may be starting again.

    :param deadline: when to give up, on the monotonic clock; None at the first failure
    :return: the deadline
    :raises StoreError: the failure in words, when the deadline has passed
    """
    if deadline is None:
        deadline = time.monotonic() + seconds
        log.warning("Waiting for the %s: %s", describe(engine.url), _words(error, engine.url))
    if time.monotonic() >= deadline:
        raise explain(error, engine.url) from None
    time.sleep(RESTART_PAUSE_SECONDS)
    return deadline


def explain(error: DBAPIError, url: URL, *, overdue: float | None = None) -> StoreError:
    """The error for a person: which database, what it said, what to do; never the password.

    :param overdue: the seconds after which an answer was no longer waited for, if that is what happened
    """
    state, said, where = _sqlstate(error), _words(error, url), describe(url)
    if overdue is not None:
        return StoreUnreachableError(
            f"The statistics {where} gave no answer for {overdue:g} seconds: check that the server runs, and is not "
            "stopped or out of disk."
        )
    if state in _NO_SUCH_TABLE:
        return StoreError(f"The {where} lacks a table ({said}): run `airflow dq db upgrade`.")
    if state == _FORBIDDEN:
        return StoreError(
            f"The {where} refuses the access ({said}): grant the user its rights on schema {SCHEMA!r}, "
            "and CREATE on the database for the first `airflow dq db upgrade`."
        )
    if state == _READS_ONLY:
        return StoreUnreachableError(
            f"The statistics {where} only reads for now ({said}): after a failover it writes again in a while; if it "
            f"does not, let the address in {DSN_VARIABLE} or the Airflow connection {DEFAULT_CONN_ID!r} be that of "
            "the primary server."
        )
    if state in _TOO_LATE:
        return StoreUnreachableError(
            f"The statistics {where} did not answer in time ({said}): look for what keeps it busy, or holds a lock "
            "(pg_stat_activity)."
        )
    if state is not None and state.startswith(_EXHAUSTED):
        return StoreUnreachableError(
            f"The statistics {where} has run out of something ({said}): give it more of that. Nothing that was stored "
            "is lost."
        )
    if error.connection_invalidated or (isinstance(error, OperationalError) and state is None):
        return StoreUnreachableError(
            f"The statistics {where} cannot be reached ({said}): check that the server runs, and the address and "
            f"password in {DSN_VARIABLE} or the Airflow connection {DEFAULT_CONN_ID!r}."
        )
    return StoreError(f"The {where} refused a statement ({said}).")


def _sqlstate(error: DBAPIError) -> str | None:
    return getattr(error.orig, "pgcode", None)


def _words(error: DBAPIError, url: URL) -> str:
    """The first line of what the driver said; a failed connection names several addresses, the last says why."""
    # As a whole, before it is cut into lines: a password may have line ends and outer blanks.
    lines = [line.strip() for line in without_password(str(error.orig), url).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith("Is the server running")] or [type(error.orig).__name__]
    return (lines[0] if _sqlstate(error) else lines[-1]).rpartition("FATAL:")[2].strip()

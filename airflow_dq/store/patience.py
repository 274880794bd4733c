"""How long to wait for the statistics database: a task has minutes, a page's reader seconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """The times after which something is given up; all in seconds."""

    connect: int
    """Making a connection to one address (libpq takes nothing under 2), and its first answer."""
    pool: float
    """Waiting for one of the process's own connections."""
    unacknowledged: int
    """How long the network may leave what was sent unacknowledged."""
    statement: int
    """The server ends a statement that takes longer."""
    lock: int
    """The server ends a statement that waits longer for another transaction."""
    attempts: int
    """How often a transaction is done that a dying connection or a deadlock undoes."""
    restart: float
    """How long a server is awaited that was reached before, so that a failover loses nobody's work."""

    @property
    def hurried(self) -> bool:
        """Whether these times hold even where the address asks for longer ones."""
        return self.attempts == 1


TASK = Patience(connect=10, pool=30, unacknowledged=60, statement=300, lock=120, attempts=3, restart=60)
"""A task's: what it lost it would have to do again."""
PAGE = Patience(connect=2, pool=2, unacknowledged=5, statement=10, lock=5, attempts=1, restart=0)
"""A page's: whoever looks at it tries again, and meanwhile occupies one of the few threads that make pages."""

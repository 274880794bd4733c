"""A PostgreSQL server of one's own for tests that break it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import text

from airflow_dq.settings import SCHEMA
from airflow_dq.store import EmbeddedPostgres
from airflow_dq.store.address import parse_dsn
from airflow_dq.store.engine import make_engine
from airflow_dq.store.migration import upgrade


class Server:
    """An embedded server with our schema, that can be killed and started again on the same port."""

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._postgres = EmbeddedPostgres(folder, durable=durable)
        self.dsn = self._postgres.start()
        upgrade(self.dsn)

    def kill(self) -> None:
        """SIGKILL for the server and all its children: no shutdown, no checkpoint, no goodbye to its clients."""
        postmaster = self.signal(signal.SIGKILL)
        while Path(f"/proc/{postmaster}").exists():
            time.sleep(0.01)  # until whoever adopted it has taken note

    def signal(self, number: signal.Signals) -> int:
        """A signal for the server and all its children; the server's process id."""
        postmaster = int((self._postgres.data / "postmaster.pid").read_text().split()[0])
        # Stopped first, so that it cannot tell its children anything when they die.
        os.kill(postmaster, signal.SIGSTOP)
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        for process in (*map(int, children), postmaster):
            os.kill(process, number)
        return postmaster

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """For so long it is there, accepts connections and answers nothing: a host that hangs."""
        self.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)

    @contextmanager
    def small_disk(self, megabytes: int) -> Iterator[Path]:
        """A disk of so many megabytes under the states' table; its folder.

        :raises PermissionError: when nothing may be mounted here
        """
        folder = self._postgres.folder / "disk"
        folder.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], check=False
        )
        if mounted.returncode:
            folder.rmdir()
            raise PermissionError("nothing may be mounted here")
        try:
            space = folder / "space"
            space.mkdir()
            owner = self._postgres.data.stat()
            os.chown(space, owner.st_uid, owner.st_gid)
            self._move_states(f"CREATE TABLESPACE small LOCATION '{space}'", "small")
            yield folder
            self._move_states(None, "pg_default")
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)

    def _move_states(self, first: str | None, tablespace: str) -> None:
        engine = make_engine(parse_dsn(self.dsn)).execution_options(isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            if first:
                connection.execute(text(first))
            connection.execute(text(f"ALTER TABLE {SCHEMA}.column_state SET TABLESPACE {tablespace}"))
        engine.dispose()

    def start(self) -> None:
        """Start it again, with recovery from its log."""
        assert self._postgres.start() == self.dsn

    def stop(self) -> None:
        """Stop it as an administrator does: its clients are cut off."""
        self._postgres.stop()

    def restart(self) -> None:
        """Stop and start."""
        self.stop()
        self.start()


@contextmanager
def server(*, durable: bool = True) -> Iterator[Server]:
    """A server for one test module; what it holds is gone afterwards."""
    # Not pytest's tmp_path: as root, that is closed to the user the server runs as.
    folder = Path(tempfile.mkdtemp(prefix="airflow-dq-reliability-"))
    made: Server | None = None
    try:
        made = Server(folder, durable=durable)
        yield made
    finally:
        if made is not None:
            made.stop()
        shutil.rmtree(folder, ignore_errors=True)

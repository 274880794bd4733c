"""Creating and upgrading the schema with Alembic, in our own version table: the database may be Airflow's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, text

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.resource import resource_dir
from airflow_dq.settings import SCHEMA
from airflow_dq.store.address import describe, parse_dsn
from airflow_dq.store.engine import current_revision, make_engine, newer_schema
from airflow_dq.store.lock import lock_migration
from airflow_dq.store.table_base import Base
from airflow_dq.store.transaction import run

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SchemaCheck:
    """How the database's schema compares with what this version of the package needs."""

    current: str | None
    """Revision of the database; None when it was never migrated."""
    expected: str
    differences: tuple[str, ...] = ()
    """What differs between the tables and the models although the revision is the same: changes made by hand."""

    @property
    def in_step(self) -> bool:
        """True when the store can be used as it is."""
        return self.current == self.expected and not self.differences


def upgrade(dsn: str, revision: str = "head") -> str:
    """Create the schema, or bring it up to date; the revision reached.  Does nothing when it is up to date.

    All of it is one transaction, and two upgrades at once wait for each other.

    :raises StoreUnreachableError: when no connection can be made
    :raises StoreError: when the user may not create the schema
    :raises StoreNotMigratedError: when a later version of this package has made it
    """

    def work(connection: Connection) -> str:
        _create_schema(connection)
        _require_known(connection)
        command.upgrade(_config(connection), revision)
        return str(current_revision(connection))

    return _migrate(dsn, work)


def downgrade(dsn: str, revision: str) -> None:
    """Bring the schema back to an earlier revision (``base``: drop all tables, and what they hold).

    :raises ConfigurationError: when there is no such revision, or the schema is not at a later one
    """

    def work(connection: Connection) -> None:
        _require_known(connection)
        try:
            command.downgrade(_config(connection), revision)
        except CommandError as error:
            at = current_revision(connection) or "none"
            raise ConfigurationError(
                f"The schema at revision {at} cannot go back to {revision!r} ({error}): name an earlier revision."
            ) from None

    _migrate(dsn, work)


def check(dsn: str) -> SchemaCheck:
    """Compare the database's revision with the expected one and, when they agree, its tables with the models.

    :raises StoreUnreachableError: when no connection can be made
    """

    def work(connection: Connection) -> SchemaCheck:
        current = current_revision(connection)
        return SchemaCheck(current, head(), differences(connection) if current == head() else ())

    return _migrate(dsn, work)


def write_revision(dsn: str, message: str) -> str:
    """Write the migration from the newest revision to the models; its file.  For developers of this package."""

    def work(connection: Connection) -> str:
        number = f"{int(head()) + 1:04d}"
        script = command.revision(_config(connection), message, autogenerate=True, rev_id=number)
        return str(getattr(script, "path", script))

    return _migrate(dsn, work)


def head() -> str:
    """The newest revision among the migrations."""
    return ScriptDirectory(str(resource_dir("migrations"))).get_current_head() or "0000"


def differences(connection: Connection) -> tuple[str, ...]:
    """What a migration would have to change to make the database's tables those of the models."""
    context = MigrationContext.configure(connection, opts=comparison_options())
    return tuple(_sentence(one) for one in compare_metadata(context, Base.metadata))


def comparison_options() -> dict[str, Any]:
    """Alembic's settings, the same for migrating and for comparing."""
    return {
        "target_metadata": Base.metadata,
        "version_table": "alembic_version",
        "version_table_schema": SCHEMA,
        "include_schemas": True,
        "include_name": _is_ours,
        "compare_type": True,
        "compare_server_default": True,
    }


def _is_ours(name: str | None, kind: str, _parents: Mapping[str, str | None]) -> bool:
    return name == SCHEMA if kind == "schema" else True


def _sentence(difference: Any) -> str:
    """One difference in words: ``add_column verdict.comment``; Alembic groups changes of one column in a list."""
    if isinstance(difference, list):
        return "; ".join(_sentence(one) for one in difference)
    action, *subjects = difference
    shown = [str(subject) for subject in subjects if subject is not None]
    return " ".join([action, *(word for word in shown if word != SCHEMA)])


def _require_known(connection: Connection) -> None:
    """Refuse a schema whose revision is none of this version's: Alembic would not know the way from it."""
    current = current_revision(connection)
    if current is None:
        return
    known = ScriptDirectory(str(resource_dir("migrations"))).walk_revisions()
    if current not in {script.revision for script in known}:
        raise newer_schema(describe(connection.engine.url), current)


def _create_schema(connection: Connection) -> None:
    # CREATE SCHEMA IF NOT EXISTS needs the right to create one even where it exists already.
    found = text("SELECT 1 FROM pg_namespace WHERE nspname = :name")
    if connection.execute(found, {"name": SCHEMA}).scalar() is None:
        connection.execute(text(f"CREATE SCHEMA {SCHEMA}"))


def _migrate(dsn: str, work: Callable[[Connection], T]) -> T:
    def locked(connection: Connection) -> T:
        lock_migration(connection)
        # A user named like our schema has it first in the search path, and reflection then leaves its name out.
        connection.execute(text("SET LOCAL search_path = public"))
        connection.dialect.default_schema_name = "public"
        return work(connection)

    with _engine(dsn) as engine:
        return run(engine, locked, statement_seconds=0)


@contextmanager
def _engine(dsn: str) -> Iterator[Any]:
    engine = make_engine(parse_dsn(dsn))
    try:
        yield engine
    finally:
        engine.dispose()


def _config(connection: Connection) -> Config:
    """Alembic's configuration without an ini file, on the connection whose transaction is ours."""
    config = Config()
    config.set_main_option("script_location", str(resource_dir("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config

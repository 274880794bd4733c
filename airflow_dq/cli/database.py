"""``airflow dq db upgrade``, ``check`` and ``downgrade``."""

from __future__ import annotations

import logging
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import print_json, tell
from airflow_dq.exceptions import ConfigurationError

if TYPE_CHECKING:
    from airflow_dq.store.migration import SchemaCheck


def db_upgrade(arguments: Any) -> int:
    """Bring the schema to this version; safe to run again, and by several processes at once."""
    revision = upgraded(find_dsn(arguments.dq_conn_id))
    tell(arguments, {"current": revision}, f"The statistics database is at revision {revision}.")
    return 0


def upgraded(dsn: str) -> str:
    """The revision that a database is brought to, without Alembic's own lines."""
    from airflow_dq.store import migration

    _quiet()
    return migration.upgrade(dsn)


def db_check(arguments: Any) -> int:
    """Exit code 1 when the tables are not those of this version."""
    found, words = compared(find_dsn(arguments.dq_conn_id))
    if arguments.output:
        print_json({**asdict(found), "in_step": found.in_step})
    else:
        print(words)
    return 0 if found.in_step else 1


def compared(dsn: str) -> tuple[SchemaCheck, str]:
    """How a database's tables compare with what this version needs, and the same in words."""
    from airflow_dq.store import migration

    _quiet()
    found = migration.check(dsn)
    if found.in_step:
        return found, f"The statistics database is at revision {found.current}, which this version needs."
    if found.current != found.expected:
        return found, (
            f"The statistics database is at revision {found.current or 'none'}; this version needs {found.expected}: "
            "run `airflow dq db upgrade`."
        )
    changed = "\n".join(f"- {difference}" for difference in found.differences)
    words = f"The statistics database is at revision {found.current}, but its tables were changed by hand:\n{changed}"
    return found, words


def db_downgrade(arguments: Any) -> int:
    """Go back to an earlier revision, when the person has said that what is lost may be lost."""
    from airflow_dq.store import migration

    _quiet()
    if not arguments.yes:
        raise ConfigurationError(
            f"Going back to revision {arguments.revision!r} drops what only newer revisions hold (base: everything). "
            "Make a dump of the database, then say --yes."
        )
    migration.downgrade(find_dsn(arguments.dq_conn_id), arguments.revision)
    told = f"The statistics database is at revision {arguments.revision}."
    if arguments.revision == "base":
        told = "The tables of the statistics database are dropped."
    tell(arguments, {"current": arguments.revision}, told)
    return 0


def _quiet() -> None:
    # Alembic tells each of its steps at the level that Airflow's command line shows.
    logging.getLogger("alembic").setLevel(logging.WARNING)

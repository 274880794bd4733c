"""The hook to the statistics database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseHook

from airflow_dq.exceptions import DQError
from airflow_dq.hooks.dsn import dsn_of, missing_connection
from airflow_dq.settings import DEFAULT_CONN_ID, dsn_from_environment
from airflow_dq.version_compat import AirflowNotFoundException

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from airflow_dq.store import Repository


class DQHook(BaseHook):
    """Opens the PostgreSQL database that holds profiles, programs and verdicts.

    The environment variable ``AIRFLOW_DQ_DSN`` wins over the connection, so that one setting moves a whole
    deployment.  Nothing but :meth:`get_dsn` ever returns the password.

    :param dq_conn_id: an Airflow connection of type ``dq`` or ``postgres``
    """

    conn_name_attr = "dq_conn_id"
    default_conn_name = DEFAULT_CONN_ID
    conn_type = "dq"
    hook_name = "Data quality statistics (PostgreSQL)"

    def __init__(self, dq_conn_id: str = default_conn_name, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dq_conn_id = dq_conn_id

    def __repr__(self) -> str:
        return f"DQHook(dq_conn_id={self.dq_conn_id!r})"

    def get_dsn(self) -> str:
        """The database's SQLAlchemy URL, password included; it and the password are masked in Airflow's logs.

        :raises ConfigurationError: when neither the connection nor ``AIRFLOW_DQ_DSN`` is there.
        """
        dsn = dsn_from_environment()
        if dsn is None:
            try:
                connection = self.get_connection(self.dq_conn_id)
            except AirflowNotFoundException:
                raise missing_connection(self.dq_conn_id) from None
            dsn = dsn_of(connection)
        _mask(dsn)
        return dsn

    def get_conn(self) -> Repository:
        """An open store that the caller must close; :meth:`get_store` does that by itself."""
        from airflow_dq.store import open_store

        return open_store(self.get_dsn())

    def get_store(self) -> AbstractContextManager[Repository]:
        """``with hook.get_store() as repository: ...``

        :raises StoreError: when the database cannot be reached or is not migrated.
        :raises ConfigurationError: as :meth:`get_dsn`.
        """
        from airflow_dq.store import open_store

        return open_store(self.get_dsn())

    def test_connection(self) -> tuple[bool, str]:
        """What the *Test* button of the connection form shows."""
        try:
            with self.get_store():
                return True, "Connected; the statistics database is at this version's schema."
        except DQError as error:
            return False, str(error)

    @classmethod
    def get_ui_field_behaviour(cls) -> dict[str, Any]:
        """How the connection form differs from the default one."""
        from airflow_dq.get_provider_info import FIELD_BEHAVIOUR

        return {key.replace("-", "_"): value for key, value in FIELD_BEHAVIOUR.items()}


def _mask(dsn: str) -> None:
    from airflow.sdk.log import mask_secret

    from airflow_dq.store.address import password_of

    mask_secret(dsn)
    if password := password_of(dsn):
        mask_secret(password)

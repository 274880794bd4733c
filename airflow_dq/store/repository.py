"""The store as its callers see it: the few things the product does with its database, one transaction each."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from airflow_dq.store.address import describe
from airflow_dq.store.calendar_access import CalendarAccess
from airflow_dq.store.page_access import PageAccess
from airflow_dq.store.problem_access import ProblemAccess
from airflow_dq.store.profile_access import ProfileAccess
from airflow_dq.store.rule_access import RuleAccess
from airflow_dq.store.verdict_access import VerdictAccess


class Repository(ProfileAccess, RuleAccess, VerdictAccess, ProblemAccess, CalendarAccess, PageAccess):
    """The statistics database; :func:`airflow_dq.store.open_store` makes one.

    Every method raises :class:`~airflow_dq.exceptions.StoreUnreachableError` when the connection is lost and cannot
    be made again, and :class:`~airflow_dq.exceptions.StoreError` when the database refuses.
    """

    def __repr__(self) -> str:
        """Names the database, never the password."""
        return f"<Repository of the {describe(self._engine.url)}>"

    def __enter__(self) -> Self:
        """The repository itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections; the repository can still be used and then makes new ones."""
        self._engine.dispose()

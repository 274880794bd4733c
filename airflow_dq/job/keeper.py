"""What a profile job asks of whatever keeps the profiles: the statistics database, or a folder for one that is out of
reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from airflow_dq.check.model import Check
    from airflow_dq.options.rule import LearnedRule
    from airflow_dq.profile.check.many_keys import KeyFolder
    from airflow_dq.profile.check.trial import SeenColumn
    from airflow_dq.profile.model import Profile


class Keeper(Protocol):
    """:class:`airflow_dq.store.Repository` says what each method does."""

    def learn_rules(self, dataset: str, before: str) -> tuple[LearnedRule, ...]:
        """The rules on rows that are counted in partitions from this one on."""

    def seen_columns(self, dataset: str) -> list[SeenColumn] | None:
        """The columns of the newest partitions that were profiled; None where they are not known."""

    def begin_attempts(
        self,
        dataset: str,
        partitions: Sequence[str],
        *,
        source: str | None = None,
        read_options: Mapping[str, str] | None = None,
        engine: str | None = None,
        place: Mapping[str, str] | None = None,
    ) -> dict[str, int]:
        """Start attempts at partitions; their ids by partition."""

    def fail_attempt(self, attempt: int, error: str) -> None:
        """Record why an attempt failed."""

    def save_profiles(self, dataset: str, profiles: Mapping[int, Profile]) -> None:
        """Keep the profiles of some attempts, all of them or none, and end the attempts."""

    def add_between(self, dataset: str, found: Sequence[LearnedRule]) -> int:
        """Keep relations between rows; how many are new."""

    def add_relations(self, dataset: str, found: Sequence[LearnedRule]) -> int:
        """Keep relations between columns; how many are new."""

    def update_totals(
        self, dataset: str, checks: Sequence[Check], changed: Sequence[str], folder: KeyFolder | None = None
    ) -> int:
        """Measure the totals of checks anew; how many partitions were merged for that."""

    def update_between(self, dataset: str, rules: Sequence[LearnedRule], changed: Sequence[str]) -> None:
        """Count the rows of partitions that break relations between rows."""

    def tidy(self, dataset: str) -> None:
        """Drop what is not needed any more."""

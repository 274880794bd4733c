"""A partition that is an earlier one over again: every value is in range, and nothing of it is new."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from airflow_dq.learn.constraint.base import TABLE, Constraint, Detector, Finding, Learned, NotEvaluated, Scope, Skipped
from airflow_dq.learn.constraint.date_column import date_columns
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.expect.violation import is_unknown
from airflow_dq.learn.history.history import History
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.registry import get_metric
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.profile.model import Profile

DISTINCT = 10
"""A column with at least this many different values does not have each of them equally often again by chance, unless it
has had: districts and their inhabitants are the same each week, and so are their cases in a summer without any."""


@dataclass(frozen=True, slots=True)
class NoRepetition(Constraint):
    """The columns do not all hold the same values, each as often, as they did in one earlier partition."""

    family: ClassVar[str] = "no_repetition"

    contents: tuple[tuple[str | None, str], ...]
    """Key and digest of the content of each past partition whose content is known."""
    partitions: int
    """Number of past partitions."""
    telling: tuple[str, ...] = ()
    """The columns that were never twice the same."""

    def check(self, partition: PartitionView) -> Finding | NotEvaluated | None:
        """Nothing is said where none of the columns that never were twice the same has :data:`DISTINCT` values."""
        profile = partition.profile
        content = _content(profile, self.scope.columns)
        if content is None:
            return self._not_evaluated(f"what {_unknown(profile, self.scope.columns)} hold is not known")
        distinct = [_distinct(profile, name) for name in self.telling]
        if not any(number is not None and number >= DISTINCT for number in distinct):
            unknown = [name for name, number in zip(self.telling, distinct, strict=True) if number is None]
            reason = f"no column that was never twice the same is known to have {DISTINCT} different values"
            return self._not_evaluated(reason, applies=bool(unknown))
        for key, past in self.contents:
            if past == content:
                return Finding(
                    "partition_repeated",
                    TABLE,
                    seen=key,
                    partitions=self.partitions,
                    rows=profile.row_count,
                    examples=self.scope.columns,
                    cause="an old partition delivered again",
                )
        return None

    def _not_evaluated(self, reason: str, *, applies: bool = True) -> NotEvaluated:
        return NotEvaluated("partition_repeated", self.scope, reason, applies=applies)


class RepetitionDetector(Detector):
    """Remembers what every past partition held."""

    name: ClassVar[str] = "repeated partition"

    def learn(self, history: History, options: SynthesisOptions) -> Learned | Skipped:
        """One constraint, unless the table has been twice the same (a dimension that seldom changes).

        Columns that tell their partition's date are left out: whoever delivers old rows again may well stamp them anew.
        """
        newest = history.newest
        dated = date_columns(history, options)
        compared = tuple(name for name in newest.columns if name not in dated) if newest is not None else ()
        if not compared:
            return Skipped("there is no column whose values the partition's date does not foretell")
        contents = [_content(profile, compared) for profile in history.profiles]
        if len(set(contents)) < len(contents):
            return Skipped("past partitions were alike, or their content is not known")
        known = [(key, content) for key, content in zip(history.partitions, contents, strict=True) if content]
        if not known:
            return Skipped("the content of past partitions is not known")
        telling = tuple(name for name in compared if _is_never_alike(history, name))
        return Learned((NoRepetition(Scope(compared), tuple(known), len(history), telling),))


def _is_never_alike(history: History, name: str) -> bool:
    """Whether a column never held the same values, each as often, in two of the partitions."""
    contents = [content for profile in history.profiles if (content := _content(profile, (name,)))]
    return len(set(contents)) == len(contents)


def _content(profile: Profile, columns: Collection[str]) -> str | None:
    """Digest of what is in the columns; None when that is not known of all of them."""
    found = [profile.columns.get(name) for name in columns]
    known = [column.states_digest for column in found if column is not None and column.states_digest]
    if len(known) < len(columns):
        return None
    return hashlib.blake2b("+".join(known).encode(), digest_size=16).hexdigest()


def _unknown(profile: Profile, columns: Collection[str]) -> str:
    """The columns whose content is not known, as a person reads them."""
    found = [(name, profile.columns.get(name)) for name in columns]
    return ", ".join(repr(name) for name, column in found if column is None or not column.states_digest)


def _distinct(profile: Profile, name: str) -> float | None:
    """How many different values a column has, 0.0 of a kind whose values are not counted; None where unknown."""
    column = profile.columns.get(name)
    if column is None:
        return None
    if get_metric("unique_ratio", column.kind) is None:
        return 0.0
    ratio, complete = column.metrics.get("unique_ratio"), column.metrics.get("complete_ratio")
    if is_unknown(ratio) or is_unknown(complete):
        return None
    if isinstance(ratio, Reason) or isinstance(complete, Reason) or ratio is None or complete is None:
        return 0.0
    return round(ratio * complete * profile.row_count)

"""How long what is large is kept: the states of columns, and the injected errors that programs are trained on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """Which of a dataset's newest partitions keep their states and injected errors, in the store and in memory.

    Metric values, distances included, stay for as long as their partition does.  Counted are the eligible partitions,
    those that a program may learn from; one that is withheld between them keeps what they keep.

    :param with_injected_errors: newest partitions that keep their injected errors, and how far back a program looks for
        the partition it is trained on.  One would not do: it may turn out to be bad, and so may the one before it, and
        the next program then learns from the one before these
    :param injected_by_job: newest partitions of a job for which the errors are injected, which costs more than all the
        rest of a profile.  The next partition to be judged is the one behind the job's newest, or that newest one
        itself, which is then trained on the one before it
    :param recent: partitions profiled last that keep both, wherever they are in the history: they serve runs that go
        through the past (a cleared or backfilled DAG), which judge a partition soon after they have profiled it
    """

    with_injected_errors: int = 3
    injected_by_job: int = 2
    recent: int = 3

    def with_states(self, largest_baseline: int) -> int:
        """Newest partitions that keep their states: those with injected errors, and what these are compared with.

        :param largest_baseline: the most partitions that a metric compares one with
        """
        return self.with_injected_errors + largest_baseline


RETENTION = RetentionPolicy()
"""The policy in force."""
AT_ONCE = 8
"""Partitions that are stored, and whose states are dropped, in one transaction: they share most of what is asked and
read for it, and a job that is killed has so many to make again at most."""
COLUMNS_AT_ONCE = 128
"""The same in columns of all of them: so many states are in memory."""

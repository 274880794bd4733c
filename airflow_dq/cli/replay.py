"""A walk through a dataset's stored history, as if the gate had been on, kept for its alerts and pages."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.backtest_history import StoredHistory
from airflow_dq.cli.progress import followed
from airflow_dq.exceptions import ConfigurationError, DQError, StoreError
from airflow_dq.options.key import order_key

if TYPE_CHECKING:
    from airflow_dq.program import BacktestResult, SynthesisOptions
    from airflow_dq.store import Repository

NEWEST = 30
"""Partitions that a backfill judges: as many as the strip on the overview shows."""
Options = Callable[["SynthesisOptions | None"], "SynthesisOptions"]
"""From the options that the dataset's gate had last, None where there was none, to those of the walk."""


def replay(
    repository: Repository, stored: StoredHistory, options: Options, since: str | None, **settings: Any
) -> BacktestResult:
    """Judge each stored partition from a key on by those before it.

    :param since: the first one to judge; None: the very first
    :param settings: those of :func:`airflow_dq.backtest.walk.backtest`
    :raises ConfigurationError: when there is none from that key on
    """
    from airflow_dq.program import backtest

    program = (repository.current_program(stored.dataset) or (None, None))[1]
    chosen = options(None if program is None else program.options)
    keys = [str(profile.partition) for profile in stored.profiles]
    judged = {key for key in keys if since is None or order_key(key) >= order_key(since)}
    if not judged:
        raise ConfigurationError(outside(since, None, keys))
    # What comes before was judged by the gate itself, if at all.
    learned = [key for key in keys if key not in judged and key in stored.eligible][-chosen.history :]
    profiles = [one for one in stored.profiles if one.partition in judged or one.partition in learned]
    return backtest(
        followed(profiles, len(profiles), "partitions judged"),
        chosen,
        dataset=stored.dataset,
        learn_only=learned,
        decisions=stored.decisions,
        answers=stored.answers,
        reload=stored.reload,
        left_out=stored.left_out,
        **settings,
    )


def keep(repository: Repository, result: BacktestResult) -> None:
    """Store what alerts say of it, how often the gate would have alarmed, and what pages show of each partition."""
    from airflow_dq.explain.record import Replay
    from airflow_dq.gate.pipeline import options_digest

    found, newest = result.false_alarms, result.partitions[-1].partition
    try:
        told = Replay(found.of, found.count, str(newest))
        outcomes = {str(one.partition): one.status for one in result.partitions}
        repository.save_replay(str(result.dataset), options_digest(result.options), told, outcomes)
    except StoreError as error:
        print(f"Alerts will not speak of this backtest, it could not be stored: {error}", file=sys.stderr)


def judge_newest(repository: Repository, dataset: str) -> str:
    """What the gate would have said of the newest partitions, in one line; a problem is told, and is none of theirs."""
    from airflow_dq.program import SynthesisOptions

    def as_last(last: SynthesisOptions | None) -> SynthesisOptions:
        return last or SynthesisOptions()

    try:
        # One judges none before its history is as long as that of the gate.
        program = (repository.current_program(dataset) or (None, None))[1]
        learned = as_last(None if program is None else program.options).history
        stored = StoredHistory.load(repository, dataset, newest=NEWEST + learned)
        newest = stored.profiles[-NEWEST:]
        result = replay(repository, stored, as_last, str(newest[0].partition), targets=())
        keep(repository, result)
    except DQError as error:
        return f"{dataset}: the partitions are stored, and could not be judged: {error}"
    found = result.false_alarms
    return (
        f"{dataset}: the gate would have judged {found.of} of the newest {len(newest)} partitions, and failed "
        f"{found.count}: `airflow dq backtest {dataset}` says which, and why"
    )


def outside(since: str | None, until: str | None, keys: Sequence[str]) -> str:
    """That no partition lies between two keys, and which there are.

    :param keys: of all partitions, oldest first
    """
    span = f"from {since or 'the first'} to {until or 'the last'}"
    return (
        f"No partition lies {span}: there are {len(keys)}, from {keys[0]} to {keys[-1]}. Correct --since and --until."
    )

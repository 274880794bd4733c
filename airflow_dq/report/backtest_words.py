"""What a backtest found, in sentences that the terminal and the page share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from airflow_dq.backtest.model import JUDGED, BacktestResult, Recall, TargetOutcome
from airflow_dq.backtest.noise import noise
from airflow_dq.judge.verdict import Status
from airflow_dq.report.words import count, share, spaced

_ROW = 3
"""From this many alarms in a row on, the report says what may be behind them."""


def headline(result: BacktestResult) -> str:
    """What was judged, and how."""
    options = result.options
    keys = [outcome.partition for outcome in result.partitions]
    span = f", {keys[0]} to {keys[-1]}" if len(keys) > 1 else f", {keys[0]}" if keys else ""
    unit = "partition" if options.scope == "partition" else "column"
    return (
        f"{count(len(keys), 'partition')}{span}, each judged by what came before it "
        f"(up to {options.history} partitions; target: at most {share(options.target_fpr)} false alarms per {unit})"
    )


def rate_words(result: BacktestResult) -> str:
    """The false-alarm rate with its interval."""
    found = result.false_alarms
    if not found.of:
        return "no partition could be judged"
    text = (
        f"{found.count} of {found.of} judged partitions ({share(found.count / found.of)}; 95% interval "
        f"{share(found.low)} to {share(found.high)}), all of them false if the history was fine"
    )
    if not found.count:
        text = (
            f"none in {found.of} judged partitions: the rate of false alarms is below {share(found.high)} "
            "(95% interval), if the history was fine"
        )
    caught = sum(outcome.status is Status.FAIL for outcome in result.rejected)
    if result.rejected:
        text += f"; {caught} of {count(len(result.rejected), 'partition')} that a person rejected would have alarmed"
    return text


def caution(result: BacktestResult) -> Iterator[str]:
    """What a reader must know before believing the figures."""
    judged = [outcome for outcome in result.partitions if outcome.status in JUDGED]
    runs = [len(list(group)) for failed, group in groupby(judged, lambda one: one.status is Status.FAIL) if failed]
    if runs and max(runs) >= _ROW:
        text = f"Up to {max(runs)} alarms came in a row: one change that stays, or a column that keeps moving."
        if result.accept_after is None:
            text += " It was assumed that nobody answers them; --accept-after 2 shows what follows when somebody does."
        yield text
    elif runs and result.accept_after is not None and max(runs) >= result.accept_after > 1:
        number = count(result.accept_after, "alarm")
        yield f"After {number} in a row it was assumed that a person accepts the new level."
    untrained = [outcome for outcome in judged if outcome.untrained]
    if untrained:
        yield (
            f"For {len(untrained)} of {len(judged)} partitions the injected errors are no longer kept (the database "
            "keeps those of the newest few): they were judged by every metric with an equal share of the budget, so "
            "the gate of their day may have alarmed on others than shown."
        )
    partial = sum(outcome.without_distances for outcome in judged)
    if partial:
        yield (
            f"{count(partial, 'partition')} {'was' if partial == 1 else 'were'} judged without distances to the "
            "partition before, because the statistics to measure them are no longer kept."
        )


def counts(result: BacktestResult) -> str:
    """How many partitions were judged, and why the others were not."""
    parts = [f"{result.count(*JUDGED)} judged"]
    for status, words in (
        (Status.WARMING_UP, "warming up (history too short)"),
        (Status.NOT_EVALUATED, "not evaluated"),
        (Status.ERROR, "unreadable or not judged because of an error"),
    ):
        if number := result.count(status):
            parts.append(f"{number} {words}")
    return ", ".join(parts)


def by_type(result: BacktestResult) -> str:
    """The expected recall, and by type of error, best first."""
    injected = sum(one.injected for one in result.recall)
    if not injected:
        return "not known: no partition that passed has injected errors"
    caught = sum(one.caught for one in result.recall)
    listed = ", ".join(f"{spaced(one.type)} {share(one.caught / one.injected, 0)}" for one in sorted_recall(result))
    where = count(len(result.recall_partitions), "newest partition")
    return f"{share(caught / injected)} of {injected:,} errors injected into the {where} that passed: {listed}"


def sorted_recall(result: BacktestResult) -> list[Recall]:
    """The recall by type of error, the best first."""
    return sorted(result.recall, key=lambda one: -one.caught / one.injected)


def target_words(one: TargetOutcome) -> str:
    """One target of the comparison in a line."""
    recall = "" if one.recall is None else f", {share(one.recall):>6} of the injected errors caught"
    alarms = f"{one.alarms:>4} {'alarm' if one.alarms == 1 else 'alarms'}"
    return f"{one.target_fpr:<6g} {alarms} in {one.judged}{recall}"


def next_step(result: BacktestResult, *, from_files: bool = False) -> str:
    """What to do now."""
    name = result.dataset or "NAME"
    if not result.count(*JUDGED) and result.count(Status.NOT_EVALUATED):
        return "Mend what kept the partitions from being judged: it stands beside them."
    if not result.count(*JUDGED):
        needed = f"Give it at least {result.options.min_history + 1} partitions that can be read"
        return needed + ("." if from_files else f": airflow dq backfill {name} --source ...")
    target = result.suggestion.target_fpr if result.suggestion else result.options.target_fpr
    look = (
        "Look at the alarms: would you have wanted to stop any of these partitions? Then put"
        if (result.false_alarms.count)
        else "Put"
    )
    gate = f'DQGateSensor(dataset="{name}", partition=..., target_fpr={target:g})'
    more = f" after `airflow dq backfill {name} --source ...`" if from_files else ""
    return f"{look} {gate} behind the task that writes the table{more}."


def noise_words(result: BacktestResult) -> str | None:
    """What makes most of the alarms, and what to write so that it only warns; None when nothing does."""
    found = noise(result.partitions)
    if found is None:
        return None
    what = f"the column {found.name}" if found.subject == "column" else f"the metric {found.name}"
    return (
        f"{found.alarms} of {count(found.of, 'alarm')} are of {what} alone. If it is always like that, write "
        f'severity={{"{found.key}": "warn"}} to the gate: it then warns of them, and stops nothing.'
    )


def subject(column: str | None) -> str:
    """The column, or the table as a whole."""
    return column if column is not None else "whole table"

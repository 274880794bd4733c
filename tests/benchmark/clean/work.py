"""One table after the other, or several at once: profiles from the cache, and their replay."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from airflow_dq.profile import Profile, profile_table
from airflow_dq.program import SynthesisOptions
from tests.benchmark.clean.replay import Judged, replay, unanswered
from tests.benchmark.program.dataset import Recurring
from tests.benchmark.simulated import profiled

SIMULATED, CORPUS = "simulated", "corpus"


@dataclass(frozen=True)
class Order:
    """What is asked of every table."""

    options: SynthesisOptions
    targets: tuple[float, ...]
    points: int
    every: bool
    unanswered: bool
    days: int
    months: bool
    cache: Path


def results(work: Sequence[tuple[str, int | Recurring]], order: Order, jobs: int) -> Iterator[tuple[str, list[Judged]]]:
    """The judged partitions of each table as it is done, with the group that it belongs to.

    :param jobs: processes
    """
    task = partial(_judge, order=order)
    if jobs == 1:
        yield from map(task, work)
        return
    with get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(task, work)


def _judge(work: tuple[str, int | Recurring], order: Order) -> tuple[str, list[Judged]]:
    """Replay one table, and remember the distances that were measured."""
    group, source = work
    start = time.time()
    events: list[frozenset[str]] | None = None
    if isinstance(source, int):
        table, profiles = profiled.simulated(source, order.days, order.cache)
        name, kept = table.name, f"simulated-{source}-{order.days}"
        events = [day.events for day in table.days]
    else:
        name, kept = source.name, f"corpus-{source.name}"
        profiles = profiled.kept(kept, partial(_profiles, source), order.cache)
    if order.unanswered:
        found = list(unanswered(name, profiles, order.options, events))
    else:
        ways = {"every": order.every, "months": order.months}
        found = list(replay(name, profiles, order.options, order.targets, order.points, events, **ways))
    profiled.keep(kept, profiles, order.cache)
    print(f"{name}: {sum(one.alarmed for one in found)} of {len(found)}, {time.time() - start:.0f} s", file=sys.stderr)
    return group, found


def _profiles(source: Recurring) -> list[Profile]:
    return [profile_table(table, partition=key) for key, table in source.tables()]

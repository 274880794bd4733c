"""Where the change is: the slices that were found, or how to let somebody look for them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from airflow_dq.drill.report import DrillReport


class Stage(Enum):
    """How far a task has come in its run."""

    WAITS = "waits"
    """For the gate, or for what stands between."""
    RUNS = "runs"
    ENDED = "ended"
    """So that it can be cleared, to run once more."""


@dataclass(frozen=True, slots=True)
class DrillTask:
    """A task behind the gate that looks for the slices, in the gate's own run.

    :param task_id: as Airflow knows it
    """

    task_id: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class DrillCard:
    """What is said of where the change is.

    :param report: what was found; None where nobody has looked
    :param words: who looks, or will; None where no task of the run does
    :param command: what to type where the data can be read; None while a task is at it, or can be let run at once
    :param has_task: whether a task of the run looks
    :param action: where the form is sent that lets it look; None where none can
    """

    report: DrillReport | None
    words: str | None
    command: str | None
    has_task: bool
    action: str | None


def drill_card(
    dataset: str, partition: str, report: DrillReport | None, tasks: Sequence[DrillTask], action: str | None
) -> DrillCard:
    """The card.

    :param tasks: those of the gate's run that look for slices
    :param action: where the form is sent that clears them; None for a reader who may not
    """
    ended = [one.task_id for one in tasks if one.stage is Stage.ENDED]
    running = [one.task_id for one in tasks if one.stage is Stage.RUNS]
    waiting = [one.task_id for one in tasks if one.stage is Stage.WAITS]
    possible = action if ended and not running else None
    words = None
    if running:
        words = f"{', '.join(running)} looks for it now: what it finds is shown here once it has ended."
    elif waiting and report is None:
        words = f"{', '.join(waiting)} looks for it as soon as the gate has ended."
    command = None if running or possible or report else f"airflow dq drill {shlex.join([dataset, partition])} --store"
    return DrillCard(report, words, command, bool(tasks), possible)

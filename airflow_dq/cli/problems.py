"""``airflow dq problems``: the problems of a dataset over time, and what people say of them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.alerts import HEADLINE
from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.decision import who
from airflow_dq.cli.run import tell
from airflow_dq.cli.table import render
from airflow_dq.exceptions import ConfigurationError

if TYPE_CHECKING:
    from airflow_dq.store import Repository
    from airflow_dq.store.problem_history import ProblemSummary
    from airflow_dq.store.review_model import ReviewEvent

_HEAD = ("ALERT", "STATE", "SINCE", "NEWEST", "PARTITIONS", "OWNER", "TICKET", "WHAT")


def problems(arguments: Any) -> int:
    """List the problems of a dataset, or say something of one."""
    from airflow_dq.store import open_store

    says = _says(arguments)
    if says and arguments.alert is None:
        raise ConfigurationError("Say of which problem: --alert N, from the list that the command gives without it.")
    if arguments.noise and arguments.not_noise:
        raise ConfigurationError("Give --noise or --not-noise, not both.")
    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        if says:
            _require_own(repository, arguments)
            _tell(arguments, _say(repository, arguments))
            return 0
        found = repository.problems(arguments.dataset)
    shown = [one for one in found if one.is_open or not arguments.open]
    if arguments.alert is not None:
        shown = [one for one in shown if one.alert_id == arguments.alert]
    _list(arguments, shown)
    return 0


def _says(arguments: Any) -> bool:
    given = (arguments.owner, arguments.ticket)
    return arguments.acknowledge or arguments.noise or arguments.not_noise or any(one is not None for one in given)


def _require_own(repository: Repository, arguments: Any) -> None:
    detail = repository.verdict_of_alert(arguments.alert)
    if detail is None or detail.partition.dataset != arguments.dataset:
        raise ConfigurationError(
            f"Dataset {arguments.dataset!r} has no alert {arguments.alert}: `airflow dq problems {arguments.dataset}` "
            "lists them."
        )


def _say(repository: Repository, arguments: Any) -> list[ReviewEvent]:
    """What can be refused comes first."""
    alert, by, said = arguments.alert, who(arguments), []
    if arguments.ticket is not None:
        said.append(repository.link_ticket(alert, arguments.ticket, by))
    if arguments.noise:
        said.append(repository.call_noise(alert, by, arguments.comment))
    if arguments.not_noise:
        said.append(repository.take_back_noise(alert, by))
    if arguments.owner is not None:
        said.append(repository.assign_problem(alert, arguments.owner, by))
    if arguments.acknowledge:
        said.append(repository.acknowledge_problem(alert, by, arguments.comment))
    return said


_TOLD = {
    "acknowledged": "acknowledged; it goes on waiting for a decision",
    "noise": "called noise: later partitions are judged by wider ranges, this one still waits for a decision",
    "not_noise": "no noise after all: later partitions are judged by the ranges as they were",
}


def _tell(arguments: Any, said: list[ReviewEvent]) -> None:
    about = f"{said[0].partition}: {said[0].detail}"
    tell(arguments, [asdict(one) for one in said], "\n".join([about, *(f"- {_words(one)}" for one in said)]))


def _words(event: ReviewEvent) -> str:
    if event.action == "assigned":
        return f"assigned to {event.value}" if event.value else "assigned to nobody in particular"
    if event.action == "ticket":
        return f"ticket {event.value}" if event.value else "no ticket any more"
    return _TOLD[event.action]


def _list(arguments: Any, found: list[ProblemSummary]) -> None:
    told = [
        {**asdict(one), "owner": one.owner, "ticket": one.ticket, "acknowledged_by": one.acknowledged_by}
        for one in found
    ]
    tell(arguments, told, render(_HEAD, [_row(one) for one in found]) if found else "No problem.")


def _row(one: ProblemSummary) -> tuple[object, ...]:
    what = " ".join(one.headline.split())
    short = what if len(what) <= HEADLINE else f"{what[: HEADLINE - 3]}..."
    noise = " (noise)" if one.is_noise_on(one.newest) else ""
    state = one.state.replace("_", " ") + noise
    return one.alert_id, state, one.since, one.newest, one.partitions, one.owner, one.ticket, short

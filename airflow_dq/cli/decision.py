"""``airflow dq accept``, ``reject`` and ``new-normal``."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.airflow_api import TOKEN_VARIABLE, AirflowApi, RefusedError, address, has_token, segments
from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import tell
from airflow_dq.exceptions import AlreadyDecidedError, ConfigurationError
from airflow_dq.gate.answer import COMMENT
from airflow_dq.judge.verdict import BUTTONS
from airflow_dq.store.review_model import NO_MAP_INDEX

if TYPE_CHECKING:
    from airflow_dq.judge.verdict import Decision
    from airflow_dq.store import Repository
    from airflow_dq.store.review_model import Origin, VerdictDetail

_ADVICE = {403: "the token's user may not answer for this task"}
_NOBODY_WAITS = (404, 409)
"""No such task or question; answered before."""


def accept(arguments: Any) -> int:
    """The data is right."""
    return _decide(arguments, "accepted")


def reject(arguments: Any) -> int:
    """The data is bad."""
    return _decide(arguments, "rejected")


def new_normal(arguments: Any) -> int:
    """The data is right, and the history restarts with it."""
    return _decide(arguments, "new_normal")


def _decide(arguments: Any, decision: Decision) -> int:
    from airflow_dq.store import open_store
    from airflow_dq.store.review_model import WORDS

    with open_store(find_dsn(arguments.dq_conn_id)) as repository:
        detail = _detail(repository, arguments)
        judged = detail.partition
        try:
            event = repository.decide(
                judged.dataset,
                judged.partition,
                decision,
                who(arguments),
                arguments.comment,
                revise=arguments.revise,
                fingerprint=judged.fingerprint,
            )
        except AlreadyDecidedError:
            # Stored before, and then perhaps a gate could not be told.
            if judged.decision != decision or not any(_wake(arguments, one, decision) for one in judged.origins):
                raise
            told = f"Dataset {judged.dataset!r}, partition {judged.partition!r}: decided before; the gate goes on now."
            tell(arguments, {"decision": decision, "task_goes_on": True}, told)
            return 0
    woken = [_wake(arguments, origin, decision) for origin in judged.origins]
    closed = f"; {judged.open_count} alert{'s' if judged.open_count != 1 else ''} closed" if judged.open_count else ""
    told = f"Dataset {judged.dataset!r}, partition {judged.partition!r}: {WORDS[decision]} by {event.by}{closed}."
    # Of tasks that judged it too, only those that waited are worth a word.
    lines = [_next(arguments, one, goes) for one, goes in zip(judged.origins, woken, strict=True) if goes]
    if not lines and judged.origin is not None:
        lines = [_next(arguments, judged.origin, woken[0])]
    goes_on = True if any(woken) else woken[0] if woken else None
    tell(arguments, {**asdict(event), "task_goes_on": goes_on}, "\n".join([told, *lines]))
    return 0


def _wake(arguments: Any, origin: Origin, decision: Decision) -> bool | None:
    """Let the task go on that waits for a person; False when none does, None when Airflow was not asked.

    :raises ConfigurationError: when Airflow refuses or cannot be reached
    """
    if not has_token(arguments):
        return None
    path = ("dags", origin.dag_id, "dagRuns", origin.run_id, "taskInstances", origin.task_id, origin.map_index)
    # The task takes the decision that is stored, with who made it and why: what is answered only wakes it.
    answer = {"chosen_options": [BUTTONS[decision]], "params_input": {COMMENT: arguments.comment or ""}}
    try:
        AirflowApi.of(arguments).send("PATCH", segments(*path, "hitlDetails"), answer, _ADVICE)
    except RefusedError as error:
        if error.code in _NOBODY_WAITS:
            return False
        raise _not_woken(arguments, origin, error) from None
    except ConfigurationError as error:
        raise _not_woken(arguments, origin, error) from None
    return True


def _not_woken(arguments: Any, origin: Origin, error: ConfigurationError) -> ConfigurationError:
    return ConfigurationError(
        f"The decision is stored, but {_name(origin)} was not told: {error} {_by_hand(arguments, origin)}"
    )


def _next(arguments: Any, origin: Origin, woken: bool | None) -> str:
    """What becomes of the task that judged, and what is to be done about it."""
    if woken:
        return f"{_name(origin)} waited for this, and goes on."
    if woken is None:
        return (
            f"{_by_hand(arguments, origin)} With a token in {TOKEN_VARIABLE} or --token-file, this command lets it go "
            "on by itself. If it has failed, clear it."
        )
    at = address(arguments.api_url)
    return f"{_name(origin)} does not wait for a person: {at} knows no open question of it. If it has failed, clear it."


def _by_hand(arguments: Any, origin: Origin) -> str:
    parts = ["dags", origin.dag_id, "runs", origin.run_id, "tasks", origin.task_id]
    if origin.map_index != NO_MAP_INDEX:
        parts += ["mapped", str(origin.map_index)]
    page = f"{address(arguments.api_url)}{segments(*parts, 'required_actions')}"
    return f"If it waits for a person, give any answer at {page} : it then goes by this decision."


def _name(origin: Origin) -> str:
    return f"{origin.dag_id}.{origin.task_id} (run {origin.run_id})"


def _detail(repository: Repository, arguments: Any) -> VerdictDetail:
    named, partition = arguments.dataset, arguments.partition
    if named is not None and partition is not None:
        detail = repository.verdict_of_partition(named, partition)
        missing = f"Dataset {named!r}, partition {partition!r} was not judged"
    elif named is not None and named.isdecimal():
        detail = repository.verdict_of_alert(int(named))
        missing = f"There is no alert {named}"
    else:
        raise ConfigurationError("Name the partition: by the number of one of its alerts, or as DATASET PARTITION.")
    if detail is None:
        raise ConfigurationError(f"{missing}: `airflow dq alerts` and `airflow dq status DATASET` list what there is.")
    return detail


def who(arguments: Any) -> str:
    """The person's name: as given, else that of the account.

    :raises ConfigurationError: when the account has none
    """
    if arguments.by:
        return str(arguments.by)
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise ConfigurationError("This machine does not know who you are: give --by NAME.") from None

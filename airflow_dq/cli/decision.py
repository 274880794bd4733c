"""``airflow dq accept``, ``reject`` and ``new-normal``."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from airflow_dq.cli.connection import find_dsn
from airflow_dq.cli.run import print_json
from airflow_dq.exceptions import ConfigurationError

if TYPE_CHECKING:
    from airflow_dq.store import Repository
    from airflow_dq.store.review_model import Decision, JudgedDetail


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
        event = repository.decide(
            judged.dataset,
            judged.partition,
            decision,
            who(arguments),
            arguments.comment,
            revise=arguments.revise,
            fingerprint=judged.fingerprint,
        )
    if arguments.output:
        print_json(asdict(event))
        return 0
    closed = f"; {judged.open_count} alert{'s' if judged.open_count != 1 else ''} closed" if judged.open_count else ""
    print(f"Dataset {judged.dataset!r}, partition {judged.partition!r}: {WORDS[decision]} by {event.by}{closed}.")
    if judged.origin is not None:
        print(
            f"If {judged.origin.dag_id}.{judged.origin.task_id} (run {judged.origin.run_id}) waits for a person, any "
            "answer in Airflow lets it go on by this decision; if it has failed, clear it."
        )
    return 0


def _detail(repository: Repository, arguments: Any) -> JudgedDetail:
    by_name = arguments.dataset is not None and arguments.partition is not None
    if (arguments.alert is not None) == by_name or (arguments.dataset is None) != (arguments.partition is None):
        raise ConfigurationError(
            "Name the partition: by the number of one of its alerts, or --dataset and --partition."
        )
    if by_name:
        detail = repository.judged_partition(arguments.dataset, arguments.partition)
        missing = f"Dataset {arguments.dataset!r}, partition {arguments.partition!r} was not judged"
    else:
        detail = repository.judged_detail(arguments.alert)
        missing = f"There is no alert {arguments.alert}"
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

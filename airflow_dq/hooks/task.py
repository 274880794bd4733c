"""What the tasks of this package do alike: check the rendered partition key, and end with an explained failure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from airflow_dq.exceptions import ConfigurationError, DQError
from airflow_dq.options.key import require_trimmed
from airflow_dq.version_compat import AirflowException, AirflowFailException

if TYPE_CHECKING:
    from airflow.sdk import Context

_NOTHING = re.compile(r"(?<![A-Za-z0-9])None(?![A-Za-z0-9])")
"""Python's None, alone or as a part of a key (``day=None``)."""
_GIVE = (
    "Give it a value that this run has, such as '{{ params.partition }}' or, with a partitioned timetable, "
    "'{{ partition_key }}'; a run without a logical date has no '{{ ds }}'."
)


def partition_key(value: object, dataset: str) -> str:
    """The partition key that the templated argument ``partition`` rendered to; keys are raw text.

    :raises ConfigurationError: when it rendered to nothing, or a part of it did, or it has outer blanks; the same of
        the dataset's name
    """
    require_rendered(dataset, "dataset", dataset)
    require_rendered(value, "partition", dataset)
    return str(value)


def require_rendered(value: object, argument: str, dataset: str) -> None:
    """Refuse a name in which a template has left a hole.

    :raises ConfigurationError: naming the dataset, the argument and what it rendered to
    """
    # Jinja renders a missing value (logical_date of a manual run, say) to the text None.
    if value is None or not str(value).strip() or _NOTHING.search(str(value)):
        raise ConfigurationError(
            f"Dataset {dataset!r}: the argument {argument} rendered to {value!r}: all or a part of it has no value in "
            f"this run. {_GIVE}"
        )
    require_trimmed(str(value), f"dataset {dataset!r}: the argument {argument}")


def task_failure(error: DQError) -> AirflowException:
    """The Airflow exception for an explained problem: one that is not retried unless a later try can end otherwise."""
    return (AirflowException if error.retryable else AirflowFailException)(str(error))


@contextmanager
def explained(log: Any) -> Iterator[None]:
    """Turn every :class:`~airflow_dq.exceptions.DQError` of the block into :func:`task_failure`.

    :param log: the task's log, which gets the explanation by itself, before Airflow adds the stack
    """
    try:
        yield
    except DQError as error:
        log.error("%s", error)
        raise task_failure(error) from None


@contextmanager
def rendering(task_id: str, log: Any) -> Iterator[None]:
    """Explain a template that names what this run does not have; Jinja would only say that it is undefined."""
    from jinja2 import UndefinedError

    try:
        yield
    except UndefinedError as error:
        message = f"Task {task_id!r}: an argument's template cannot be rendered: {error.message}. {_GIVE}"
        log.error("%s", message)
        raise AirflowFailException(message) from None


def first_try(context: Context, retries: int | None) -> int:
    """Number of the first try since the task was last cleared: what its tries have in common, and no others'."""
    return int(getattr(context.get("ti"), "max_tries", 0)) - (retries or 0) + 1


def is_backfill(context: Context) -> bool:
    """Whether the run was made by ``airflow backfill create``."""
    return bool(getattr(context.get("dag_run"), "run_type", None) == "backfill")

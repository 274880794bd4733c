"""What the tasks of this package do alike: check the rendered partition key, and end with an explained failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from airflow_dq.exceptions import ConfigurationError, DQError
from airflow_dq.version_compat import AirflowException, AirflowFailException

if TYPE_CHECKING:
    from airflow.sdk import Context

_GIVE = (
    "Give it a value that this run has, such as '{{ params.partition }}' or, with a partitioned timetable, "
    "'{{ partition_key }}'; a run without a logical date has no '{{ ds }}'."
)


def partition_key(value: object, dataset: str) -> str:
    """The partition key that the templated argument ``partition`` rendered to; keys are raw text.

    :raises ConfigurationError: when it rendered to nothing.
    """
    # Jinja renders a missing value (logical_date of a manual run, say) to the text None.
    if value is None or str(value).strip() in ("", "None"):
        raise ConfigurationError(
            f"Dataset {dataset!r}: the argument partition rendered to {value!r}, which is no partition key. {_GIVE}"
        )
    return str(value)


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

"""What the tasks of this package do alike: check the rendered partition key, and end with an explained failure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from airflow_dq.exceptions import ConfigurationError, DQError, ProfileError, StaleAttemptError, StoreUnreachableError
from airflow_dq.version_compat import AirflowException, AirflowFailException

# A later try can end otherwise: the server is back, the file has arrived.
_RETRYABLE = (StoreUnreachableError, ProfileError, StaleAttemptError)


def partition_key(value: object, dataset: str) -> str:
    """The partition key that the templated argument ``partition`` rendered to; keys are raw text.

    :raises ConfigurationError: when it rendered to nothing.
    """
    # Jinja renders a missing value (logical_date of a manual run, say) to the text None.
    if value is None or str(value).strip() in ("", "None"):
        raise ConfigurationError(
            f"Dataset {dataset!r}: the argument partition rendered to {value!r}, which is no partition key. Give it a "
            "value that this run has, such as '{{ params.partition }}'; a run without a logical date has no '{{ ds }}'."
        )
    return str(value)


def is_retryable(error: DQError) -> bool:
    """Whether a later try can end otherwise with nothing changed by a person."""
    return isinstance(error, _RETRYABLE)


def task_failure(error: DQError) -> AirflowException:
    """The Airflow exception for an explained problem: one that is not retried unless a later try can end otherwise."""
    return (AirflowException if is_retryable(error) else AirflowFailException)(str(error))


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

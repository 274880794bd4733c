"""What whoever submits a profile job has to know of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.job.package import ENTRY, PACKAGE

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator


@dataclass(frozen=True, slots=True)
class SparkJob:
    """One profile job, whoever submits it.

    Its files are those that ``airflow dq job`` writes.  No value of a secret is in here, and none belongs into what is
    sent to the service: it has a place of its own for them.
    """

    task_id: str
    """For the operator."""
    name: str
    """Of the Spark application."""
    token: str
    """Letters, digits and hyphens, 37 of them at most.  A retry gives the same one for the job that an earlier try may
    have submitted: a service that is asked twice with one token must not start a second job."""
    arguments: tuple[str, ...]
    """Of the entry file."""
    secrets: tuple[str, ...]
    """Names of the variables that the driver has to find in its environment."""
    deferrable: bool
    """Whether the operator should wait in the triggerer."""

    def entry(self, code: str) -> str:
        """The address of the entry file, in the folder that it was copied to."""
        return f"{code.rstrip('/')}/{ENTRY}"

    def package(self, code: str) -> str:
        """The address of the zip, likewise."""
        return f"{code.rstrip('/')}/{PACKAGE}"


Submit = Callable[[SparkJob], "BaseOperator"]
"""What makes an operator of a job, which submits it and waits for its end."""


def provided(package: str, module: str, name: str) -> Any:
    """An operator of a provider, which need not be installed where it is not used.

    :param package: the provider's last name, as in ``apache-airflow-providers-<package>``
    :raises ConfigurationError: when it is not installed
    """
    try:
        return getattr(import_module(f"airflow.providers.{module}"), name)
    except ImportError as error:
        raise ConfigurationError(
            f"submit= needs the operator {name}, which cannot be imported here ({error}): "
            f"pip install apache-airflow-providers-{package}."
        ) from error

"""Metrics that a user registered, sent to where their module is not: a Spark driver, and its executors."""

from __future__ import annotations

import base64
import pickle
import sys

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.metrics.descriptor import Metric
from airflow_dq.metrics.registry import register_metric

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
"""Functions packed by one Python are read by the same only."""


def unpack_metrics(text: str) -> tuple[Metric, ...]:
    """Register the metrics that :func:`airflow_dq.engine.spark.user_metric.pack_metrics` wrote.

    :raises ConfigurationError: when this is another Python, or lacks a module that one of them needs
    """
    if not text:
        return ()
    python, _, content = text.partition(":")
    if python != PYTHON:
        raise ConfigurationError(
            f"The metrics registered in the DAG were packed by Python {python} and cannot be read by Python {PYTHON}: "
            "run the Spark driver with the Python of the Airflow worker (PYSPARK_DRIVER_PYTHON)."
        )
    try:
        entries: tuple[Metric, ...] = pickle.loads(base64.b64decode(content))
    except ImportError as error:
        raise ConfigurationError(
            f"A metric registered in the DAG needs the module {error.name!r}, which Spark does not have: give it to "
            "the operator as py_files, or import inside the metric only what Spark has."
        ) from error
    for entry in entries:
        register_metric(entry)
    return entries

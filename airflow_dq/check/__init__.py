"""Declared checks: what must hold of a partition, said in Python or YAML beside what is learned of its history.

Nothing here needs Airflow or a numeric library, so that a DAG file may import it.  What a check is about is measured
elsewhere: :mod:`airflow_dq.profile.check` of rows, :mod:`airflow_dq.learn.constraint.declared` of what is stored.
"""

from __future__ import annotations

from airflow_dq.check.anomaly import Anomaly
from airflow_dq.check.bounds import Bounds
from airflow_dq.check.builder import Checks
from airflow_dq.check.model import Check

__all__ = ["Anomaly", "Bounds", "Check", "Checks"]

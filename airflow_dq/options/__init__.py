"""What a user sets: how a table is profiled, how its program is learned, and what a profile job is to do."""

from __future__ import annotations

from airflow_dq.options.job import JobSpec
from airflow_dq.options.learning import ColumnOptions, SynthesisOptions
from airflow_dq.options.profile import ProfileOptions

__all__ = ["ColumnOptions", "JobSpec", "ProfileOptions", "SynthesisOptions"]

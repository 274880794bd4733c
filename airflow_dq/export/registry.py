"""The targets of an export, by the name that ``--to`` gives them."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_dq.export.dbt import Dbt
from airflow_dq.export.deequ import Deequ
from airflow_dq.export.dqdl import DQDL
from airflow_dq.export.gx import GreatExpectations
from airflow_dq.export.model import Target
from airflow_dq.export.odcs import ODCS
from airflow_dq.export.soda import Soda

TARGETS: Mapping[str, Target] = {one.name: one for one in (DQDL(), GreatExpectations(), Soda(), Dbt(), ODCS(), Deequ())}
"""One of each."""

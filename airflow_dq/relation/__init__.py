"""Relations between columns: what holds within each row, mined of a sample and believed only where chance is ruled out.

Pure: numpy and pyarrow only.
"""

from __future__ import annotations

from airflow_dq.relation.arithmetic import Duration, Equal, Linear, Product, Sum
from airflow_dq.relation.base import Relation, RowRelation, Tested
from airflow_dq.relation.condition import MissingImplies, Order, PresentTogether, ValueImplies

__all__ = [
    "Duration",
    "Equal",
    "Linear",
    "MissingImplies",
    "Order",
    "PresentTogether",
    "Product",
    "Relation",
    "RowRelation",
    "Sum",
    "Tested",
    "ValueImplies",
]

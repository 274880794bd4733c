"""What a program has that its fields' types do not say: constraints of any family."""

from __future__ import annotations

from collections.abc import Mapping

from airflow_dq.codec.family import polymorphic
from airflow_dq.learn.constraint.base import Constraint


def register_forms() -> None:
    """Let the codec write and read constraints."""
    polymorphic(Constraint, _families)


def _families() -> Mapping[str, type]:
    from airflow_dq.learn.constraint.registry import families  # needs numpy

    return families()

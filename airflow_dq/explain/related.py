"""Columns that are computed of each other: what happened to one has happened to the others."""

from __future__ import annotations

from collections.abc import Collection

from airflow_dq.exceptions import CodecError
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.relation import relations_of
from airflow_dq.options.rule import LearnedRule
from airflow_dq.relation.arithmetic import Arithmetic
from airflow_dq.relation.base import Relation


def related_columns(partition: PartitionView, accused: Collection[str]) -> tuple[frozenset[str], ...]:
    """The columns of each sum, product or equality that has held in the past, as far as they are accused.

    :param accused: columns that something is wrong with
    """
    if len(accused) < 2:
        return ()
    sides = (
        frozenset(rule.columns) & frozenset(accused) for rule in relations_of(partition.history) if _computes(rule)
    )
    return tuple(dict.fromkeys(side for side in sides if len(side) > 1))


def _computes(rule: LearnedRule) -> bool:
    try:
        return isinstance(Relation.from_json(rule.condition), Arithmetic)
    except CodecError:
        return False  # It is judged as well, and said there that it is damaged.

"""Learned rules as rows of their table."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, insert, select

from airflow_dq.exceptions import CodecError
from airflow_dq.options.rule import LearnedRule
from airflow_dq.store.damage import raw
from airflow_dq.store.document import decode
from airflow_dq.store.table import LearnedRuleRow

log = logging.getLogger(__name__)

_READ = ("id", "family", "columns", "partitions", "state", "reason")


def rows_of(connection: Connection, owner: int | None) -> Sequence[Any]:
    """The stored rules of a dataset, oldest first."""
    read = (*(getattr(LearnedRuleRow, name) for name in _READ), raw(LearnedRuleRow.document, "document"))
    query = select(*read).where(LearnedRuleRow.dataset_id == owner).order_by(LearnedRuleRow.id)
    return connection.execute(query).all()


def rule_of(row: Any, dataset: str) -> LearnedRule | None:
    """The rule of a row; None, with a warning, where it is damaged: the others are counted all the same."""
    try:
        kept = decode(bytes(row.document))
        return LearnedRule(
            row.family, tuple(row.columns), str(kept["condition"]), str(kept["document"]), tuple(row.partitions)
        )
    except (CodecError, KeyError, TypeError) as error:
        log.warning("Dataset %r: the learned rule %d is left out, for it cannot be read: %s", dataset, row.id, error)
        return None


def keep(connection: Connection, owner: int, rules: Iterable[tuple[LearnedRule, str]]) -> None:
    """Store rules, active, all of them at once.

    :param owner: id of the dataset
    :param rules: each with the reason why it was learned
    """
    rows = [
        {
            "dataset_id": owner,
            "family": rule.family,
            "columns": list(rule.columns),
            "partitions": list(rule.partitions),
            "document": {"condition": rule.condition, "document": rule.document},
            "reason": reason,
        }
        for rule, reason in rules
    ]
    if rows:
        connection.execute(insert(LearnedRuleRow), rows)


def keep_found(connection: Connection, owner: int, rules: Iterable[LearnedRule]) -> None:
    """Store what was found among rows, as :func:`keep` does."""
    keep(connection, owner, [(rule, f"found among rows of {', '.join(rule.partitions)}") for rule in rules])

"""What was learned of a dataset's rows, with what speaks for each rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from airflow_dq.report.pages.mark import Badge
from airflow_dq.report.words import count
from airflow_dq.store.rule_list import StoredRule


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule.

    :param support: in how much it was counted
    :param broken: how much of that breaks it
    :param active: whether it is counted and judged; else it is muted
    :param can_confirm: whether a declared check can ask the same
    """

    id: int
    words: str
    family: str
    reason: str
    support: str
    broken: str
    badge: Badge
    active: bool
    can_confirm: bool


def rule_rows(rules: Sequence[StoredRule]) -> Sequence[RuleRow]:
    """The rows, those that are broken most often first, and those that are muted last."""

    def place(one: StoredRule) -> tuple[bool, float]:
        """The lowest of an active one that many rows break."""
        return one.state != "active", -one.broken / max(1, one.rows)

    return [_row(one) for one in sorted(rules, key=place)]


def _row(one: StoredRule) -> RuleRow:
    active = one.state == "active"
    what = "value" if one.rule.family == "pattern" else "row"
    support = f"{count(one.rows, what)} in {count(one.partitions, 'partition')}" if one.rows else "not counted so far"
    return RuleRow(
        id=one.id,
        words=one.words,
        family=one.rule.family,
        reason=one.reason,
        support=support,
        broken=f"{one.broken:,}" if one.rows else "",
        badge=Badge("judged", "good") if active else Badge("muted", "plain"),
        active=active,
        can_confirm=active and one.check is not None,
    )

"""Learned rules on rows, patterns and relations, and the index of patterns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airflow_dq.store import (
    between,
    pattern_index,
    relation,
    rule,
    rule_list,
)
from airflow_dq.store.connected import Connected
from airflow_dq.store.transaction import run

if TYPE_CHECKING:
    from airflow_dq.options.rule import LearnedRule
    from airflow_dq.pattern import PatternIndex
    from airflow_dq.store.review_model import Action
    from airflow_dq.store.rule_list import StoredRule


class RuleAccess(Connected):
    """What jobs, gates and people do with learned rules."""

    def add_between(self, dataset: str, found: Sequence[LearnedRule]) -> int:
        """Store the relations between rows among some that are new; how many there were."""
        return run(self._engine, lambda c: between.add_between(c, dataset, found))

    def update_between(self, dataset: str, rules: Sequence[LearnedRule], changed: Sequence[str]) -> None:
        """Count the rows of some partitions that break relations between rows, by what is held of those before."""
        run(self._engine, lambda c: between.update_between(c, dataset, rules, changed))

    def learn_rules(self, dataset: str, before: str) -> tuple[LearnedRule, ...]:
        """Learn what is due of a dataset's rows from the partitions before one, and return the rules for that one."""
        return run(self._engine, lambda c: rule.learn_due(c, dataset, before))

    def rules(self, dataset: str, before: str) -> tuple[LearnedRule, ...]:
        """The rules on rows that a partition is judged by: those learned from partitions before it, but muted ones."""
        return run(self._engine, lambda c: rule.rules_before(c, dataset, before))

    def add_relations(self, dataset: str, found: Sequence[LearnedRule]) -> int:
        """Store the relations among some that are new; how many there were."""
        return run(self._engine, lambda c: relation.add_relations(c, dataset, found))

    def stored_rules(self, dataset: str) -> list[StoredRule]:
        """The learned rules of a dataset that are counted or muted, in words and with what speaks for each."""
        return run(self._engine, lambda c: rule_list.stored_rules(c, dataset))

    def mute_rule(self, dataset: str, rule: int, by: str, *, confirmed: bool = False) -> bool:
        """Neither count nor judge a learned rule any more; False when there is no such active one.

        :param rule: its number
        :param by: name of the person
        :param confirmed: because a declared check asks the same from now on
        """
        action: Action = "rule_confirmed" if confirmed else "rule_muted"
        return run(self._engine, lambda c: rule_list.mute(c, dataset, rule, by, action=action))

    def delete_rule(self, dataset: str, rule: int, by: str) -> bool:
        """Forget a learned rule, which may be learned again; False when there is none.

        :param rule: its number
        :param by: name of the person
        """
        return run(self._engine, lambda c: rule_list.remove(c, dataset, rule, by))

    def pattern_index(self) -> PatternIndex | None:
        """What is known of the patterns of all datasets and lakes that were indexed; None before the first time.

        :raises CodecError: when it is damaged, or of another version
        """
        return run(self._engine, pattern_index.load)

    def save_pattern_index(self, index: PatternIndex) -> None:
        """Put a pattern index in the place of the one that there was."""
        run(self._engine, lambda c: pattern_index.save(c, index))

    def dataset_names(self) -> list[str]:
        """The names of all datasets."""
        return run(self._engine, pattern_index.dataset_names)

    def newest_texts(self, dataset: str) -> list[list[str]]:
        """The texts that the newest profile keeps of each column of strings, each as often as its share asks for."""
        return run(self._engine, lambda c: list(pattern_index.texts(c, dataset)))

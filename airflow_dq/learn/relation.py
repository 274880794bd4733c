"""Learned relations of a dataset: mined of the rows that a profile was drawn with, stored, or found anew."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from airflow_dq.learn.history.history import History
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check import relation as _relation  # noqa: F401  (registers how relations are counted)
from airflow_dq.profile.model import Profile
from airflow_dq.relation.basis import Basis
from airflow_dq.relation.mine import MOST, mine
from airflow_dq.relation.rule import RELATION, RelationRule
from airflow_dq.states.base import Kind
from airflow_dq.states.prepared import PreparedColumn

log = logging.getLogger(__name__)

LEAST_ROWS = 20
"""Drawn rows without which nothing is looked for: fewer keep every relation that there could be."""
_MINED_OF = 2
"""Partitions of a history that are mined where nothing is stored: what holds always holds in any of them."""


def mine_profile(profile: Profile, dataset: str = "") -> tuple[LearnedRule, ...]:
    """The relations between the columns of the rows that a profile was drawn with; none where it has no rows.

    :param dataset: for the log
    """
    sample = profile.sample
    if sample is None or len(sample.hashes) < LEAST_ROWS:
        return ()
    names = [name for name in sample.rows.column_names if name in profile.columns]
    # Each row once, however often it occurs: a copy is no evidence.
    columns = {name: PreparedColumn.of(sample.rows.column(name)) for name in names}
    moments = {name for name in names if profile.columns[name].kind is Kind.TIMESTAMP}
    usable = {name: one for name, one in columns.items() if profile.columns[name].kind not in _UNREADABLE}
    hidden = [name for name in usable if profile.options.hides(name)]
    found = mine(usable, moments, hidden=hidden, dataset=dataset)
    return tuple(RelationRule.of(one, moments).learned((str(profile.partition),)) for one in found)


_UNREADABLE = (Kind.NULL, Kind.NESTED)
"""Of nested values only the sizes are known, and of columns without a type nothing."""


def relations_of(history: History) -> tuple[LearnedRule, ...]:
    """The relations that are stored of a dataset; where nobody stores them, those of two of its partitions.

    Which two, their content decides: a walk through the past then mines few partitions, and each of them once.
    """
    if history.rules is not None:
        return tuple(rule for rule in history.rules if rule.family == RELATION)
    able = [profile for profile in history.profiles if profile.sample is not None]
    found: list[LearnedRule] = []
    for profile in sorted(able, key=lambda profile: profile.fingerprint)[:_MINED_OF]:
        found += new_relations(_mined(profile), found)
    return tuple(found)


def _mined(profile: Profile) -> tuple[LearnedRule, ...]:
    if profile.fingerprint not in _MINED:
        if len(_MINED) >= _MOST_MINED:
            _MINED.clear()
        _MINED[profile.fingerprint] = mine_profile(profile)
    return _MINED[profile.fingerprint]


_MINED: dict[str, tuple[LearnedRule, ...]] = {}
"""What was mined of equal contents."""
_MOST_MINED = 1_000
"""Contents that are remembered; then it begins anew."""


def new_relations(found: Sequence[LearnedRule], known: Iterable[LearnedRule]) -> list[LearnedRule]:
    """Those that are neither among the known ones nor follow from these, as far as :data:`MOST` leaves room.

    :param found: with most evidence first
    """
    known = list(known)
    measures = {rule.measure for rule in known}
    read = [(rule, RelationRule.from_json(rule.document).relation) for rule in (*known, *found)]
    basis = Basis(list(dict.fromkeys(name for _, relation in read for name in relation.columns)))
    for _, relation in read[: len(known)]:
        basis.add(relation)
    new = list[LearnedRule]()
    for rule, relation in read[len(known) :]:
        if rule.measure in measures or basis.follows(relation) or len(known) + len(new) >= MOST:
            continue
        measures.add(rule.measure)
        basis.add(relation)
        new.append(rule)
    return new

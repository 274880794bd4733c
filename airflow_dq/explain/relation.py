"""What is said of a relation that rows break: how many, which, and whose values are likely wrong."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from airflow_dq.explain.cause import Cause
from airflow_dq.explain.wording import past_words, share_words
from airflow_dq.learn.between import between_of
from airflow_dq.learn.constraint.base import Constraint, Finding
from airflow_dq.learn.constraint.period import WithinPeriod
from airflow_dq.learn.constraint.relation import MOST_BROKEN, Holding, pooled
from airflow_dq.learn.constraint.share import past_answers
from airflow_dq.learn.constraint.view import PartitionView
from airflow_dq.learn.relation import relations_of
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.check.between import answer_of, relation_of
from airflow_dq.profile.check.measured import Measured
from airflow_dq.profile.check.relation import DRAWN
from airflow_dq.relation.arithmetic import Arithmetic, Equal
from airflow_dq.relation.base import Relation
from airflow_dq.relation.condition import MissingImplies, PresentTogether, ValueImplies
from airflow_dq.relation.dependency import Counter, Dependency, Key
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.total import Total
from airflow_dq.relation.words import quoted
from airflow_dq.visible import visible

_OF_PRESENCE = (PresentTogether, MissingImplies, ValueImplies)
"""Relations that say which values are there, and not what they are."""
_EVERYWHERE = 0.9
"""With so many of its rows wrong a column is wrong as a whole: few are left that would contradict the others."""
_OUTNUMBERED = 0.5
"""A cause that speaks of less than this part of the rows that break a relation leaves most of them unexplained."""

Found = tuple[Constraint, Finding]
"""What was violated, and what it found."""
Side = tuple[str, str]
"""A column whose values are likely wrong, and why in words."""


def relation_words(constraint: Holding, finding: Finding, partition: PartitionView) -> str:
    """``2.00% of the rows (40 of 2,000) break total = price + fee: total = 5, price = 3, fee = 1; ...``."""
    share = finding.observed if isinstance(finding.observed, float) else 0.0
    measured = answer_of(constraint.learned, partition.profile, partition.history.profiles)
    rows = "" if measured is None or not measured.denominator else f" of {measured.denominator:,}"
    drawn = " rows drawn" if finding.seen == DRAWN else ""
    shown = f": {'; '.join(finding.examples)}" if finding.examples else ""
    known, broken = pooled(past_answers(constraint.learned, partition.history))
    # Where codes have other names, fewer rows may do so than usual are wrong.
    told = finding.upper is not None and share > finding.upper
    usual = f"; expected at most {share_words(finding.upper)}" if told and finding.upper is not None else ""
    return visible(
        f"{share_words(share)} of the rows ({finding.rows:,}{rows}{drawn}) break {finding.expected}{shown}"
        f"{_renamed_words(measured)}{usual}; "
        f"{broken:,} of {known:,} did before ({past_words(finding.partitions)})."
    )


def _renamed_words(measured: Measured | None) -> str:
    if measured is None or not measured.renamed:
        return ""
    return f"; {measured.renamed:,} of {measured.known or 0:,} have another one than ever in nearly all of their rows"


def with_blame(found: Sequence[Found], partition: PartitionView) -> list[Found]:
    """The same, with the column that is likely wrong, and why, in what was found of relations.

    :param found: all that is wrong with the partition
    """
    # Where a start and an end have changed places, the start alone leaves the partition's day: it is no more wrong.
    others = [one for one, _ in found if not isinstance(one, Holding | WithinPeriod)]
    accused = {name for one in others if (name := one.scope.column) is not None}
    relations = [one for one, _ in found if isinstance(one, Holding)]
    broken = {one.learned for one in relations}
    sides = {one.learned: wrong_side(one, partition, accused, broken) for one in relations}
    sides |= _agreed(relations, sides)
    return [
        (one, _blaming(finding, sides[one.learned]) if isinstance(one, Holding) else finding) for one, finding in found
    ]


def _agreed(relations: Sequence[Holding], sides: Mapping[LearnedRule, Side | None]) -> dict[LearnedRule, Side]:
    """The side of findings that know none, where another one blames one of their columns: it is the same accident.

    Else it would fail a column and the table.  Where others blame several of them nobody knows it.
    """
    agreed: dict[LearnedRule, Side] = {}
    for one in relations:
        if sides[one.learned] is None:
            blamed = {side[0]: side for side in sides.values() if side is not None and side[0] in one.scope.columns}
            agreed |= dict.fromkeys([one.learned], next(iter(blamed.values()))) if len(blamed) == 1 else {}
    return agreed


def not_outnumbered(found: Sequence[Found], causes: Mapping[str, Cause], rows: int) -> dict[str, Cause]:
    """The causes without those that nothing proves, and that more rows contradict than they speak of.

    Where what a column has in common with others is broken in all rows, a few values with a digit less are not why.

    :param causes: the likely cause of each column that has one
    :param rows: rows of the partition
    """
    left = dict(causes)
    for constraint, finding in found:
        cause = left.get(finding.blamed or "") if isinstance(constraint, Holding) else None
        if cause is None or cause.proof is not None or cause.rows is None or not isinstance(finding.observed, float):
            continue
        if cause.rows < _OUTNUMBERED * finding.observed * rows:
            del left[str(finding.blamed)]
    return left


def _blaming(finding: Finding, side: Side | None) -> Finding:
    return finding if side is None else replace(finding, blamed=side[0], cause=side[1])


def wrong_side(
    constraint: Holding, partition: PartitionView, accused: Collection[str], broken: Collection[LearnedRule]
) -> Side | None:
    """The column whose values are likely wrong, and why in words; None where nothing tells it from the others.

    :param accused: columns whose own history contradicts them
    :param broken: relations that more rows break than ever
    """
    columns, votes = constraint.scope.columns, dict.fromkeys(constraint.scope.columns, 0)
    cleared, sure = set[str](), set[str]()
    for rule in (*relations_of(partition.history), *between_of(partition.history)):
        concerned = set(rule.columns) & set(columns)
        measured = answer_of(rule, partition.profile, partition.history.profiles) if concerned else None
        if rule == constraint.learned or measured is None or measured.value is None or not measured.denominator:
            continue
        if rule in broken or measured.value > MOST_BROKEN / 2:
            votes |= {name: votes[name] + 1 for name in concerned}
        elif not measured.numerator:
            cleared |= concerned & _spoken_for(rule, constraint, partition)
            sure |= concerned & _vouched(rule, measured, partition.profile.row_count)
    left = [name for name in columns if name not in cleared]
    own = [name for name in columns if name in accused]
    if len(own) == 1:
        return own[0], f"wrong values of {quoted(own[0])}, which are not as they have been either"
    most = [name for name in left if votes[name] == max(votes[other] for other in left)]
    if len(most) == 1 and votes[most[0]]:
        return most[0], f"wrong values of {quoted(most[0])}, which break other relations as well"
    if len(left) == 1 and len(columns) > 1:
        words = f"wrong values of {quoted(left[0])}, for the other columns keep what they have in common with others"
        return left[0], words
    subject = _subject(constraint.relation.relation)
    if subject is not None and subject not in sure and not any(votes.values()):
        return subject, f"wrong values of {quoted(subject)}, for nothing speaks against the rows that they belong to"
    return None


def _spoken_for(rule: LearnedRule, broken: Holding, partition: PartitionView) -> set[str]:
    """The columns of which an unbroken relation says that their values are right, where another one is broken.

    That values are there does not say which they are.  And a clock that is wrong in every row leaves each moment with
    the name that it determines, and each key unique: only among rows that are right would a wrong one show.
    """
    relation, of = relation_of(rule), broken.relation.relation
    if isinstance(relation, _OF_PRESENCE) and not isinstance(of, _OF_PRESENCE):
        return {relation.column} if isinstance(relation, ValueImplies) else set()
    measured = answer_of(broken.learned, partition.profile, partition.history.profiles)
    everywhere = measured is not None and measured.value is not None and measured.value >= _EVERYWHERE
    if everywhere and (isinstance(relation, Key) or (isinstance(relation, Dependency) and not relation.lasting)):
        return set()
    return set(relation.columns)


def _vouched(rule: LearnedRule, measured: Measured, rows: int) -> set[str]:
    """The columns of which an unbroken relation says that each row has the right value.

    That a renamed place still comes once, that a name nobody has heard of belongs to no other place, says nothing of
    it: only what another column says that a value must be, as it always has been, and of all rows.
    """
    relation = relation_of(rule)
    if (measured.denominator or 0) < rows:
        return set()
    if isinstance(relation, Dependency) and relation.lasting:
        return {relation.dependent}
    return set(relation.columns) if isinstance(relation, Equal | Arithmetic) else set()


def _subject(relation: Relation) -> str | None:
    """The column that a relation speaks of, by the rows that the others name; None where none is before the others."""
    match relation:
        case Counter() | Total():
            return relation.number
        case Dependency() if relation.lasting:
            return relation.dependent
        case Inclusion():
            return relation.column
        case _:
            return None

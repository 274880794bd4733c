"""Which column is blamed by findings of relations that share columns."""

from __future__ import annotations

from airflow_dq.explain.relation import _agreed
from airflow_dq.learn.constraint.base import Scope
from airflow_dq.learn.constraint.relation import Holding
from airflow_dq.relation.base import Relation
from airflow_dq.relation.dependency import Dependency, Key
from airflow_dq.relation.rule import RelationRule

NAME = Dependency(("code",), "name", lasting=True)
CITY = Dependency(("name",), "city", lasting=True)
SIZE = Dependency(("code",), "size", lasting=False)


def holding(relation: Relation) -> Holding:
    return Holding(Scope(relation.columns), RelationRule(relation).learned(("d",)), 0.001, 7)


def told(sides: dict[Relation, str | None]) -> dict[Relation, str | None]:
    """The column that each is told of once all have been heard."""
    known = {relation: holding(relation) for relation in sides}
    own = {known[one].learned: None if name is None else (name, "why") for one, name in sides.items()}
    own |= _agreed(list(known.values()), own)
    return {one: None if (side := own[held.learned]) is None else side[0] for one, held in known.items()}


def test_who_knows_no_side_takes_that_of_one_who_shares_the_column() -> None:
    assert told({NAME: "name", CITY: None}) == {NAME: "name", CITY: "name"}


def test_findings_about_other_columns_change_nothing() -> None:
    assert told({NAME: "name", SIZE: None}) == {NAME: "name", SIZE: None}
    assert told({NAME: None, Key(("code",)): None}) == {NAME: None, Key(("code",)): None}


def test_where_others_blame_several_of_its_columns_nobody_knows() -> None:
    assert told({NAME: "name", CITY: "city", Dependency(("name", "city"), "zip", lasting=True): None}) == {
        NAME: "name",
        CITY: "city",
        Dependency(("name", "city"), "zip", lasting=True): None,
    }

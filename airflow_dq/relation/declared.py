"""A relation as a declared check: what a person has confirmed is asked of every row, whatever it was learned from.

Checks look at one partition, so that what the partitions before say has no words among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

from airflow_dq.check.model import Check
from airflow_dq.check.odcs_metric import name_sql, value_sql
from airflow_dq.relation.arithmetic import Arithmetic, Duration, Equal, Linear, Product, Sum
from airflow_dq.relation.base import Relation
from airflow_dq.relation.condition import MissingImplies, Order, PresentTogether, ValueImplies
from airflow_dq.relation.dependency import Key, is_lasting
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.total import Total


@singledispatch
def as_check(relation: Relation) -> Check | None:
    """The check that asks of a partition what a relation says; None where checks have no words for it."""
    return None


def why_no_check(relation: Relation) -> str:
    """Why there is none, so that a sentence can go on: ``no check ...``."""
    if isinstance(relation, Duration):
        return "no check takes one moment from another"
    if is_lasting(relation):
        return "no check remembers what the rows of the partitions before were"
    if isinstance(relation, Inclusion):
        return "no check knows the table's own address; `refers`, with this address, asks the same"
    if isinstance(relation, Total):
        return "no check adds up rows to compare them with another row"
    return "no check compares the rows of one value with each other"


@as_check.register
def _equal(relation: Equal) -> Check:
    return _rule(f"{name_sql(relation.left)} = {name_sql(relation.right)}")


@as_check.register
def _sum(relation: Sum) -> Check:
    return _computed(relation, " + ".join(map(name_sql, relation.parts)))


@as_check.register
def _linear(relation: Linear) -> Check:
    sign = "-" if relation.constant < 0 else "+"
    constant = f" {sign} {abs(relation.constant)!r}" if relation.constant else ""
    return _computed(relation, f"{relation.factor!r} * {name_sql(relation.right)}{constant}")


@as_check.register
def _product(relation: Product) -> Check:
    return _computed(relation, " * ".join(map(name_sql, relation.factors)))


@as_check.register
def _duration(relation: Duration) -> None:
    """Rules take no moment from another one."""


@as_check.register
def _key(relation: Key) -> Check:
    return Check("key", relation.key)


@as_check.register
def _order(relation: Order) -> Check:
    return _rule(f"{name_sql(relation.lower)} <= {name_sql(relation.upper)}")


@as_check.register
def _together(relation: PresentTogether) -> Check:
    left, right = name_sql(relation.left), name_sql(relation.right)
    return _rule(f"({left} is null and {right} is null) or ({left} is not null and {right} is not null)")


@as_check.register
def _missing(relation: MissingImplies) -> Check:
    return _rule(f"{name_sql(relation.other)} is null", where=f"{name_sql(relation.column)} is null")


@as_check.register
def _value(relation: ValueImplies) -> Check:
    state = "is not null" if relation.present else "is null"
    # A boolean compares with the word as well, as it is written.
    where = f"{name_sql(relation.column)} = {value_sql(relation.value)}"
    return _rule(f"{name_sql(relation.other)} {state}", where=where)


def _computed(relation: Arithmetic, expression: str) -> Check:
    absolute, relative = relation.tolerances()
    result, size = name_sql(relation.result), _size(relation.columns)
    return _rule(f"abs({result} - ({expression})) <= {absolute!r} + {relative:.15f} * ({size})")


def _size(columns: Sequence[str]) -> str:
    """What float noise is relative to: no less than the largest term."""
    return " + ".join(f"abs({name_sql(name)})" for name in columns)


def _rule(sql: str, where: str | None = None) -> Check:
    return Check("rule", sql=sql, where=where)

"""What counting 50 relations of all kinds adds to the scan of a long and a wide table, in batches as of executors."""

from __future__ import annotations

import time
from statistics import median

import numpy as np
import pyarrow as pa

from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.table import TableState, merge_states
from airflow_dq.relation import Linear, Product, Relation, Sum
from airflow_dq.relation.dependency import Counter, Dependency, Key, Step
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.rule import RelationRule
from tests.benchmark.profile.table import SEED, TABLES, make

BATCH = 50_000
"""Rows of one batch of a job."""


def report(scale: float = 0.04, rounds: int = 3) -> list[str]:
    """Of each table the CPU seconds of this process without and with relations, in pairs, and the median ratio."""
    lines = []
    for name in ("A", "W"):
        shape = TABLES[name].scaled(scale)
        table = make(shape.rows, shape.columns, np.random.default_rng(SEED))
        rules = fifty(table.column_names)
        _seconds(table.slice(0, 1_000), rules)  # what is imported once does not count
        pairs = [(_seconds(table, ()), _seconds(table, rules)) for _ in range(rounds)]
        more = median(after / before for before, after in pairs) - 1.0
        shown = ", ".join(f"{before:.2f} and {after:.2f} s" for before, after in pairs)
        lines.append(f"{name}, {shape.rows:,} x {shape.columns}: {len(rules)} relations, {shown}: {more:+.1%}")
    return lines


def _seconds(table: pa.Table, rules: tuple[LearnedRule, ...]) -> float:
    options = ProfileOptions(rules=rules)
    started = time.process_time()
    merge_states([TableState.of(table.slice(at, BATCH), options) for at in range(0, table.num_rows, BATCH)])
    return time.process_time() - started


def fifty(columns: list[str]) -> tuple[LearnedRule, ...]:
    """As many as a rich table has: 30 within rows, which hold, and 20 between them."""
    blocks = max(1, len(columns) // 12)

    def named(name: str, block: int) -> str:
        block %= blocks
        return name if not block else f"{name}_{12 * block + KINDS.index(name)}"

    found: list[Relation] = []
    for block in range(5):
        price, quantity, score, store, country, coupon, paid, token, key = (
            named(name, block)
            for name in ("price", "quantity", "score", "store", "country", "coupon", "paid", "token", "id")
        )
        found += [
            Sum(price, (quantity, score), _LOOSE + block),
            Sum(price, (quantity, score, store), _LOOSE + block),
            Product(price, (quantity, score), _LOOSE + block),
            Product(quantity, (score, store), _LOOSE + block),
            Linear(price, quantity, factor=100.0 + block, tolerance=_LOOSE),
            Linear(store, quantity, factor=100.0 + block, tolerance=_LOOSE),
            Dependency((store,), (country, coupon, paid, price, quantity)[block], lasting=bool(block % 2)),
            Dependency((store, country), (coupon, paid, price, quantity, score)[block], lasting=True),
            (
                Key((key,)),
                Inclusion(store, quantity, lasting=False),
                Inclusion(country, country, lasting=True),
                Key((store, token)),
                Inclusion(quantity, store, lasting=False),
            )[block],
            (
                Counter((key,), price, 0.5, 10.0),
                Step((store,), price, quantity),
                Counter((store,), quantity, 0.5, 1.0),
                Step((key,), price, score),
                Counter((country,), price, 0.5, 1.0),
            )[block],
        ]
    rules = {rule.measure: rule for one in found if (rule := RelationRule(one).learned(("d",)))}
    return tuple(rules.values())


_LOOSE = 1e12
"""A tolerance that every row keeps: what is learned holds."""
KINDS = (
    "id",
    "quantity",
    "price",
    "score",
    "country",
    "created",
    "customer",
    "comment",
    "coupon",
    "paid",
    "store",
    "token",
)

if __name__ == "__main__":
    print(*report(), sep="\n")

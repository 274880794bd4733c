"""What counting 50 relations of all kinds adds to the scan of a long and a wide table, in batches as of executors."""

from __future__ import annotations

import time
from statistics import median

import numpy as np
import pyarrow as pa

from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.table import TableState
from airflow_dq.relation import Linear, Product, Relation, Sum
from airflow_dq.relation.dependency import Counter, Dependency, Key, Step
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.rule import RelationRule
from tests.benchmark.profile.table import SEED, TABLES, make

BATCH = 50_000
"""Rows of one batch of a job."""


def report(scale: float = 0.2, rounds: int = 3) -> list[str]:
    """Of each table the CPU seconds of this process without and with relations, in pairs, and the median ratio."""
    lines = []
    for name, rows in (("A", scale), ("W", min(1.0, 2 * scale))):
        shape = TABLES[name].scaled(rows)
        table = following(make(shape.rows, shape.columns, np.random.default_rng(SEED)))
        rules = fifty(table.column_names)
        _seconds(table.slice(0, 1_000), rules)  # what is imported once does not count
        pairs = [(_seconds(table, ()), _seconds(table, rules)) for _ in range(rounds)]
        more = median(after / before for before, after in pairs) - 1.0
        shown = ", ".join(f"{before:.2f} and {after:.2f} s" for before, after in pairs)
        lines.append(f"{name}, {shape.rows:,} x {shape.columns}: {len(rules)} relations, {shown}: {more:+.1%}")
    return lines


def following(table: pa.Table) -> pa.Table:
    """The table with country, coupon and paid following from the store, so that dependencies hold."""
    places = {name: place for place, name in enumerate(table.column_names)}
    for name, place in places.items():
        kind, _, block = name.partition("_")
        other = f"store_{place - KINDS.index(kind) + KINDS.index('store')}" if block else "store"
        if kind in FOLLOWING and other in places:
            # Of each store the value of its first row.
            codes = table.column(places[other]).combine_chunks().dictionary_encode().indices
            _, first = np.unique(codes.to_numpy(), return_index=True)
            table = table.set_column(place, name, table.column(place).take(pa.array(first)).take(codes))
    return table


def _seconds(table: pa.Table, rules: tuple[LearnedRule, ...]) -> float:
    """Of what a task of a job does."""
    options = ProfileOptions(rules=rules)
    started = time.process_time()
    batches = (table.slice(at, BATCH) for at in range(0, table.num_rows, BATCH))
    TableState.of_all(batches, options).profile("d", options)
    return time.process_time() - started


def fifty(columns: list[str]) -> tuple[LearnedRule, ...]:
    """As many as a rich table has: 30 within rows and 20 between them, all of which hold."""
    blocks = max(1, len(columns) // 12)

    def named(name: str, block: int) -> str:
        block %= blocks
        return name if not block else f"{name}_{12 * block + KINDS.index(name)}"

    found: list[Relation] = []
    for block in range(5):
        price, quantity, score, store, country, coupon, paid, token, key, customer = (
            named(name, block)
            for name in ("price", "quantity", "score", "store", "country", "coupon", "paid", "token", "id", "customer")
        )
        found += [
            Sum(price, (quantity, score), _LOOSE + block),
            Sum(price, (quantity, score, store), _LOOSE + block),
            Product(price, (quantity, score), _LOOSE + block),
            Product(quantity, (score, store), _LOOSE + block),
            Linear(price, quantity, factor=100.0 + block, tolerance=_LOOSE),
            Linear(store, quantity, factor=100.0 + block, tolerance=_LOOSE),
            Dependency(
                *(((store,), country), ((store,), coupon), ((store,), paid), ((key,), price), ((token,), store))[block],
                lasting=bool(block % 2),
            ),
            Dependency(
                *(
                    ((store, country), coupon),
                    ((store, country), paid),
                    ((key,), customer),
                    ((token,), country),
                    ((customer, token), score),
                )[block],
                lasting=True,
            ),
            (
                Key((key,)),
                Inclusion(quantity, store, lasting=False),
                Inclusion(country, country, lasting=True),
                Key((store, token)),
                Inclusion(store, store, lasting=True),
            )[block],
            (
                Counter((key,), price, 0.5, 10.0),
                Step((token,), price, quantity),
                Counter((store, token), quantity, 0.5, 1.0),
                Step((key,), price, score),
                Counter((customer, token), price, 0.5, 1.0),
            )[block],
        ]
    rules = {rule.measure: rule for one in found if (rule := RelationRule(one).learned(("d",)))}
    return tuple(rules.values())


_LOOSE = 1e12
"""A tolerance that every row keeps: what is learned holds."""
FOLLOWING = ("country", "coupon", "paid")
"""Columns of the tables that are drawn, and made to follow here from another one."""
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

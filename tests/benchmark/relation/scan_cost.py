"""What counting 50 relations of all kinds adds to the scan of a long and a wide table, in batches as of executors.

python -m tests.benchmark.relation.scan_cost --scale 0.2 --kinds
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from statistics import median

import numpy as np
import pyarrow as pa

from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.table import TableState
from airflow_dq.relation import (
    Linear,
    MissingImplies,
    Order,
    PresentTogether,
    Product,
    Relation,
    Sum,
    ValueImplies,
)
from airflow_dq.relation.dependency import Counter, Dependency, Key, Step
from airflow_dq.relation.inclusion import Inclusion
from airflow_dq.relation.rule import RelationRule
from tests.benchmark.profile.table import SEED, TABLES, make

BATCH = 50_000
"""Rows of one batch of a job."""


def report(scale: float = 0.2, rounds: int = 3, kinds: bool = False) -> Iterator[str]:
    """Of each table and mix the CPU seconds of this process without and with relations, in pairs, and the median ratio.

    :param kinds: a line for the relations of each kind as well
    """
    for name, rows in (("A", scale), ("W", min(1.0, 2 * scale))):
        shape = TABLES[name].scaled(rows)
        table = following(make(shape.rows, shape.columns, np.random.default_rng(SEED)))
        for mix in (usual, fifty):
            rules = mix(table.column_names)
            _seconds(table.slice(0, 1_000), rules)  # what is imported once does not count
            asked = {f"{len(rules)} relations": rules, **(_by_kind(rules) if kinds else {})}
            for label, some in asked.items():
                pairs = [(_seconds(table, ()), _seconds(table, some)) for _ in range(rounds)]
                more = median(after / before for before, after in pairs) - 1.0
                shown = ", ".join(f"{before:.2f} and {after:.2f} s" for before, after in pairs)
                yield f"{name}, {shape.rows:,} x {shape.columns}, {mix.__name__}: {label}, {shown}: {more:+.1%}"


def _by_kind(rules: tuple[LearnedRule, ...]) -> dict[str, tuple[LearnedRule, ...]]:
    found: dict[str, tuple[LearnedRule, ...]] = {}
    for rule in rules:
        kind = RelationRule.from_json(rule.document).relation.kind
        found[kind] = (*found.get(kind, ()), rule)
    return {f"{len(some)} of the kind {kind}": some for kind, some in found.items()}


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


def usual(columns: list[str]) -> tuple[LearnedRule, ...]:
    """As a search would learn: 32 within rows, and of the 18 between them most on columns of few values."""
    named = _naming(columns)
    found: list[Relation] = []
    for block in range(2):
        key, quantity, price, score, country, created, customer, coupon, paid, store, token = (
            named(name, block)
            for name in (
                "id",
                "quantity",
                "price",
                "score",
                "country",
                "created",
                "customer",
                "coupon",
                "paid",
                "store",
                "token",
            )
        )
        found += [
            *(Sum(price, (quantity, score), _LOOSE + block), Sum(price, (score, store), _LOOSE + block)),
            *(Product(price, (quantity, score), _LOOSE + block), Product(price, (quantity, store), _LOOSE + block)),
            *(Linear(price, quantity, factor=100.0 + block, tolerance=_LOOSE),),
            *(Linear(store, quantity, factor=100.0 + block, tolerance=_LOOSE),),
            *(Order(name, created) for name in ((quantity, score) if block else (store, price))),
            *(Order(name, key) for name in ((quantity, store) if block else (price, score))),
            *(
                PresentTogether(country, token if block else store),
                PresentTogether(price, token) if block else MissingImplies(store, paid),
            ),
            *(MissingImplies(country, coupon) if block else PresentTogether(key, quantity),),
            *(
                ValueImplies(paid, "true", price if block else country, True),
                ValueImplies(country, f"C{block:02d}", price, True),
            ),
            ValueImplies(paid, "false", token, True) if block else ValueImplies(country, "C02", token, True),
            *(Dependency((store,), one, lasting=bool(block)) for one in (country, coupon, paid)),
            Dependency((store, country) if block else (country, store), coupon, lasting=True),
            *(Inclusion(one, one, lasting=True) for one in ((country, store) if block else (coupon, quantity))),
            Inclusion(quantity, store, lasting=False) if block else Key((customer, token)),
            Key((token,)) if block else Key((key,)),
            Counter((key,), price, 0.5, 10.0) if block else Step((key,), price, quantity),
        ]
    return _learned(found)


def _naming(columns: list[str]) -> Callable[[str, int], str]:
    """Names of a kind of column in a block; the blocks that a table has are taken in turns."""
    blocks = max(1, len(columns) // 12)
    return lambda name, block: name if not block % blocks else f"{name}_{12 * (block % blocks) + KINDS.index(name)}"


def _learned(found: list[Relation]) -> tuple[LearnedRule, ...]:
    rules = {rule.measure: rule for one in found if (rule := RelationRule(one).learned(("d",)))}
    return tuple(rules.values())


def fifty(columns: list[str]) -> tuple[LearnedRule, ...]:
    """As many as a rich table has, of the dearest kinds: 30 within rows and 20 between them, all of which hold.

    Of the latter 13 are on columns that have another value in nearly every row.
    """
    named = _naming(columns)
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
    return _learned(found)


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


def main() -> None:
    """Print each line as it is known."""
    order = argparse.ArgumentParser(description=__doc__)
    order.add_argument("--scale", type=float, default=0.2, help="share of the rows of A, and twice as large a one of W")
    order.add_argument("--rounds", type=int, default=3, help="pairs")
    order.add_argument("--kinds", action="store_true", help="the relations of each kind by themselves as well")
    given = order.parse_args()
    for line in report(given.scale, given.rounds, given.kinds):
        print(line, flush=True)


if __name__ == "__main__":
    main()

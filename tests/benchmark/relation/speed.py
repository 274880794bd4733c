"""What counting relations adds to a scan: 500,000 rows of 12 columns, with and without 50 relations."""

from __future__ import annotations

import time

import pyarrow as pa

from airflow_dq.options.profile import ProfileOptions
from airflow_dq.options.rule import LearnedRule
from airflow_dq.profile.table import profile_table
from airflow_dq.relation import Linear, Order, Product, Relation, Sum, ValueImplies
from airflow_dq.relation.rule import RelationRule
from tests.benchmark.relation.planted import related

COLUMNS = (
    "quantity",
    "price",
    "amount",
    "shipping",
    "fee",
    "total",
    "net",
    "cents",
    "gross",
    "code",
    "state",
    "carrier",
)


def report(rows: int = 500_000, times: int = 3) -> list[str]:
    """CPU seconds of a scan in this process, the fastest of some."""
    found = related(rows, 0)
    table = pa.table({name: found[name] for name in COLUMNS})
    seconds = dict[str, float]()
    for label, rules in (("without", ()), ("with 50 relations", holding())):
        taken = []
        for _ in range(times):
            started = time.process_time()
            profile_table(table, "d", ProfileOptions(rules=rules))
            taken.append(time.process_time() - started)
        seconds[label] = min(taken)
    share = seconds["with 50 relations"] / seconds["without"] - 1.0
    return [*(f"{label}: {one:.2f} s" for label, one in seconds.items()), f"{share:.1%} more"]


def holding() -> tuple[LearnedRule, ...]:
    """Fifty relations that hold, each of them several times under another tolerance."""
    sums = [Sum("total", ("amount", "shipping", "fee"), 0.01 + step / 100) for step in range(15)]
    products = [Product("amount", ("quantity", "price"), 0.01 + step / 100) for step in range(15)]
    factors = [Linear("cents", "price", factor=100.0, tolerance=0.5 + step) for step in range(15)]
    others: list[Relation] = [
        ValueImplies("state", "sent", "carrier", True),
        ValueImplies("state", "open", "carrier", False),
        Order("amount", "total"),
        Order("fee", "total"),
        Order("price", "gross"),
    ]
    return tuple(RelationRule(one).learned(("d",)) for one in (*sums, *products, *factors, *others))

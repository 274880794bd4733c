"""What the tests of exports share: a history, a program that it tells, and a check of every kind."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from airflow_dq import ProfileOptions, SynthesisOptions, profile_table, synthesize
from airflow_dq.check import Checks
from airflow_dq.export.learned import rules_of_checks, rules_of_program
from airflow_dq.export.model import Export, Facts, Lost, Rule
from airflow_dq.export.registry import TARGETS
from airflow_dq.export.sql import DIALECTS
from airflow_dq.learn.program import Program
from airflow_dq.profile import Profile

ROWS = 60


def orders(index: int) -> pa.Table:
    rng = np.random.default_rng(index)
    rows = range(ROWS)
    return pa.table(
        {
            "id": [f"{index:02d}-{row:02d}" for row in rows],
            "line": pa.array([row % 7 for row in rows], pa.int64()),
            "amount": [None if row % 11 == 0 else float(rng.integers(-3, 90)) for row in rows],
            "price": rng.gamma(2.0, 10.0, ROWS),
            "status": rng.choice(["new", "it's", "a\\b"], ROWS).tolist(),
            "note": [None if row % 9 == 0 else ["", "x", "yy y", 'z"z'][row % 4] for row in rows],
            "paid": [row % 3 > 0 for row in rows],
        }
    )


def declared() -> Checks:
    """A check of every kind that can be asked without a history, and one that cannot."""
    checks = Checks("orders", owner="sales")
    checks.rows().between(10, 5_000)
    checks.rows(where="amount > 5", warn=">=1")
    for name in ("id", "amount", "note"):
        checks.col(name).completeness(error=">=0.5", warn=">0.85")
    for nulls in ("skip", "pass", "fail"):
        checks.col("note").isin(["x", "yy y"], nulls=nulls, error=">=0.1")
        checks.rule("amount >= 0", nulls=nulls, error=">=0.25")
    checks.col("status").isin(["new", "it's", "a\\b"])
    checks.col("status").not_in(["old"])
    checks.col("status").matches(r"^[a-z'\\]+$", where="price > 1 or status = 'it''s'")
    checks.col("note").format("email", error=0)
    checks.col("line").between(0, 6)
    checks.col("amount").between(low=-3, error=">0.9")
    for metric in ("min", "max", "range", "mean", "sum", "std", "variance", "median", "iqr", "skewness", "kurtosis"):
        checks.add(metric, ("amount",), error=[-1_000, 5_000])
    checks.col("amount").quantile(0.25, error=[-3.5, 85], warn=[-3.5, 80])
    checks.col("note").add("mean_length", error="<=100")
    for metric in ("mean_length", "min_length", "max_length"):
        checks.add(metric, ("status",), error="<=10")
    for metric in ("distinct", "uniqueness", "unique_value_ratio", "distinctness", "largest_share", "entropy"):
        checks.add(metric, ("note",), error="<=100")
        checks.add(metric, ("note", "line"), error="<=100", where="amount is not null")
    for metric in ("duplicate_rows", "duplicate_values", "surplus_rows"):
        checks.add(metric, ("line",), error="<=60")
    checks.key("id")
    checks.key("note", "id", error=">=0.1")
    checks.col("paid").complete()
    checks.unique("line", "id")
    checks.correlation("amount", "price", error="<=1")
    checks.mutual_information("line", "note", error=">=0")
    checks.has_columns("id", "price")
    checks.has_columns("id", "line", "amount", "price", "status", "note", "paid", exactly=True, ordered=True)
    checks.col("price").type("numeric")
    checks.metric("revenue", "sum(price * line) / count(*)", error=">0")
    checks.metric("level", "max(price)", where="line % 2 = 0 and not (note is null)", error="<=1e3")
    checks.rule("coalesce(amount, 0) <=> amount or abs(round(price, 1)) > 0.5", error=">=0.9")
    checks.col("price").unique()
    checks.col("price").mean(anomaly="normal", id="odd mean")
    return checks


@cache
def history() -> tuple[Profile, ...]:
    options = ProfileOptions(checks=tuple(declared()), sample_rows=0)
    return tuple(profile_table(orders(index), f"2026-01-{index + 1:02d}", options) for index in range(12))


@cache
def program() -> Program:
    return synthesize(history(), SynthesisOptions(checks=tuple(declared())))


@cache
def rules() -> tuple[tuple[Rule, ...], tuple[Lost, ...]]:
    found, lost = rules_of_program(program(), history())
    return tuple(found), tuple(lost)


@cache
def export(target: str, sql: str = "duckdb") -> Export:
    facts = Facts("orders", "orders", DIALECTS[sql], program().table.schema, "12 partitions")
    return TARGETS[target].export(facts, *rules())


def export_of(target: str, checks: Checks, **facts: Any) -> Export:
    """What is written of declared checks alone, of columns whose kinds nobody knows."""
    return TARGETS[target].export(Facts("orders", "orders", **facts), *rules_of_checks(checks))

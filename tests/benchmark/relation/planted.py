"""Generated tables: relations that were planted, decoys that only look like some, and what is found of both."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from airflow_dq.profile.column import canonical
from airflow_dq.relation.mine import mine
from airflow_dq.states.prepared import PreparedColumn

DAY = 1_767_225_600
PLANTED = frozenset(
    {
        "amount = quantity * price",
        # The total of amount, shipping and fee; of the forms of it the shortest one is looked for.
        "total = shipping + net",
        "net = amount + fee",
        "cents = 100 * price",
        "gross = 1.19 * price, within 0.005",
        "copy = code",
        "closed = opened + 30",
        "end - start = minutes (in minutes), within 1",
        "start <= end",
        "sent is missing if and only if carrier is",
        "where state is 'open', sent is missing",
        "where state is 'sent', sent is present",
    }
)


@dataclass(frozen=True)
class Table:
    """One generated table."""

    columns: Mapping[str, pa.Array]

    def found(self) -> tuple[set[str], float]:
        """The relations that are found in it, in words, and the seconds that it took."""
        moments = [name for name, one in self.columns.items() if pa.types.is_timestamp(one.type)]
        started = time.process_time()
        found = mine({name: PreparedColumn(canonical(one)) for name, one in self.columns.items()}, moments)
        return {str(one.relation) for one in found}, time.process_time() - started


def related(rows: int, seed: int) -> dict[str, Any]:
    """Columns with every planted relation."""
    rng = np.random.default_rng(seed)
    quantity, price = rng.integers(1, 12, rows), np.round(rng.lognormal(3, 0.6, rows), 2)
    shipping, fee = np.round(rng.exponential(5.0, rows), 2), np.round(rng.exponential(2.0, rows), 2)
    amount, start = np.round(quantity * price, 2), DAY + rng.integers(0, 86_400, rows)
    took, state = rng.exponential(9_000, rows).astype(int), rng.choice(["open", "sent"], rows)
    sent = [int(one) if known == "sent" else None for one, known in zip(start, state, strict=True)]
    code, opened = [f"C{one}" for one in rng.integers(0, 10**6, rows)], rng.integers(0, 10**5, rows)
    return {
        "quantity": quantity,
        "price": price,
        "amount": amount,
        "shipping": shipping,
        "fee": fee,
        "total": np.round(amount + shipping + fee, 2),
        "net": np.round(amount + fee, 2),
        "cents": np.rint(100 * price).astype(int),
        "gross": np.round(1.19 * price, 2),
        "copy": code,
        "code": code,
        "opened": opened,
        "closed": opened + 30,
        "start": pa.array(start, pa.timestamp("s")),
        "end": pa.array(start + took, pa.timestamp("s")),
        "minutes": took // 60,
        "state": state,
        "sent": pa.array([None if one is None else one % 977 for one in sent], pa.int64()),
        "carrier": pa.array([None if one is None else "dhl" for one in sent]),
    }


def decoys(rows: int, seed: int) -> dict[str, Any]:
    """Columns that have nothing in common, made so that some look as if they had."""
    rng = np.random.default_rng(seed + 1_000)
    found: dict[str, Any] = {
        "id": np.arange(rows),
        "other_id": 5_000 + 3 * np.arange(rows),
        "counter": 100 + np.cumsum(rng.integers(1, 3, rows)),
        "seen": pa.array(DAY + np.sort(rng.integers(0, 86_400, rows)), pa.timestamp("s")),
        "large": np.round(rng.normal(1e6, 10, rows), 1),
        "note": pa.array(np.where(rng.random(rows) < 0.01, "x", None).tolist(), pa.string()),
    }
    for place in range(4):
        found[f"flag_{place}"] = rng.integers(0, 2, rows)
        found[f"small_{place}"] = rng.integers(0, 3 + place, rows)
        found[f"nearly_{place}"] = np.where(rng.random(rows) < 0.004, 1.0, 0.0)
        found[f"sum_{place}"] = np.round(rng.normal(50 * place, 20, rows), 1)
    return found


def table(rows: int, seed: int) -> Table:
    """Planted relations beside decoys."""
    given = {**related(rows, seed), **decoys(rows, seed)}
    return Table({name: one if isinstance(one, pa.Array) else pa.array(one) for name, one in given.items()})


def report(tables: int, rows: int) -> list[str]:
    """Recall, false discoveries, and time."""
    hits, found_all, wrong, seconds = 0, 0, dict[str, int](), list[float]()
    for seed in range(tables):
        found, took = table(rows, seed).found()
        # A column that has a twin may stand for it.
        found = {one.replace("code = copy", "copy = code") for one in found}
        hits += len(found & PLANTED)
        found_all += len(found)
        seconds.append(took)
        for one in found - PLANTED:
            wrong[one] = wrong.get(one, 0) + 1
    false = sum(wrong.values()) / max(1, found_all)
    lines = [
        f"{tables} tables of {rows:,} rows and {len(table(10, 0).columns)} columns",
        f"recall {hits / (tables * len(PLANTED)):.3f}, false discoveries {false:.4f} of {found_all}",
        f"{np.median(seconds):.2f} s each at the median, {max(seconds):.2f} s at most (CPU)",
    ]
    return [*lines, *(f"    {count} times: {one}" for one, count in sorted(wrong.items(), key=lambda one: -one[1]))]

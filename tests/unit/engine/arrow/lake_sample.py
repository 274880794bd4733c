"""Small tables of the two formats, written by their own libraries."""

from __future__ import annotations

import base64
import json
import os
import struct
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from pyiceberg.transforms import IdentityTransform

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.base import ScanResult
from airflow_dq.engine.store_access import NO_ACCESS, StoreAccess
from airflow_dq.options.job import JobSpec
from airflow_dq.profile.model import Profile

_RFC1924 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def rows(day: str, number: int, first: int = 0) -> pa.Table:
    """Rows of one day, in types of several kinds."""
    ids = range(first, first + number)
    return pa.table(
        {
            "id": pa.array(ids, pa.int32()),
            "day": pa.array([date.fromisoformat(day)] * number),
            "name": pa.array([None if one % 7 == 0 else f"näme {one % 50}" for one in ids]),
            "price": pa.array([one / 4 for one in ids]),
            "at": pa.array([datetime(2026, 1, 1, one % 24, tzinfo=UTC) for one in ids], pa.timestamp("us", "UTC")),
            "raw": pa.array([str(one).encode() for one in ids]),
        }
    )


def delta_table(folder: Path, *parts: pa.Table, partition_by: Sequence[str] = ("day",), **more: object) -> DeltaTable:
    """A Delta table with a version for each part."""
    for part in parts:
        write_deltalake(folder, part, partition_by=list(partition_by), mode="append", **more)  # type: ignore[call-overload]
    return DeltaTable(folder)


def written_at(folder: Path, *times: str) -> None:
    """Let the versions of a Delta table be of these times."""
    for version, text in enumerate(times):
        moment = datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
        os.utime(folder / "_delta_log" / f"{version:020}.json", (moment, moment))


def delete_by_vector(folder: Path, deleted: Sequence[int]) -> None:
    """Delete rows of a Delta table of one version and one file by a deletion vector, as Spark does."""
    log = folder / "_delta_log"
    lines = (log / f"{0:020}.json").read_text().splitlines()
    add = next(entry["add"] for entry in map(json.loads, lines) if "add" in entry)
    bitmap = struct.pack("<IIHHI", 12346, 1, 0, len(deleted) - 1, 16) + struct.pack(f"<{len(deleted)}H", *deleted)
    body = struct.pack("<IqI", 1681511377, 1, 0) + bitmap
    body += b"\0" * (-len(body) % 4)
    text = base64.b85encode(body).decode().translate(str.maketrans(_RFC1924, _Z85))
    vector = {"storageType": "i", "pathOrInlineDv": text, "sizeInBytes": len(body), "cardinality": len(deleted)}
    entries = [
        {"remove": {"path": add["path"], "deletionTimestamp": 1, "dataChange": True}},
        {"add": {**add, "deletionVector": vector}},
    ]
    (log / f"{1:020}.json").write_text("\n".join(map(json.dumps, entries)))


def iceberg_table(folder: Path, *parts: pa.Table, partition_by: Sequence[str] = ("day",)) -> Table:
    """An Iceberg table ``lake.shop.orders`` with a snapshot for each part."""
    catalog = SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/warehouse")
    catalog.create_namespace("shop")
    table = catalog.create_table("shop.orders", parts[0].schema)
    with table.update_spec() as spec:
        for name in partition_by:
            spec.add_field(name, IdentityTransform(), name)
    for part in parts:
        table.append(part)
    return table


def scanned(order: JobSpec, access: StoreAccess = NO_ACCESS) -> dict[str, ScanResult]:
    """What comes of each partition of an order in this process."""
    engine = ArrowEngine(order, access)
    keys = engine.partitions()
    found = {one.partition: one for one in engine.scan(0)}
    assert list(found) == list(keys)
    return found


def profiles(order: JobSpec, access: StoreAccess = NO_ACCESS) -> dict[str, Profile]:
    """The profile of each partition of an order, all of which can be read."""
    found = {}
    for key, one in scanned(order, access).items():
        assert one.profile is not None, one.error
        found[key] = one.profile
    return found

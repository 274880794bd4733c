"""The in-process engine and the Spark job store identical metrics, states and variants."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.job.pipeline import ProfileJob
from airflow_dq.profile import JobSpec
from airflow_dq.store import Repository
from airflow_dq.store.value import strict_json

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.slow

ROWS = 300


def table() -> pa.Table:
    """Every type that both can read."""
    random = np.random.default_rng(0)
    small = [int(value) for value in random.integers(0, 100, ROWS)]
    moments = [dt.datetime(2020, 1, 1) + dt.timedelta(hours=hour) for hour in range(ROWS)]
    nanos = pa.array(np.arange(ROWS) * 1234567891011 - 10**14, pa.int64())
    whole = {
        str(kind): pa.array(small, kind)
        for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
    }
    columns = {
        **whole,
        "long": pa.array([2**60 + row for row in range(ROWS)]),
        "float": pa.array(random.normal(size=ROWS).astype("f4")),
        "double": pa.array([None if r % 7 == 0 else float("nan") if r % 11 == 0 else r / 3 for r in range(ROWS)]),
        "text": pa.array([None if r % 5 == 0 else ["a", "", "Ünï", "x" * 300][r % 4] for r in range(ROWS)]),
        "large": pa.array([f"v{r % 9}" for r in range(ROWS)], pa.large_string()),
        "dictionary": pa.array([f"k{r % 3}" for r in range(ROWS)]).dictionary_encode(),
        "bool": pa.array([bool(r % 2) for r in range(ROWS)]),
        "binary": pa.array([b"ab" * (r % 4) for r in range(ROWS)]),
        "fixed": pa.array([b"abcd"] * ROWS, pa.binary(4)),
        "date": pa.array([moment.date() for moment in moments], pa.date32()),
        "micros": pa.array(moments, pa.timestamp("us")),
        "millis": pa.array(moments, pa.timestamp("ms")),
        "utc": pa.array(moments, pa.timestamp("us", "UTC")),
        "berlin": pa.array(moments, pa.timestamp("us", "Europe/Berlin")),
        "nanos": nanos.cast(pa.timestamp("ns")),
        "time": pa.array([row * 1000 for row in range(ROWS)], pa.time64("us")),
        "decimal": pa.array([Decimal(row) / 100 for row in range(ROWS)], pa.decimal128(12, 2)),
        "nothing": pa.nulls(ROWS),
        "list": pa.array([[1, 2][: row % 3] if row % 4 else None for row in range(ROWS)]),
        "struct": pa.array([{"a": 1, "b": None} if r % 3 else None for r in range(ROWS)]).cast(
            pa.struct([("a", pa.int64()), ("b", pa.string())])
        ),
    }
    return pa.table(columns)


def write_parquet(folder: Path) -> None:
    rows = table()
    for day, parts in {"1": (rows.slice(0, 100), rows.slice(100)), "2": (rows,), "3": (rows.slice(0, 0),)}.items():
        (folder / f"day={day}").mkdir(parents=True)
        for number, part in enumerate(parts):
            pq.write_table(part, folder / f"day={day}" / f"part-{number}.parquet")


def write_csv(folder: Path) -> None:
    texts = {
        "1": ('id,name,note\n1,a,"x, y"\n2,,""\n3,"b\nc","q\\"r"\n4, sp ,z\n',),
        "2": ("id,name,note\n1,a,b\n", "id,name,note\n02,c,\n"),
        "3": ("id,name,note\n1,a\n",),  # a row is cut off
        "4": ('id,name,\n1,"say ""hi""","C:\\temp\\"\n2,C:\\new,\n',),
    }
    for day, parts in texts.items():
        (folder / f"day={day}").mkdir(parents=True)
        for number, part in enumerate(parts):
            (folder / f"day={day}" / f"part-{number}.csv").write_text(part)


@pytest.mark.parametrize(
    ("format", "write", "bad", "segments"),
    [("parquet", write_parquet, (), ("large", "bool")), ("csv", write_csv, ("3",), ("name",))],
)
def test_both_engines_store_the_same(format, write, bad, segments, spark, store: Repository, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    from airflow_dq.engine.spark.engine import SparkEngine

    write(tmp_path)
    pattern = f"{tmp_path}/day=*"
    spec = JobSpec(dataset="spark", pattern=pattern, format=format, segments=segments)
    here = ProfileJob(ArrowEngine(replace(spec, dataset="here")), store, lambda line: None).run()
    there = ProfileJob(SparkEngine(spark, spec, lambda line: None), store, lambda line: None).run()
    assert [outcome.partition for outcome in here if outcome.error] == list(bad)
    for mine, other in zip(here, there, strict=True):
        assert (mine.partition, mine.rows, mine.profiled, mine.skipped, mine.error is None) == (
            *(other.partition, other.rows, other.profiled, other.skipped),
            other.error is None,
        )
        left, right = (store.load_profile(dataset, mine.partition) for dataset in ("here", "spark"))
        assert (left is None) == (right is None) == (mine.partition in bad)
        if left is None or right is None:
            continue
        differing = [name for name in left.columns if left.columns[name] != right.columns.get(name)]
        assert (differing, list(left.columns), left.fingerprint) == ([], list(right.columns), right.fingerprint)
        assert _plain(left.variants) == _plain(right.variants)
        assert left.checks == right.checks
        assert left.options.segments == right.options.segments == segments


def _plain(variants: object) -> dict[str, object]:
    assert isinstance(variants, dict)
    return {
        name: [
            (one.label, strict_json(dict(one.metrics)), {k: s.encode() for k, s in one.states.items()}) for one in found
        ]
        for name, found in variants.items()
    }

"""Both engines come to the same result on every type, format and oddity of docs/ugly-data.md: a profile, or an error.

Without a database: what is compared is what an engine hands over.
"""

from __future__ import annotations

import bz2
import gzip
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from airflow_dq.engine.arrow.engine import ArrowEngine
from airflow_dq.engine.base import Engine, ScanResult
from airflow_dq.engine.spark.engine import SparkEngine
from airflow_dq.exceptions import DQError
from airflow_dq.options.job import JobSpec
from airflow_dq.settings import HASH_KEY_VARIABLE
from tests.integration.spark_job import SECRET

pytestmark = pytest.mark.slow

MARKER = "s3cret"
INTEGERS = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())
NANOS = [-1, 0, 999, 1000, -1001, 2**62 + 1, None, 1 - 2**63]
BROKEN = (
    b"\xff",
    b"\xc3",
    b"\xe2\x82",
    b"\xe2\x28\xa1",
    b"\xed\xa0\x80",
    b"\xed\xa0",
    b"\xf0\x9f",
    b"\xc0\x80",
    b"\xfe",
)


def _texts(values: list[bytes]) -> pa.Array:
    """Strings of any bytes, as files may hold them."""
    return pa.Array.from_buffers(pa.string(), len(values), pa.array(values, pa.binary()).buffers())


PARQUET: dict[str, pa.Array] = {
    **{str(kind): pa.array([0, 1, 100, None], kind) for kind in INTEGERS},
    "long": pa.array([2**60 + 1, 2**60 + 300, -(2**62) - 1, None]),
    "unsigned long": pa.array([2**64 - 1, 2**63, 1], pa.uint64()),
    "single": pa.array([0.1, -0.0, float("inf"), None, float("nan")], pa.float32()),
    "constant": pa.array([0.1] * 997),
    "decimal": pa.array([Decimal("0.10"), Decimal("99999999.99"), None], pa.decimal128(12, 2)),
    "long decimal": pa.array([Decimal(10**37 + 1), Decimal(10**37 + 4)], pa.decimal128(38)),
    "text": pa.array(["", None, "é", "e\u0301", "٣", "x" * 2000, "\x00"]),
    "broken text": _texts([b"a" + one + b"z" for one in BROKEN]),
    "bytes": pa.array([b"", b"x", None]),
    "fixed": pa.array([b"ab", None], pa.binary(2)),
    "boolean": pa.array([True, False, None]),
    "date": pa.array([-800_000, 0, 3_000_000, None], pa.date32()),
    "micros": pa.array([-1, 0, 2**60, None], pa.timestamp("us")),
    "millis": pa.array([-1, 0, 2**40, None], pa.timestamp("ms", "UTC")),
    "nanos": pa.array(NANOS, pa.timestamp("ns")),
    "nanos in a zone": pa.array(NANOS, pa.timestamp("ns", "Europe/Berlin")),
    "time": pa.array([0, 86_399_999_999, None], pa.time64("us")),
    "list": pa.array([[], [1], None]),
    "struct": pa.array([{"a": 1, "b": None}, None], pa.struct([("a", pa.int64()), ("b", pa.string())])),
    "map": pa.array([[("a", 1)], [], None], pa.map_(pa.string(), pa.int64())),
    "dictionary": pa.array(["a", "b", None]).dictionary_encode(),
    "untyped": pa.nulls(3),
    "null text": pa.nulls(3, pa.string()),
    "null integer": pa.nulls(3, pa.int32()),
    "no rows": pa.array([], pa.int64()),
}


def parquet(folder: Path) -> dict[str, str]:
    places = {}
    for name, values in PARQUET.items():
        for way, more in (("", {}), (" by spark", {"u": pa.array(range(len(values)), pa.uint16())})):
            place = folder / f"{name}{way}"
            place.mkdir()
            # One unsigned column sends a partition through Spark's own reader.
            pq.write_table(pa.table({"v": values, **more}), place / "part-0.parquet")
            places[place.name] = str(place)
    kinds = folder / "kinds that differ by file"
    kinds.mkdir()
    for number, values in enumerate(([1, 2], ["x"], [None], [3])):
        pq.write_table(pa.table({"id": range(len(values)), "v": values}), kinds / f"part-{number}.parquet")
    places[kinds.name] = str(kinds)
    delta = folder / "delta" / "day=1"
    (folder / "delta" / "_delta_log").mkdir(parents=True)
    delta.mkdir()
    pq.write_table(pa.table({"v": [1]}), delta / "part-0.parquet")
    (folder / "torn").mkdir()
    (folder / "torn" / "part-0.parquet").write_bytes(b"PAR1 and nothing more")
    (folder / "nothing").mkdir()
    gone = {"gone": str(folder / "gone"), "nothing": str(folder / "nothing"), "torn": str(folder / "torn")}
    return {**places, **gone, "delta": str(delta)}


MANY = "id,t\n" + "".join(f'{row},"x ""{row}"" y"\n' for row in range(20_000))
CSV: dict[str, bytes] = {
    "plain": b"id,t\n1,a\n2,\n",
    "doubled": b'id,t\n1,"say ""hi"""\n2,"C:\\"\n',
    "escaped": b'id,t\n1,"say \\"hi\\", he"\n',
    "line breaks": b'id,t\n1,"two\nlines"\n',
    "an inch": b'id,t\n1,pipe 8"\n2,"6 inch"\n',
    "closed later": b'id,t\n1,"6 inch\n2,pipe 8"\n',
    "never closed": b'id,t\n1,x\n2,"6 inch\n3,y\n',
    "never closed in the middle": b'id,t,n\n1,"6 inch,2\n3,y,1\n',
    "many": MANY.encode(),
    "many and one never closed": MANY.encode() + b'1,"6 inch\n' + b"2,x\n" * 9,
    "header only": b"id,t\n",
    "empty": b"",
    "odd names": b"id,,t,t\n1,2,3,4\n",
    "too many": b"id,t\n1,2,3\n",
    "too few": b"id,t\n1\n",
    "broken": b"id,t\n" + b"".join(b"1,a" + one + b"z\n" for one in BROKEN),
    "marked": "\ufeffid,t\n1,a\n".encode(),
    "utf-16": "id,t\n1,a\n".encode("utf-16"),
    "hidden gzip": gzip.compress(b"id,t\n1,a\n"),
    "returns": b"id,t\r\n1,a\r\n",
    "untyped": b"id,t\n,\n,\n",
}
PACKED: dict[str, bytes] = {
    "a.csv.gz": gzip.compress(b"id,t\n1,a\n"),
    "b.CSV.GZ": gzip.compress(b"id,t\n1,a\n"),
    "c.csv.Bz2": bz2.compress(b"id,t\n1,a\n"),
    "d.csv.ZST": pa.compress(b"id,t\n1,a\n", codec="zstd", asbytes=True),
    "twice.csv.gz": gzip.compress(gzip.compress(b"id,t\n1,a\n")),
}


def csv(folder: Path) -> dict[str, str]:
    files = {**{f"{name}.csv": content for name, content in CSV.items()}, **PACKED}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return {name.removesuffix(".csv"): str(folder / name) for name in files}


def damaged(folder: Path) -> dict[str, str]:
    texts = {
        "a field too many": f"id,card\n{MARKER},2,{MARKER}\n",
        "never closed": f'id,card\n1,"{MARKER}\n',
        "no header": f"{MARKER},{MARKER}x\n1,2\n",
        "fine": f"id,card\n1,{MARKER}\n",
    }
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text)
    return {name: str(folder / f"{name}.csv") for name in texts}


def results(engine: Engine) -> dict[str, ScanResult]:
    engine.partitions()
    found = {result.partition: result for result in engine.scan(2)}
    return dict(sorted(found.items()))


ORDERS: dict[str, tuple[Callable[[Path], dict[str, str]], dict[str, Any], set[str]]] = {
    "parquet": (parquet, {}, {"gone", "nothing", "torn", "delta"}),
    "csv": (
        csv,
        {"format": "csv"},
        {
            *("never closed", "never closed in the middle", "many and one never closed"),
            *("too many", "too few", "utf-16", "hidden gzip", "twice.csv.gz"),
        },
    ),
    "hidden": (
        damaged,
        {"format": "csv", "hidden": ("card",), "columns": ("card",)},
        {"a field too many", "never closed", "no header"},
    ),
}


@pytest.mark.parametrize("kind", ORDERS)
def test_both_engines_come_to_the_same(
    kind: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, SECRET)
    write, options, failing = ORDERS[kind]
    order = JobSpec(dataset="d", paths=write(tmp_path), **options)
    log: list[str] = []
    here, there = results(ArrowEngine(order)), results(SparkEngine(spark, order, log.append))
    assert {key for key, result in here.items() if result.error} == failing
    assert {key for key, result in there.items() if result.error} == failing
    assert [key for key, result in here.items() if not _same(result, there[key])] == []
    said = "".join(f"{one.error} {one.traceback}" for one in (*here.values(), *there.values())) + "".join(log)
    assert MARKER not in said


def _same(here: ScanResult, there: ScanResult) -> bool:
    if here.profile is None or there.profile is None:
        return here.profile is there.profile
    return here.profile.fingerprint == there.profile.fingerprint


BAD: dict[str, tuple[dict[str, str], dict[str, Any], str]] = {
    "a JSON token": (
        {"a.json": f'{{"card": "{MARKER}"}}\n{{"card": {MARKER}}}\n'},
        {"format": "json"},
        "Malformed|Spark",
    ),
    "a failed cast": (
        {"a.csv": f"id,card\n1,2\n{MARKER},3\n"},
        {"format": "csv", "options": {"schema": "id int, card int"}},
        r"a\.csv",
    ),
    "records in one line of JSON": ({"a.json": '{"card": 1}{"card": 2}'}, {"format": "json"}, "record behind another"),
    "lines of JSON read as one value": (
        {"a.json": '{"card": 1}\n{"card": 2}\n'},
        {"format": "json", "options": {"multiLine": "true"}},
        "Leave multiLine out",
    ),
    "several lines of JSON": ({"a.json": '{\n "card": 1\n}\n'}, {"format": "json"}, "multiLine=true"),
    "a line break without multiLine": (
        {"a.csv": 'id,card\n1,"two\nlines"\n'},
        {"format": "csv", "options": {"multiLine": "false"}},
        "line 2 ends inside quotes.*multiLine=true",
    ),
    "a key column that is not there": (
        {"a.csv": f"{MARKER},{MARKER}x\n1,2\n"},
        {"format": "csv", "partition_by": "day"},
        "has no column 'day' to partition by; it has 2 of other names",
    ),
    "JSON beside folders": (
        {"h=1/a.json": '{"card": 1}\n', "b.json": '{"card": 2}\n'},
        {"format": "json"},
        r"leaves out .*b\.json",
    ),
    "CSV beside folders": ({"h=1/a.csv": "card\n1\n", "b.csv": "card\n2\n"}, {"format": "csv"}, r"leaves out .*b\.csv"),
    "files beside those of a key": (
        {"day=1/a.csv": "card\n1\n", "b.csv": "card\n2\n"},
        {"format": "csv", "partition_by": "day"},
        r"leaves out .*b\.csv",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_spark_alone_reads_is_refused_in_words_without_values(
    name: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, SECRET)
    files, options, expected = BAD[name]
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    source = {"pattern": str(tmp_path)} if "partition_by" in options else {"paths": {"p": str(tmp_path)}}
    order = JobSpec(dataset="d", hidden=("card",), **source, **options)
    try:
        (result,) = results(SparkEngine(spark, order, lambda line: None)).values()
        said = str(result.error)
    except DQError as error:
        said = error.discreet
    assert said.startswith("Dataset 'd'")
    assert re.search(expected, said), said
    assert MARKER not in said

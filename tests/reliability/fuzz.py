"""Random input: ``python -m tests.reliability.fuzz [--tables 100000] [--blobs 5000] [--lines 5000] [--seed 0]``.

Tables of odd values are profiled, written and read; stored states, injected errors and exported lines are damaged,
some of them with their checksums made right again.  All of it ends in a plausible value or in a ``CodecError``:
whatever else is raised is printed with its seed, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from airflow_dq.codec import from_json, to_json
from airflow_dq.corruption.blob import decode_variants, encode_variants
from airflow_dq.corruption.variant import all_variants
from airflow_dq.exceptions import CodecError
from airflow_dq.job.exchange_line import _checksum, read_line, write_line
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.evaluate import measure
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.profile.model import encode_states
from airflow_dq.profile.plausible import require_plausible
from airflow_dq.states.base import Kind, decode_state

ODD_NUMBERS = [0.0, -0.0, 1.0, -1.0, 5e-324, 1e308, -1e308, 2.0**53, np.nan, np.inf, -np.inf, 0.1]
ODD_TEXTS = ["", " ", "a", "\x00", "\u202e", "🙂", "NaN", "null", "1e400", "2024-01-01", "x" * 300, "'", "\ufeff", "é"]
ODD_INTEGERS = [0, 1, -1, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63)]
Random = np.random.Generator


def numbers(rng: Random, rows: int) -> pa.Array:
    """Floats, many of them odd."""
    return pa.array(np.where(rng.random(rows) < 0.5, rng.choice(ODD_NUMBERS, rows), rng.normal(0, 10, rows)))


def integers(rng: Random, rows: int) -> pa.Array:
    """Integers to the ends of their type."""
    return pa.array(rng.choice(np.array(ODD_INTEGERS, np.int64), rows), mask=rng.random(rows) < 0.2)


def texts(rng: Random, rows: int) -> pa.Array:
    """Texts, many of them odd."""
    return pa.array(rng.choice(ODD_TEXTS, rows).tolist(), pa.string(), mask=rng.random(rows) < 0.2)


def moments(rng: Random, rows: int) -> pa.Array:
    """Timestamps of all ages."""
    unit = str(rng.choice(["s", "ms", "us", "ns"]))
    return pa.array(rng.integers(-(2**62), 2**62, rows) // 10 ** int(rng.integers(0, 19)), pa.timestamp(unit))


def others(rng: Random, rows: int) -> pa.Array:
    """What is hardly profiled."""
    made: list[Callable[[], pa.Array]] = [
        lambda: pa.nulls(rows),
        lambda: pa.array([rng.bytes(int(rng.integers(0, 4))) for _ in range(rows)], pa.binary()),
        lambda: pa.array([[1] * int(rng.integers(0, 3)) for _ in range(rows)], pa.list_(pa.int8())),
        lambda: pa.array(rng.random(rows) < 0.5, mask=rng.random(rows) < 0.2),
        lambda: pa.array(rng.integers(-999, 999, rows)).cast(pa.decimal128(38, 5)),
    ]
    return made[int(rng.integers(len(made)))]()


MAKERS = (numbers, integers, texts, moments, others)


def table(rng: Random) -> pa.Table:
    """A small table."""
    rows = int(rng.integers(0, 12))
    count = int(rng.integers(1, 4))
    return pa.table(
        {f"{name}{rng.choice(ODD_TEXTS)}": MAKERS[int(rng.integers(5))](rng, rows) for name in range(count)}
    )


def profiled(rng: Random) -> str:
    """Profile a table, write it and read it."""
    profile = profile_table(table(rng), "1", ProfileOptions(sample_rows=0))
    require_plausible(profile)
    assert from_json(Profile, to_json(profile)) == profile
    return "as it is"


def sources() -> tuple[list[tuple[Kind, str, bytes]], list[bytes], list[str]]:
    """States, injected errors and lines to damage."""
    rng = np.random.default_rng(0)
    profiles = [
        profile_table(pa.table({make.__name__: make(rng, rows) for make in MAKERS}), "1", ProfileOptions())
        for rows in (0, 3, 200)
    ]
    states = [
        (column.kind, key, blob)
        for profile in profiles
        for column in profile.columns.values()
        for key, blob in encode_states(column.states).items()
    ]
    variants = [encode_variants(found) for profile in profiles for found in all_variants(profile).values() if found]
    return states, variants, [write_line("t", profile) for profile in profiles[:2]]


def damaged(rng: Random, data: bytes, start: int = 0) -> bytes:
    """The bytes with a few changed, cut or doubled behind a place."""
    found = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        place = int(rng.integers(start, len(found))) if len(found) > start else len(found)
        match int(rng.integers(4)):
            case 0:
                found[place : place + 1] = rng.bytes(1)
            case 1:
                del found[place : place + int(rng.integers(1, 9))]
            case 2:
                found[place:place] = rng.bytes(int(rng.integers(1, 9)))
            case _:
                found[place : place + 8] = struct.pack("<q", int(rng.choice([0, -1, 2**62, 2**31, 1])))
    return bytes(found)


def state(rng: Random, kind: Kind, key: str, blob: bytes) -> str:
    """Damage a state, with a right checksum every other time; what is read of it has metrics, or reasons."""
    if rng.random() < 0.5:
        decode_state(key, damaged(rng, blob))
        return "as it is"
    # Behind the checksum and the key.
    body = damaged(rng, blob[5:], len(key) + 1)
    read = decode_state(key, blob[:1] + struct.pack("<I", zlib.crc32(body)) + body)
    for value in measure(kind, {key: read}).values():
        assert isinstance(value, Reason) or np.isfinite(value), value
    return "another state"


def line(rng: Random, text: str) -> str:
    """Damage a line: its bytes, or a value, every other time with a right checksum."""
    if rng.random() < 0.5:
        read_line(damaged(rng, text.encode()).decode("utf-8", "surrogateescape"))
        return "as it is"
    document = json.loads(text)
    places = [(document["profile"], key) for key in document["profile"]]
    for column in document["profile"]["columns"].values():
        places += [(column, key) for key in column]
        places += [(column[part], key) for part in ("metrics", "states") for key in column[part]]
    container, key = places[int(rng.integers(len(places)))]
    odd = [None, -5, 1e21, 10**30, "x", [], {}, True, 0.5, "QUJD", {"reason": "no values"}, {"reason": "x"}]
    container[key] = odd[int(rng.integers(len(odd)))]
    if rng.random() < 0.5:
        document["checksum"] = _checksum(document["dataset"], document["profile"])
    _, profile = read_line(json.dumps(document))
    require_plausible(profile)
    return "another profile"


def run(name: str, count: int, seed: int, one: Callable[[Random], str]) -> int:
    """Do it so often, print what came of it; how many ended in another way than they may."""
    began, ends, wrong = time.monotonic(), Counter[str](), 0
    for number in range(seed, seed + count):
        try:
            ends[one(np.random.default_rng(number))] += 1
        except CodecError:
            ends["refused"] += 1
        except Exception as error:
            wrong += 1
            ends[type(error).__name__] += 1
            if wrong <= 5:
                print(f"  {name}, seed {number}: {type(error).__name__}: {str(error)[:200]}")
    found = ", ".join(f"{end} {times:,}" for end, times in ends.most_common())
    print(f"{count:>9,} {name:<28} {time.monotonic() - began:8.1f} s  {found}", flush=True)
    return wrong


def main(arguments: list[str] | None = None) -> int:
    """Run all of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, count in (("tables", 100_000), ("blobs", 5000), ("lines", 5000), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=count)
    given = parser.parse_args(arguments)
    states, variants, lines = sources()

    def variant(rng: Random) -> str:
        for one in decode_variants(damaged(rng, variants[int(rng.integers(len(variants)))])):
            assert one.metrics is not None
        return "as it is"

    wrong = run("tables", given.tables, given.seed, profiled)
    wrong += run("states", given.blobs, given.seed, lambda rng: state(rng, *states[int(rng.integers(len(states)))]))
    wrong += run("injected errors", given.blobs // 5, given.seed, variant)
    wrong += run("lines", given.lines, given.seed, lambda rng: line(rng, lines[int(rng.integers(len(lines)))]))
    print("no crash" if not wrong else f"{wrong} CRASHES")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

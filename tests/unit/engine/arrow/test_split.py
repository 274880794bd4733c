"""Good and bad rows: every row in one of two places, both replaced together, or neither."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from airflow_dq.check import Checks
from airflow_dq.engine.arrow.split import split_files
from airflow_dq.engine.publish import LocalFolders, beside, publish
from airflow_dq.exceptions import ConfigurationError, ProfileError, UnknownColumnError
from airflow_dq.options.job import JobSpec
from airflow_dq.options.split import FAILED, SplitSpec, chosen_checks
from airflow_dq.profile.check.split import failed_checks

VALUES = st.lists(st.tuples(st.none() | st.integers(-2, 9), st.none() | st.sampled_from(["new", "", "x"])), max_size=40)


def declared() -> Checks:
    checks = Checks("orders")
    checks.rule("n <= 5", id="small")
    checks.rule("n >= 0", nulls="fail", id="known")
    checks.col("s").complete(where="n > 3", id="named")
    return checks


def spec(folder: Path, checks: Checks | None = None, **more: Any) -> SplitSpec:
    order = JobSpec("orders", paths={"1": str(folder / "raw")}, checks=tuple(checks or declared()))
    return SplitSpec(order, str(folder / "out" / "good"), str(folder / "out" / "bad"), **more)


def write(folder: Path, *rows: tuple[int | None, str | None]) -> None:
    (folder / "raw").mkdir(exist_ok=True)
    numbers, texts = [row[0] for row in rows], [row[1] for row in rows]
    table = pa.table({"n": pa.array(numbers, pa.int64()), "s": pa.array(texts, pa.string())})
    pq.write_table(table.slice(0, 2), folder / "raw" / "a.parquet")
    # The second file has a column more, and none of the texts' type.
    pq.write_table(
        table.slice(2).append_column("more", pa.array([1.5] * len(table.slice(2)))), folder / "raw" / "b.parquet"
    )


def read(folder: Path, name: str) -> list[dict[str, Any]]:
    return pq.read_table(folder / "out" / name).to_pylist()


@given(VALUES)
def test_a_row_fails_what_its_checks_say(rows: list[tuple[int | None, str | None]]) -> None:
    numbers, texts = ([row[place] for row in rows] for place in (0, 1))
    table = pa.table({"n": pa.array(numbers, pa.int64()), "s": pa.array(texts, pa.string())})
    found = failed_checks(table, tuple(declared()), "t").to_pylist()
    wanted = [
        [
            *(["small"] if n is not None and n > 5 else []),
            *(["known"] if n is None or n < 0 else []),
            *(["named"] if n is not None and n > 3 and not s else []),
        ]
        for n, s in rows
    ]
    assert found == wanted


def test_every_row_is_in_one_place_and_a_re_run_replaces_both(tmp_path: Path) -> None:
    write(tmp_path, (1, "a"), (7, ""), (None, "b"), (4, None), (5, "c"))
    for _ in range(2):
        good, bad, failed = split_files(spec(tmp_path))
        assert (good, bad, failed) == (2, 3, {"small": 1, "known": 1, "named": 2})
        assert [row["n"] for row in read(tmp_path, "good")] == [1, 5]
        assert FAILED not in read(tmp_path, "good")[0]
        assert [(row["n"], row[FAILED]) for row in read(tmp_path, "bad")] == [
            (7, ["small", "named"]),
            (None, ["known"]),
            (4, ["named"]),
        ]
        assert [row["more"] for row in read(tmp_path, "bad")] == [None, 1.5, 1.5]
        assert sorted(os.listdir(tmp_path / "out")) == ["bad", "good"]
    write(tmp_path, (1, "a"))
    assert split_files(spec(tmp_path))[:2] == (1, 0)
    assert read(tmp_path, "bad") == []


@pytest.mark.parametrize("broken", ["check", "column", "move", "write"])
def test_when_anything_fails_both_places_are_as_they_were(
    tmp_path: Path, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, (1, "a"), (7, "b"))
    split_files(spec(tmp_path))
    before = {name: read(tmp_path, name) for name in ("good", "bad")}
    write(tmp_path, (2, "c"), (9, "d"))
    checks = declared()
    if broken == "check":
        checks.rule("s > 3", id="odd")
    elif broken == "column":
        checks.rule("missing > 3", id="odd")
    elif broken == "write":
        monkeypatch.setattr(pq.ParquetWriter, "write_table", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    else:
        real, moves = os.rename, []

        def rename(source: str, target: str) -> None:
            moves.append(target)
            if len(moves) == 4:  # the good rows are in their place, the bad ones are not
                raise OSError("no more renames")
            real(source, target)

        monkeypatch.setattr(os, "rename", rename)
    expected = {"check": ConfigurationError, "column": UnknownColumnError}.get(broken, ProfileError)
    with pytest.raises(expected, match=r"odd|nothing was changed"):
        split_files(spec(tmp_path, checks))
    assert {name: read(tmp_path, name) for name in ("good", "bad")} == before
    assert sorted(os.listdir(tmp_path / "out")) == ["bad", "good"]


def test_checks_that_split_no_row_are_refused_by_name(tmp_path: Path) -> None:
    checks = declared()
    checks.unique("n")
    checks.col("n").mean(error=">0")
    with pytest.raises(ConfigurationError, match=r"'uniqueness.n', 'mean.n' are no rule on single rows"):
        spec(tmp_path, checks)
    assert [one.id for one in chosen_checks(tuple(checks), ["small"], "t")] == ["small"]
    with pytest.raises(ConfigurationError, match="there is no check 'smal'; there are small, known"):
        chosen_checks(tuple(checks), ["smal"], "t")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"good": "/a/raw"}, "good .* and source .* lie in one another"),
        ({"bad": "/a/raw/bad"}, "bad .* and source .* lie in one another"),
        ({"good": "/b", "bad": "/b/"}, "good .* and bad .* lie in one another"),
        ({"good": "/"}, "good is '/', which is no folder"),
        ({"target_format": "csv"}, "target_format is 'csv'; allowed: parquet"),
    ],
)
def test_places_that_would_overwrite_each_other_are_refused(given: dict[str, str], said: str) -> None:
    order = JobSpec("orders", paths={"1": "/a/raw"}, checks=tuple(declared()))
    whole = SplitSpec(order, "/b/good", "/b/bad")
    assert SplitSpec.from_json(whole.to_json()) == whole
    with pytest.raises(ConfigurationError, match=said):
        SplitSpec(**{"order": order, "good": "/b/good", "bad": "/b/bad", **given})


@settings(max_examples=25)
@given(st.sets(st.sampled_from(["good", "bad"])), st.integers(1, 5))
def test_a_move_that_is_refused_undoes_those_before(present: set[str], fails: int) -> None:
    there = {name: f"old {name}" for name in present} | {"new-good": "new good", "new-bad": "new bad"}
    before, moves = dict(there), 0

    class Memory(LocalFolders):
        def exists(self, path: str) -> bool:
            return path in there

        def move(self, path: str, target: str) -> None:
            nonlocal moves
            moves += 1
            if moves == fails:
                raise OSError("refused")
            there[target] = there.pop(path)

        def remove(self, path: str) -> None:
            del there[path]

    try:
        publish(Memory(), [("new-good", "good"), ("new-bad", "bad")])
    except OSError:
        assert there == before
    else:
        assert there == {"good": "new good", "bad": "new bad"}


def test_what_is_beside_a_place_is_hidden_from_readers() -> None:
    assert beside("s3://b/lake/day=1/", "new").startswith("s3://b/lake/_dq_new_day=1_")

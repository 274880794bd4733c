"""Keys that are too many for memory are counted in a folder, with the very values that memory gives."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from airflow_dq import ProfileOptions, profile_table
from airflow_dq.check import Checks
from airflow_dq.check.model import Check
from airflow_dq.engine.arrow.key_folder import ArrowKeyFolder
from airflow_dq.profile.check import key_tally
from airflow_dq.profile.check.measured import Measured, One
from airflow_dq.profile.check.total import Running, kept_for_totals, measured_in_folder
from airflow_dq.profile.model import Profile

PARTITIONS = (
    [(1, "a"), (2, "b"), (3, None), (3, None), (None, None)],
    [],
    [(1, "a"), (4, "A"), (5, ""), (6, "b")],
    [(7, "c"), (7, "c"), (7, "c"), (2, "b"), (8, "C")],
    [(place, "d") for place in range(10)],
)


def declared(**more: Any) -> tuple[Check, ...]:
    checks = Checks("t")
    for metric in (
        "uniqueness",
        "key",
        "distinct",
        "entropy",
        "surplus_rows",
        "duplicate_values",
        "distinctness",
        "largest_share",
    ):
        checks.add(metric, ("n", "s"), error=">=0", scope="total")
    checks.add("mutual_information", ("n", "s"), error=">=0", scope="total")
    checks.add("casing", ("s",), error=">=0", scope="total")
    checks.add("uniqueness", ("n",), error=">=0", scope="total", where="s = 'd'")
    for metric in ("key", "entropy", "surplus_rows"):
        checks.add(metric, ("n",), error=">=0", scope="total", by="s")
    checks.add("mutual_information", ("n", "s"), error=">=0", scope="total", by="s")
    return tuple(checks)


CHECKS = declared()


@cache
def profiled(place: int) -> Profile:
    numbers, texts = zip(*PARTITIONS[place], strict=True) if PARTITIONS[place] else ((), ())
    rows = pa.table({"n": pa.array(numbers, pa.int64()), "s": pa.array(texts, pa.string())})
    return profile_table(rows, str(place), ProfileOptions(checks=CHECKS, sample_rows=0))


def totals(folder: ArrowKeyFolder | None, packed_after: int = 99) -> list[dict[str, Measured]]:
    """What is measured after each partition; what is in a folder, all at once."""
    running, found, many = Running(), [], []
    for place in range(len(PARTITIONS)):
        running = running.add(str(place), kept_for_totals(profiled(place)), CHECKS, folder)
        if place == packed_after:
            assert folder is not None
            found = [one | more for one, more in zip(found, measured_in_folder(CHECKS, many, folder), strict=True)]
            running, many = running.packed(folder), [{} for _ in many]
        found.append(running.measured(CHECKS))
        many.append(running.many)
    return [one | more for one, more in zip(found, measured_in_folder(CHECKS, many, folder), strict=True)]


def assert_alike(found: Measured | One, wanted: Measured | One, where: object) -> None:
    assert (found.problem, found.nothing, found.numerator) == (wanted.problem, wanted.nothing, wanted.numerator), where
    assert found.value == (None if wanted.value is None else pytest.approx(wanted.value)), where
    if isinstance(found, Measured) and isinstance(wanted, Measured):
        assert found.groups.keys() == wanted.groups.keys()
        for label, one in found.groups.items():
            assert_alike(one, wanted.groups[label], (where, label))


@pytest.mark.parametrize(("most", "packed_after"), [(1, 99), (3, 3)])
def test_a_folder_tells_what_memory_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, packed_after: int
) -> None:
    wanted = totals(None)
    monkeypatch.setattr(key_tally, "MOST_KEYS", most)
    found = totals(ArrowKeyFolder(tmp_path, lambda key: ()), packed_after)
    for step, (one, other) in enumerate(zip(found, wanted, strict=True)):
        for check in CHECKS:
            assert_alike(one[check.measure], other[check.measure], (step, check.id))


def test_without_a_folder_there_is_no_value_and_it_says_what_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_tally, "MOST_KEYS", 3)
    problems = {one.problem for one in totals(None)[-1].values()}
    assert any(problem and "key_folder=" in problem for problem in problems)
    assert all(problem is None or "more than 3 distinct keys in all partitions" in problem for problem in problems)


def test_a_folder_that_cannot_be_read_loses_no_other_total(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_tally, "MOST_KEYS", 3)
    folder = ArrowKeyFolder(tmp_path, lambda key: ())
    running = Running()
    for place in range(len(PARTITIONS)):
        running = running.add(str(place), kept_for_totals(profiled(place)), CHECKS, folder)
    folder.drop(folder.names())
    (found,) = measured_in_folder(CHECKS, [running.many], folder)
    assert found
    assert {(one.problem or "").split(":")[0] for one in found.values()} == {"the folder for keys cannot be used"}
    (tmp_path / "file").write_text("")
    broken = ArrowKeyFolder(tmp_path / "file", lambda key: ())
    running = Running()
    for place in range(len(PARTITIONS)):
        running = running.add(str(place), kept_for_totals(profiled(place)), CHECKS, broken)
    assert not running.whole
    assert any("cannot be used" in (one.problem or "") for one in running.measured(CHECKS).values())

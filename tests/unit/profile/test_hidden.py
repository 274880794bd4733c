"""Columns whose values must not be stored: no byte of a stored profile shows one."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.codec import from_json, to_json
from airflow_dq.corruption.blob import encode_variants
from airflow_dq.corruption.variant import variants_of
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.metrics.evaluate import compare
from airflow_dq.profile import Profile, ProfileOptions, profile_table
from airflow_dq.program import SynthesisOptions, synthesize
from airflow_dq.settings import HASH_KEY_VARIABLE, SPARK_REDACTION
from airflow_dq.states.base import Kind, State

HIDDEN = ProfileOptions(store_values=False)


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, "a secret of ours")


def people(size: int, seed: int = 0) -> pa.Table:
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(10 * size)[:size]
    return pa.table(
        {
            "email": pa.array([f"person{number}@mail{number % 7}.example" for number in numbers.tolist()]),
            "city": pa.array([f"Town-{number % 40}" for number in numbers.tolist()]),
            "symbol": pa.array(["€€", "££", "°°"] * (size // 3) + ["€€"] * (size % 3)),
            "income": np.round(rng.lognormal(10, 1, size), 2) + 0.003,
            "born": pa.array((rng.random(size) * 1e15).astype("int64") + 1, pa.timestamp("us")),
            "card": pa.array(4 * 10**15 + rng.integers(1, 10**15, size) * 4 + 1),
        }
    )


def stored_bytes(profile: Profile) -> bytes:
    """Everything that is kept of a profile, with every compressed section opened."""
    document = json.loads(to_json(profile))
    opened = [json.dumps(document).encode()]
    states: list[State] = [state for column in profile.columns.values() for state in column.states.values()]
    for name in profile.columns:
        opened.append(encode_variants(variants_of(profile, name)))
        states += [state for variant in variants_of(profile, name) for state in variant.states.values()]
    opened += [state.encode() for state in states]
    return b"".join(opened)


def floats_in(profile: Profile) -> set[float]:
    """Every number that is kept: of metrics, variants' metrics, bounds, cells and heavy hitters."""
    found: set[float] = set()
    for name, column in profile.columns.items():
        variants = variants_of(profile, name)
        for metrics in (column.metrics, *(variant.metrics for variant in variants)):
            found |= {value for value in metrics.values() if isinstance(value, float)}
        for state in (*column.states.values(), *(s for variant in variants for s in variant.states.values())):
            raw = state.encode()
            found |= set(np.frombuffer(raw[: len(raw) // 8 * 8], "<f8").tolist())
            for part in ("low", "high"):
                found.add(float(getattr(state, part, 0.0)))
            sketch = getattr(state, "sketch", None)
            if sketch is not None:
                found |= {sketch.low, sketch.high, *sketch.heavy.values.to_pylist()}
            found |= set(np.asarray(getattr(state, "values", []) if column.kind is not Kind.STRING else []).tolist())
    return found


def shown(values: Iterable[bytes], stored: bytes) -> set[bytes]:
    """Those of the values that occur in the stored bytes."""
    every = set(values)
    found = {value for value in every if len(value) < 8 and value in stored}
    long = [value for value in every if len(value) >= 8]
    # Thousands of searches through megabytes take a minute; nearly all of them end at the first eight bytes.
    heads = np.array([int.from_bytes(value[:8], "little") for value in long], "<u8")
    seen = np.zeros(len(heads), bool)
    for start in range(min(8, len(stored) - 7)):
        words = np.sort(np.frombuffer(stored, "<u8", (len(stored) - start) // 8, start))
        seen |= words[np.minimum(np.searchsorted(words, heads), len(words) - 1)] == heads
    return found | {value for value, candidate in zip(long, seen, strict=True) if candidate and value in stored}


def test_the_search_finds_a_value_wherever_it_is() -> None:
    for start in range(9):
        stored = b"." * start + b"person17@mail3.example" + b"." * 8
        assert shown([b"person17@mail3.example", b"person17@", b"person18@", b"n17", b"n18"], stored) == {
            b"person17@mail3.example",
            b"person17@",
            b"n17",
        }


@pytest.mark.parametrize("size", [300, 21_000])
def test_no_value_is_in_any_stored_byte(size: int) -> None:
    table = people(size)
    profile = profile_table(table, "p", HIDDEN)
    stored, numbers = stored_bytes(profile), floats_in(profile)
    for column in ("email", "city", "symbol"):
        values = set(table[column].to_pylist())
        assert shown((value.encode() for value in values), stored) == set(), column
        assert shown((json.dumps(value).strip('"').encode() for value in values), stored) == set(), column
    for column in ("income", "born", "card"):
        raw = np.array(table[column].cast(pa.int64() if column != "income" else pa.float64()).to_pylist())
        seconds = (raw / 1e6 if column == "born" else raw.astype(float)).tolist()
        assert not numbers & set(seconds)
        assert shown((struct.pack("<d", value) for value in seconds), stored) == set(), column
        assert shown((repr(value).encode() for value in seconds), stored) == set(), column


def test_partitions_hashed_with_the_same_key_are_compared_as_before() -> None:
    now, before = (profile_table(people(4_000, seed), "p", HIDDEN).columns for seed in (1, 2))
    clear = [profile_table(people(4_000, seed)).columns for seed in (1, 2)]
    for name in ("email", "city"):
        hidden = compare(Kind.STRING, now[name].states, before[name].states)
        assert hidden == pytest.approx(compare(Kind.STRING, clear[0][name].states, clear[1][name].states))
        assert now[name].metrics == pytest.approx(clear[0][name].metrics)
    hidden = compare(Kind.NUMERIC, now["income"].states, before["income"].states)
    shown = compare(Kind.NUMERIC, clear[0]["income"].states, clear[1]["income"].states)
    assert hidden["emd"] == pytest.approx(shown["emd"], rel=0.05)
    assert hidden["ks_dist"] == pytest.approx(shown["ks_dist"], abs=0.01)
    low, high = now["income"].metrics["min"], now["income"].metrics["max"]
    assert 0.99 < low / clear[0]["income"].metrics["min"] < 1.0 < high / clear[0]["income"].metrics["max"] < 1.01
    assert now["income"].metrics["unique_ratio"] == pytest.approx(clear[0]["income"].metrics["unique_ratio"], rel=0.02)


def test_another_key_makes_other_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    first = profile_table(people(300), "p", HIDDEN).columns["email"]
    monkeypatch.setenv(HASH_KEY_VARIABLE, "another secret of ours")
    second = profile_table(people(300), "p", HIDDEN).columns["email"]
    assert compare(Kind.STRING, second.states, first.states)["new_ratio"] == 1.0


def test_one_column_is_hidden_and_the_others_are_not() -> None:
    profile = profile_table(people(300), "p", ProfileOptions(hidden=("email",)))
    assert b"person" not in stored_bytes(replace(profile, columns={"email": profile.columns["email"]}))
    assert profile.columns["city"].states["categories/2"].top(1)[0].value.startswith("Town-")


def test_any_split_of_a_hidden_table_is_the_same_profile() -> None:
    from airflow_dq.profile.table import TableState

    table = people(2_500)
    parts = [TableState.of(table.slice(start, 1_000), HIDDEN) for start in range(0, 2_500, 1_000)]
    merged = parts[2].merge(parts[0]).merge(parts[1])
    assert merged.profile("p", HIDDEN).fingerprint == profile_table(table, "p", HIDDEN).fingerprint


def test_without_a_key_nothing_is_profiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HASH_KEY_VARIABLE)
    with pytest.raises(ConfigurationError, match=HASH_KEY_VARIABLE):
        profile_table(people(9), "p", HIDDEN)


@pytest.mark.parametrize("secret", ["s3cr3t", " " * 30 + "fifteen letters"])
def test_a_secret_that_can_be_found_by_trying_is_refused(secret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HASH_KEY_VARIABLE, secret)
    with pytest.raises(ConfigurationError, match=f"{HASH_KEY_VARIABLE} has {len(secret.strip())} characters") as error:
        profile_table(people(9), "p", HIDDEN)
    assert secret.strip() not in str(error.value)


def test_sparks_own_redaction_knows_the_secret_by_its_name() -> None:
    assert re.search(SPARK_REDACTION, f"spark.executorEnv.{HASH_KEY_VARIABLE}")


def test_the_options_survive_json() -> None:
    options = ProfileOptions(hidden=("email", "card"), exclude=("city",))
    profile = profile_table(people(30), "p", options)
    assert from_json(Profile, to_json(profile)).options == options


def test_no_range_is_learned_of_the_letters_of_hashes() -> None:
    days = [profile_table(people(300, seed), f"2026-03-{1 + seed:02d}", HIDDEN) for seed in range(20)]
    ranges = synthesize(days, SynthesisOptions()).constraints
    assert any("email" in one.scope.columns for one in ranges)
    assert "bigram_unseen_ratio" not in {getattr(one, "metric", None) for one in ranges}

"""The index: Equations 1 and 4, leaving tables out, merging, and its bytes; and what is found with it."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from airflow_dq.engine.worker.index import Sampled, contributions, kept_hashes, strong_hashes
from airflow_dq.exceptions import CodecError, ConfigurationError
from airflow_dq.pattern import FmdvOptions, NoPattern, PatternIndex, Tag, learn_pattern, learn_tag, load_prior, tagged
from airflow_dq.pattern.contribution import Contribution, HashedPatterns, Hashes, least_columns, sampled
from airflow_dq.pattern.language import whole_value

RANDOM = random.Random(3)


def hours(count: int) -> list[str]:
    return [f"{RANDOM.randint(1, 23)}:{RANDOM.randint(0, 59):02d}" for _ in range(count)]


def codes(count: int) -> list[str]:
    return [f"K{RANDOM.randint(100, 999)}" for _ in range(count)]


COLUMNS = [(f"t{n}", hours(40)) for n in range(8)] + [(f"t{n}", codes(30)) for n in range(4, 12)]
INDEX = PatternIndex.build(COLUMNS)


def plain(pattern: str, columns: list[tuple[str, list[str]]]) -> tuple[int, float] | None:
    """Coverage and FPR by a plain scan."""
    import pyarrow as pa
    import pyarrow.compute as pc

    impurities = []
    for _, values in columns:
        hits = pc.match_substring_regex(pa.array(values), whole_value((pattern,))).to_pylist()
        if any(hits):
            impurities.append(1 - sum(hits) / len(hits))
    return (len(impurities), sum(impurities) / len(impurities)) if impurities else None


@pytest.mark.parametrize(
    "pattern", ["<digit>+:<digit>{2}", "<digit>:<digit>{2}", "<num>:<num>", "K<digit>{3}", "<alnum>+"]
)
def test_coverage_and_fpr_are_those_of_a_plain_scan(pattern: str) -> None:
    known, wanted = INDEX.known(pattern), plain(pattern, COLUMNS)
    assert known is not None
    assert wanted is not None
    assert (known.coverage, known.fpr) == (wanted[0], pytest.approx(wanted[1], abs=0.003))


def test_a_table_is_left_out_as_if_it_had_never_been_there() -> None:
    rest = [(table, values) for table, values in COLUMNS if table != "t5"]
    view, without = INDEX.without("t5"), PatternIndex.build(rest)
    for pattern in ("<digit>+:<digit>{2}", "K<digit>{3}", "<digit>:<digit>{2}"):
        assert view.known(pattern) == without.known(pattern)
    assert INDEX.without("nowhere").known("K<digit>{3}") == INDEX.known("K<digit>{3}")


def test_parts_merge_to_the_whole_and_a_table_is_replaced() -> None:
    first, rest = PatternIndex.build(COLUMNS[:8]), COLUMNS[8:]
    assert first.merge(PatternIndex.build(rest)).columns == INDEX.columns - 4  # t4 to t7 are replaced by the newer
    assert INDEX.merge(INDEX).to_bytes() == INDEX.to_bytes()
    assert first.extended([("new", hours(40))]).known("<digit>+:<digit>{2}").coverage == 9  # type: ignore[union-attr]


def test_bytes_and_pickles_and_files_come_back(tmp_path: Path) -> None:
    again = PatternIndex.from_bytes(INDEX.to_bytes())
    assert (again.tables, len(again), again.columns) == (INDEX.tables, len(INDEX), INDEX.columns)
    assert again.without("t5").known("K<digit>{3}") == INDEX.without("t5").known("K<digit>{3}")
    assert pickle.loads(pickle.dumps(INDEX)).to_bytes() == INDEX.to_bytes()
    INDEX.save(tmp_path / "index")
    assert PatternIndex.load(tmp_path / "index").to_bytes() == INDEX.to_bytes()
    assert PatternIndex.from_bytes(PatternIndex.build([]).to_bytes()).columns == 0


SAID = st.dictionaries(st.integers(0, 40), st.tuples(st.integers(1, 2), st.sampled_from([0, 7, 200])), max_size=20)


@given(said=st.lists(SAID, max_size=8))
def test_bytes_keep_what_each_table_says_of_each_pattern(said: list[dict[int, tuple[int, int]]]) -> None:
    """Patterns of which all tables say the same share their entries in the bytes: here often, and often nearly."""
    parts = {}
    for number, one in enumerate(said):
        coverage, impurity = (np.array([one[key][part] for key in sorted(one)], np.int32) for part in (0, 1))
        parts[f"t{number}"] = Contribution(np.array(sorted(one), np.uint64), coverage, impurity, 2)
    index = PatternIndex.of(parts, np.arange(45, dtype=np.uint64))
    again = PatternIndex.from_bytes(index.to_bytes())
    assert (again.tables, again.hashes.tolist()) == (index.tables, index.hashes.tolist())
    for table in index.tables:
        for name in ("hashes", "coverage", "impurity", "columns"):
            assert np.array_equal(getattr(again.part(table), name), getattr(parts[table], name)), (table, name)
    assert again.to_bytes() == index.to_bytes()


def test_patterns_of_which_all_say_the_same_cost_little_more_than_their_hashes() -> None:
    few, many = (
        PatternIndex.build(
            (f"t{table}", [f"ab{row:02d}-{row:02d}:x{row:02d}" for row in range(10, 60)]) for table in range(tables)
        )
        for tables in (4, 64)
    )
    assert len(few) == len(many) > 200
    # Sixty tables more, each with an entry of every pattern: a few bytes of a table, not of an entry.
    assert len(many.to_bytes()) - len(few.to_bytes()) < 10 * 60


def test_tables_keep_whatever_names_they_have() -> None:
    names = ["two\nlines", "sur\udce9rogate", "é"]
    index = PatternIndex.build((name, codes(9)) for name in names)
    assert PatternIndex.from_bytes(index.to_bytes()).tables == tuple(sorted(names))
    assert index.part("é").columns == 1


def test_the_passes_of_a_cluster_come_to_the_same_index() -> None:
    tables: dict[str, list[list[str]]] = {}
    for table, values in COLUMNS:
        tables.setdefault(table, []).append(sampled(values))
    samples = [Sampled(table, tuple(columns), None) for table, columns in tables.items()]
    buckets: dict[int, list[tuple[Hashes, Hashes]]] = {}
    for half in (samples[:3], samples[3:]):
        for bucket, counted in strong_hashes(half):
            buckets.setdefault(bucket, []).append(counted)
    known = np.sort(np.concatenate([kept_hashes(bucket, 2) for bucket in buckets.items()]))
    found = contributions(samples, SimpleNamespace(value=HashedPatterns(known)))  # type: ignore[arg-type]
    parts = {one.table: one.part for one in found if one.part is not None}
    assert PatternIndex.of(parts, known).to_bytes() == INDEX.to_bytes()


def test_what_no_rule_can_take_is_given_up_and_still_leads_to_what_a_rule_can() -> None:
    mixed = [
        (f"m{n}", [*codes(10), *(f"x-{RANDOM.randint(100, 999)}" for _ in range(90 if n % 4 else 0))])
        for n in range(60)
    ]
    index = PatternIndex.build(mixed)
    whole, longer = index.known("<letter><digit>{3}"), index.known("<letter>-<digit>{3}")
    # A quarter of the columns hold nothing else; in the others it is one value of ten.
    assert whole is None
    assert "<letter><digit>{3}" in index
    assert longer is not None
    again = PatternIndex.from_bytes(index.to_bytes()).extended([("new", codes(40))])
    assert again.known("<letter><digit>{3}") is None
    assert again.columns == 61
    assert (
        again.merge(PatternIndex.build([("m0", codes(9)), ("m1", codes(9))])).known("<letter>-<digit>{3}") is not None
    )


@pytest.mark.parametrize(("columns", "least"), [(0, 2), (5_000, 2), (23_000, 3), (80_000, 4), (7_000_000, 12)])
def test_the_larger_the_lake_the_more_columns_a_pattern_needs(columns: int, least: int) -> None:
    assert least_columns(columns) == least


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    data = INDEX.to_bytes()
    version = len(b"airflow-dq pattern index\n")
    for damaged, said in (
        (b"", "is no pattern index"),
        (b"PK\x03\x04" + bytes(100), "is no pattern index"),
        (data[:version] + b"\x63\x00" + data[version + 2 :], "version 99"),
        (data[:-5], "damaged"),
        (data[:-1] + bytes([data[-1] ^ 1]), "damaged"),
    ):
        with pytest.raises(CodecError, match=said):
            PatternIndex.from_bytes(damaged)
    with pytest.raises(ConfigurationError, match="No pattern index can be read"):
        PatternIndex.load(tmp_path / "none")


def test_the_published_methods_find_what_the_corpus_supports() -> None:
    view = INDEX.without("t0")
    for method in ("fmdv", "fmdv-v", "fmdv-h", "fmdv-vh"):
        rule = learn_pattern(["9:07", "10:15", "8:59", "23:01"], index=view, method=method)  # type: ignore[arg-type]
        assert rule is not None
        assert rule.test(hours(50)).accepted
        assert not rule.test(codes(50)).accepted


def test_horizontal_cuts_tolerate_a_tenth_and_plain_fmdv_nothing() -> None:
    values = [*hours(20), "n/a"]
    assert learn_pattern(values, index=INDEX, method="fmdv") is None
    rule = learn_pattern(values, index=INDEX, method="fmdv-h")
    assert rule is not None
    assert rule.nonconforming == 1


def test_vertical_cuts_join_what_the_corpus_has_apart() -> None:
    values = [f"{hour}/{code}" for hour, code in zip(hours(20), codes(20), strict=True)]
    assert learn_pattern(values, index=INDEX, method="fmdv") is None
    rule = learn_pattern(values, index=INDEX, method="fmdv-v")
    assert rule is not None
    assert rule.test(["7:30/K123"]).nonconforming == 0.0


def test_options_that_cannot_be_met_are_refused() -> None:
    for wrong in ({"r": 0.9}, {"m": 0}, {"theta": 1.0}):
        with pytest.raises(ConfigurationError):
            FmdvOptions(**wrong)  # type: ignore[arg-type]


def test_a_tag_finds_the_columns_of_its_type() -> None:
    tag = learn_tag("code", codes(20), INDEX)
    assert isinstance(tag, Tag)
    found = tagged(tag, [("a", codes(30)), ("b", hours(30)), ("c", [*codes(28), "NA", None]), ("d", [])])
    assert found == [("a", 1.0), ("c", 1.0)]
    assert isinstance(learn_tag("none", ["§§ 12 §§"], INDEX), NoPattern)


def test_the_prior_knows_common_types() -> None:
    prior = load_prior()
    for pattern in ("<digit>{4}-<digit>{2}-<digit>{2}", "<digit>+.<digit>+.<digit>+", "<letter>{3}-<digit>{7}"):
        assert pattern in prior
    rule = learn_pattern(["2024-01-05", "2024-02-17", "2024-03-30"], index=prior, method="fmdv-vh")
    assert rule is not None
    assert rule.test(["2025-11-30"]).nonconforming == 0.0

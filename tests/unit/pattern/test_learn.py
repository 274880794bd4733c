"""Learning: what comes of columns of many kinds, in bounded time."""

from __future__ import annotations

import random
import time

import pyarrow as pa
import pytest

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.pattern import NoPattern, PatternRule, find_pattern, learn_pattern
from airflow_dq.pattern.fit import _is_ordered, _natural

RANDOM = random.Random(7)
DATES = [f"20{n % 24:02d}-{n % 12 + 1:02d}-{n % 28 + 1:02d}" for n in range(60)]
ORDERS = [f"ORD-{RANDOM.randrange(10**7):07d}" for _ in range(60)]
UUIDS = ["-".join(f"{RANDOM.getrandbits(4 * n):0{n}x}" for n in (8, 4, 4, 4, 12)) for _ in range(60)]
PAGES = [f"https://shop.example.com/{RANDOM.choice('abc')}/{RANDOM.randrange(10**5)}" for _ in range(60)]
AMOUNTS = [f"{RANDOM.lognormvariate(8, 2):,.2f}" for _ in range(60)]
COLUMNS = {"dates": DATES, "orders": ORDERS, "uuids": UUIDS, "pages": PAGES, "amounts": AMOUNTS}


def learned(values: list[str | None]) -> PatternRule:
    rule = learn_pattern(values)
    assert rule is not None
    return rule


@pytest.mark.parametrize("name", COLUMNS)
def test_a_rule_accepts_more_of_its_column_and_no_other(name: str) -> None:
    values = COLUMNS[name]
    rule = learned([*values[:30]])
    assert rule.test(values[30:]).accepted
    for other in COLUMNS.keys() - {name}:
        assert not rule.test(COLUMNS[other]).accepted, other


def test_a_rule_reads_as_a_person_would_write_it() -> None:
    assert str(learned([*DATES])) == "<digit>{4}-<digit>{2}-<digit>{2}"
    assert str(learned([*ORDERS])) == "ORD-<digit>{7}"


def test_one_odd_value_is_no_alarm_and_many_are() -> None:
    rule = learned([*ORDERS])
    assert rule.test([*ORDERS, "order 5"]).accepted
    found = rule.test([*ORDERS[:30], *["order 5"] * 20])
    assert not found.accepted
    assert found.examples == ("order 5",)
    assert found.nonconforming == pytest.approx(0.4)


def test_padding_and_another_case_and_another_alphabet_do_not_conform() -> None:
    rule = learned([*ORDERS])
    for odd in (" ORD-1234567", "ord-1234567", "ОRD-1234567", "ORD-1234567\n", "ORD-12345"):
        assert rule.test([odd]).nonconforming == 1.0, odd


def test_null_words_are_accepted_and_a_surge_of_them_is_not() -> None:
    rule = learned([*ORDERS[:30]])
    assert rule.test([*ORDERS[30:], "N/A"]).nonconforming == 0.0
    assert not rule.test(["N/A"] * 60).accepted


@pytest.mark.parametrize("values", [[], [None, "", "  "], ["NA", "n/a", "-"]])
def test_a_column_without_values_has_no_rule(values: list[str | None]) -> None:
    found = find_pattern(values)
    assert isinstance(found, NoPattern)
    assert found.reason == "no values"


def test_free_text_has_no_rule_and_says_why() -> None:
    words = ("the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "while", "it", "rains", "in", "spain")
    texts = [" ".join(RANDOM.choices(words, k=RANDOM.randrange(4, 15))) + "." for _ in range(80)]
    found = find_pattern(texts)
    assert isinstance(found, NoPattern)
    assert found.reason == "free text"


@pytest.mark.parametrize(
    "values",
    [
        ["x" * 1_000_000 + str(n) for n in range(20)],
        ["a1" * 5_000 + str(n) for n in range(50)],
        ["-" * 3_000, "a-" * 3_000],
        ["日本", "\ud7ff", "e\u0301", "\U0001f600", "\x00\x01"],
        ["same"] * 500,
        [str(n) for n in range(50_000)],
        ["(((((((((((", "[[[[[[[", "\\\\\\\\", "^$.*+?{}|"],
    ],
    ids=["megabytes", "long mixed", "symbols", "unicode", "one value", "many values", "hostile"],
)
def test_ugly_values_are_learned_in_bounded_time_and_fit_their_own_rule(values: list[str]) -> None:
    began = time.process_time()
    found = find_pattern(values)
    assert time.process_time() - began < 5.0
    assert isinstance(found, NoPattern) or found.test(values).accepted


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="needs a pattern index"):
        learn_pattern(ORDERS, method="fmdv-vh")
    with pytest.raises(ConfigurationError, match="No pattern is learned by 'declared'"):
        learn_pattern(ORDERS, method="declared")


def test_a_pattern_that_the_engine_refuses_is_no_rule_and_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise pa.ArrowInvalid("pattern too large - compile failed")

    monkeypatch.setattr("airflow_dq.pattern.rule.pc.match_substring_regex", refuse)
    found = find_pattern([*ORDERS])
    assert isinstance(found, NoPattern)
    assert found.reason == "refused"


FEW_ANSWERS = [*["10+ years"] * 59, *["< 1 year"] * 20, *["3 years"] * 11, *["2 years"] * 9, "unsaid"]
SORTED_FILES = [f"pool/main/{name[0]}/{name}/r-cran-{name}_1.{len(name)}-2_all.deb" for name in sorted(
    "".join(RANDOM.choices("abcdefghij", k=RANDOM.randrange(3, 9))) for _ in range(100)
)]  # fmt: skip


@pytest.mark.parametrize(("values", "share"), [(FEW_ANSWERS, 0.5), (SORTED_FILES, 0.5), (ORDERS, 0.2)])
def test_a_share_of_foreign_values_is_found_where_the_column_itself_shows_nothing_new(
    values: list[str], share: float
) -> None:
    rule = learned([*values])
    assert rule.test(values).accepted
    foreign = DATES * 9
    for other in (foreign, [day.replace("-", "/") for day in foreign], ["0_no", "1_yes"] * 300):
        assert not rule.test([*values, *other[: int(len(values) * share / (1 - share))]]).accepted, other[0]


def test_what_repeats_in_few_rows_says_little_of_other_values_and_in_many_much() -> None:
    assert learned(["0-1"] * 12).test([*["5-6"] * 16, *["6+"] * 16]).accepted
    assert not learned(["0-1"] * 1_000).test([*["5-6"] * 500, *["6+"] * 500]).accepted
    assert not learned(["0-1"] * 12).test(["6+"] * 32).accepted


def test_zeros_may_be_all_there_is_so_far_of_other_numbers() -> None:
    assert learned(["0"] * 36).test(["0"] * 40 + ["1,113", "603", "60.8"] * 5).nonconforming == 0.0
    assert learned(["0"] * 36).test(["yes"]).nonconforming == 1.0


def test_headers_among_sorted_codes_do_not_hide_their_order() -> None:
    headers = ["Condition Indicator v2023.1", "(0=No 1=Yes)", "'CODE'"]
    rule = learned([*headers, *(f"'A{number:04d}'" for number in range(0, 970, 10))])
    assert rule.test([f"'B{number:04d}'" for number in range(0, 970, 10)]).accepted


def test_what_is_no_text_is_refused_and_broken_text_is_read_as_an_engine_would() -> None:
    with pytest.raises(ConfigurationError, match="int"):
        learn_pattern([1, 2, 3])  # type: ignore[list-item]
    with pytest.raises(ConfigurationError, match="bytes"):
        learned([*ORDERS]).test([b"ORD-1"])  # type: ignore[list-item]
    broken = [f"\ud800{number}" for number in range(20)]
    rule = learned([*broken])
    assert rule.test(broken).accepted
    assert not learned([*ORDERS]).test(broken).accepted


def test_what_is_ordered_is_told_by_its_neighbours() -> None:
    for body in (["B2", "B10", "B11"], ["B11", "B10", "B2"], ["a", "b", "c"], ["B10", "B2", "B11"], ["b", "a", "c"]):
        ordered = sorted(body, key=_natural)
        assert _is_ordered(body) is (body in (ordered, ordered[::-1], sorted(body)))
    assert _is_ordered(["headers", "among", *(f"ID{number}" for number in range(60))])
    assert not _is_ordered(["headers", "among", *(f"ID{number * 7 % 60}" for number in range(60))])


def test_a_column_sorted_by_size_goes_on_below_a_thousand() -> None:
    sizes = sorted({round(RANDOM.lognormvariate(11, 3)) for _ in range(400)}, reverse=True)
    values = [f"{size:,}".replace(",", " ") for size in sizes]
    # A few are below a thousand already; in the end all are.
    start = sum(size >= 1000 for size in sizes) + 5
    rule = learned([*values[:start:4], *values[start - 5 : start]])
    assert rule.test(values[start:]).accepted
    assert not rule.test([f"{size}.50" for size in range(100)]).accepted

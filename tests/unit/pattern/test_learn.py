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
    # Digits to Python, and no numbers: superscripts, and another alphabet's.
    assert _is_ordered(["\u00b2", "\u00b3"])
    assert learn_pattern(["0", "\u00b2", "00", "\u0663"]) is not None


def test_a_column_sorted_by_size_goes_on_below_a_thousand() -> None:
    sizes = sorted({round(RANDOM.lognormvariate(11, 3)) for _ in range(400)}, reverse=True)
    values = [f"{size:,}".replace(",", " ") for size in sizes]
    # A few are below a thousand already; in the end all are.
    start = sum(size >= 1000 for size in sizes) + 5
    rule = learned([*values[:start:4], *values[start - 5 : start]])
    assert rule.test(values[start:]).accepted
    assert not rule.test([f"{size}.50" for size in range(100)]).accepted


def test_a_value_that_comes_again_says_more_than_one_that_goes_on() -> None:
    mixed, sorted_ = ["2020-0451", "2020-M056"] * 10, ["2020-0451"] * 10 + ["2020-M056"] * 10
    changed = [*["2020-0451"] * 70, *["2020-M-DC-ARG-01"] * 30]
    assert learned([*sorted_]).test(changed).p_value > learned([*mixed]).test(changed).p_value


def test_a_fifth_of_foreign_values_is_found_in_twenty_that_showed_nothing_unusual() -> None:
    words = [f"{RANDOM.randrange(1, 200)}.{RANDOM.randrange(10**5):05d}" for _ in range(100)]
    rule = learned([*words[:20]])
    assert rule.test(words).accepted
    assert not rule.test([*words[:80], *["1816"] * 20]).accepted


def test_a_moment_that_all_values_begin_with_goes_on() -> None:
    lines = [f"2025-06-24 14:3{n // 60}:{n % 60:02d} {word} lib{word}{n} 1.{n}-{n % 7}" for n, word in enumerate(
        RANDOM.choices(["unpack", "status half-configured", "status", "upgrade to it"], k=120)
    )]  # fmt: skip
    rule = learned([*lines])
    assert rule.test([line.replace("14:3", "15:2").replace("06-24", "11-01") for line in lines]).accepted
    assert not rule.test([line[20:] for line in lines]).accepted


def test_codes_of_letters_and_digits_share_no_beginning_that_ends_within_one() -> None:
    codes = [f"1f3{n:02x}-1f3fd{'-200d' * (n % 3)}" for n in range(0xA0, 0xC0)]
    assert learned([*codes]).test([code.replace("1f3", "1f4") for code in codes]).accepted


def test_lists_may_have_any_number_of_parts() -> None:
    parts = [f"{n:04x}" for n in range(0x1F00, 0x1F40)]
    lists = ["-".join(parts[n : n + n % 3 + 2]) for n in range(60)]
    longer = ["-".join(parts[n : n + n % 4 + 2]) for n in range(60)]
    assert learned([*lists]).test(longer).accepted
    assert not learned([*lists]).test([text.replace("-", ",") for text in longer]).accepted


def test_numbers_that_count_up_get_longer() -> None:
    ports = [f"{port}/{kind}" for port in range(1, 40) for kind in ("tcp", "udp")]
    assert learned([*ports]).test([port.replace("/", "000/") for port in ports]).accepted


def test_a_symbol_or_a_letter_that_every_value_has_is_asked_of_the_next() -> None:
    places = [f"{RANDOM.choice(['', '-'])}{n}{'.5' * (n % 2)}|{RANDOM.choice(['', '-'])}{n * 7}" for n in range(50)]
    marks = ("~rc1", "-1+b2", "+dfsg-3", ":2~a", "/b", " (a)", "a", "_b,c", "#d")
    versions = [f"{n}.{n % 7}{RANDOM.choice(marks)}{RANDOM.choice(marks)}" for n in range(60)]
    for values in (places, versions):
        rule = learned([*values])
        assert rule.test(values).accepted
        assert not rule.test([str(n) for n in range(60)]).accepted, str(rule)


def test_a_digit_that_is_none_of_ascii_is_no_digit_of_a_pattern() -> None:
    notes = [
        f"\u00b2{RANDOM.choice('([{<')}{word} {n}"
        for n, word in enumerate(["see a", "cf. b-c", "from (d)", "e/f"] * 20)
    ]
    rule = learned([*notes])
    assert rule.nonconforming == 0, str(rule)
    assert rule.test(notes).accepted


def test_a_few_stray_values_make_no_lists_of_the_others() -> None:
    codes = [f"{''.join(RANDOM.choices('abcdefgh', k=3))}-{RANDOM.randrange(10**4):04d}" for _ in range(998)]
    rule = learned([*codes, "a-b-c", "a-b-c-d"])
    assert rule.test(codes).accepted
    assert not rule.test([code.replace("-", "") for code in codes]).accepted
    assert not rule.test([code[:4] for code in codes]).accepted

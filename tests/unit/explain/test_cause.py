"""Each accident is made to happen to a column of known values, and must be called by its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest

from airflow_dq.corruption.clean_column import CleanColumn
from airflow_dq.corruption.procedure import char_perturbation
from airflow_dq.explain.cause import Cause, likely_cause
from airflow_dq.explain.cause.subset import part_of_numbers
from airflow_dq.explain.comparison import Comparison
from airflow_dq.explain.previous import PreviousPartition
from airflow_dq.profile import profile_table
from airflow_dq.profile.model import Profile
from airflow_dq.program import Status, SynthesisOptions, evaluate, synthesize
from airflow_dq.states.base import Kind
from tests.unit.learn.builder import column, day, profile

DAYS, ROWS = 10, 400
CITIES = ["Aachen", "Berlin", "Bonn", "Dresden", "Essen", "Hamburg", "Hanover", "Kassel", "Leipzig", "Munich"]
CODES = [f"{letter}{number}" for letter in "KLMN" for number in range(3, 8)]


def _price(index: int) -> np.ndarray:
    return np.random.default_rng(100 + index).gamma(4.0, 10.0, ROWS).round(2)


def _count(index: int) -> np.ndarray:
    return np.random.default_rng(200 + index).poisson(30.0, ROWS).astype(float) + 1.0


def _city(index: int) -> list[str]:
    shares = np.arange(10, 0, -1) / 55.0
    return np.random.default_rng(300 + index).choice(CITIES, ROWS, p=shares).tolist()


def _code(index: int) -> list[str]:
    return np.random.default_rng(400 + index).choice(CODES, ROWS).tolist()


def _day(index: int, **changed: Sequence[object] | np.ndarray) -> Profile:
    made = {"price": _price(index), "count": _count(index), "city": _city(index), "code": _code(index)} | changed
    rows = {len(values) for values in changed.values()} or {ROWS}
    kinds = {"price": Kind.NUMERIC, "count": Kind.NUMERIC, "city": Kind.STRING, "code": Kind.STRING}
    columns = [column(name, kinds[name], values) for name, values in made.items() if len(values) in rows]
    return profile(day(index), *columns)


HISTORY = [_day(index) for index in range(DAYS)]
PREVIOUS = PreviousPartition(HISTORY[-1])


def _cause(name: str, values: Sequence[object] | np.ndarray, history: Sequence[Profile] = HISTORY) -> Cause | None:
    comparison = Comparison.of(name, _day(DAYS, **{name: values}), history, PREVIOUS)
    assert comparison is not None
    return likely_cause(comparison)


def _words(name: str, values: Sequence[object] | np.ndarray) -> str | None:
    found = _cause(name, values)
    return None if found is None else found.words


@pytest.mark.parametrize(
    ("factor", "offset", "words"),
    [
        (10.0, 0.0, "change of unit, x10"),
        (60.0, 0.0, "change of unit, x60"),
        (100.0, 0.0, "change of unit, x100"),
        (1000.0, 0.0, "change of unit, x1,000"),
        (1024.0, 0.0, "change of unit, x1,024"),
        (0.01, 0.0, "change of unit, /100"),
        (1 / 60, 0.0, "change of unit, /60"),
        (2.54, 0.0, "change of unit, x2.54 (inches to centimetres)"),
        (-1.0, 0.0, "the sign changed"),
    ],
)
def test_another_unit(factor: float, offset: float, words: str) -> None:
    assert (_words("price", _price(DAYS) * factor + offset) or "").startswith(f"{words}: median ")


def _grams(index: int) -> np.ndarray:
    return np.random.default_rng(500 + index).gamma(4.0, 1000.0, ROWS).round()


@pytest.mark.parametrize(
    ("convert", "words"),
    [
        (lambda grams: np.trunc(grams / 100.0), "change of unit, /100"),
        (lambda grams: np.round(grams / 100.0), "change of unit, /100"),
        (lambda grams: np.round(grams * 2.54), "change of unit, x2.54 (inches to centimetres)"),
    ],
)
def test_whole_numbers_in_another_unit_that_were_made_whole_again(
    convert: Callable[[np.ndarray], np.ndarray], words: str
) -> None:
    history = [_day(index, price=_grams(index)) for index in range(DAYS)]
    found = _cause("price", convert(_grams(DAYS)), history)
    assert found is not None
    assert found.words.startswith(f"{words}: median ")


def test_of_small_whole_numbers_rounding_leaves_no_unit_to_tell() -> None:
    assert "change of unit" not in (_words("count", np.trunc(_count(DAYS) / 10.0)) or "")


def test_another_unit_where_the_level_varies_by_factors() -> None:
    def waits(index: int) -> np.ndarray:
        level = 40.0 * (1.7 if index % 3 == 0 else 1.0)
        return np.random.default_rng(600 + index).exponential(level, ROWS).round() + 1.0

    history = [_day(index, price=waits(index)) for index in range(DAYS)]
    found = _cause("price", 1000.0 * waits(9), history)
    assert found is not None
    assert found.words.startswith("change of unit, x1,000: median ")


def test_every_number_higher_by_one_amount() -> None:
    words = _words("price", _price(DAYS) + 1000.0)
    assert words is not None
    assert re.fullmatch(r"every number is about 1,000 higher: median [\d.]+ -> 1,\d+(\.\d)?", words)


def test_one_value_in_place_of_all() -> None:
    assert _words("city", ["Rome"] * ROWS) == "every value is 'Rome'"
    assert _words("count", np.full(ROWS, 7.0)) == "every value is 7"


@pytest.mark.parametrize(
    ("factor", "offset", "words"),
    [
        (1.8, 32.0, "change of unit, Celsius to Fahrenheit"),
        (1.0, 273.15, "change of unit, Celsius to Kelvin"),
    ],
)
def test_temperatures_in_another_unit(factor: float, offset: float, words: str) -> None:
    history = [_day(i, price=np.random.default_rng(i).normal(12.0, 6.0, ROWS).round(1)) for i in range(DAYS)]
    now = np.random.default_rng(DAYS).normal(12.0, 6.0, ROWS).round(1) * factor + offset
    found = _cause("price", now, history)
    assert found is not None
    assert found.words.startswith(f"{words}: median ")


def test_some_values_in_another_unit() -> None:
    values = np.where(np.arange(ROWS) % 4 == 0, _price(DAYS) * 100.0, _price(DAYS))
    assert re.fullmatch(r"change of unit, x100, in 2\d% of the values", _words("price", values) or "")


def test_some_whole_numbers_divided_without_what_is_left_over() -> None:
    def minutes(index: int) -> np.ndarray:
        return np.random.default_rng(800 + index).lognormal(4.2, 1.0, ROWS).round() + 1.0

    history = [_day(index, price=minutes(index)) for index in range(DAYS)]
    hit = np.random.default_rng(0).random(ROWS) < 0.35
    found = _cause("price", np.where(hit, np.trunc(minutes(DAYS) / 60.0), minutes(DAYS)), history)
    assert found is not None
    assert found.fact == "is 60 times too small"
    assert found.rows == pytest.approx(hit.sum(), rel=0.15)


def test_rounded_numbers() -> None:
    assert _words("price", _price(DAYS).round()) == "numbers were rounded to whole numbers"
    assert _words("price", np.floor(_price(DAYS))) == "numbers were rounded to whole numbers"


def test_text_in_a_wrong_encoding() -> None:
    towns = ["Köln", "Düsseldorf", "Gießen", "Bonn"]
    history = [_day(index, city=[towns[row % 4] for row in range(ROWS)]) for index in range(DAYS)]
    garbled = [towns[row % 4].encode().decode("latin-1") for row in range(ROWS)]
    found = _cause("city", garbled, history)
    assert found is not None
    assert found.words == "UTF-8 read as Latin-1 in 75% of the values: 'Köln' became 'KÃ¶ln'"
    lost = _cause("city", [towns[row % 4].encode("latin-1").decode(errors="replace") for row in range(ROWS)], history)
    assert lost is not None
    assert lost.words == "characters that could not be decoded in 75% of the values: 'K\ufffdln'"


def test_words_cut_to_a_length() -> None:
    assert (_words("city", [text[:4] for text in _city(DAYS)]) or "").startswith("texts were cut to 4 characters (")

    def notes(index: int) -> list[str]:
        rng = np.random.default_rng(index)
        return [" ".join(rng.choice(CITIES, rng.integers(2, 9))) for _ in range(ROWS)]

    history = [_day(index, city=notes(index)) for index in range(DAYS)]
    found = _cause("city", [text[:20] for text in notes(DAYS)], history)
    assert found is not None
    assert found.words.startswith("texts were cut to 20 characters (")


def test_ids_that_lost_their_signs_were_not_cut() -> None:
    def ids(index: int) -> list[str]:
        rng = np.random.default_rng(index)
        return [str(UUID(bytes=rng.bytes(16))) for _ in range(ROWS)]

    history = [_day(index, city=ids(index)) for index in range(DAYS)]
    found = _cause("city", [text.replace("-", "") for text in ids(DAYS)], history)
    assert found is None or "cut" not in found.words
    cut = _cause("city", [text[:20] for text in ids(DAYS)], history)
    assert cut is not None
    assert cut.words.startswith("texts were cut to 20 characters (")


def test_other_codes_are_not_taken_for_values_cut_short() -> None:
    values = [{"A": "X", "B": "Y"}.get(text[0], "Z") for text in _city(DAYS)]
    assert (_words("city", values) or "").startswith("new values 'Z', 'Y', 'X' in all of the values, and none of ")


def _texts(index: int, write: Callable[[float], str]) -> list[str]:
    """Numbers as texts, which hardly ever come again."""
    return [write(value) for value in np.random.default_rng(500 + index).gamma(3.0, 900.0, ROWS).tolist()]


def _written(before: Callable[[float], str], now: Callable[[float], str]) -> Cause | None:
    """The cause that texts are written otherwise."""
    history = [_day(index, city=_texts(index, before)) for index in range(DAYS)]
    return _cause("city", _texts(DAYS, now), history)


@pytest.mark.parametrize(
    ("before", "now", "fact"),
    [
        (lambda x: f"{x:.2f}", lambda x: f"{x:.2f}".replace(".", ","), "has ',' in place of '.'"),
        (lambda x: f"{x:.2f}", lambda x: f"{x:,.2f}", "has ',' between thousands"),
        (lambda x: f"{x:.0f}", lambda x: f"{x:.0f}.0", "has '.0' behind whole numbers"),
        (lambda x: f"{x:06.0f}", lambda x: f"{x:.0f}", "has lost leading zeros"),
        (lambda x: f"{x:05.0f}", lambda x: f"{x:.0f}", "has lost leading zeros"),
        (lambda x: f"A-{x:05.0f}", lambda x: f"A_{x:05.0f}", "has '_' in place of '-'"),
        (lambda x: f"https://a/{x:05.0f}", lambda x: f"http://a/{x:05.0f}", "has 'http' in place of 'https'"),
        (lambda x: f"KA-{x:04.0f}", lambda x: f"KA{x:04.0f}", "has lost '-'"),
        (lambda x: f"{x:.2f}", lambda x: f"{x:.2f}".replace(".", ""), "has lost '.'"),
        (lambda x: f"/p/{x:.0f}?a={x:04.0f}", lambda x: f"/p/{x:.0f}", "has lost '?' and what stood behind it"),
        (lambda x: f"u{x:.0f}@{x:.0f}.example", lambda x: f"{x:.0f}.example", "has lost '@' and what stood before it"),
        (lambda x: f"{x:05.0f}", lambda x: f"ID{x:05.0f}", "has 'ID' before its values"),
        (lambda x: f"{x:05.0f}", lambda x: f"[{x:05.0f}]", "has '[' before and ']' behind its values"),
        (lambda x: f"a={x:05.0f}&b=1", lambda x: f"a={x:05.0f}&amp;b=1", "has HTML codes in place of signs"),
        (lambda x: f"a b {x:05.0f}", lambda x: f"a%20b%20{x:05.0f}", "has URL codes in place of signs"),
    ],
)
def test_texts_written_otherwise(before: Callable[[float], str], now: Callable[[float], str], fact: str) -> None:
    found = _written(before, now)
    assert found is not None
    assert (found.type, found.fact) == ("rewritten", fact)
    assert found.rows == sum(a != b for a, b in zip(_texts(DAYS, before), _texts(DAYS, now), strict=True))


def test_codes_that_lost_zeros_show_among_codes_that_are_new_on_any_day() -> None:
    def codes(index: int) -> list[str]:
        """Two hundred that come again, and one in seven that does not."""
        rng = np.random.default_rng(900 + index)
        numbers = np.where(rng.random(ROWS) < 0.15, rng.integers(0, 10**8, ROWS), 479_001 * rng.integers(1, 200, ROWS))
        return [f"{number:08d}" for number in numbers.tolist()]

    history = [_day(index, city=codes(index)) for index in range(DAYS)]
    found = _cause("city", [code.lstrip("0") for code in codes(DAYS)], history)
    assert found is not None
    assert found.fact == "has lost leading zeros"
    assert found.rows == sum(code.startswith("0") for code in codes(DAYS))


def test_a_prefix_in_lower_case_is_told_as_that_among_codes_that_are_new_on_any_day() -> None:
    def codes(index: int) -> list[str]:
        rng = np.random.default_rng(900 + index)
        numbers = np.where(rng.random(ROWS) < 0.2, rng.integers(0, 10**4, ROWS), 47 * rng.integers(1, 200, ROWS))
        return [f"AC-{number:04d}" for number in numbers.tolist()]

    hit = np.random.default_rng(0).random(ROWS) < 0.35
    history = [_day(index, city=codes(index)) for index in range(DAYS)]
    found = _cause("city", [code.lower() if low else code for code, low in zip(codes(DAYS), hit, strict=True)], history)
    assert found is not None
    assert found.type == "casing_change"


def test_quotes_around_texts_that_people_write_are_told() -> None:
    def notes(index: int) -> list[str]:
        rng = np.random.default_rng(index)
        return [" ".join(rng.choice(CITIES, rng.integers(3, 25))) for _ in range(ROWS)]

    history = [_day(index, city=notes(index)) for index in range(DAYS)]
    found = _cause("city", [f'"{text}"' for text in notes(DAYS)], history)
    assert found is not None
    assert found.fact == "has '\"' before and '\"' behind its values"
    assert found.rows == ROWS
    # Of letters around them it may be that other texts came.
    other = _cause("city", [f"X{text}X" for text in notes(DAYS)], history)
    assert other is None or other.type != "rewritten"


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (lambda x: f"+49 30 {x:07.0f}", lambda x: f"030/{x:07.0f}"),
        (lambda x: f"{x:06.0f}", lambda x: f"{x:06.0f}"[:4]),
        (lambda x: f"{x:06.0f}", lambda x: f"{x:06.0f}"[-4:]),
        (lambda x: f"{x:.2f}", lambda x: f"{x:.1f}"),
    ],
)
def test_what_no_rule_makes_is_not_called_written_otherwise(
    before: Callable[[float], str], now: Callable[[float], str]
) -> None:
    found = _written(before, now)
    assert found is None or found.type != "rewritten"


def test_texts_that_begin_otherwise_were_not_cut() -> None:
    found = _written(lambda x: f"+49 30 {x:07.0f}", lambda x: f"030/{x:07.0f}")
    assert found is None or "cut" not in found.words


@pytest.mark.parametrize(
    ("lose", "fact"),
    [
        (lambda text: text.encode("ascii", "replace").decode(), "has '?' in place of letters beyond ASCII"),
        (lambda text: text.replace("ö", "??").replace("ü", "??").replace("ß", "??"), "has '?' in place of each byte"),
        (lambda text: text.replace("ö", "o").replace("ü", "u"), "has lost accents"),
    ],
)
def test_accents_that_are_gone(lose: Callable[[str], str], fact: str) -> None:
    towns = ["Köln", "Düsseldorf", "Gießen", "Bonn"] if "?" in fact else ["Köln", "Düsseldorf", "Bonn", "Lübeck"]
    history = [_day(index, city=[towns[row % 4] for row in range(ROWS)]) for index in range(DAYS)]
    found = _cause("city", [lose(towns[row % 4]) for row in range(ROWS)], history)
    assert found is not None
    assert (found.fact or "").startswith(fact)
    assert found.rows == 300


def test_numbers_without_their_minus() -> None:
    def signed(index: int) -> np.ndarray:
        return np.where(np.random.default_rng(index).random(ROWS) < 0.3, -1.0, 1.0) * _price(index)

    history = [_day(index, price=signed(index)) for index in range(DAYS)]
    found = _cause("price", np.abs(signed(DAYS)), history)
    assert found is not None
    assert found.fact == "has no minus any more"
    positive = signed(DAYS)[signed(DAYS) > 0.0]
    assert (other := _cause("price", positive * 3.0, history)) is None or other.type != "unsigned"


def test_numbers_rounded_to_tens() -> None:
    history = [_day(index, price=_price(index) * 10.0) for index in range(DAYS)]
    assert _cause("price", (_price(DAYS)).round() * 10.0, history).fact == "is rounded to multiples of 10"  # type: ignore[union-attr]


def test_rows_that_are_there_more_than_once() -> None:
    history = [_day(index, count=_ids(index)) for index in range(DAYS)]
    found = _cause("count", np.concatenate([_ids(DAYS), _ids(DAYS)[:100]]), history)
    assert found is not None
    assert found.words == "100 of 500 rows are there more than once"


def test_a_load_that_ended_early() -> None:
    def times(index: int) -> list[datetime]:
        start = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=index)
        return [start + timedelta(minutes=1440 / ROWS * row) for row in range(ROWS)]

    history = [profile_table(pa.table({"at": times(index)}), day(index)) for index in range(DAYS)]
    now = profile_table(pa.table({"at": times(DAYS)[: ROWS // 2]}), day(DAYS))
    comparison = Comparison.of("at", now, history, PreviousPartition(history[-1]))
    assert comparison is not None
    found = likely_cause(comparison)
    assert found is not None
    assert found.words == "nothing came after 2026-03-11 11:56:24: the last 50% of the usual time"


def test_values_that_are_missing() -> None:
    values = [None if row % 4 == 0 else value for row, value in enumerate(_price(DAYS).tolist())]
    assert _words("price", values) == "missing values: 100 of 400 rows became null"
    assert _words("price", [None] * ROWS) == "missing values: the whole column became null"
    assert _words("city", ["" if row < 40 else text for row, text in enumerate(_city(DAYS))]) == (
        "missing values: 40 of 400 rows became empty"
    )


def test_of_values_that_always_were_missing_in_part_both_shares_are_told() -> None:
    def some(index: int, share: float) -> list[str | None]:
        lost = np.random.default_rng(700 + index).random(ROWS) < share
        return [None if gone else text for text, gone in zip(_city(index), lost, strict=True)]

    history = [_day(index, city=some(index, 0.2)) for index in range(DAYS)]
    found = _cause("city", some(DAYS, 0.6), history)
    assert found is not None
    assert found.detail is not None
    before, _, now = found.detail.partition(" -> ")
    assert (float(before.rstrip("%")), float(now.rstrip("%"))) == (pytest.approx(20, abs=5), pytest.approx(60, abs=6))
    new = _cause("city", some(DAYS, 0.6))
    assert new is not None
    assert new.detail == "before 0%"


def test_zeros_in_place_of_values() -> None:
    values = np.where(np.random.default_rng(1).random(ROWS) < 0.5, 0.0, _price(DAYS))
    share = round(100 * float((values == 0).mean()))
    assert _words("price", values) == f"zeros in place of {share}% of the values"
    assert _words("price", np.zeros(ROWS)) == "every value became zero"


def test_zeros_in_place_of_nulls() -> None:
    gaps = [[None if row % 5 == 0 else float(value) for row, value in enumerate(_price(i))] for i in range(DAYS + 1)]
    history = [_day(i, price=gaps[i]) for i in range(DAYS)]
    found = _cause("price", [value or 0.0 for value in gaps[DAYS]], history)
    assert found is not None
    assert found.words == "zeros in place of missing values (80 of 400 rows)"


def test_more_and_fewer_rows() -> None:
    assert _words("price", np.tile(_price(DAYS), 3)) == "every row arrived 3 times"
    assert _words("city", _city(DAYS)[:100]) == "fewer rows (25% of the usual number), distributed as before"


def _ids(index: int, rows: int = ROWS) -> np.ndarray:
    return np.arange(rows, dtype=float) + 1000.0 + 400.0 * index


def test_every_row_twice_is_seen_where_weekends_have_half_the_rows() -> None:
    history = [_day(index, count=_ids(index, ROWS if index % 7 < 5 else ROWS // 2)) for index in range(14)]
    comparison = Comparison.of("count", _day(14, count=np.repeat(_ids(14), 2)), history, PreviousPartition(history[-1]))
    assert comparison is not None
    found = likely_cause(comparison)
    assert found is not None
    assert found.words == "every row arrived 2 times"


def test_numbers_that_are_others_every_day_are_no_part_of_those_before() -> None:
    history = [_day(index, count=_ids(index, ROWS + 10)) for index in range(DAYS)]
    comparison = Comparison.of(
        "count", _day(DAYS, count=_ids(DAYS, ROWS // 2)), history, PreviousPartition(history[-1])
    )
    assert comparison is not None
    found = likely_cause(comparison)
    assert found is None or found.type != "distribution_change"


@pytest.mark.parametrize("stay", [2000.0, 3000.0])
def test_what_goes_on_from_day_to_day_is_no_part_of_the_day_before(stay: float) -> None:
    """Ends of stays, in minutes: each day's begin where a part of those of the day before lies behind them."""

    def ends(index: int) -> np.ndarray:
        rng = np.random.default_rng(index)
        return 1e6 + 1440.0 * index + rng.uniform(0.0, 1440.0, ROWS) + rng.exponential(stay, ROWS)

    history = [_day(index, count=ends(index)) for index in range(DAYS)]
    comparison = Comparison.of("count", _day(DAYS, count=ends(DAYS)), history, PreviousPartition(history[-1]))
    assert comparison is not None
    assert part_of_numbers(comparison) is None


def test_a_part_of_the_values() -> None:
    prices = np.sort(_price(DAYS))
    assert _words("price", np.resize(prices[: ROWS // 10], ROWS)) is not None
    found = _cause("price", np.resize(prices[ROWS // 2 :], ROWS))
    assert found is not None
    assert (found.type, found.parameter) == ("distribution_change", "highest")
    cities = sorted(_city(DAYS))
    first = _cause("city", np.resize(cities[: ROWS // 5], ROWS).tolist())
    assert first is not None
    assert first.words.startswith("only the first ")
    assert first.words.endswith(f"of the values in alphabetical order arrived (none after '{cities[ROWS // 5 - 1]}')")


def test_letter_case() -> None:
    cities = _city(DAYS)
    assert _words("city", [text.upper() for text in cities]) == "lower case became upper case in all of the values"
    swapped = [text.swapcase() if row % 10 == 0 else text for row, text in enumerate(cities)]
    assert _words("city", swapped) == "upper and lower case swapped in 10% of the values"


def test_white_space() -> None:
    padded = [f" {text}" if row % 2 == 0 else text for row, text in enumerate(_city(DAYS))]
    assert _words("city", padded) == "white space before 50% of the values"


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda text, at: text[:at] + "x" + text[at:], "an additional character"),
        (lambda text, at: text[:at] + text[at + 1 :], "a missing character"),
        (lambda text, at: text[: len(text) // 2], "values cut short"),
        (lambda text, at: text[:1] + chr(97 + (ord(text[1]) - 96) % 26) + text[2:], "characters replaced by others"),
    ],
)
def test_single_characters(edit, words: str) -> None:  # type: ignore[no-untyped-def]
    places = np.random.default_rng(2).random(ROWS)
    texts = [edit(t, int(p * len(t))) if n % 2 else t for n, (t, p) in enumerate(zip(_city(DAYS), places, strict=True))]
    found = _words("city", texts)
    assert found is not None
    assert found.startswith(words)


@pytest.mark.parametrize(("new", "share"), [(["K9", "M8"], 0.4), (["K9", "M8"], 0.1), (["K31", "K32"], 0.4)])
def test_a_few_new_codes_are_named_and_no_replaced_characters(new: list[str], share: float) -> None:
    rng = np.random.default_rng(9)
    found = _cause("code", [str(rng.choice(new)) if rng.random() < share else code for code in _code(DAYS)])
    assert found is not None
    assert found.type == "new_values"
    assert found.words.startswith("new values '")
    assert all(f"'{code}'" in found.words for code in new)


def test_a_few_new_numbers_are_named() -> None:
    rng = np.random.default_rng(9)
    history = [_day(index, count=np.random.default_rng(index).integers(10, 20, ROWS) * 1.0) for index in range(DAYS)]
    now = np.where(rng.random(ROWS) < 0.4, 77.0, rng.integers(10, 20, ROWS))
    found = _cause("count", now, history)
    assert found is not None
    assert found.words == f"new value 77 in {100 * (now == 77).mean():.0f}% of the values"


def _customers(index: int, step: int, first: int = 2_000) -> np.ndarray:
    """Ids of a window that moves on: customers of today, the oldest of whom no longer come."""
    newest = first + step * index
    return np.random.default_rng(700 + index).integers(newest - 300, newest, ROWS).astype(float)


@pytest.mark.parametrize("step", [5, 30, 80])
@pytest.mark.parametrize("jump", [0, 4])
@pytest.mark.parametrize("first", [2_000, 9_000])
def test_ids_that_grow_are_no_replaced_digits_and_no_part_of_those_before(step: int, jump: int, first: int) -> None:
    made = [_customers(index, step, first) for index in range(DAYS)]
    now = _customers(DAYS + jump, step, first)
    wrong = {"char_perturbation", "char_insertion", "distribution_change"}
    found = _cause("count", now, [_day(index, count=made[index]) for index in range(DAYS)])
    assert found is None or found.type not in wrong
    texts = [[f"C{number:07.0f}" for number in numbers] for numbers in (*made, now)]
    found = _cause("code", texts[-1], [_day(index, code=texts[index]) for index in range(DAYS)])
    assert found is None or found.type not in wrong


NUMBERS = np.random.default_rng(11).integers(1_000, 4_000, 150) * 1.0


def _numbered(index: int) -> np.ndarray:
    """Numbers of things that come again."""
    return np.random.default_rng(800 + index).choice(NUMBERS, ROWS)


def _with_replaced_digits(share: float) -> np.ndarray:
    clean = CleanColumn(Kind.NUMERIC, pa.array(_numbered(DAYS)))
    made = char_perturbation(clean, share, np.random.default_rng(12))
    assert made is not None
    return made.values.to_numpy()


@pytest.mark.parametrize("share", [0.05, 0.1])
def test_digits_replaced_at_random(share: float) -> None:
    history = [_day(index, count=_numbered(index)) for index in range(DAYS)]
    found = _cause("count", _with_replaced_digits(share), history)
    assert found is not None
    assert found.words.startswith("digits replaced by others of their kind in ")


@pytest.mark.parametrize(
    "other",
    [
        lambda numbers: numbers + 13.0,
        lambda numbers: np.round(numbers * 1.07),
        lambda numbers: np.where(np.arange(ROWS) % 3 == 0, 3_000.0 + np.arange(ROWS), numbers),
        lambda numbers: np.where(np.arange(ROWS) % 2 == 0, np.floor(numbers / 10.0) * 10.0, numbers),
        lambda numbers: 4_000.0 - numbers + 1_000.0,
    ],
)
def test_other_numbers_of_as_many_digits_are_no_replaced_digits(other: Callable[[np.ndarray], np.ndarray]) -> None:
    history = [_day(index, count=_numbered(index)) for index in range(DAYS)]
    found = _cause("count", other(_numbered(DAYS)), history)
    assert found is None or found.type != "char_perturbation"


def test_values_of_another_column() -> None:
    mixed = [
        code if row % 5 == 0 else city for row, (city, code) in enumerate(zip(_city(DAYS), _code(DAYS), strict=True))
    ]
    assert _words("city", mixed) == "values of column 'code' in 20% of the rows"
    assert _words("price", _count(DAYS) * 1.0) == "values of column 'count' in all of the rows"


def test_the_data_of_an_earlier_partition_again() -> None:
    assert _words("price", _price(4)) == "the data of partition 2013-01-05 again"


def test_values_that_only_measure_alike_are_not_those_of_an_earlier_partition() -> None:
    """Ids of one form have the same metrics in as many rows, whatever they are."""

    def ids(day: int, letter: str, rows: int) -> Profile:
        values = [f"{letter}{100_000 + 7919 * day + row}" for row in range(rows)]
        return profile_table(pa.table({"id": values}), f"2026-01-{day + 1:02d}")

    history = [ids(day, "A", 60 if day == 3 else 50 + day) for day in range(9)]
    now = ids(9, "B", 60)
    assert [one.columns["id"].metrics == now.columns["id"].metrics for one in history].count(True) == 1
    verdict = evaluate(synthesize(history, SynthesisOptions()), now, history)
    assert verdict.status is Status.FAIL
    assert not [alert.cause for alert in verdict.alerts if "again" in (alert.cause or "")]


def test_a_usual_day_and_an_odd_one_have_no_cause() -> None:
    assert _words("price", _price(DAYS)) is None
    odd = np.random.default_rng(5).normal(500.0, 3.0, ROWS).round(2)
    found = _cause("price", odd)
    assert found is None or found.type == "unit_change"


def test_times_of_another_zone() -> None:
    rng = np.random.default_rng(6)
    moments = [np.sort(rng.uniform(0, 86_400, ROWS)) + 86_400.0 * i for i in range(DAYS + 1)]
    made = [_timestamps(i, values) for i, values in enumerate(moments)]
    shifted = _timestamps(DAYS, moments[DAYS] + 86_400.0 * 2)
    comparison = Comparison.of("at", shifted, made[:DAYS], PreviousPartition(made[DAYS - 1]))
    assert comparison is not None
    found = likely_cause(comparison)
    assert found is not None
    assert found.words == "times are 2 days later (data of another day?)"


def _timestamps(index: int, seconds: np.ndarray) -> Profile:
    import pyarrow as pa

    from airflow_dq.profile import profile_table

    values = pa.array((seconds * 1e6).astype(np.int64), pa.timestamp("us", "UTC"))
    return profile_table(pa.table({"at": values}), partition=day(index))


def _titles(index: int, misspelt: int = 0) -> list[str]:
    rng = np.random.default_rng(700 + index)
    words = ("red", "green", "chair", "table", "lamp", "with", "small", "wood")
    titles = [" ".join(rng.choice(words, 4)) + f" {rng.integers(10**6)}" for _ in range(ROWS)]
    return [title.replace("e", "q") if place < misspelt else title for place, title in enumerate(titles)]


def test_texts_that_are_new_every_time_and_misspelt_are_shown() -> None:
    history = [profile(day(index), column("title", Kind.STRING, _titles(index))) for index in range(DAYS)]

    def cause(titles: list[str]) -> Cause | None:
        now = profile(day(DAYS), column("title", Kind.STRING, titles))
        comparison = Comparison.of("title", now, history, PreviousPartition(history[-1]))
        assert comparison is not None
        return likely_cause(comparison)

    found = cause(_titles(DAYS, misspelt=40))
    assert found is not None
    assert found.type == "misspelt"
    assert found.rows == pytest.approx(40, abs=5)
    assert found.fact is not None
    assert len(re.findall(r"'[^']*q[^']*'", found.fact)) == 3
    assert cause(_titles(DAYS)) is None
    # Another rule is no typing error.
    written_otherwise = cause([f"~{title}" for title in _titles(DAYS)])
    assert written_otherwise is None or written_otherwise.type != "misspelt"


def test_numbers_with_more_decimals_than_ever_are_shown() -> None:
    values = _price(DAYS)
    values[:20] *= 1.01 / 1.0093
    found = _cause("price", values)
    assert found is not None
    assert (found.type, found.rows) == ("more_decimals", 20)
    assert found.fact is not None
    assert found.fact.startswith("has more than 2 decimal places, which the partitions before had not, such as ")
    history = [profile(day(number), column("price", Kind.NUMERIC, _price(number).round())) for number in range(DAYS)]
    now = profile(day(DAYS), column("price", Kind.NUMERIC, values))
    comparison = Comparison.of("price", now, history, PreviousPartition(history[-1]))
    assert comparison is not None
    whole = likely_cause(comparison)
    assert whole is not None
    assert whole.fact is not None
    assert whole.fact.startswith("has decimal places, which the partitions before had not, such as ")
    cents = _price(DAYS)
    cents[:20] *= 1.13
    assert _cause("price", cents.round(2)) is None

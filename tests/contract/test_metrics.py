"""What every metric promises, and an independent oracle for each: without one, this module fails."""

from __future__ import annotations

import ast
import math
import re
import string
import unicodedata
from collections import Counter
from dataclasses import fields
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial import distance as spatial

import airflow_dq
from airflow_dq.metrics.descriptor import Bound, Facts, Metric, Reason, Scale, Support, Unit
from airflow_dq.metrics.evaluate import compare, measure
from airflow_dq.metrics.extrapolation import SampleChange
from airflow_dq.metrics.registry import find_metric, get_metric, metric, metrics_for
from airflow_dq.states.base import Kind, State, states_for

TYPES = {
    Kind.NUMERIC: pa.float64(),
    Kind.TIMESTAMP: pa.float64(),
    Kind.STRING: pa.large_string(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.BINARY: pa.binary(),
    Kind.NESTED: pa.list_(pa.int64()),
    Kind.NULL: pa.null(),
}
ALL = [(kind, entry) for kind in Kind for entry in metrics_for(kind)]
every_metric = pytest.mark.parametrize(("kind", "entry"), [pytest.param(k, m, id=f"{k}-{m.name}") for k, m in ALL])


def states_of(kind: Kind, items: list[object]) -> dict[str, State]:
    array = pa.array(items, TYPES[kind])
    return {state.key: state.of(array) for state in states_for(kind)}


# ---- oracles: numpy, scipy and plain Python on the raw values ------------------------------------------------------


def present(items: list) -> list:
    return [x for x in items if x is not None and x != "" and not (isinstance(x, float) and math.isnan(x))]


def finite(items: list) -> np.ndarray:
    return np.array([x for x in present(items) if math.isfinite(x)])


def per_value(test) -> object:
    return lambda items: np.mean([sum(map(test, value)) for value in present(items)])


def is_punctuation(c: str) -> bool:
    return c in string.punctuation or unicodedata.category(c).startswith("P")


def pattern(value: str) -> str:
    symbols = []
    for c in value:
        letter, digit = unicodedata.category(c).startswith("L"), unicodedata.category(c) == "Nd"
        symbols.append(r"\d" if digit else r"\l" if letter else r"\." if is_punctuation(c) else c)
    return "".join(symbols)


def tables(now: list, before: list, label=lambda value: value) -> tuple[np.ndarray, np.ndarray]:
    a, b = Counter(map(label, present(now))), Counter(map(label, present(before)))
    keys = sorted(set(a) | set(b))
    return np.array([a[k] for k in keys], float), np.array([b[k] for k in keys], float)


def smoothed_kl(p: np.ndarray, q: np.ndarray) -> float:
    p, q = p / p.sum() + 1e-6, q / q.sum() + 1e-6
    return float(stats.entropy(p, q))


def phi_squared(p: np.ndarray, q: np.ndarray) -> float:
    table = np.array([p, q])
    return float(stats.chi2_contingency(table, correction=False).statistic / table.sum()) if len(p) > 1 else 0.0


TABLE_ORACLES = {
    "l1": lambda p, q: spatial.cityblock(p / p.sum(), q / q.sum()),
    "l_inf": lambda p, q: spatial.chebyshev(p / p.sum(), q / q.sum()),
    "cosine": lambda p, q: spatial.cosine(p, q),
    "chi_squared": phi_squared,
    "js_div": lambda p, q: spatial.jensenshannon(p, q) ** 2,
    "kl_div": smoothed_kl,
    "new_ratio": lambda p, q: p[q == 0].sum() / p.sum(),
    "unseen_ratio": lambda p, q: p[q == 0].sum() / p.sum(),
}


def histograms(now: list, before: list) -> tuple[np.ndarray, np.ndarray]:
    a, b = finite(now), finite(before)
    low, high = min(a.min(), b.min()), max(a.max(), b.max())
    # Inner edges of 20 equal bins, raised to a multiple of the smallest power of two that cuts the range in < 2048.
    level = next(k for k in range(-60, 60) if math.floor(high / 2.0**k) - math.floor(low / 2.0**k) < 2048)
    inner = np.ceil(np.linspace(low, high, 21)[1:-1] / 2.0**level) * 2.0**level
    return tuple(np.histogram(x, np.concatenate([[low], inner, [high]]))[0] for x in (a, b))


def entropy_of(label) -> object:
    return lambda items: stats.entropy(list(Counter(map(label, present(items))).values()))


def share_of(test) -> object:
    return lambda items: np.mean([bool(test(value)) for value in items])


def cohens_d(now: list, before: list) -> float:
    a, b = finite(now), finite(before)
    return abs(a.mean() - b.mean()) / np.sqrt((a.var() + b.var()) / 2)


def reads_as_number(value: str) -> bool:
    try:
        return math.isfinite(float(value)) and re.search("[_a-df-zA-DF-Z]", value) is None and value.isascii()
    except ValueError:
        return False


def written(items: list) -> list[float]:
    """The numbers that texts hold, without what begins like a code."""
    return [float(value) for value in present(items) if reads_as_number(value) and not re.match(r"\s*[+-]?0\d", value)]


def sizes(items: list) -> list[int]:
    return [len(value) for value in items if value is not None]


SIZES = {
    "size_mean": lambda items: np.mean(sizes(items)),
    "size_min": lambda items: min(sizes(items)),
    "size_max": lambda items: max(sizes(items)),
}
COUNTED = {
    "row_count": len,
    "complete_ratio": lambda items: len(present(items)) / len(items),
}


def decimals(value: float) -> int:
    """The decimal places that a number of 15 digits is written with, up to ten."""
    return min(10, max(0, -int(Decimal(f"{value:.15g}").normalize().as_tuple().exponent)))


def more_decimals(now: list[float | None], before: list[float | None]) -> float:
    """Share of the numbers with more decimal places than any of the others has."""
    most = max(map(decimals, finite(before)))
    return float(np.mean([decimals(value) > most for value in finite(now)]))


def bigrams(value: str) -> set[str]:
    """The pairs of bytes of a text with its end, where all ASCII digits are alike and two of them are no pair."""
    letters = re.sub(r"[0-9]", "0", value).encode().decode("latin-1") + "\n"
    return {letters[place : place + 2] for place in range(len(letters) - 1)} - {"00"}


def odd_letters(now: list[str | None], before: list[str | None]) -> float:
    """Share of the values with a pair that no value of the others has."""
    known = set().union(*map(bigrams, present(before)))
    return float(np.mean([not bigrams(value) <= known for value in present(now)]))


SIZE_AND_SPREAD = {
    "min": lambda items: finite(items).min(),
    "max": lambda items: finite(items).max(),
    "mean": lambda items: finite(items).mean(),
    "std": lambda items: finite(items).std(),
}
NUMBERS = (
    COUNTED
    | SIZE_AND_SPREAD
    | {
        "range": lambda items: np.ptp(finite(items)),
        "median": lambda items: np.median(finite(items)),
        "unique_ratio": lambda items: len(set(finite(items))) / len(finite(items)),
        "emd": lambda now, before: stats.wasserstein_distance(finite(now), finite(before)),
        "ks_dist": lambda now, before: stats.ks_2samp(finite(now), finite(before)).statistic,
        "js_div": lambda now, before: spatial.jensenshannon(*histograms(now, before)) ** 2,
        "kl_div": lambda now, before: smoothed_kl(*histograms(now, before)),
        "cohen_d": cohens_d,
        "skewness": lambda items: stats.skew(finite(items)),
        "kurtosis": lambda items: stats.kurtosis(finite(items)),
        "mode_ratio": lambda items: max(Counter(finite(items).tolist()).values()) / len(finite(items)),
        **{f"p{q:02}": lambda items, q=q: np.percentile(finite(items), q) for q in (5, 25, 75, 95)},
        "l1": lambda now, before: TABLE_ORACLES["l1"](*tables(list(finite(now) + 0.0), list(finite(before) + 0.0))),
        "new_ratio": lambda now, before: np.mean(~np.isin(finite(now), finite(before))),
        "unseen_ratio": lambda now, before: np.mean(~np.isin(finite(now), finite(before))),
        "outside_ratio": lambda now, before: np.mean(
            (finite(now) < finite(before).min()) | (finite(now) > finite(before).max())
        ),
    }
)
ORACLES = {
    Kind.NUMERIC: NUMBERS
    | {
        "sum": lambda items: math.fsum(finite(items)),
        "zero_ratio": lambda items: share_of(lambda x: x == 0)(finite(items)),
        "negative_ratio": lambda items: share_of(lambda x: x < 0)(finite(items)),
        "integer_ratio": lambda items: share_of(float.is_integer)(finite(items).tolist()),
        "finer_ratio": more_decimals,
        "nan_ratio": lambda items: share_of(lambda x: x is not None and math.isnan(x))(items),
        "infinite_ratio": lambda items: share_of(math.isinf)([x for x in items if x is not None and not math.isnan(x)]),
    },
    Kind.TIMESTAMP: NUMBERS | {"midnight_ratio": lambda items: share_of(lambda x: x % 86400 == 0)(finite(items))},
    Kind.STRING: COUNTED
    | {
        "str_len": lambda items: np.mean([len(value) for value in present(items)]),
        "char_len": per_value(lambda c: unicodedata.category(c).startswith("L")),
        "digit_len": per_value(lambda c: unicodedata.category(c) == "Nd"),
        "punc_len": per_value(is_punctuation),
        "unique_ratio": lambda items: len(set(present(items))) / len(present(items)),
        "dist_val_count": lambda items: len(set(present(items))),
        "upper_len": per_value(str.isupper),
        "lower_len": per_value(str.islower),
        "space_len": per_value(str.isspace),
        "leading_blank_ratio": lambda items: share_of(lambda s: s[0].isspace())(present(items)),
        "trailing_blank_ratio": lambda items: share_of(lambda s: s[-1].isspace())(present(items)),
        "non_ascii_ratio": lambda items: share_of(lambda s: not s.isascii())(present(items)),
        "control_ratio": lambda items: share_of(lambda s: any(unicodedata.category(c) == "Cc" for c in s))(
            present(items)
        ),
        "numeric_ratio": lambda items: share_of(reads_as_number)(present(items)),
        **{name: lambda items, f=f: f(written(items)) for name, f in SIZE_AND_SPREAD.items()},
        "mode_ratio": lambda items: max(Counter(present(items)).values()) / len(present(items)),
        "entropy": entropy_of(str),
        "pat_entropy": entropy_of(pattern),
        "pat_count": lambda items: len(set(map(pattern, present(items)))),
        "max_len": lambda items: max(len(value) for value in present(items)),
        "empty_ratio": lambda items: share_of(lambda s: s == "")(items),
    }
    | {"initial_js_div": lambda now, before: TABLE_ORACLES["js_div"](*tables(now, before, lambda text: text[0]))}
    | {"bigram_unseen_ratio": odd_letters}
    | {name: lambda now, before, f=f: f(*tables(now, before)) for name, f in TABLE_ORACLES.items()}
    | {f"pat_{name}": lambda now, before, f=f: f(*tables(now, before, pattern)) for name, f in TABLE_ORACLES.items()},
    Kind.BOOLEAN: COUNTED
    | {"true_ratio": lambda items: np.mean([value for value in items if value is not None])}
    | {
        name: lambda now, before, f=f: f(*tables(now, before))
        for name, f in TABLE_ORACLES.items()
        if name not in ("new_ratio", "unseen_ratio")
    },
    Kind.BINARY: COUNTED | SIZES,
    Kind.NESTED: COUNTED | SIZES,
    Kind.NULL: COUNTED,
}


def raw(kind: Kind, seed: int, with_numbers: bool = False) -> list:
    """Some hundred values with everything that is not an ordinary value among them.

    :param with_numbers: of texts: those of a column whose values read as numbers
    """
    rng = np.random.default_rng(seed)
    odd = [None, None, math.nan, math.inf, -math.inf, -0.0, 0.0]
    words = [
        "AA",
        "b-12",
        "Zürich",
        "東京１２",
        "",
        None,
        " pad",
        "x@y.org",
        "no space",
        "$19.99",
        "2022-03-01",
        "٣٤",
        "a\tb",
        " 1.5e3",
        "-7",
    ]
    if with_numbers:
        return [None, "", *(f"{number:.2f}" for number in rng.normal(3 + seed, 2, 300)), " 1.5e3", "+7", "-7.", "00501"]
    return {
        Kind.NUMERIC: lambda: [
            *rng.normal(3 + seed, 2, 300).round(15 - 12 * seed).tolist(),
            *rng.integers(0, 9, 300).astype(float),
            *odd,
        ],
        Kind.TIMESTAMP: lambda: [
            None,
            *(1.7e9 + seed * 3600 + np.round(rng.random(400) * 86400)).tolist(),
            1.7e9 - 1.7e9 % 86400 + 86400,
        ],
        Kind.STRING: lambda: [words[i] for i in rng.integers(0, len(words) - 2 * seed, 400)],
        Kind.BOOLEAN: lambda: [None, *(rng.random(300) < 0.3 + seed / 10).tolist()],
        Kind.BINARY: lambda: [None, b"", b"x", b"\xff"] * 5,
        Kind.NESTED: lambda: [None, [1], [], [None, 2]] * 5,
        Kind.NULL: lambda: [None] * 5,
    }[kind]()


def of_written(kind: Kind, entry: Metric) -> bool:
    """Whether the metric is of the numbers that texts hold."""
    return kind is Kind.STRING and entry.unit in (Unit.COLUMN, Unit.SPAN)


@cache
def raw_states(kind: Kind, seed: int, with_numbers: bool = False) -> dict[str, State]:
    return states_of(kind, raw(kind, seed, with_numbers))


@every_metric
def test_every_metric_has_an_oracle_and_agrees_with_it(kind: Kind, entry: Metric) -> None:
    oracle = ORACLES[kind].get(entry.name)
    assert oracle is not None, f"give {entry.name!r} of {kind} columns an independent oracle in this module"
    now, before = (raw(kind, seed, of_written(kind, entry)) for seed in (0, 1))
    if entry.pair:
        sides = raw_states(kind, 0), raw_states(kind, 1)
        observed = compare(kind, *sides, [entry.name], pool=entry.pool)[entry.name]
        expected = oracle(now, before)
    else:
        observed, expected = measure(kind, states_of(kind, now))[entry.name], oracle(now)
    assert isinstance(observed, float)
    assert observed == pytest.approx(float(expected), rel=1e-9, abs=1e-12)


def test_no_oracle_is_left_over() -> None:
    assert {(kind, name) for kind in Kind for name in ORACLES[kind]} == {(kind, entry.name) for kind, entry in ALL}


@every_metric
def test_every_metric_is_documented(kind: Kind, entry: Metric) -> None:
    assert entry.doc.endswith((".", ":"))
    assert len(entry.doc) > 10
    assert entry.name == entry.name.lower()
    assert entry.name.isidentifier()
    assert get_metric(entry.name, kind) is entry


# ---- promises ------------------------------------------------------------------------------------------------------

ROUNDING = 1e-9
"""A sum of shares may exceed its largest value by its last digits."""
EDGE = [0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 1e-300, 1e16, math.nan, math.inf, -math.inf]
RANDOM = {
    Kind.NUMERIC: st.one_of(st.none(), st.sampled_from(EDGE), st.floats(), st.integers(-3, 3).map(float)),
    Kind.STRING: st.one_of(st.none(), st.sampled_from(["", "a", "É1"]), st.text(max_size=8)),
    Kind.BOOLEAN: st.sampled_from([None, True, False]),
}
RANDOM[Kind.TIMESTAMP] = RANDOM[Kind.NUMERIC]
POOLS = {entry.pool for _, entry in ALL if entry.pair}


@pytest.mark.parametrize("kind", list(RANDOM))
@given(data=st.data())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_metric_is_a_finite_float_in_its_natural_range_or_a_reason(kind: Kind, data: st.DataObject) -> None:
    now, before = (data.draw(st.lists(RANDOM[kind], max_size=15)) for _ in range(2))
    a, b = states_of(kind, now), states_of(kind, before)
    values = {pool: compare(kind, a, b, pool=pool) for pool in POOLS} | {None: measure(kind, a)}
    for entry in metrics_for(kind):
        value = values[entry.pool if entry.pair else None][entry.name]
        assert isinstance(value, Reason) or (type(value) is float and math.isfinite(value)), (entry.name, value)
        if not isinstance(value, Reason):
            lowest, highest = entry.natural_range
            assert lowest - ROUNDING <= value <= highest + ROUNDING, (entry.name, value)


@pytest.mark.parametrize("kind", list(RANDOM))
@given(data=st.data())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_metrics_do_not_depend_on_the_split(kind: Kind, data: st.DataObject) -> None:
    items = data.draw(st.lists(RANDOM[kind], max_size=30))
    cut = data.draw(st.integers(0, len(items)))
    left, right = states_of(kind, items[:cut]), states_of(kind, items[cut:])
    merged = {key: right[key].merge(left[key]) for key in left}
    whole = states_of(kind, items)
    assert measure(kind, merged) == measure(kind, whole)
    assert all(value in (0.0, Reason.NO_VALUES) for value in compare(kind, merged, whole).values())


@pytest.mark.parametrize("kind", list(Kind))
def test_an_empty_batch_says_so(kind: Kind) -> None:
    values = measure(kind, states_of(kind, []))
    assert values.pop("row_count") == 0.0
    assert set(values.values()) == {Reason.EMPTY_BATCH}


@pytest.mark.parametrize("kind", list(Kind))
def test_a_column_of_nulls_says_so(kind: Kind) -> None:
    values = measure(kind, states_of(kind, [None] * 4))
    assert values.pop("row_count") == 4.0
    assert values.pop("complete_ratio") == 0.0
    assert values.pop("empty_ratio", 0.0) == values.pop("nan_ratio", 0.0) == 0.0
    # Numbers of distinct things are counts: none is a value like any other.
    assert values.pop("dist_val_count", 0.0) == values.pop("pat_count", 0.0) == 0.0
    assert set(values.values()) <= {Reason.NO_VALUES}


@pytest.mark.parametrize("kind", list(RANDOM))
def test_a_distance_to_nothing_is_no_number(kind: Kind) -> None:
    full, empty = raw_states(kind, 0), states_of(kind, [None])
    for now, before in ((full, empty), (empty, full), (empty, empty)):
        assert set(compare(kind, now, before).values()) == {Reason.NO_VALUES}


@pytest.mark.parametrize(("kind", "entry"), [case for case in ALL if case[1].pair])
def test_a_distance_to_itself_is_zero_and_it_is_never_negative(kind: Kind, entry: Metric) -> None:
    now, before = raw_states(kind, 0), raw_states(kind, 1)
    assert compare(kind, now, now, [entry.name], pool=entry.pool)[entry.name] == pytest.approx(0.0, abs=1e-12)
    assert compare(kind, now, before, [entry.name], pool=entry.pool)[entry.name] > 0.0


@every_metric
def test_bounds_are_those_of_propositions_1_to_3(kind: Kind, entry: Metric) -> None:
    averages = {"row_count", "mean", "str_len", "char_len", "digit_len", "punc_len", "complete_ratio", "true_ratio"}
    expected = Bound.CANTELLI if entry.pair else Bound.CLT if entry.name in averages else Bound.CHEBYSHEV
    assert entry.bound is expected or not entry.paper


def test_the_papers_tables_are_complete() -> None:
    names = {kind: {entry.name for entry in metrics_for(kind) if entry.paper} for kind in Kind}
    table_3 = "emd js_div kl_div ks_dist cohen_d min max mean median sum range row_count unique_ratio complete_ratio"
    table_4 = (
        "l1 l_inf cosine chi_squared js_div kl_div pat_l1 pat_l_inf pat_cosine pat_chi_squared pat_js_div pat_kl_div "
        "str_len char_len digit_len punc_len row_count unique_ratio complete_ratio dist_val_count"
    )
    assert names[Kind.NUMERIC] == set(table_3.split())
    assert names[Kind.STRING] == set(table_4.split())


def test_a_name_is_registered_once_for_a_kind() -> None:
    entry = get_metric("row_count", Kind.STRING)
    assert entry is not None

    def another(counts: State) -> float:
        """Some other metric of that name."""
        return 0.0

    with pytest.raises(ValueError, match="row_count"):
        metric(*entry.states, bound=Bound.CLT, name="row_count")(another)
    with pytest.raises(ValueError, match="exactly one"):
        metric(*entry.states, *entry.states, bound=Bound.CANTELLI, pair=True)
    assert get_metric("row_count", Kind.STRING) is entry


# ---- the descriptor ------------------------------------------------------------------------------------------------


def test_a_decorator_can_say_whatever_a_descriptor_holds() -> None:
    assert set(Facts.__annotations__) == {field.name for field in fields(Metric)} - {"states", "pair_type", "function"}


@every_metric
def test_a_metric_is_told_in_words(kind: Kind, entry: Metric) -> None:
    assert entry.words
    assert "_" not in entry.phrase
    ending = {1: "the partition before", 3: "the last three partitions"}[entry.pool]
    assert entry.phrase == (f"{entry.words} {entry.link} {ending}" if entry.pair else entry.words)
    assert find_metric(entry.name, kind) is entry


@every_metric
def test_unit_and_natural_range_agree_with_the_scale(kind: Kind, entry: Metric) -> None:
    lowest, highest = entry.natural_range
    assert lowest < highest
    assert (entry.unit is Unit.SHARE) == entry.name.endswith("_ratio")
    if entry.unit is Unit.SHARE:
        assert entry.natural_range == (0.0, 1.0)
    if entry.pair:
        assert lowest == 0.0
    units = {Scale.SHARE: Unit.SHARE, Scale.COUNT: Unit.COUNT, Scale.TRANSPORT: Unit.SPAN, Scale.RATIO: Unit.SPAN}
    assert entry.unit is units.get(entry.scale, entry.unit)
    homes = {
        Unit.COLUMN: {Kind.NUMERIC, Kind.STRING, Kind.TIMESTAMP},
        Unit.SPAN: {Kind.NUMERIC, Kind.STRING, Kind.TIMESTAMP},
        Unit.CHARACTERS: {Kind.STRING},
        Unit.ELEMENTS: {Kind.BINARY, Kind.NESTED},
    }
    assert kind in homes.get(entry.unit, set(Kind))


@pytest.mark.parametrize("kind", [Kind.NUMERIC, Kind.TIMESTAMP])
def test_what_has_the_columns_unit_and_nothing_else_changes_with_it(kind: Kind) -> None:
    now, before = raw(kind, 0), raw(kind, 1)
    larger = [[None if x is None else 4.0 * x for x in items] for items in (now, before)]
    # How many values are whole is a matter of the unit, in which midnights are, too.
    for entry in metrics_for(kind):
        if entry.name in ("integer_ratio", "midnight_ratio"):
            continue
        plain, scaled = (value_of(entry, kind, *pair) for pair in ((now, before), larger))
        factor = 4.0 if entry.unit in (Unit.COLUMN, Unit.SPAN) else 1.0
        assert scaled == pytest.approx(factor * plain), entry.name


@pytest.mark.parametrize(
    ("kind", "factor", "offset"),
    [(Kind.NUMERIC, 10.0, 0.0), (Kind.NUMERIC, 0.1, 0.0), (Kind.TIMESTAMP, 1000.0, 0.0), (Kind.TIMESTAMP, 1.0, 3600.0)],
)
def test_a_linear_change_of_the_whole_partition_is_extrapolated_to_what_it_makes(
    kind: Kind, factor: float, offset: float
) -> None:
    items = raw(kind, 0)
    others = [None if x is None else factor * x + offset for x in items]
    before, after = (measure(kind, states_of(kind, some)) for some in (items, others))
    for entry in metrics_for(kind, pair=False):
        full, changed = before[entry.name], after[entry.name]
        assert isinstance(full, float)
        assert isinstance(changed, float)
        told = entry.extrapolation.linear(SampleChange(full, full, changed), factor, offset)
        assert told == pytest.approx(changed, rel=1e-6, abs=1e-9), entry.name


samples = pytest.mark.parametrize(
    ("kind", "with_numbers"), [*((kind, False) for kind in Kind if kind is not Kind.NULL), (Kind.STRING, True)]
)


@samples
def test_fewer_rows_of_the_same_distribution_are_extrapolated_to_what_they_make(kind: Kind, with_numbers: bool) -> None:
    items = raw(kind, 0, with_numbers)
    full, half = (measure(kind, states_of(kind, some)) for some in (items * 2, items))
    for entry in metrics_for(kind, pair=False):
        before, after = full[entry.name], half[entry.name]
        if of_written(kind, entry) and not with_numbers:
            assert before is after is Reason.NOT_APPLICABLE
            continue
        assert isinstance(before, float)
        assert isinstance(after, float)
        if before != after:
            told = entry.extrapolation.thinned(SampleChange(before, before, after))
            # A quantile lies between two rows, which are further apart when they are fewer.
            assert told == pytest.approx(after, rel=0.01), entry.name


@samples
def test_missing_values_count_where_all_rows_are_measured_and_nowhere_else(kind: Kind, with_numbers: bool) -> None:
    items = raw(kind, 0, with_numbers)
    values, padded = (measure(kind, states_of(kind, some)) for some in (items, [*items, None, None]))
    moved = {name for name in values if values[name] != padded[name]}
    assert moved == {entry.name for entry in metrics_for(kind, pair=False) if entry.support is Support.ROWS}


@every_metric
def test_a_metric_that_says_how_many_values_are_there_looks_at_nothing_else(kind: Kind, entry: Metric) -> None:
    if not entry.presence or kind is Kind.NULL:
        return
    there = [value for value in present(raw(kind, 0)) if value not in ("", b"")]
    # Either all are there, or none is missing in this way.
    assert value_of(entry, kind, there, []) == (0.0 if entry.first_occurrence else 1.0)
    assert value_of(entry, kind, [None], []) == 0.0


@every_metric
def test_special_roles_fit_the_metric(kind: Kind, entry: Metric) -> None:
    if entry.of_table:
        assert entry.kinds == frozenset(Kind)
        assert not entry.learned(named=True)
    if entry.counts_new:
        assert entry.pair
        before = [1.0] if kind is Kind.NUMERIC else [present(raw(kind, 0))[0]]
        assert value_of(entry, kind, raw(kind, 0), before) > 0.4
    if entry.counts_new or entry.first_occurrence is not None:
        assert entry.unit is Unit.SHARE
    if entry.level is not None:
        assert entry.unit is Unit.COLUMN
    # What is always watched must be used at all.
    assert entry.learned(named=False) or not entry.always
    assert entry.learned(named=True) or not entry.learned(named=False)


def value_of(entry: Metric, kind: Kind, now: list, before: list) -> float:
    a = states_of(kind, now)
    if not entry.pair:
        value = measure(kind, a)[entry.name]
    else:
        value = compare(kind, a, states_of(kind, before), [entry.name], pool=entry.pool)[entry.name]
    assert isinstance(value, float)
    return value


PACKAGE = Path(airflow_dq.__file__).parent
NAMELESS = (
    *sorted((PACKAGE / "corruption").glob("*.py")),
    PACKAGE / "explain" / "wording.py",
    PACKAGE / "metrics" / "descriptor.py",
    PACKAGE / "metrics" / "evaluate.py",
    PACKAGE / "metrics" / "extrapolation.py",
    PACKAGE / "metrics" / "registry.py",
)


@pytest.mark.parametrize("module", [pytest.param(path, id=str(path.relative_to(PACKAGE))) for path in NAMELESS])
def test_no_metric_is_named_where_all_are_alike(module: Path) -> None:
    known = {entry.name for _, entry in ALL}
    texts = {node.value for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Constant)}
    assert not known & {text for text in texts if isinstance(text, str)}

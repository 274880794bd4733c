"""Errors of metrics and sketches against numpy and scipy on the raw values."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy import stats
from scipy.spatial import distance as spatial

from airflow_dq.metrics import category, number
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.profile import profile_table
from airflow_dq.states.category import CategoryDistribution
from airflow_dq.states.category_pair import CategoryPair
from airflow_dq.states.grid import bin_edges
from airflow_dq.states.hashing import hash_floats
from airflow_dq.states.hyperloglog import HyperLogLog
from airflow_dq.states.layout import compress
from airflow_dq.states.number import NumberDistribution
from airflow_dq.states.number_pair import BINS, NumberPair
from airflow_dq.store.value import encode_metrics
from tests.benchmark.accuracy.column import NUMBERS, table, texts


@dataclass(frozen=True, slots=True)
class Finding:
    """One error, and the largest that is allowed (None: shown only)."""

    table: str
    subject: str
    error: float
    allowed: float | None

    @property
    def holds(self) -> bool:
        """Whether the error is within what is allowed."""
        return self.allowed is None or self.error <= self.allowed


def distances(size: int, shift: float) -> list[Finding]:
    """Distances of sketched numbers, relative errors (KS: absolute), against scipy."""
    found = []
    for name, make in NUMBERS.items():
        rng = np.random.default_rng(7)
        now, before = make(rng, size, shift), make(rng, size, 0.0)
        a, b = (NumberDistribution.of(pa.array(part)).as_sketch().as_stored() for part in (now, before))
        low, high = min(now.min(), before.min()), max(now.max(), before.max())
        edges = np.concatenate([[low], bin_edges(low, high, BINS), [high]])
        p, q = (np.histogram(part, edges)[0] / size for part in (now, before))
        ks = stats.ks_2samp(now, before, method="asymp").statistic
        js, kl = spatial.jensenshannon(p, q) ** 2, stats.entropy(p + 1e-6, q + 1e-6)
        errors = {
            "emd": (_relative(number.emd(NumberPair(a, b)), stats.wasserstein_distance(now, before)), 0.005),
            "ks_dist": (abs(float(number.ks_dist(NumberPair(a, b))) - ks), 0.001),
            "js_div": (_relative(number.js_div(NumberPair(a, b)), js), 0.01),
            "kl_div": (_relative(number.kl_div(NumberPair(a, b)), kl), 0.01),
        }
        found += [Finding(f"{metric}, shift {shift}", name, *error) for metric, error in errors.items()]
    return found


def exact_distances(size: int) -> list[Finding]:
    """Distances of strings that are counted one by one, against scipy."""
    rng = np.random.default_rng(3)
    now, before = texts(rng, size, 0.3, 15_000), texts(rng, size, 0.0, 15_000)
    a, b = CategoryDistribution.of(now), CategoryDistribution.of(before)
    tables = [Counter(part.to_pylist()) for part in (now, before)]
    keys = sorted(set(tables[0]) | set(tables[1]))
    p, q = (np.array([part[key] for key in keys], float) for part in tables)
    expected = {
        "l1": spatial.cityblock(p / size, q / size),
        "l_inf": spatial.chebyshev(p / size, q / size),
        "cosine": spatial.cosine(p, q),
        "chi_squared": stats.chi2_contingency(np.array([p, q]), correction=False).statistic / (2 * size),
        "js_div": spatial.jensenshannon(p, q) ** 2,
        "new_ratio": p[q == 0].sum() / size,
    }
    return [
        Finding("strings, exact", name, _relative(getattr(category, name)(CategoryPair(a, b)), value), 1e-9)
        for name, value in expected.items()
    ]


def quantiles(size: int) -> list[Finding]:
    """Largest error of a quantile's rank, as a share of the values, over 500 quantiles."""
    found = []
    for name, make in NUMBERS.items():
        values = np.sort(make(np.random.default_rng(5), size, 0.0))
        state = NumberDistribution.of(pa.array(values)).as_sketch().as_stored()
        cells, worst = state.cells, 0.0
        for share in np.linspace(0.001, 0.999, 500).tolist():
            value = cells.quantile(share)
            near = abs(value) * 1e-9
            low, high = np.searchsorted(values, value - near, "left"), np.searchsorted(values, value + near, "right")
            worst = max(worst, low / size - share, share - high / size)
        found.append(Finding("rank of a quantile", name, worst, 0.001))
    return found


def distinct_counts(sets: int) -> list[Finding]:
    """Errors of HyperLogLog over seeded sets of 20,000 to 2,000,000 values."""
    rng = np.random.default_rng(11)
    errors = []
    for size in (10 ** rng.uniform(4.3, 6.3, sets)).astype(int).tolist():
        errors.append(abs(HyperLogLog.of(hash_floats(rng.random(size))).estimate / size - 1.0))
    return [
        Finding("distinct count", "standard error", float(np.sqrt(np.mean(np.square(errors)))), 0.005),
        Finding("distinct count", "95 of 100 sets within", float(np.percentile(errors, 95)), 0.01),
        Finding("distinct count", f"worst of {sets} sets", max(errors), None),
    ]


def entropies(size: int) -> list[Finding]:
    """Entropy and mode of strings beyond the limit: as estimated, against the raw values; relative."""
    found = []
    for distinct in (25_000, 100_000):
        values = texts(np.random.default_rng(2), size, 0.0, distinct)
        state = CategoryDistribution.of(values).as_stored()
        counts = np.array(list(Counter(values.to_pylist()).values()))
        assert state.buckets is not None
        error = _relative(state.buckets.entropy, stats.entropy(counts))
        found.append(Finding("strings, sketched", f"entropy of {distinct:,}", error, 0.02))
        found.append(
            Finding("strings, sketched", f"mode of {distinct:,}", _relative(state.mode_count, counts.max()), 0.02)
        )
    return found


def sizes(rows: int) -> list[Finding]:
    """Stored bytes per column and partition of a daily table."""
    columns = profile_table(table(np.random.default_rng(1), rows), "p").columns.values()
    states = {column.name: sum(len(compress(state.encode())) for state in column.states.values()) for column in columns}
    metrics = [len(json.dumps(encode_metrics(column.metrics))) for column in columns]
    found = [Finding("state in KB", name, size / 1024, 256.0) for name, size in states.items()]
    found.append(Finding("state in KB", "median", float(np.median(list(states.values()))) / 1024, 32.0))
    return [*found, Finding("metric values in KB", "largest", max(metrics) / 1024, 1.0)]


def _relative(found: MetricValue, expected: float) -> float:
    return abs(float(found) - expected) / abs(expected) if expected else abs(float(found))

"""An error seen on a sample, extrapolated to the whole partition: metrics by rule, distributions by transport.

The sample of a large partition has its own metrics, which differ from the partition's by sampling noise.  Only the
*change* that an error makes on the sample is extrapolated, so an error that changes nothing leaves exactly the
partition's own profile, and noise is never taken for an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from airflow_dq.corruption.clean_column import CleanColumn
from airflow_dq.corruption.injection import Injected
from airflow_dq.corruption.transport import Transport, ordered, repeated, transport_of
from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.metrics.evaluate import measure, measured
from airflow_dq.metrics.extrapolation import Extrapolation, Rule, SampleChange
from airflow_dq.metrics.outcome import finite
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.profile.model import ColumnProfile
from airflow_dq.states.base import Kind, State, states_of

_MANY = 10
"""This many sampled rows do not all change by chance."""


@dataclass(frozen=True, slots=True)
class Extrapolator:
    """One column of a partition, and the same column of its sample before any error."""

    kind: Kind
    metrics: Mapping[str, MetricValue]
    states: Mapping[str, State]
    clean: CleanColumn
    sample_metrics: Mapping[str, MetricValue]
    transports: Mapping[str, Transport[Any]]
    """For the states that distances need, by key."""
    scale: float
    """Rows of the partition per row of the sample."""
    key: bytes | None = None
    """With which the column's values are hashed; None when they are kept in clear."""

    @classmethod
    def of(cls, column: ColumnProfile, clean: CleanColumn, rows: int, key: bytes | None = None) -> Extrapolator:
        """The extrapolator of a column of ``rows`` rows, of which ``clean`` holds the sampled ones."""
        kind, read = column.kind, measured(column.kind)
        states = {name: ordered(state) for name, state in column.states.items() if name in read}
        sampled = states_of(kind, clean.values, key, read)
        transports = {key: transport_of(state, sampled[key]) for key, state in compared(kind, states).items()}
        scale = rows / clean.rows if clean.rows else 1.0
        return cls(kind, column.metrics, states, clean, measure(kind, sampled), transports, scale, key)

    def extrapolate(self, injected: Injected) -> tuple[dict[str, MetricValue], dict[str, State]]:
        """Metrics and states (those that distances need) of the whole partition after the error."""
        if injected.repeat > 1:
            states = repeated(self.states, injected.repeat)
            return measure(self.kind, states), compared(self.kind, states)
        after = states_of(self.kind, injected.values, self.key, measured(self.kind))
        seen = measure(self.kind, after)
        if injected.share < 1.0:
            # Fewer rows with the same distribution: their own sample would only add noise.
            thinned = {key: transport.thinned(injected.share) for key, transport in self.transports.items()}
            return self._metrics(seen, lambda rules: rules.thinned), thinned
        if injected.linear is not None:
            factor, offset = injected.linear
            stretched = {key: transport.linear(factor, offset) for key, transport in self.transports.items()}
            return self._metrics(seen, lambda rules: lambda change: rules.linear(change, factor, offset)), stretched
        metrics = self._metrics(seen, lambda rules: rules.replaced)
        self._settle(metrics, seen, injected)
        return metrics, {key: transport.replaced(after[key]) for key, transport in self.transports.items()}

    def _metrics(
        self, after: Mapping[str, MetricValue], choose: Callable[[Extrapolation], Rule]
    ) -> dict[str, MetricValue]:
        """The partition's metrics by the rule that suits each.

        :param after: the sample's after the error
        :param choose: takes the rule for this error from a metric's rules
        """
        found: dict[str, MetricValue] = {}
        for entry in metrics_for(self.kind, pair=False):
            if entry.name not in after:
                continue
            injected, clean = after[entry.name], self.sample_metrics[entry.name]
            full = self.metrics.get(entry.name, injected)
            if injected == clean:
                found[entry.name] = full
            elif isinstance(injected, Reason) or isinstance(clean, Reason) or isinstance(full, Reason):
                # One of them has no value, so there is no change to apply: what the sample shows is the best guess.
                found[entry.name] = injected
            else:
                change = SampleChange(full, clean, injected, self.scale)
                found[entry.name] = finite(choose(entry.extrapolation)(change))
        return found

    def _settle(self, metrics: dict[str, MetricValue], seen: Mapping[str, MetricValue], injected: Injected) -> None:
        """The extremes, and then what is made from them."""
        entries = metrics_for(self.kind, pair=False)
        for entry in entries:
            if entry.extrapolation.extreme is not None:
                self._extreme(metrics, entry.name, entry.extrapolation.extreme, injected, seen.get(entry.name))
        for entry in entries:
            if entry.extrapolation.derived is not None and entry.name in metrics:
                derived = entry.extrapolation.derived(metrics)
                if derived is not None:
                    metrics[entry.name] = finite(derived)

    def _extreme(
        self,
        metrics: dict[str, MetricValue],
        name: str,
        pick: Callable[[float, float], float],
        injected: Injected,
        seen: MetricValue | None,
    ) -> None:
        """Extrapolate a minimum or maximum: where rows at the old extreme stay, it can only move outwards."""
        full, clean = self.metrics.get(name), self.sample_metrics.get(name)
        if isinstance(full, Reason | None) or isinstance(clean, Reason | None) or isinstance(seen, Reason | None):
            return
        if seen != clean:
            metrics[name] = pick(full, seen) if self._extreme_stays(clean, injected) else seen

    def _extreme_stays(self, extreme: float, injected: Injected) -> bool:
        at_extreme = self.clean.values.to_numpy(zero_copy_only=False) == extreme
        if (at_extreme & ~injected.changed).any():
            return True
        # One row or a few that were hit by chance say nothing about the partition's own extreme row.
        return bool(injected.changed.mean() < 0.5 and np.count_nonzero(at_extreme) < _MANY)


def compared(kind: Kind, states: Mapping[str, State]) -> dict[str, State]:
    """The states that distances are computed from."""
    keys = {entry.states[0].key for entry in metrics_for(kind, pair=True)}
    return {key: state for key, state in states.items() if key in keys}

"""What is compared: the settings behind the paper's Figs. 5 to 10, and the ablations of mode ``calibrated``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import patch

from airflow_dq.learn import pipeline
from airflow_dq.learn.choose import budget, prepare
from airflow_dq.learn.choose import column as choice
from airflow_dq.learn.constraint.range import Range
from airflow_dq.learn.expect import band, forecast, sampling, surprise
from airflow_dq.learn.expect.expectation import Forecast
from airflow_dq.learn.history.column import ColumnHistory
from airflow_dq.metrics.descriptor import Metric, Scale
from airflow_dq.metrics.registry import metrics_for
from airflow_dq.program import SynthesisOptions
from airflow_dq.states.base import Kind
from tests.benchmark.program import coverage

PLAIN = SynthesisOptions(target_fpr=1e-3, scope="column")
"""As in the paper: a rate per column."""


@dataclass(frozen=True)
class Setting:
    """One line of a table, one point of a figure."""

    label: str
    options: SynthesisOptions = PLAIN
    changes: tuple[tuple[Any, str, Any], ...] = field(default=())
    """Parts of the package that are replaced: (module or class, name, value)."""

    @contextmanager
    def applied(self) -> Iterator[None]:
        """The package as it is under this setting."""
        with ExitStack() as stack:
            for owner, name, value in self.changes:
                stack.enter_context(patch.object(owner, name, value))
            yield


def figures() -> dict[str, tuple[Setting, ...]]:
    """By figure of the paper: the settings along its axis."""
    single = tuple(sorted({metric.name for kind in Kind for metric in metrics_for(kind, pair=False)}))
    return {
        "fig5_error_type": (Setting("calibrated"), Setting("paper", replace(PLAIN, mode="paper"))),
        "fig6_history": tuple(
            Setting(str(length), replace(PLAIN, history=length, min_history=min(length, 7)))
            for length in (7, 14, 21, 30)
        ),
        "fig7_target": tuple(
            Setting(f"{target:g}", replace(PLAIN, target_fpr=target)) for target in (1e-4, 1e-3, 1e-2, 5e-2)
        ),
        "fig8_single_distribution": (Setting("all metrics"), Setting("single only", replace(PLAIN, metrics=single))),
        "fig9_clauses": tuple(
            Setting(str(most or "no limit"), replace(PLAIN, max_clauses=most)) for most in (1, 2, 3, 4, 6, None)
        ),
        "whole_table": (
            Setting("budget where it buys most", replace(PLAIN, scope="partition")),
            Setting(
                "equal shares",
                replace(PLAIN, scope="partition"),
                ((choice, "LEVELS", (1.0,)), (budget, "LEVELS", (1.0,))),
            ),
        ),
        "fig10_stationary": (Setting("with"), Setting("without", replace(PLAIN, stationary=False))),
    }


def ablations() -> tuple[Setting, ...]:
    """Mode ``calibrated`` whole, without each of its parts in turn, and mode ``paper``."""
    moving = (Forecast.LAST, Forecast.TREND)
    weekless = ((forecast, "FORECASTS", moving), (forecast, "OF_GROWTH", (*moving, Forecast.LINE)))
    return (
        Setting("calibrated"),
        Setting("no forecasts", replace(PLAIN, stationary=False)),
        Setting("no week", changes=weekless),
        Setting("no growth", changes=((forecast, "OF_GROWTH", forecast.FORECASTS),)),
        Setting("an odd day is a scale for both sides", changes=((forecast, "ODD", math.inf),)),
        Setting("no least effect", changes=((band, "_EFFECTS", dict.fromkeys(Scale, lambda *_: 1e-9)),)),
        Setting("no sampling noise", changes=((sampling.SamplingError, "of", staticmethod(_without_noise)),)),
        Setting("no limit after a month", changes=((surprise, "MOST", math.inf),)),
        Setting("a steady level may double", changes=((band.Band, "_until_moved", lambda *_, above: math.inf),)),
        Setting("what was settled may leap", changes=((band.Band, "_until_leapt", lambda *_: math.inf),)),
        Setting("what was alike may lie apart", changes=((band.Band, "_until_far", lambda *_: math.inf),)),
        Setting("a fine step of a quantile is news", changes=((sampling, "FINE", 0.0),)),
        Setting("a maximum that never moved may not rise", changes=((sampling, "HIGHER", 0.0),)),
        Setting("all metrics have one tail", changes=((surprise, "HEAVINESS", {}),)),
        Setting("no width below 1.5 times is refused", changes=((surprise, "LEAST", 1.0),)),
        Setting("as wide for few values", changes=((surprise, "FEW_VALUES", 0.0),)),
        Setting("as wide for thin partitions", changes=((Range, "_amount", lambda *_: None),)),
        Setting("nothing may come into use", changes=((band, "NEWCOMER", 0.0),)),
        Setting("what varied by factors may not vanish", changes=((band, "VANISHING", math.inf),)),
        Setting("new values are watched from the first week on", changes=((prepare, "PER_COLUMN", 0.0),)),
        Setting("no metric is always watched", changes=((choice, "guarded", lambda problem, chosen, guards: chosen),)),
        Setting("the rest of the budget is not spent", changes=((choice, "tightened", lambda _, chosen: chosen),)),
        Setting("an error caught by a hair counts in full", changes=((choice, "MARGINS", ()),)),
        Setting("selection by partial enumeration", changes=((choice, "select", coverage.enumerated),)),
        Setting("exact selection", changes=((choice, "select", coverage.exact),)),
        Setting("no pooled baselines", changes=(_without(lambda metric: metric.pool > 1),)),
        Setting("no distances", changes=(_without(lambda metric: metric.pair),)),
        Setting("only the paper's metrics", changes=(_without(lambda metric: not metric.paper),)),
        *(Setting(f"no {family}", changes=(_without_family(family),)) for family in JUDGED),
        Setting("paper", replace(PLAIN, mode="paper")),
    )


JUDGED = ("date column", "repeated partition", "first occurrence", "outsized value", "pattern", "segment", "novelty")
"""Families that a profile alone is learned and judged by, beside ranges."""


def _without_family(name: str) -> tuple[Any, str, Any]:
    kept = tuple(one for one in pipeline.DETECTORS["calibrated"] if one.name != name)
    return pipeline, "DETECTORS", {**pipeline.DETECTORS, "calibrated": kept}


_sampled = sampling.SamplingError.of


def _without_noise(past: ColumnHistory, metric: Metric) -> sampling.SamplingError:
    return replace(_sampled(past, metric), below=0.0, above=0.0)


def _without(dropped: Callable[[Metric], bool]) -> tuple[Any, str, Any]:
    learned = Metric.learned

    def some(self: Metric, *, named: bool) -> bool:
        return learned(self, named=named) and not dropped(self)

    return Metric, "learned", some

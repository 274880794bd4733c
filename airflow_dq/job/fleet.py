"""Several orders in one application: each has its own outcome, and none is lost through another."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airflow_dq.exceptions import (
    ConfigurationError,
    DQError,
    EnvironmentMismatchError,
    ProfileError,
    SparkLostError,
    said_of,
    stack_of,
)
from airflow_dq.job.outcome import Outcome
from airflow_dq.job.result import JobResult
from airflow_dq.options.fleet import Orders
from airflow_dq.options.job import JobSpec

if TYPE_CHECKING:
    from airflow_dq.engine.base import Engine
    from airflow_dq.job.pipeline import ProfileJob

_NAMED = 5
"""Datasets whose errors stand in the error of their fleet: a person reads no more, and the log has all."""

_TOGETHER = 64
"""Datasets that are begun and read together: what is found of them, some 300 KB of each, waits in the driver."""

JobOf = Callable[[JobSpec], "ProfileJob"]


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one order."""

    order: JobSpec
    result: JobResult
    outcomes: Sequence[Outcome] = ()
    traceback: str | None = None
    """The stack of a failure of the whole order that was not foreseen."""

    @property
    def stacks(self) -> list[str]:
        """The stacks of all failures that were not foreseen."""
        return [one for one in (self.traceback, *(outcome.traceback for outcome in self.outcomes)) if one is not None]


class Fleet:
    """The orders of one job on their way, on machines that they share."""

    def __init__(
        self, orders: Orders, job_of: JobOf, together: Callable[[Sequence[Engine]], None] | None = None
    ) -> None:
        """Nothing is run yet.

        :param job_of: makes the job of one order
        :param together: does for the engines of several orders at once what takes each of them longer by itself; None:
            there is nothing of this kind
        """
        self._orders = orders
        self._job_of = job_of
        self._together = together
        self._broken: EnvironmentMismatchError | SparkLostError | None = None

    def carry_out(self, at_once: int = 1) -> Iterator[Done]:
        """What becomes of each order, in their order.

        :param at_once: orders that are carried out side by side
        """
        orders, size = self._orders.each, 1 if self._together is None else _TOGETHER
        with ThreadPoolExecutor(at_once, "airflow_dq fleet") as pool:
            each: Any = map if at_once == 1 or len(orders) == 1 else pool.map
            for start in range(0, len(orders), size):
                begun = list(each(self._begin, orders[start : start + size]))
                jobs = [one.job for one in begun if one.job is not None]
                try:
                    if self._together is not None and len(jobs) > 1:
                        self._together([job.engine for job in jobs])
                    yield from each(self._finish, begun)
                except BaseException as error:
                    for job in jobs:
                        job.abandon(error)
                    raise

    def _begin(self, order: JobSpec) -> _Begun:
        began = time.monotonic()
        try:
            if self._broken is not None:
                # What is wrong with the machines is wrong with them for all.
                raise self._broken
            job = self._job_of(order)
            job.begin()
        except Exception as error:
            return _Begun(order, began, failed=self._failed(order, error))
        return _Begun(order, began, job)

    def _finish(self, begun: _Begun) -> Done:
        if begun.failed is not None or begun.job is None:
            return begun.failed or Done(begun.order, JobResult(begun.order.dataset))
        try:
            outcomes = begun.job.finish()
        except Exception as error:
            return self._failed(begun.order, error)
        result = JobResult.of(begun.order.dataset, outcomes, time.monotonic() - begun.began)
        return Done(begun.order, result, outcomes)

    def _failed(self, order: JobSpec, error: Exception) -> Done:
        """What became of an order that ended with an error: whatever it is, it must not lose the others."""
        if isinstance(error, EnvironmentMismatchError | SparkLostError):
            self._broken = error
        if isinstance(error, DQError):
            return Done(order, JobResult(order.dataset, error=str(error), retryable=error.retryable))
        discreet = order.profile_options.discreet
        said = f"Dataset {order.dataset!r}: the job ended with {said_of(error, discreet=discreet)}"
        return Done(order, JobResult(order.dataset, error=said), traceback=stack_of(error, discreet=discreet))


@dataclass(frozen=True, slots=True)
class _Begun:
    """An order whose partitions are known, or why they are not."""

    order: JobSpec
    began: float
    job: ProfileJob | None = None
    failed: Done | None = None


def failure_of(orders: Orders, results: Sequence[JobResult]) -> str | None:
    """Why a job has failed, in a sentence or a few; None where it has not.

    :param results: as far as they are known
    """
    failed = [one for one in results if one.error is not None]
    if not failed:
        return None
    if not orders.fleet:
        return failed[0].error
    said = "; ".join(_named(one) for one in failed[:_NAMED])
    more = f"; and {len(failed) - _NAMED} more, see the log" if len(failed) > _NAMED else ""
    stored = len(results) - len(failed)
    return (
        f"{len(failed)} of {len(orders)} datasets could not be profiled in full, and {stored} could, which are stored: "
        f"{said}{more}{_unknown(orders, results)}"
    )


def _named(result: JobResult) -> str:
    error = str(result.error)
    return error if repr(result.dataset) in error else f"dataset {result.dataset!r}: {error}"


def _unknown(orders: Orders, results: Sequence[JobResult]) -> str:
    told = {one.dataset for one in results}
    silent = [name for name in orders.datasets if name not in told]
    return f"; the job has ended before it told of {len(silent)}" if silent else ""


def require_done(orders: Orders, results: Sequence[JobResult]) -> None:
    """Fail with what has failed.

    :raises ProfileError: when some of it may pass by itself
    :raises ConfigurationError: when none of it will
    """
    error = failure_of(orders, results)
    if error is not None:
        passing = any(one.retryable for one in results if one.error is not None) or len(results) < len(orders)
        raise (ProfileError if passing else ConfigurationError)(error)

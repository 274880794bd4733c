"""Checks that no partition could ever answer are mistakes in the checks, and are told before any row is read.

A column that one partition lacks, or has under another type than before, is no such mistake but a change of the data:
it is profiled, and its gate tells it.  So a check is refused only where nothing that is known would do: neither the
newest partitions of the job, nor any that has been profiled before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from airflow_dq.engine.base import Engine
from airflow_dq.engine.order import describe, where_of
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.job import JobSpec
from airflow_dq.profile.check.trial import Misfit, SeenColumn, misfits, schema_of

if TYPE_CHECKING:
    import pyarrow as pa

NEWEST = 8
"""Partitions of a job whose schemas are looked at: a check of what none of these has would fail from now on."""
_MOST_CHECKS, _MOST_COLUMNS = 5, 20
"""What is listed of many: a person reads the message."""


def require_fitting(engine: Engine, keys: Sequence[str], seen: Sequence[SeenColumn] | None) -> None:
    """Refuse checks that nothing known could answer.

    :param keys: the partitions, ascending
    :param seen: the columns of those profiled before; None: nobody here knows them, and nothing is refused
    :raises ConfigurationError: naming each check with its place, and what is wrong with it
    """
    if seen is None:
        return
    left = doubtful(engine.order, seen)
    newest: pa.Schema | None = None
    for key in reversed(keys[-NEWEST:]):
        if not left:
            return
        try:
            schema = engine.schema(key)
        except Exception:
            return  # whatever it is, the scan comes to the same, and tells it
        found = {one.check.id: one for one in misfits([one.check for one in left], schema)}
        # What is wrong the newest partition tells best.
        left = [found[one.check.id] if newest is None else one for one in left if one.check.id in found]
        newest = newest or schema
    if left and newest is not None:
        raise _refusal(engine.order, left, newest)


def doubtful(order: JobSpec, seen: Sequence[SeenColumn]) -> list[Misfit]:
    """The checks that no partition profiled before could have answered; all of them, when none was."""
    return misfits(order.checks, schema_of(seen)) if seen else [Misfit(check, "") for check in order.checks]


def told(found: Sequence[Misfit]) -> str:
    """The first of them, each with its place: ``orders.dq.yml:12: check 'mean.amuont': there is no column ...``."""
    said = "; ".join(f"{one.check.said}: {one.problem}" for one in found[:_MOST_CHECKS])
    return f"{said}; and {len(found) - _MOST_CHECKS} more" if len(found) > _MOST_CHECKS else said


def _refusal(order: JobSpec, found: Sequence[Misfit], schema: pa.Schema) -> ConfigurationError:
    checks = f"{len(found)} of the {len(order.checks)} checks" if len(order.checks) > 1 else "the check"
    what = f"{where_of(order)}: {checks} can be computed of no partition. {told(found)}. {describe(order)} has"
    names = ", ".join(map(repr, schema.names[:_MOST_COLUMNS]))
    more = f" and {len(schema) - _MOST_COLUMNS} more" if len(schema) > _MOST_COLUMNS else ""
    advice = "Correct what is declared, or take it out; nothing has been read."
    return ConfigurationError(
        f"{what} the columns {names}{more}. {advice}", discreet=f"{what} {len(schema)} columns. {advice}"
    )

"""A state of a table's past, as Spark and the jars of table formats are told of it."""

from __future__ import annotations

from airflow_dq.engine.order import where_of
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.job import JobSpec
from airflow_dq.options.time_travel import TimeTravel


def travelling_table(order: JobSpec) -> str:
    """The query that reads a table of a catalog in the order's state."""
    travel = order.travel(None)
    if travel.moment is not None:
        state = f"TIMESTAMP AS OF '{_timestamp(travel)}'"
    elif travel.version is not None or travel.snapshot_id is not None:
        state = f"VERSION AS OF {travel.snapshot_id if travel.version is None else travel.version}"
    else:
        name = (travel.snapshot or "").replace("\\", "\\\\").replace("'", "\\'")
        state = f"VERSION AS OF '{name}'"
    return f"SELECT * FROM {order.table} {state}"


def travel_options(order: JobSpec) -> dict[str, str]:
    """The options by which the reader of a table format reads a path in the order's state; none for the newest.

    :raises ConfigurationError: when it has no such option
    """
    travel = order.travel(None)
    if not travel:
        return {}
    if order.format.lower() == "delta":
        return {"versionAsOf": str(travel.version)} if travel.moment is None else {"timestampAsOf": _timestamp(travel)}
    if travel.moment is not None:
        return {"as-of-timestamp": str(int(travel.moment.timestamp() * 1000))}
    if travel.snapshot_id is None:
        raise ConfigurationError(
            f"{where_of(order)}: by its path, Spark reads a branch or tag of an Iceberg table as it is told to: give "
            f"read_options={{'branch': {travel.snapshot!r}}} or {{'tag': ...}} in place of snapshot, or table=."
        )
    return {"snapshot-id": str(travel.snapshot_id)}


def _timestamp(travel: TimeTravel) -> str:
    return "" if travel.moment is None else travel.moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

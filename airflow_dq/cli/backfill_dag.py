"""``airflow dq backfill-dag``: Airflow's own backfill of a DAG, started through its API.

In the runs of a backfill the gates only profile, unless a gate was told otherwise.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from airflow_dq.cli.airflow_api import AirflowApi
from airflow_dq.cli.run import tell
from airflow_dq.exceptions import ConfigurationError

_ADVICE = {
    403: "the token's user may not start backfills of this DAG",
    404: "Airflow does not know this DAG, or this address is not Airflow's",
    409: "a backfill of the DAG is running: wait for it, or cancel it",
    422: "Airflow does not take these dates",
}


def backfill_dag(arguments: Any) -> int:
    """Start the backfill and say which one it is; Airflow's scheduler carries it out.

    :raises ConfigurationError: when a date is none or Airflow refuses the request
    """
    body = {
        "dag_id": arguments.dag_id,
        "from_date": _timestamp("--since", arguments.since),
        "to_date": _timestamp("--until", arguments.until),
        "reprocess_behavior": arguments.reprocess,
        "max_active_runs": arguments.max_active_runs,
    }
    api = AirflowApi.of(arguments)
    answer = api.send("POST", "/backfills", body, _ADVICE)
    told = (
        f"Backfill {answer.get('id')} of {arguments.dag_id} from {arguments.since} to {arguments.until} has "
        f"started; its gates only profile. Follow it at {api.url}/dags/{arguments.dag_id}/backfills"
    )
    tell(arguments, answer, told)
    return 0


def _timestamp(flag: str, text: str) -> str:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise ConfigurationError(f"{flag} {text!r} is no date: write it as 2026-01-31.") from None
    return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).isoformat()

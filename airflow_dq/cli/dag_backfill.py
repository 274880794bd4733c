"""``airflow dq backfill --dag-id``: Airflow's own backfill of a DAG, started through its API.

In the runs of a backfill the gates only profile, unless a gate was told otherwise.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from airflow_dq.cli.run import tell
from airflow_dq.exceptions import ConfigurationError, DQError
from airflow_dq.version_compat import conf

TOKEN_VARIABLE = "AIRFLOW_DQ_API_TOKEN"
SECONDS = 60
DEFAULT_URL = "http://localhost:8080"
_ADVICE = {
    401: f"the token in {TOKEN_VARIABLE} or --token-file is missing, wrong or too old: get a new one",
    403: "the token's user may not start backfills of this DAG",
    404: "Airflow does not know this DAG, or this address is not Airflow's",
    409: "a backfill of the DAG is running: wait for it, or cancel it",
    422: "Airflow does not take these dates",
}


def dag_backfill(arguments: Any) -> int:
    """Start the backfill and say which one it is; Airflow's scheduler carries it out.

    :raises ConfigurationError: when an argument is missing or Airflow refuses the request
    """
    if arguments.from_date is None or arguments.to_date is None:
        raise ConfigurationError("A DAG's backfill needs --from DATE and --to DATE, the first and last logical date.")
    body = {
        "dag_id": arguments.dag_id,
        "from_date": _moment("--from", arguments.from_date),
        "to_date": _moment("--to", arguments.to_date),
        "reprocess_behavior": arguments.reprocess,
        "max_active_runs": arguments.max_active_runs,
    }
    url = _address(arguments.api_url)
    answer = _post(f"{url}/api/v2/backfills", body, _token(arguments.token_file))
    told = (
        f"Backfill {answer.get('id')} of {arguments.dag_id} from {arguments.from_date} to {arguments.to_date} has "
        f"started; its gates only profile. Follow it at {url}/dags/{arguments.dag_id}/backfills"
    )
    tell(arguments, answer, told)
    return 0


def _moment(flag: str, text: str) -> str:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise ConfigurationError(f"{flag} {text!r} is no date: write it as 2026-01-31.") from None
    return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).isoformat()


def _address(given: str | None) -> str:
    url = given or conf.get("api", "base_url", fallback=None) or DEFAULT_URL
    if urlsplit(url).scheme not in ("http", "https"):
        raise ConfigurationError(f"Airflow's address {url!r} is no http or https URL: correct --api-url.")
    return url.rstrip("/")


def _token(path: str | None) -> str:
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token and path is not None:
        try:
            token = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"The token file {path!r} cannot be read: {error}.") from None
    if not token:
        raise ConfigurationError(
            f"Airflow's API wants a token: set {TOKEN_VARIABLE}, or name a file that holds one with --token-file. "
            "POST /auth/token of Airflow gives one for a user's name and password."
        )
    if any(character.isspace() for character in token):
        raise ConfigurationError("The token holds blanks or line breaks: it must be the token alone.")
    return token


def _post(url: str, body: dict[str, Any], token: str) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Accept": "application/json"}
    request = Request(url, data=json.dumps(body).encode(), headers=headers, method="POST")
    try:
        with urlopen(request, timeout=SECONDS) as answer:
            return dict(json.load(answer))
    except HTTPError as error:
        raise _refused(error, url) from None
    except (URLError, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise ConfigurationError(
            f"Airflow cannot be reached at {url} ({reason}): check --api-url, and that its API server runs."
        ) from None
    except (ValueError, TypeError):
        raise ConfigurationError(f"{url} did not answer as Airflow does: check --api-url.") from None


def _refused(error: HTTPError, url: str) -> DQError:
    try:
        said = json.load(error).get("detail")
    except (ValueError, AttributeError):
        said = None
    told = f" It says: {said if isinstance(said, str) else json.dumps(said)}" if said else ""
    advice = _ADVICE.get(error.code, "see the log of Airflow's API server")
    return ConfigurationError(f"Airflow refused the backfill ({error.code} from {url}): {advice}.{told}")

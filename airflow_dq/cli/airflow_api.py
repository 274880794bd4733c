"""Airflow's REST interface for the commands that need it: where it is, with which token, and what a refusal means."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.version_compat import conf

TOKEN_VARIABLE = "AIRFLOW_DQ_API_TOKEN"
SECONDS = 60
"""Longest wait for one answer: what takes longer than a minute has failed in the server."""
TRIES = 5
"""Requests while the server says that it is busy: with the pauses between them, some seconds."""
PAUSE_SECONDS = 1.0
"""Pause before a server that is busy is asked again."""
DEFAULT_URL = "http://localhost:8080"
_BUSY = 503
"""HTTP status of a server that could not get at its database, and may in a moment."""
_ADVICE = {
    401: f"the token in {TOKEN_VARIABLE} or --token-file is missing, wrong or too old: get a new one",
    403: "the token's user may not do this",
    404: "this address is not Airflow's, or what was asked about is not there",
    422: "Airflow does not take these values",
    _BUSY: "its database is busy: try again",
}


class RefusedError(ConfigurationError):
    """Airflow answered that it does not do what was asked.

    :param code: HTTP status
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class AirflowApi:
    """A user's access to an Airflow.

    :param url: where it is, without a slash at its end
    """

    url: str
    token: str = field(repr=False)

    @classmethod
    def of(cls, arguments: Any) -> AirflowApi:
        """What the arguments ``--api-url`` and ``--token-file`` say, or the configuration and the variable.

        :raises ConfigurationError: when there is no token, or the address is none
        """
        return cls(address(arguments.api_url), _token(arguments.token_file))

    def send(
        self, method: str, path: str, body: Mapping[str, Any], advice: Mapping[int, str] | None = None
    ) -> dict[str, Any]:
        """What Airflow answers.

        :param path: below ``/api/v2``
        :param advice: by HTTP status, what a refusal of this request means
        :raises RefusedError: when Airflow refuses
        :raises ConfigurationError: when it cannot be reached
        """
        for tries_left in reversed(range(TRIES)):
            try:
                return self._ask(method, f"{self.url}/api/v2{path}", body)
            except HTTPError as error:
                if error.code == _BUSY and tries_left:
                    time.sleep(PAUSE_SECONDS)
                    continue
                raise _refused(error, {**_ADVICE, **(advice or {})}) from None
        raise AssertionError("unreachable")

    def _ask(self, method: str, url: str, body: Mapping[str, Any]) -> dict[str, Any]:
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        request = Request(url, data=json.dumps(body).encode(), headers=headers, method=method)
        try:
            with urlopen(request, timeout=SECONDS) as answer:
                return dict(json.load(answer))
        except HTTPError:
            raise
        except (URLError, TimeoutError, ConnectionError) as error:
            reason = getattr(error, "reason", error)
            raise ConfigurationError(
                f"Airflow cannot be reached at {url} ({reason}): check --api-url, and that its API server runs."
            ) from None
        except (ValueError, TypeError):
            raise ConfigurationError(f"{url} did not answer as Airflow does: check --api-url.") from None


def address(given: str | None) -> str:
    """Airflow's address: as given, else as configured.

    :raises ConfigurationError: when it is no address
    """
    url = given or conf.get("api", "base_url", fallback=None) or DEFAULT_URL
    if urlsplit(url).scheme not in ("http", "https"):
        raise ConfigurationError(f"Airflow's address {url!r} is no http or https URL: correct --api-url.")
    return url.rstrip("/")


def segments(*parts: object) -> str:
    """A path of these parts, whatever characters they have."""
    return "".join(f"/{quote(str(part), safe='')}" for part in parts)


def has_token(arguments: Any) -> bool:
    """Whether the user has given one."""
    return arguments.token_file is not None or bool(os.environ.get(TOKEN_VARIABLE, "").strip())


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


def _refused(error: HTTPError, advice: Mapping[int, str]) -> RefusedError:
    try:
        said = json.load(error).get("detail")
    except (ValueError, AttributeError):
        said = None
    told = f" It says: {said if isinstance(said, str) else json.dumps(said)}" if said else ""
    meaning = advice.get(error.code, "see the log of Airflow's API server")
    return RefusedError(error.code, f"Airflow refused ({error.code} from {error.url}): {meaning}.{told}")

"""One line of an exported file: a profile, its dataset, and a checksum that tells a changed line."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from airflow_dq.exceptions import CodecError

if TYPE_CHECKING:
    from airflow_dq.profile.model import Profile

FORMAT = "airflow-dq-profile/1"
_FIELDS = ("format", "dataset", "checksum", "profile")


def write_line(dataset: str, profile: Profile) -> str:
    """The line, with its end."""
    from airflow_dq.codec import to_json

    text = to_json(profile)
    head = {"format": FORMAT, "dataset": dataset, "checksum": _checksum(dataset, json.loads(text))}
    # The profile's own text as it is: to make it again of its values would cost as much as the profile.
    return f'{json.dumps(head)[:-1]}, "profile": {text}}}\n'


def read_line(line: str) -> tuple[str, Profile]:
    """Dataset and profile of a line.

    :raises CodecError: when it is none, was changed since it was written, or holds what no scan can have measured
    """
    from airflow_dq.codec import from_builtins
    from airflow_dq.profile.model import Profile
    from airflow_dq.profile.plausible import require_plausible

    document = _document(line)
    dataset = document["dataset"]
    if not isinstance(dataset, str) or not dataset:
        raise CodecError(f"its dataset is {_short(dataset)}, which is no name")
    profile = from_builtins(Profile, document["profile"])
    if profile.partition is None:
        raise CodecError("it is the profile of no partition: it names no key")
    require_plausible(profile)
    if document["checksum"] != _checksum(dataset, document["profile"]):
        raise CodecError("its checksum is another one: it was changed or damaged since it was written")
    return dataset, profile


def _document(line: str) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CodecError(f"it is not JSON: {error}") from None
    if not isinstance(document, dict):
        raise CodecError(f"it is {_short(document)}, not an object")
    if document.get("format") != FORMAT:
        raise CodecError(f"its format is {_short(document.get('format'))}, not {FORMAT!r}")
    missing = [name for name in _FIELDS if name not in document]
    if missing:
        raise CodecError(f"it has no {missing[0]!r}")
    return document


def _checksum(dataset: str, profile: Any) -> str:
    """Of what the line says, however it is spelled."""
    text = json.dumps([dataset, profile], sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."

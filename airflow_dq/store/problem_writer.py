"""What people say of a problem besides deciding about its partition: who sees to it, its ticket, that it is noise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from sqlalchemy import Connection, select

from airflow_dq.exceptions import ReviewError
from airflow_dq.learn.constraint.declared import RULE
from airflow_dq.store.review import name_of, record
from airflow_dq.store.review_model import Action, ReviewEvent
from airflow_dq.store.table import AlertRow, DatasetRow, VerdictRow
from airflow_dq.store.value import storable_text

LONGEST = 2_000
"""Most characters of a ticket's address: browsers and proxies take no longer ones."""
LONGEST_OWNER = 200
"""Most characters of an owner's name."""
_TOLD = 100
"""Characters of a headline that the audit trail repeats."""


@dataclass(frozen=True, slots=True)
class _Problem:
    """The problem that an alert is evidence of."""

    dataset_id: int
    dataset: str
    partition: str
    verdict_id: int
    key: str
    headline: str


def acknowledge(connection: Connection, alert_id: int, by: str, comment: str | None) -> ReviewEvent:
    """Record that somebody has seen a problem."""
    return _say(connection, _problem(connection, alert_id), "acknowledged", by, comment=comment)


def assign(connection: Connection, alert_id: int, owner: str | None, by: str) -> ReviewEvent:
    """Record who sees to a problem; None: whoever does by default.

    :raises ReviewError: when the name is too long
    """
    name = (owner or "").strip()
    if len(name) > LONGEST_OWNER:
        raise ReviewError(f"The owner's name has {len(name)} characters, at most {LONGEST_OWNER} are kept. Shorten it.")
    return _say(connection, _problem(connection, alert_id), "assigned", by, value=storable_text(name))


def link_ticket(connection: Connection, alert_id: int, address: str | None, by: str) -> ReviewEvent:
    """Record a problem's ticket; None: it has none any more.

    :raises ReviewError: when the address is none of a page
    """
    return _say(connection, _problem(connection, alert_id), "ticket", by, value=ticket_address(address or ""))


def call_noise(connection: Connection, alert_id: int, by: str, comment: str | None) -> ReviewEvent:
    """Record that a problem's alarm was a false one: what it alarmed for is judged by wider ranges from then on.

    :raises ReviewError: when nothing of it was judged by what is learned
    """
    problem = _problem(connection, alert_id)
    query = select(AlertRow.column_name, AlertRow.metric).where(
        AlertRow.verdict_id == problem.verdict_id,
        AlertRow.problem == problem.key,
        # What a check asks is not learned, and no range is too narrow for a value that is not there.
        AlertRow.rule != RULE,
        AlertRow.metric.is_not(None),
        AlertRow.reason.is_(None),
    )
    subjects = [
        list(row) for row in connection.execute(query.distinct().order_by(AlertRow.column_name, AlertRow.metric))
    ]
    if not subjects:
        raise ReviewError(
            f"Dataset {problem.dataset!r}, partition {problem.partition!r}: no range was too narrow for this problem, "
            "so there is none to widen. Change the declared check, mute the learned rule (`airflow dq rules "
            f"{problem.dataset}`), or snooze it."
        )
    return _say(connection, problem, "noise", by, value=subjects, comment=comment)


def take_back_noise(connection: Connection, alert_id: int, by: str) -> ReviewEvent:
    """Record that a problem's alarm on this partition was no noise after all."""
    return _say(connection, _problem(connection, alert_id), "not_noise", by)


def ticket_address(text: str) -> str:
    """An address as it may stand in a link; empty for none.

    :raises ReviewError: when it is no address of a page (http or https), or could break out of where it is written
    """
    address = text.strip()
    if not address:
        return ""
    try:
        parts = urlsplit(address)
        known = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        known = False
    if not known or len(address) > LONGEST or any(symbol.isspace() or not symbol.isprintable() for symbol in address):
        raise ReviewError(
            f"{address[:80]!r} is no ticket's address: give one such as https://tickets.example/DQ-17, with http or "
            f"https, without blanks, and of at most {LONGEST:,} characters."
        )
    return storable_text(address)


def _problem(connection: Connection, alert_id: int) -> _Problem:
    """The problem of an alert.

    :raises ReviewError: when there is no such alert
    """
    query = (
        select(
            VerdictRow.dataset_id, DatasetRow.name, VerdictRow.partition_key, VerdictRow.id, AlertRow.problem,
            AlertRow.headline,
        )
        .join(VerdictRow, VerdictRow.id == AlertRow.verdict_id)
        .join(DatasetRow, DatasetRow.id == VerdictRow.dataset_id)
        .where(AlertRow.id == alert_id)
    )  # fmt: skip
    row = connection.execute(query).one_or_none()
    if row is None:
        raise ReviewError(f"There is no alert {alert_id}: `airflow dq problems` and `airflow dq alerts` list them.")
    return _Problem(*row)


def _say(
    connection: Connection,
    problem: _Problem,
    action: Action,
    by: str,
    *,
    value: str | Iterable[object] = "",
    comment: str | None = None,
) -> ReviewEvent:
    said = problem.headline if len(problem.headline) <= _TOLD else f"{problem.headline[: _TOLD - 1]}\u2026"
    return record(
        connection,
        problem.dataset_id,
        problem.dataset,
        action,
        name_of(by),
        partition=problem.partition,
        comment=storable_text(comment) if comment else None,
        detail=storable_text(said),
        problem=problem.key,
        value=value,
    )

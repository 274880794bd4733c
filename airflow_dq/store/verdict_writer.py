"""Writing a verdict: one program, one verdict and one set of alerts for each partition."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, insert, select, update
from sqlalchemy.dialects import postgresql

from airflow_dq.codec import to_builtins
from airflow_dq.exceptions import StaleAttemptError, StoreError
from airflow_dq.explain.alert import Alert
from airflow_dq.judge.verdict import Decision, Status, Verdict
from airflow_dq.learn.program import Program
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.metrics.outcome import as_value
from airflow_dq.profile.model import Profile
from airflow_dq.store import review
from airflow_dq.store.damage import raw
from airflow_dq.store.document import encode
from airflow_dq.store.eligibility import is_withheld
from airflow_dq.store.lock import lock_partition
from airflow_dq.store.profile_writer import normalise
from airflow_dq.store.review_model import Origin
from airflow_dq.store.table import AlertRow, DatasetRow, OriginRow, ProfileRow, ProgramRow, VerdictRow
from airflow_dq.store.value import finite, storable_key, storable_text

_REJUDGED = "The partition was judged again, by another program or other options, and no longer gives this alert."


def save(
    connection: Connection,
    dataset: str,
    profile: Profile,
    program: Program | None,
    verdict: Verdict,
    inputs: str | None,
    origin: Origin | None = None,
) -> None:
    """Store the current verdict on a partition; the same one again changes nothing but its time and origin."""
    partition = storable_key(profile.partition, f"partition of dataset {dataset!r}")
    lock_partition(connection, dataset, partition)
    fingerprint = normalise(profile).fingerprint
    owner, attempt = _require_current(connection, dataset, partition, fingerprint)
    where = {"dataset_id": owner, "partition_key": partition}
    program_id = None if program is None else _save_program(connection, where, program, inputs)
    before = connection.execute(select(VerdictRow.profile_fingerprint).filter_by(**where)).scalar()
    verdict_id, changed = _save_verdict(connection, where, fingerprint, program_id, verdict)
    if origin is not None:
        _add_origin(connection, owner, verdict_id, origin)
    if changed:
        _save_alerts(connection, verdict_id, verdict, _REJUDGED if before == fingerprint else _replaced(attempt))
        decided = review.load(connection, dataset, partition)
        if decided is not None:
            review.close_alerts(connection, verdict_id, decided)


def _require_current(connection: Connection, dataset: str, partition: str, fingerprint: str) -> tuple[int, int]:
    """The dataset's id and the profile's attempt, if the judged profile is the partition's current one."""
    current = connection.execute(
        select(ProfileRow.dataset_id, ProfileRow.attempt_id, ProfileRow.fingerprint)
        .join(DatasetRow, DatasetRow.id == ProfileRow.dataset_id)
        .where(DatasetRow.name == dataset, ProfileRow.partition_key == partition)
    ).one_or_none()
    if current is None:
        raise StoreError(f"Dataset {dataset!r}, partition {partition!r}: no profile is stored that this verdict is on.")
    if current.fingerprint != fingerprint:
        raise StaleAttemptError(
            f"Dataset {dataset!r}, partition {partition!r}: the partition was profiled anew while its earlier profile "
            "was judged. Judge it again."
        )
    return int(current.dataset_id), int(current.attempt_id)


def _replaced(attempt: int) -> str:
    return f"The partition was profiled again with other content (attempt {attempt}), and no longer gives this alert."


def _of(table: type[ProgramRow | VerdictRow], where: Mapping[str, Any]) -> list[ColumnElement[bool]]:
    return [table.dataset_id == where["dataset_id"], table.partition_key == where["partition_key"]]


def _save_program(connection: Connection, where: Mapping[str, Any], program: Program, inputs: str | None) -> int:
    document = to_builtins(program)
    # Compared as it is stored: one that is damaged is another one, and is replaced.
    kept = select(ProgramRow.id, ProgramRow.inputs, raw(ProgramRow.document, "document"))
    stored = connection.execute(kept.where(*_of(ProgramRow, where))).one_or_none()
    if stored is not None and bytes(stored.document) == encode(document) and stored.inputs == inputs:
        return int(stored.id)
    values = {"document": document, "inputs": inputs}
    if stored is not None:
        changed = update(ProgramRow).where(ProgramRow.id == stored.id)
        connection.execute(changed.values(**values, created_at=func.now()))
        return int(stored.id)
    return connection.execute(insert(ProgramRow).values(**where, **values).returning(ProgramRow.id)).scalar_one()


def _save_verdict(
    connection: Connection,
    where: Mapping[str, Any],
    fingerprint: str,
    program_id: int | None,
    verdict: Verdict,
) -> tuple[int, bool]:
    """The verdict's id, and False when the same one was there and only its time changed."""
    values = {
        "program_id": program_id,
        "profile_fingerprint": fingerprint,
        "status": verdict.status.value,
        "reason": None if verdict.reason is None else storable_text(verdict.reason),
        "headline": None if verdict.headline is None else storable_text(verdict.headline),
        "document": to_builtins(verdict),
    }
    others = [column for column in VerdictRow.__table__.columns if column.name != "document"]
    kept = select(*others, raw(VerdictRow.document, "document"))
    stored = connection.execute(kept.where(*_of(VerdictRow, where))).one_or_none()
    if stored is None:
        withheld = is_withheld(_weighed(verdict), None, before=False)
        made = insert(VerdictRow).values(**where, **values, withheld=withheld).returning(VerdictRow.id)
        return connection.execute(made).scalar_one(), True
    change = update(VerdictRow).where(VerdictRow.id == stored.id)
    same = {**values, "document": encode(values["document"])}
    if all(getattr(stored, name) == value for name, value in same.items()):
        connection.execute(change.values(judged_at=func.clock_timestamp()))
        return int(stored.id), False
    decision: Decision | None = stored.decision
    if stored.profile_fingerprint != fingerprint or stored.status != values["status"]:
        # A person's decision was about other data, or about another verdict on it.
        values |= {"decision": None, "decided_by": None, "decided_at": None, "comment": None}
        decision = None
    values["withheld"] = is_withheld(_weighed(verdict), decision, stored.withheld)
    connection.execute(change.values(**values, judged_at=func.clock_timestamp()))
    return int(stored.id), True


def _weighed(verdict: Verdict) -> Status:
    """The status as it counts for the history: what somebody asked to be warned of is no reason to learn nothing."""
    return Status.PASS if verdict.only_warns else verdict.status


def _add_origin(connection: Connection, owner: int, verdict_id: int, origin: Origin) -> None:
    """One more task that judged: those that did before are asked about the partition, too."""
    added = postgresql.insert(OriginRow).values(
        verdict_id=verdict_id, dataset_id=owner, judged_at=func.clock_timestamp(), **asdict(origin)
    )
    same = [OriginRow.verdict_id, OriginRow.dag_id, OriginRow.run_id, OriginRow.task_id, OriginRow.map_index]
    connection.execute(
        added.on_conflict_do_update(
            index_elements=same, set_={"judged_at": func.clock_timestamp(), "owner": origin.owner}
        )
    )


def _save_alerts(connection: Connection, verdict_id: int, verdict: Verdict, why_gone: str) -> None:
    """Update the alerts that are true (again), add the new ones, close the others: a page linked to one stays valid."""
    rows = _alert_rows(verdict_id, verdict)
    if verdict.status in (Status.PASS, Status.FAIL):
        # Any other verdict says nothing on what was found before.
        gone = update(AlertRow).where(
            AlertRow.verdict_id == verdict_id, AlertRow.key.not_in(rows), AlertRow.closed_at.is_(None)
        )
        connection.execute(gone.values(closed_at=func.clock_timestamp(), closed_reason=why_gone))
    if rows:
        statement = postgresql.insert(AlertRow).values(list(rows.values()))
        fields = ("message", "headline", "problem", "observed", "reason", "lower", "upper", "severity", "rank", "owner")
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=[AlertRow.verdict_id, AlertRow.key],
                set_={
                    **{name: statement.excluded[name] for name in fields},
                    "closed_at": None,
                    "closed_reason": None,
                },
            )
        )
    review.update_alert_counts(connection, verdict_id)


def _alert_rows(verdict_id: int, verdict: Verdict) -> dict[str, dict[str, Any]]:
    """The alerts by their keys: those of the worst problem first, what stops the gate before what only warns."""
    of_problem = [(problem.key, alert) for problem in verdict.problems for alert in problem.alerts]
    of_problem.sort(key=lambda one: one[1].severity != "fail")
    keys = _alert_keys(tuple(alert for _, alert in of_problem))
    return {
        name: {**_alert_row(verdict_id, name, alert), "problem": storable_text(problem), "rank": rank}
        for rank, ((problem, _), (name, alert)) in enumerate(zip(of_problem, keys.items(), strict=True))
    }


def _alert_keys(alerts: tuple[Alert, ...]) -> dict[str, Alert]:
    """Alerts by what identifies them; two clauses on one metric (the value, its difference) are told apart by order."""
    seen: Counter[tuple[str, str | None, str | None]] = Counter()
    keys = {}
    for alert in alerts:
        subject = (alert.rule, alert.column, alert.metric)
        keys[json.dumps([*subject, seen[subject]])] = alert
        seen[subject] += 1
    return keys


def _alert_row(verdict_id: int, name: str, alert: Alert) -> dict[str, Any]:
    return {
        "verdict_id": verdict_id,
        "key": name,
        "rule": alert.rule,
        "column_name": alert.column,
        "metric": alert.metric,
        "message": storable_text(alert.message),
        "headline": storable_text(alert.headline),
        **_observed_columns(alert.observed),
        "lower": finite(alert.lower),
        "upper": finite(alert.upper),
        "severity": alert.severity,
        "owner": None if alert.owner is None else storable_text(alert.owner),
    }


def _observed_columns(value: Any) -> dict[str, Any]:
    plain = None if value is None else as_value(value)
    reason = plain.value if isinstance(plain, Reason) else None
    return {"observed": None if reason else plain, "reason": reason}

"""The arguments of a gate: checked when the DAG is parsed, and what they come to in a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.options.learning import SynthesisOptions
from airflow_dq.store.review_model import NO_MAP_INDEX, Origin
from airflow_dq.version_compat import conf

if TYPE_CHECKING:
    from airflow.sdk import Context

    from airflow_dq.check.model import Check


def options_of(
    given: SynthesisOptions | Mapping[str, Any] | None, target_fpr: float | None, checks: tuple[Check, ...] = ()
) -> SynthesisOptions:
    """The options in effect.

    :param given: an object, or a dict of its fields as JSON and YAML write it
    :param target_fpr: wins over that of the options
    :param checks: declared checks, besides those of the options
    :raises ConfigurationError: when a dict has an unknown field, or it is neither
    """
    options = given or {}
    if not isinstance(options, SynthesisOptions | Mapping):
        raise ConfigurationError(f"options is {options!r}; give SynthesisOptions(...) or a dict of its fields.")
    if isinstance(options, Mapping):
        known = [field.name for field in fields(SynthesisOptions)]
        if unknown := sorted(set(options) - set(known)):
            raise ConfigurationError(f"options has no field {', '.join(unknown)}; it has {', '.join(known)}.")
        # JSON and YAML know no tuple.
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}
        options = SynthesisOptions(**values)
    if checks:
        options = replace(options, checks=(*options.checks, *checks))
    return options if target_fpr is None else replace(options, target_fpr=target_fpr)


def require(name: str, given: object, allowed: tuple[str, ...]) -> None:
    """Refuse a misspelt choice.

    :raises ConfigurationError: naming the argument, and what is allowed
    """
    if given not in allowed:
        raise ConfigurationError(f"{name} is {given!r}; allowed: {', '.join(allowed)}.")


def moment_of(given: object, dataset: str) -> datetime | None:
    """The moment that the templated argument ``newer_than`` rendered to; one without a time zone is in UTC.

    :raises ConfigurationError: when it is no moment
    """
    if given is None:
        return None
    try:
        moment = given if isinstance(given, datetime) else datetime.fromisoformat(str(given).strip())
    except ValueError:
        raise ConfigurationError(
            f"Dataset {dataset!r}: the argument newer_than rendered to {given!r}, which is no moment. Give one such as "
            "'{{ dag_run.start_date }}' or '2026-01-31T06:00:00+00:00'."
        ) from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def origin_of(context: Context) -> Origin | None:
    """The task that runs."""
    ti: Any = context.get("ti")
    if ti is None:
        return None
    map_index = NO_MAP_INDEX if ti.map_index is None else ti.map_index
    return Origin(ti.dag_id, ti.run_id, ti.task_id, map_index, _owner_of(context))


def _owner_of(context: Context) -> str | None:
    """Who answers for the task that runs; Airflow's own default is nobody."""
    owner = getattr(context.get("task"), "owner", None)
    return None if owner in (None, "", conf.get("operators", "default_owner", fallback="airflow")) else str(owner)

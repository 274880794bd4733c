"""Profiles as strict JSON and back: no NaN, no infinity, states as base64 of their own binary codec."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from airflow_dq.exceptions import CodecError
from airflow_dq.metrics.descriptor import MetricValue, Reason
from airflow_dq.options.profile import ProfileOptions
from airflow_dq.profile.model import ColumnProfile, Profile, Variant
from airflow_dq.states.base import Kind, State, decode_state
from airflow_dq.states.codec import compress

VERSION = 1
"""Layout of the JSON document; raised when a reader of the older one could not read the newer."""

_DAMAGE = (ValueError, KeyError, TypeError, AttributeError, binascii.Error)


def profile_to_json(profile: Profile, variants: bool = True) -> str:
    """One line of strict JSON.

    :param profile: what to write; its row sample is left out
    :param variants: write the injected variants too, computing those that can still be computed
    """
    return json.dumps(profile_to_dict(profile, variants), allow_nan=False)


def profile_from_json(text: str) -> Profile:
    """The profile that :func:`profile_to_json` wrote.

    :raises CodecError: when the text is not one, or of another version
    """
    try:
        data = json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        raise CodecError(f"The profile is not strict JSON: {error}") from error
    return profile_from_dict(data)


def profile_to_dict(profile: Profile, variants: bool = True) -> dict[str, Any]:
    """The document of :func:`profile_to_json` as plain lists and dicts."""
    injected: Mapping[str, tuple[Variant, ...]] = {}
    if variants:
        from airflow_dq.corruption.variant import all_variants

        injected = all_variants(profile)
    return {
        "version": VERSION,
        "partition": profile.partition,
        "row_count": profile.row_count,
        "options": asdict(profile.options),
        "columns": [column_to_dict(column) for column in profile.columns.values()],
        "variants": {name: [variant_to_dict(variant) for variant in found] for name, found in injected.items()},
    }


def profile_from_dict(data: Mapping[str, Any]) -> Profile:
    """The inverse of :func:`profile_to_dict`.

    :raises CodecError: when the document is damaged or of another version
    """
    try:
        if data["version"] != VERSION:
            raise CodecError(f"The profile's layout is version {data['version']!r}; this version reads {VERSION}.")
        columns = [column_from_dict(column) for column in data["columns"]]
        return Profile(
            partition=data["partition"],
            row_count=data["row_count"],
            columns={column.name: column for column in columns},
            variants={name: tuple(map(variant_from_dict, found)) for name, found in data["variants"].items()},
            options=options_from_dict(data["options"]),
        )
    except _DAMAGE as error:
        raise CodecError(f"The profile cannot be read: {type(error).__name__}: {error}") from error


def options_from_dict(data: Mapping[str, Any]) -> ProfileOptions:
    """Profile options from ``dataclasses.asdict``, after a way through JSON."""
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    return ProfileOptions(**fields)


def column_to_dict(column: ColumnProfile) -> dict[str, Any]:
    """A column's profile."""
    return {
        "name": column.name,
        "kind": column.kind.value,
        "data_type": column.data_type,
        "note": column.note,
        "states_digest": column.states_digest,
        "metrics": metrics_to_dict(column.metrics),
        "states": states_to_dict(column.states),
        "pairs": {baseline: metrics_to_dict(values) for baseline, values in column.pairs.items()},
    }


def column_from_dict(data: Mapping[str, Any]) -> ColumnProfile:
    """The inverse of :func:`column_to_dict`.

    :raises CodecError: when the document is damaged
    """
    try:
        return ColumnProfile(
            name=data["name"],
            kind=Kind(data["kind"]),
            data_type=data["data_type"],
            metrics=metrics_from_dict(data["metrics"]),
            states=states_from_dict(data["states"]),
            note=data["note"],
            states_digest=data["states_digest"],
            pairs={baseline: metrics_from_dict(values) for baseline, values in data["pairs"].items()},
        )
    except _DAMAGE as error:
        raise CodecError(f"A column's profile cannot be read: {type(error).__name__}: {error}") from error


def variant_to_dict(variant: Variant) -> dict[str, Any]:
    """An injected variant."""
    return {
        "type": variant.type,
        "parameter": variant.parameter,
        "metrics": metrics_to_dict(variant.metrics),
        "states": states_to_dict(variant.states),
    }


def variant_from_dict(data: Mapping[str, Any]) -> Variant:
    """The inverse of :func:`variant_to_dict`.

    :raises CodecError: when the document is damaged
    """
    try:
        metrics, states = metrics_from_dict(data["metrics"]), states_from_dict(data["states"])
        return Variant(data["type"], data["parameter"], metrics, states)
    except _DAMAGE as error:
        raise CodecError(f"An injected variant cannot be read: {type(error).__name__}: {error}") from error


def metrics_to_dict(metrics: Mapping[str, MetricValue]) -> dict[str, Any]:
    """Metric values by name: a number, or ``{"reason": ...}`` where there is none."""
    return {
        name: {"reason": value.value} if isinstance(value, Reason) else float(value) for name, value in metrics.items()
    }


def metrics_from_dict(data: Mapping[str, Any]) -> dict[str, MetricValue]:
    """The inverse of :func:`metrics_to_dict`.

    :raises CodecError: when a value is neither a number nor a known reason
    """
    try:
        return {
            name: Reason(value["reason"]) if isinstance(value, dict) else float(value) for name, value in data.items()
        }
    except _DAMAGE as error:
        raise CodecError(f"A metric's value cannot be read: {type(error).__name__}: {error}") from error


def states_to_dict(states: Mapping[str, State]) -> dict[str, str]:
    """States by key, in base64."""
    return {key: base64.b64encode(compress(state.encode())).decode() for key, state in states.items()}


def states_from_dict(data: Mapping[str, str]) -> dict[str, State]:
    """The inverse of :func:`states_to_dict`.

    :raises CodecError: when a state is unknown to this version or damaged
    """
    try:
        return {key: decode_state(key, base64.b64decode(text, validate=True)) for key, text in data.items()}
    except _DAMAGE as error:
        raise CodecError(f"A column's state cannot be read: {type(error).__name__}: {error}") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"it holds {constant}")

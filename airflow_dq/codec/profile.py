"""What a profile has that its fields' types do not say: values or reasons, states, injected variants, a row sample."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from airflow_dq.check.expression import Scalar
from airflow_dq.codec.form import Form, Mismatch, shown
from airflow_dq.codec.registry import record, register
from airflow_dq.codec.wire import Finite
from airflow_dq.exceptions import CodecError
from airflow_dq.metrics.descriptor import MetricValue
from airflow_dq.metrics.encoding import decode_metric, encode_metric
from airflow_dq.profile.model import Profile, encode_states
from airflow_dq.states.base import State, decode_state


def register_forms() -> None:
    """Let the codec write and read profiles and metric values."""
    register(int | float, lambda: Form(int | Finite, _write_number, expected=_NUMBER))
    register(Scalar, lambda: Form(str | bool | int | Finite, _write_scalar, expected=_SCALAR))
    register(MetricValue, lambda: Form(Finite | dict[str, str], _write_metric, _read_metric, expected=_METRIC))
    register(Mapping[str, State], lambda: Form(dict[str, bytes], _write_states, _read_states))
    register(Profile, _profile)


_NUMBER = "a finite number"
_SCALAR = "a text, a finite number, or true or false"
_METRIC = 'a finite number or {"reason": ...}'


def _write_number(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return value
    raise Mismatch(f"{shown(value)} is not {_NUMBER}")


def _write_scalar(value: Any) -> Any:
    return value if isinstance(value, str | bool) else _write_number(value)


def _write_metric(value: Any) -> Any:
    try:
        return encode_metric(value)
    except (CodecError, TypeError, ValueError):
        raise Mismatch(f"{shown(value)} is not {_METRIC}") from None


def _read_metric(wired: Any) -> MetricValue:
    if type(wired) is float:
        return wired
    try:
        return decode_metric(wired)
    except CodecError as error:
        raise Mismatch(str(error).rstrip(".")) from None


def _write_states(states: Mapping[str, State]) -> dict[str, str]:
    """Each state's binary form, compressed, in base64."""
    from airflow_dq.states.layout import compress  # needs pyarrow

    return {key: base64.b64encode(compress(blob)).decode() for key, blob in encode_states(states).items()}


def _read_states(wired: Mapping[str, bytes]) -> dict[str, State]:
    states = {}
    for key, blob in wired.items():
        try:
            states[key] = decode_state(key, blob)
        except CodecError as error:
            raise Mismatch(str(error).rstrip(".")).within(f"[{key!r}]") from None
    return states


def _profile() -> Form:
    """A profile with its injected variants as far as they can be computed, and without any rows."""
    from airflow_dq.profile.check.held import Held  # needs pyarrow, as the next two
    from airflow_dq.profile.check.tally import Tally
    from airflow_dq.profile.sample import RowSample

    names = (("RowSample", RowSample), ("Tally", Tally), ("Held", Held))
    form = record(Profile, without=frozenset({"sample", "tallies", "failing", "held"}), names=names)
    assert form.read is not None  # a dataclass is made of what is read
    made = form.read

    def write(profile: Profile) -> Any:
        from airflow_dq.corruption.variant import all_variants  # needs pyarrow

        return form.write(replace(profile, variants=dict(all_variants(profile))))

    def from_wire(wired: Any) -> Profile:
        profile: Profile = made(wired)
        for name, column in profile.columns.items():
            if column.name != name:
                raise Mismatch(f"{shown(column.name)} is not {shown(name)}").within(f".columns[{name!r}].name")
        for name in profile.variants:
            if name not in profile.columns:
                raise Mismatch("there is no such column").within(f".variants[{name!r}]")
        return profile

    return replace(form, write=write, read=from_wire)

"""Strict JSON for programs and verdicts: no NaN, no unknown field, every mistake a :class:`CodecError`.

One pair of functions serves every dataclass of :mod:`airflow_dq.learn.model`: the fields and their types say how
a value is written and read, so that a new field needs no change here.  A metric without a value is written as
``{"reason": "no values"}``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from airflow_dq.backtest.model import BacktestResult
from airflow_dq.exceptions import CodecError, ConfigurationError
from airflow_dq.explain.alert import Alert
from airflow_dq.judge.verdict import ScopeVerdict, Verdict
from airflow_dq.learn.constraint.range import Clause
from airflow_dq.learn.program import Program
from airflow_dq.metrics.descriptor import Reason
from airflow_dq.XX import ClauseResult

Part = TypeVar("Part", Clause, ClauseResult, Alert, ScopeVerdict, Program, Verdict, BacktestResult)

PROGRAM_FORMAT = "program/1"
VERDICT_FORMAT = "verdict/1"
BACKTEST_FORMAT = "backtest/1"


def program_to_json(program: Program) -> str:
    """One line of strict JSON."""
    return _dumps(program_to_dict(program))


def program_from_json(text: str) -> Program:
    """The program that :func:`program_to_json` wrote.

    :raises CodecError: when the text is not such a program.
    """
    return program_from_dict(_loads(text, "program"))


def program_to_dict(program: Program) -> dict[str, Any]:
    """A program as JSON values, with its format's version."""
    return {"format": PROGRAM_FORMAT, **to_dict(program)}


def program_from_dict(data: Mapping[str, Any]) -> Program:
    """The program that :func:`program_to_dict` wrote.

    :raises CodecError: when the values are not such a program.
    """
    return from_dict(Program, _unwrapped(data, PROGRAM_FORMAT))


def verdict_to_json(verdict: Verdict) -> str:
    """One line of strict JSON."""
    return _dumps(verdict_to_dict(verdict))


def verdict_from_json(text: str) -> Verdict:
    """The verdict that :func:`verdict_to_json` wrote.

    :raises CodecError: when the text is not such a verdict.
    """
    return verdict_from_dict(_loads(text, "verdict"))


def verdict_to_dict(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON values, with its format's version."""
    return {"format": VERDICT_FORMAT, **to_dict(verdict)}


def verdict_from_dict(data: Mapping[str, Any]) -> Verdict:
    """The verdict that :func:`verdict_to_dict` wrote.

    :raises CodecError: when the values are not such a verdict.
    """
    return from_dict(Verdict, _unwrapped(data, VERDICT_FORMAT))


def backtest_to_dict(result: BacktestResult) -> dict[str, Any]:
    """A backtest's result as JSON values, with its format's version."""
    return {"format": BACKTEST_FORMAT, **to_dict(result)}


def backtest_from_json(text: str) -> BacktestResult:
    """The result whose :func:`backtest_to_dict` was written as JSON.

    :raises CodecError: when the text is not such a result.
    """
    return from_dict(BacktestResult, _unwrapped(_loads(text, "backtest"), BACKTEST_FORMAT))


def to_dict(part: Part) -> dict[str, Any]:
    """Any part of the model (a clause, an alert, ...) as JSON values.

    :raises CodecError: when it holds a number that JSON does not have.
    """
    written = _write(part, type(part).__name__)
    assert isinstance(written, dict)
    return written


def from_dict(kind: type[Part], data: Mapping[str, Any]) -> Part:
    """The part that :func:`to_dict` wrote.

    :raises CodecError: naming the first field that is missing, unknown or of a wrong type.
    """
    part = _read(kind, data, kind.__name__)
    assert isinstance(part, kind)
    return part


def _dumps(data: Mapping[str, Any]) -> str:
    return json.dumps(data, allow_nan=False, ensure_ascii=False)


def _loads(text: str, what: str) -> Mapping[str, Any]:
    try:
        data = json.loads(text, parse_constant=lambda name: _refuse(what, f"{name} is not a JSON number"))
    except ValueError as error:
        raise CodecError(f"The stored {what} is not JSON: {error}.") from error
    if not isinstance(data, dict):
        raise CodecError(f"The stored {what} is a JSON {type(data).__name__}, not an object.")
    return data


def _unwrapped(data: Mapping[str, Any], expected: str) -> dict[str, Any]:
    if data.get("format") != expected:
        raise CodecError(f"Stored as {data.get('format')!r}; this version of the package reads {expected!r}.")
    return {key: value for key, value in data.items() if key != "format"}


def _refuse(path: str, problem: str) -> Any:
    raise CodecError(f"{path}: {problem}.")


def _write(value: Any, path: str) -> Any:
    if isinstance(value, Reason):
        return {"reason": value.value}
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _write(getattr(value, field.name), f"{path}.{field.name}") for field in fields(value)}
    if isinstance(value, Mapping):
        return {key: _write(item, f"{path}[{key!r}]") for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_write(item, f"{path}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, bool | str | int | NoneType):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _refuse(path, f"{value} is not a JSON number")
    return _refuse(path, f"a {type(value).__name__} cannot be written")


@cache
def _types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(kind: Any, data: Any, path: str) -> Any:
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _read_union(get_args(kind), data, path)
    if origin is Literal:
        return data if data in get_args(kind) else _refuse(path, f"{data!r} is none of {get_args(kind)}")
    if origin is tuple:
        return _read_tuple(get_args(kind), data, path)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(data, Mapping):
            _refuse(path, f"an object is expected, not {data!r}")
        return {key: _read(get_args(kind)[1], item, f"{path}[{key!r}]") for key, item in data.items()}
    if is_dataclass(kind):
        return _read_dataclass(kind, data, path)
    return _read_scalar(kind, data, path)


def _read_scalar(kind: Any, data: Any, path: str) -> Any:
    if kind is Reason:
        data = data.get("reason") if isinstance(data, Mapping) and len(data) == 1 else None
    if issubclass(kind, Enum):
        known = {member.value: member for member in kind}
        return known[data] if data in known else _refuse(path, f"{data!r} is none of {', '.join(known)}")
    if kind is float and type(data) is int:
        return float(data)
    return data if type(data) is kind else _refuse(path, f"{data!r} is not a {kind.__name__}")


def _read_union(kinds: tuple[Any, ...], data: Any, path: str) -> Any:
    if data is None and NoneType in kinds:
        return None
    if Reason in kinds and isinstance(data, Mapping):
        return _read(Reason, data, path)
    others = [kind for kind in kinds if kind not in (NoneType, Reason)]
    return _read(others[0], data, path)


def _read_tuple(kinds: tuple[Any, ...], data: Any, path: str) -> Any:
    if not isinstance(data, list | tuple):
        _refuse(path, f"a list is expected, not {data!r}")
    if kinds[-1] is Ellipsis:
        return tuple(_read(kinds[0], item, f"{path}[{i}]") for i, item in enumerate(data))
    if len(data) != len(kinds):
        _refuse(path, f"{len(kinds)} items are expected, not {len(data)}")
    return tuple(_read(kind, item, f"{path}[{i}]") for i, (kind, item) in enumerate(zip(kinds, data, strict=True)))


def _read_dataclass(kind: Any, data: Any, path: str) -> Any:
    if not isinstance(data, Mapping):
        _refuse(path, f"an object is expected, not {data!r}")
    types = _types(kind)
    known = {field.name: field for field in fields(kind)}
    for name in data:
        if name not in known:
            _refuse(path, f"the field {name!r} is unknown to this version")
    required = (f.name for f in known.values() if f.default is MISSING and f.default_factory is MISSING)
    for name in required:
        if name not in data:
            _refuse(path, f"the field {name!r} is missing")
    values = {name: _read(types[name], value, f"{path}.{name}") for name, value in data.items()}
    try:
        return kind(**values)
    except ConfigurationError as error:
        raise CodecError(f"{path}: {error}") from error

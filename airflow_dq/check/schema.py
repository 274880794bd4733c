"""What editors know of a file of checks: its JSON schema, made of the same table that reads it."""

from __future__ import annotations

from typing import Any, get_args

from airflow_dq.check.anomaly import Strategy
from airflow_dq.check.file import keys_of
from airflow_dq.check.metric import ALIASES, FORMATS, METRICS, entry_of
from airflow_dq.check.model import ScopeWord, Score

_TEXT = {"type": "string"}
_NAMES = {"type": "array", "items": _TEXT, "minItems": 1}
_NAME_OR_NAMES = {"oneOf": [_TEXT, _NAMES]}
_BOUNDS = {
    "description": "'>=0.9', '>0', '<=10', '<10', '==1', a number, or [lowest, highest]",
    "oneOf": [
        {"type": "string", "pattern": r"^\s*(>=|<=|==|=|>|<)?\s*[+-]?[\d_.]+([eE][+-]?\d+)?\s*$"},
        {"type": "number"},
        {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    ],
}
_DURATION = {"description": "26h, 1d 12h, 90m, or seconds", "type": ["string", "number"]}
_SCALAR = {"type": ["string", "number", "boolean"]}
_FIELDS: dict[str, Any] = {
    "column": _TEXT,
    "columns": _NAME_OR_NAMES,
    "sql": {**_TEXT, "description": "an expression, such as discount <= price"},
    "name": _TEXT,
    "values": {"type": "array", "items": _SCALAR, "minItems": 1},
    "low": _SCALAR,
    "high": _SCALAR,
    "pattern": {**_TEXT, "format": "regex"},
    "format": {"enum": sorted(FORMATS)},
    "quantile": {"type": "number", "minimum": 0, "maximum": 1},
    "type": _TEXT,
    "exactly": {"type": "boolean"},
    "ordered": {"type": "boolean"},
    "to": {**_TEXT, "description": "the other table: a path, a table, or table.column; {partition} is the key"},
    "to_columns": {**_NAME_OR_NAMES, "description": "its columns, where they are called otherwise"},
    "to_where": {**_TEXT, "description": "which of its rows are looked at"},
    "every": {"description": "1h, 1d, or a number above 0", "type": ["string", "number"]},
    "strict": {"type": "boolean"},
    "key": {**_NAME_OR_NAMES, "description": "columns that tell rows apart"},
    "score": {"enum": list(get_args(Score))},
    "where": {**_TEXT, "description": "which rows are looked at"},
    "by": {**_TEXT, "description": "a column: what is asked is asked of the rows of each of its values"},
    "scope": {"enum": list(get_args(ScopeWord))},
    "nulls": {"enum": ["skip", "pass", "fail"]},
    "within": _DURATION,
    "error": _BOUNDS,
    "warn": _BOUNDS,
    "anomaly": {
        "description": "a strategy, or {strategy: {field: value}}",
        "oneOf": [
            {"enum": list(get_args(Strategy))},
            {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": False,
                "properties": {name: {"type": "object"} for name in get_args(Strategy)},
            },
        ],
    },
    "level": {"enum": ["error", "warn"]},
    "id": _TEXT,
    "message": _TEXT,
    "owner": _TEXT,
    "tags": {"type": "array", "items": _TEXT},
}


def json_schema() -> dict[str, Any]:
    """The JSON schema of a file of checks."""
    names = sorted((*METRICS, *ALIASES))
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Checks of a dataset",
        "type": "object",
        "additionalProperties": False,
        "required": ["dataset", "checks"],
        "properties": {
            "dataset": _TEXT,
            "key": _NAME_OR_NAMES,
            "owner": _TEXT,
            "tags": _FIELDS["tags"],
            "checks": {
                "type": "array",
                "items": {
                    "type": "object",
                    "minProperties": 1,
                    "maxProperties": 1,
                    "additionalProperties": False,
                    "properties": {name: _check(name) for name in names},
                },
            },
        },
    }


def _check(name: str) -> dict[str, Any]:
    entry = entry_of(name)
    fields = {key: _FIELDS[key] for key in keys_of(name)}
    if entry.unit == "seconds":
        fields["warn"] = _DURATION
    needed = [*({"column": ["column"], "columns": ["columns"]}.get(entry.subject, [])), *entry.arguments]
    whole = {
        "description": entry.words,
        "type": "object",
        "additionalProperties": False,
        "properties": fields,
        **({"required": needed} if needed else {}),
    }
    if name == "rule":
        return {"oneOf": [whole, _TEXT]}
    if entry.subject == "table" or entry.arguments:
        return whole
    return {"oneOf": [whole, _TEXT if entry.subject == "column" else _NAME_OR_NAMES]}

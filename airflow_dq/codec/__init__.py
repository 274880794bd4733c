"""Models as strict JSON and back; the models themselves know nothing of it."""

from __future__ import annotations

from airflow_dq.codec.document import from_builtins, from_json, to_builtins, to_json
from airflow_dq.codec.family import polymorphic

__all__ = ["from_builtins", "from_json", "polymorphic", "to_builtins", "to_json"]

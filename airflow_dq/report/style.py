"""The style sheets of the report, kept as CSS files beside this module."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def css(*names: str) -> str:
    """The named style sheets (``theme``, ``chart``, ``page``) one after the other."""
    folder = files("airflow_dq.report")
    return "\n".join(folder.joinpath(f"{name}.css").read_text(encoding="utf-8") for name in names)

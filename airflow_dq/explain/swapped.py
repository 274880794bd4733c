"""Two columns that each hold the values of the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from airflow_dq.explain.cause.hypothesis import Cause
from airflow_dq.explain.wording import quoted


def swapped(causes: Mapping[str, Cause]) -> dict[str, Cause]:
    """The causes, with two columns that hold each other's values told as one accident.

    :param causes: the likely cause of each column that has one
    """
    found = dict(causes)
    for name, cause in causes.items():
        other = causes.get(cause.source or "")
        if other is not None and other.source == name:
            pair = " and ".join(quoted(one) for one in sorted((name, cause.source or "")))
            words = f"columns {pair} were swapped"
            found[name] = replace(cause, parameter=words, words=words)
    return found

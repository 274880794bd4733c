"""Pieces that statements have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ARRAY, BigInteger, ColumnElement, any_, literal


def among(column: Any, ids: Iterable[int]) -> ColumnElement[bool]:
    """``column = ANY(:ids)``: one parameter, however many ids."""
    return column == any_(literal(sorted(ids), ARRAY(BigInteger)))  # type: ignore[no-any-return]

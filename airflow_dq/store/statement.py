"""Pieces that statements have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ARRAY, BigInteger, CollectionAggregate, ColumnElement, Text, any_, literal


def among(column: Any, ids: Iterable[int]) -> ColumnElement[bool]:
    """``column = ANY(:ids)``: one parameter, however many ids."""
    return column == any_(literal(sorted(ids), ARRAY(BigInteger)))  # type: ignore[no-any-return]


def any_of(keys: Iterable[str]) -> CollectionAggregate[Any]:
    """``ANY(:keys)`` of partitions' keys: one parameter, however many they are."""
    return any_(literal(list(keys), ARRAY(Text(collation="C"))))

"""Stored rows that cannot be read: named, so that a person finds them, and no reason to stop a whole dataset."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Label, LargeBinary, type_coerce

from airflow_dq.exceptions import CodecError

log = logging.getLogger(__name__)

T = TypeVar("T")


def raw(column: object, name: str) -> Label[bytes]:
    """A document's column as the bytes that are stored, to be decoded where it is known whose they are."""
    return type_coerce(column, LargeBinary()).label(name)


def named(where: str, read: Callable[[], T]) -> T:
    """What is read, or an error that says whose it is.

    :param where: dataset, partition and column
    :raises CodecError: when it is damaged
    """
    try:
        return read()
    except CodecError as error:
        raise CodecError(
            f"{where}: what is stored of it cannot be read ({error}) Profile the partition again; where a verdict is "
            "damaged, judge it again."
        ) from error


def skipping(where: str, read: Callable[[], T]) -> T | None:
    """What is read, or None, with a warning that says whose it is."""
    try:
        return named(where, read)
    except CodecError as error:
        log.warning("Left out: %s", error)
        return None

"""Why tasks do not read a partition by themselves."""

from __future__ import annotations


class RefusedError(Exception):
    """Why a partition is left to Spark's reader."""

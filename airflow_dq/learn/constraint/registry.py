"""Which families of constraints there are: whatever modules of this package define."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module

from airflow_dq.learn.constraint.base import Constraint


@cache
def families() -> Mapping[str, type[Constraint]]:
    """The classes of constraints, by the name of their family."""
    package = import_module("airflow_dq.learn.constraint")
    for module in pkgutil.iter_modules(package.__path__):
        if module.name != "registry":
            import_module(f"{package.__name__}.{module.name}")
    return dict(sorted(Constraint.registered().items()))

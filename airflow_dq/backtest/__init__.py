"""What the gate would have said of past partitions: the same walk over the store's history, or over files.

``from airflow_dq import backtest`` names the function, and is this package as soon as any part of it has been imported:
so the package can be called as well, and both are the same whatever was imported first.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        from airflow_dq.backtest.walk import backtest

        return backtest(*args, **options)


sys.modules[__name__].__class__ = _CallablePackage

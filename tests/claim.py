"""Several pytest processes share one run: each test module is run by the process that comes to it first.

``.ci/test-fast`` starts them.  One goes through the modules from the front, another from the back, so that they meet
where the work is half done; what a module's tests share is made once, in one process.
"""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest

CLAIMS = "AIRFLOW_DQ_TEST_CLAIMS"
"""The variable that names the folder of the claims."""
BACKWARDS = "AIRFLOW_DQ_TEST_BACKWARDS"
"""Set for the process that begins with the last module."""
_ours: dict[str, bool] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the modules in the order of this process; a module's tests stay in theirs."""
    # Nothing that has been imported or collected by now goes away: looking through it takes a tenth of the time.
    gc.collect()
    gc.freeze()
    if os.environ.get(BACKWARDS):
        places = {module: place for place, module in enumerate(dict.fromkeys(_module(item) for item in items))}
        items.sort(key=lambda item: -places[_module(item)])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Leave a test out, without a word, whose module another process has claimed."""
    module = _module(item)
    if module not in _ours:
        _ours[module] = _claim(module)
    return None if _ours[module] else True


def _module(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _claim(module: str) -> bool:
    try:
        (Path(os.environ[CLAIMS]) / module.replace("/", "+")).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True

"""Two pytest processes share one run: each test module is run by the process that comes to it first.

``.ci/test`` starts them.  One goes through the modules from the front, another from the back, so that they meet where
the work is half done; what a module's tests share is made once, in one process.  So is Spark: all modules that need it
are one piece of work.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

CLAIMS = "AIRFLOW_DQ_TEST_CLAIMS"
"""The variable that names the folder of the claims."""
BACKWARDS = "AIRFLOW_DQ_TEST_BACKWARDS"
"""Set for the process that begins with the last module."""
TOGETHER = ("spark", "postgres_dsn") if os.environ.get("AIRFLOW_DQ_TEST_DSN") else ("spark",)
"""Fixtures that only one process may make: a second Spark takes half a minute and a gigabyte, and of a database that is
given there is one."""
STOP = "stop"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the modules in the order of this process, those of one piece of work together; tests stay in theirs."""
    # Nothing that has been imported or collected by now goes away: looking through it takes a tenth of the time.
    gc.collect()
    gc.freeze()
    works = _works(items)
    modules = list(dict.fromkeys(map(_module, items)))
    if os.environ.get(BACKWARDS):
        modules.reverse()
    first: dict[str, int] = {}
    for place, module in enumerate(modules):
        first.setdefault(works[module], place)
    places = {module: (first[works[module]], place) for place, module in enumerate(modules)}
    items.sort(key=lambda item: places[_module(item)])


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run the tests of this process as pytest does, and none of those whose module another process has claimed."""
    if session.config.option.collectonly or session.testsfailed:
        return None
    ours = _claimed(session)
    item = next(ours, None)
    while item is not None:
        # What this test shares with the next one of ours is kept: pytest must not be told of any other.
        following = next(ours, None)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.shouldfail:
            (_folder() / STOP).touch()
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        item = following
    return True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Tell ``.ci/test`` what became of the tests."""
    told = {
        outcome: [_line(report) for report in reports if getattr(report, "count_towards_summary", True)]
        for outcome, reports in terminalreporter.stats.items()
        if outcome in ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
    }
    (_folder() / f"told-{os.getpid()}").write_text(json.dumps(told))


def _line(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return report.nodeid if crash is None else f"{report.nodeid} - {crash.message.partition(chr(10))[0]}"


def _claimed(session: pytest.Session) -> Iterator[pytest.Item]:
    """The tests of the pieces of work that no other process has begun, as it comes to them."""
    works = _works(session.items)
    for work, items in groupby(session.items, key=lambda item: works[_module(item)]):
        if (_folder() / STOP).exists():
            return
        if _claim(work):
            yield from items


def _works(items: list[pytest.Item]) -> dict[str, str]:
    """The piece of work that each module belongs to."""
    works: dict[str, str] = {}
    for item in items:
        shared = next((name for name in TOGETHER if name in getattr(item, "fixturenames", ())), None)
        if shared is not None:
            works[_module(item)] = TOGETHER[0]
        works.setdefault(_module(item), _module(item))
    return works


def _module(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _folder() -> Path:
    return Path(os.environ[CLAIMS])


def _claim(work: str) -> bool:
    try:
        (_folder() / work.replace("/", "+")).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True

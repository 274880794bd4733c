"""``python -m airflow_dq.demo.lake``: writes the demo's history, for those who run its other steps by themselves."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path

from airflow_dq.demo.flights import days, write_history

FIRST_DAY = date(2013, 1, 1)
"""The first day of the flights that the demo simulates."""
HISTORY_DAYS = 45
"""Days before the one that is judged: more than the 30 that a program learns from."""


def history_days() -> list[date]:
    """The days the demo learns from: 2013-01-01 to 2013-02-14."""
    return days(FIRST_DAY, HISTORY_DAYS)


def main(arguments: list[str] | None = None) -> int:
    """Write one folder per day of the history to ``HOME/lake``."""
    parser = argparse.ArgumentParser(prog="python -m airflow_dq.demo.lake", description=__doc__)
    parser.add_argument("--home", type=Path, default=Path(".demo"), help="the demo's folder (%(default)s)")
    given = parser.parse_args(arguments)
    for folder in write_history(given.home.resolve() / "lake", history_days()):
        print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())

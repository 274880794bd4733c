"""Patterns of strings: what a column's values look like, learned from few of them (Auto-Validate, SIGMOD 2021).

Pure: numpy, scipy and pyarrow only.  ``learn_pattern`` finds a rule, ``find_pattern`` also says why there is none.
"""

from __future__ import annotations

from airflow_dq.pattern.language import Pattern
from airflow_dq.pattern.learn import find_pattern, learn_pattern
from airflow_dq.pattern.rule import NoPattern, PatternRule, PatternTest

__all__ = ["NoPattern", "Pattern", "PatternRule", "PatternTest", "find_pattern", "learn_pattern"]

"""Patterns of strings: what a column's values look like, learned from few of them (Auto-Validate, SIGMOD 2021).

    index = PatternIndex.build(columns)                       # iterable of (table, values)
    rule = learn_pattern(values, index=index.without(table))  # PatternRule | None; find_pattern says why there is none
    rule.test(later_values).accepted

Pure: numpy, scipy and pyarrow only.
"""

from __future__ import annotations

from airflow_dq.pattern.fmdv import FmdvOptions
from airflow_dq.pattern.index import PatternIndex
from airflow_dq.pattern.language import Pattern
from airflow_dq.pattern.learn import find_pattern, learn_pattern
from airflow_dq.pattern.prior import load_prior
from airflow_dq.pattern.rule import NoPattern, PatternCount, PatternRule, PatternTest
from airflow_dq.pattern.tag import Tag, learn_tag, tagged

__all__ = [
    "FmdvOptions",
    "NoPattern",
    "Pattern",
    "PatternCount",
    "PatternIndex",
    "PatternRule",
    "PatternTest",
    "Tag",
    "find_pattern",
    "learn_pattern",
    "learn_tag",
    "load_prior",
    "tagged",
]

"""Mergeable summaries of one column of one partition; a new one is a new module here and nothing else.

The look-ups of :mod:`airflow_dq.states.base` import every module of this package on first use.
"""

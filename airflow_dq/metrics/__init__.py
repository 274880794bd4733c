"""Metrics of one state or of two; a new one is a decorated function in a module here and nothing else.

The look-ups of :mod:`airflow_dq.metrics.registry` import every module of this package on first use.
"""

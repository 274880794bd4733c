"""Operators: what a DAG runs."""

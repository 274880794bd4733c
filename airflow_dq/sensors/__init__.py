"""Sensors: what a DAG waits for."""

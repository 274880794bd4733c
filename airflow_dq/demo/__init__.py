"""The main job on real data, end to end: ``python -m airflow_dq.demo``."""

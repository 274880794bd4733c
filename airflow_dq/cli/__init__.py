"""The commands ``airflow dq ...``, also reached as ``python -m airflow_dq ...``."""

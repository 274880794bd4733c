"""The gate's decision on a stored partition, free of Airflow."""

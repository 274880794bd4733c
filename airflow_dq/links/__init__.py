"""Links from a task in Airflow's user interface to what belongs to it."""

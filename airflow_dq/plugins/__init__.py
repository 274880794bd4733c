"""What this package adds to the Airflow user interface."""

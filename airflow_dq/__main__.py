"""``python -m airflow_dq``."""

from __future__ import annotations

from airflow_dq.cli.main import main

if __name__ == "__main__":
    main()

"""Write the next migration: what the models have beyond the newest revision.  For developers of this package.

    AIRFLOW_DQ_DSN=postgresql://... python migrations/new.py "add retention"

The database must be at the newest revision.  Read what was written, and set REVISION in airflow_dq/store/table.py.
"""

from __future__ import annotations

import sys

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.settings import dsn_from_environment
from airflow_dq.store.migration import write_revision

if __name__ == "__main__":
    dsn = dsn_from_environment()
    if dsn is None or len(sys.argv) != 2:
        raise ConfigurationError('Set AIRFLOW_DQ_DSN and give one argument: python migrations/new.py "what it does".')
    print(write_revision(dsn, sys.argv[1]))

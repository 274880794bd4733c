"""What differs between the versions of Airflow, in one place."""

from __future__ import annotations

from airflow_dq.version_compat import taken_by


def test_a_function_is_given_what_it_takes() -> None:
    def before(dag_id: str) -> None:
        """Airflow 3.1 and 3.2."""

    def since(dag_id: str, user: str) -> None:
        """Airflow 3.3."""

    assert taken_by(before, user="ann") == {}
    assert taken_by(since, user="ann") == {"user": "ann"}

"""Secrets in Spark's properties are redacted, whoever has set them."""

from __future__ import annotations

import re

import pytest

from airflow_dq.engine.spark.session import require_redaction
from airflow_dq.exceptions import ConfigurationError
from airflow_dq.hooks.spark import redacting
from airflow_dq.settings import DSN_VARIABLE, HASH_KEY_VARIABLE

HASHES = {f"spark.executorEnv.{HASH_KEY_VARIABLE}": "..."}
DSN = {f"spark.yarn.appMasterEnv.{DSN_VARIABLE}": "..."}


@pytest.mark.parametrize("own", [{}, {"spark.redaction.regex": "(?i)ours"}])
@pytest.mark.parametrize("secrets", [HASHES, DSN, HASHES | DSN])
def test_what_the_operator_submits_shows_no_secret(own: dict[str, str], secrets: dict[str, str]) -> None:
    conf = redacting({**own, **secrets}, {})
    require_redaction(conf)
    pattern = conf["spark.redaction.regex"]
    assert all(re.search(pattern, name) for name in (*secrets, *(["spark.ours"] if own else ["my.password"])))


def test_variables_that_become_properties_count_and_other_orders_are_left_alone() -> None:
    assert HASH_KEY_VARIABLE in redacting({}, {HASH_KEY_VARIABLE: "..."})["spark.redaction.regex"]
    assert redacting({"spark.executor.cores": "2"}, {"PATH": "/bin"}) == {"spark.executor.cores": "2"}


@pytest.mark.parametrize("conf", [DSN, {**HASHES, "spark.redaction.regex": "ours"}])
def test_a_job_whose_secrets_spark_shows_is_refused(conf: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"in clear.*spark\.redaction\.regex="):
        require_redaction(conf)

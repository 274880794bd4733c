"""The key with which values are hashed that must not be stored."""

from __future__ import annotations

import hashlib

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.settings import HASH_KEY_VARIABLE, hash_key_from_environment


def hash_key() -> bytes:
    """The secret in ``AIRFLOW_DQ_HASH_KEY`` with which values that are not stored are hashed, as 32 bytes.

    Partitions hashed with the same key can be compared; with another key every value looks new.

    :raises ConfigurationError: when it is unset or blank.
    """
    secret = hash_key_from_environment()
    if secret is None:
        raise ConfigurationError(
            f"Columns whose values must not be stored (store_values=False or hidden=...) need a secret to hash them "
            f"with: set {HASH_KEY_VARIABLE} for the profile job and its executors "
            f"(spark.executorEnv.{HASH_KEY_VARIABLE}), always to the same text."
        )
    return hashlib.blake2b(secret.encode(), digest_size=32).digest()

"""The key with which values are hashed that must not be stored."""

from __future__ import annotations

import hashlib

from airflow_dq.exceptions import ConfigurationError
from airflow_dq.settings import HASH_KEY_VARIABLE, HASH_SECRET_LENGTH, hash_key_from_environment


def hash_key() -> bytes:
    """The secret in ``AIRFLOW_DQ_HASH_SECRET`` with which values that are not stored are hashed, as 32 bytes.

    Partitions hashed with the same key can be compared; with another key every value looks new.

    :raises ConfigurationError: when it is unset, blank or too short.
    """
    secret = hash_key_from_environment()
    if secret is None:
        raise ConfigurationError(
            f"Columns whose values must not be stored (store_values=False or hidden=...) need a secret to hash them "
            f"with: set {HASH_KEY_VARIABLE} for the profile job and its executors "
            f"(spark.executorEnv.{HASH_KEY_VARIABLE}), always to the same text."
        )
    if len(secret) < HASH_SECRET_LENGTH:
        raise ConfigurationError(
            f"The secret in {HASH_KEY_VARIABLE} has {len(secret)} characters and needs at least {HASH_SECRET_LENGTH}: "
            "with a shorter one hashed values are found by trying all of them. Set a random text (openssl rand -hex "
            "32), and profile the partitions again that were hashed with another."
        )
    return hashlib.blake2b(secret.encode(), digest_size=32).digest()

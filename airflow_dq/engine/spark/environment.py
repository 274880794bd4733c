"""What a profile job needs from the machine: Java, a pyspark of one version, its packages, and a few variables."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

from airflow_dq.exceptions import EnvironmentMismatchError

MINIMUM_JAVA = 17
"""The oldest Java that Spark 4 runs on."""
JAVA_HINT = (
    f"Install Java {MINIMUM_JAVA} or newer (Debian/Ubuntu: apt-get install openjdk-17-jre-headless; "
    "macOS: brew install openjdk@17) and set JAVA_HOME when it is not on PATH."
)
SPARK_HINT = "pip install 'airflow-provider-dq[spark]'"
_CORE = re.compile(r"spark-core_[\d.]+-(\d+\.\d+\.\d+)")
"""The jar whose name tells Spark's version."""


def check_environment() -> None:
    """Check everything that ``spark-submit`` on this machine needs.

    :raises EnvironmentMismatchError: naming what is missing or contradictory, and the command that repairs it.
    """
    if os.environ.get("SPARK_REMOTE"):
        check_connect()
        check_driver_packages()
        return
    check_pyspark()
    check_driver_packages()
    check_java()


def check_pyspark() -> str:
    """The version of the pyspark that this process imports, wherever it is from: a wheel, or a vendor's SPARK_HOME.

    The wheels pyspark and pyspark-client (a requirement of Airflow's Spark provider) install into the same folder, so
    the one installed last overwrites the other's files: then Python's side of Spark is not of its jars' version.

    :raises EnvironmentMismatchError: when it cannot be imported, has no Spark, or one of another version
    """
    try:
        import pyspark
        import pyspark.java_gateway
    except ImportError as error:
        raise EnvironmentMismatchError(
            f"pyspark cannot be imported here ({error}); a profile job needs it: {SPARK_HINT}, or set SPARK_HOME to "
            "an installation of Spark and run the job by its spark-submit."
        ) from error
    home = os.environ.get("SPARK_HOME")
    jars = Path(home or Path(pyspark.__file__).parent) / "jars"
    core = next((found for jar in jars.glob("spark-core_*.jar") if (found := _CORE.match(jar.name))), None)
    if core is None and home is None:
        raise EnvironmentMismatchError(
            f"pyspark {pyspark.__version__} has no Spark of its own (pyspark-client alone has none): {SPARK_HINT}"
        )
    version = pyspark.__version__
    # Vendors add words of their own behind the three numbers; what names its jars differently is not judged.
    if core is not None and re.match(r"[\d.]*\d", version)[0] != core[1]:  # type: ignore[index]  # it begins with one
        raise EnvironmentMismatchError(
            f"Python's side of Spark is of version {version}, and its jars in {jars} are of {core[1]}: Python "
            "functions break. Where pyspark and pyspark-client are installed they share one folder and must have "
            f"equal versions: pip install --force-reinstall --no-deps pyspark=={core[1]} pyspark-client=={core[1]}; "
            "else let SPARK_HOME name the installation whose Python files are imported."
        )
    return version


def check_connect() -> None:
    """Whether this process can be a client of Spark Connect, which needs neither Java nor Spark's jars.

    :raises EnvironmentMismatchError: when a package is missing
    """
    try:
        import pyspark.sql.connect.session  # noqa: F401
    except ImportError as error:
        raise EnvironmentMismatchError(
            f"No client of Spark Connect can be imported here ({error}): pip install pyspark-client of the server's "
            "version."
        ) from error


def check_driver_packages() -> None:
    """What Spark's Python API wants to find in the driver before it lets tasks work on Arrow; executors need no pandas.

    :raises EnvironmentMismatchError: naming the package, and the version that Spark wants
    """
    from pyspark.sql.pandas.utils import require_minimum_pandas_version, require_minimum_pyarrow_version

    try:
        with warnings.catch_warnings():
            # Of a version newer than those that this Spark knows.
            warnings.simplefilter("ignore")
            require_minimum_pandas_version()
            require_minimum_pyarrow_version()
    except Exception as error:  # an ImportError, or from Spark 4 on one of Spark's own
        raise EnvironmentMismatchError(
            f"The Python of Spark's driver ({sys.executable}) lacks what Spark needs: {error} Install pandas and "
            "pyarrow there; executors need numpy and pyarrow only."
        ) from error


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

    A variable that the user has set is left as it is.  A Spark Connect server is named by one, too.

    :param master: the Spark master; a cluster's executors have their own Python, so only local ones get this one
    :param environ: the environment to look at (default: this process's)
    :return: the variables to add
    """
    if master.startswith("sc://"):
        return {"SPARK_REMOTE": master}
    environ = os.environ if environ is None else environ
    wanted = {"PYSPARK_DRIVER_PYTHON": sys.executable}
    if master.startswith("local"):
        # A laptop's or container's host name may not resolve; local executors need no other address.
        wanted |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    return {name: value for name, value in wanted.items() if not environ.get(name)}


def driver_python(environ: Mapping[str, str]) -> dict[str, str]:
    """The property by which a driver on this machine runs on this Python, whatever Python the executors are given.

    Without it ``spark.pyspark.python``, which is meant for the executors, would be the driver's too.

    :param environ: variables of the ``spark-submit`` process, in which a user may have chosen another
    """
    return {"spark.pyspark.driver.python": environ.get("PYSPARK_DRIVER_PYTHON") or sys.executable}


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

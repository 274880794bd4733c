"""Pages: each module here makes the view of one template; plain data in, HTML out; no web framework, no database."""

from __future__ import annotations

from airflow_dq.report.pages.address import Addresses
from airflow_dq.report.pages.backtest import render_backtest_page, write_backtest
from airflow_dq.report.pages.dataset import DatasetView, render_dataset
from airflow_dq.report.pages.listing import ListView, render_list
from airflow_dq.report.pages.message import render_message
from airflow_dq.report.pages.overview import Overview, render_overview
from airflow_dq.report.pages.partition import PartitionView, render_partition
from airflow_dq.report.pages.problem import AlertView, render_alert
from airflow_dq.report.pages.verdict import render_page, write_report

__all__ = [
    "Addresses",
    "AlertView",
    "DatasetView",
    "ListView",
    "Overview",
    "PartitionView",
    "render_alert",
    "render_backtest_page",
    "render_dataset",
    "render_list",
    "render_message",
    "render_overview",
    "render_page",
    "render_partition",
    "write_backtest",
    "write_report",
]

"""Verdicts for people: a terminal table, an SVG history chart, and HTML pages."""

from __future__ import annotations

from airflow_dq.report.chart import history_chart
from airflow_dq.report.pages import render_page, write_report
from airflow_dq.report.text import render_text

__all__ = ["history_chart", "render_page", "render_text", "write_report"]

"""Statuses and decisions in a word and a colour; the word alone is enough."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from airflow_dq.judge.verdict import Status
from airflow_dq.learn.constraint.base import Severity
from airflow_dq.report.markup import element
from airflow_dq.report.text import status_words
from airflow_dq.store.review_model import Decision

DECISIONS: dict[Decision, tuple[str, str]] = {
    "accepted": ("accepted", "good"),
    "rejected": ("rejected", "bad"),
    "new_normal": ("new normal", "good"),
}
"""Words and tone of each decision."""
_ENDED = {Status.PASS: "passed", Status.FAIL: "failed"}


def tone(status: Status | None, severity: Severity | None, decision: Decision | None) -> str:
    """``good``, ``bad``, ``warn``, ``wait`` or ``plain``: a person's word before the machine's."""
    if decision is not None:
        return DECISIONS[decision][1]
    if status is Status.PASS:
        return "good"
    if status is Status.FAIL:
        return "warn" if severity == "warn" else "bad"
    if status is None:
        return "plain"
    return "bad" if status is Status.ERROR else "wait"


def words(status: Status | None, severity: Severity | None, decision: Decision | None) -> str:
    """What :func:`tone` colours."""
    if decision is not None:
        return DECISIONS[decision][0]
    if status is Status.FAIL and severity == "warn":
        return "warning"
    return "not judged" if status is None else _ENDED.get(status, status_words(status))


def alerts_words(count: int) -> str:
    """``no alert``, ``1 alert``, ``6 alerts``."""
    return f"{count or 'no'} alert{'s' if count > 1 else ''}"


def badge(status: Status | None, severity: Severity | None, decision: Decision | None) -> Element:
    """The word in its colour."""
    return element("span", words(status, severity, decision), class_=f"badge {tone(status, severity, decision)}")

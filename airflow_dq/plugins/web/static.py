"""The style sheet, the script and the icon."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request, Response

from airflow_dq.exceptions import DQError
from airflow_dq.plugins.web.access import ReadableDags
from airflow_dq.plugins.web.context import store
from airflow_dq.plugins.web.route import in_page_thread
from airflow_dq.report.style import icon, review_css, script

router = APIRouter(prefix="/static")
_MINUTE = 60
"""Seconds for which the number in the icon may be an old one: it is on every page of Airflow."""
# An address has the content's version in it.
_FOR_EVER = {"Cache-Control": "private, max-age=31536000, immutable"}


@router.get("/review.css")
def style_sheet() -> Response:
    """The one style sheet of all pages."""
    return Response(review_css(), media_type="text/css", headers=_FOR_EVER)


@router.get("/review.js")
def review_script() -> Response:
    """The one script of all pages."""
    return Response(script(), media_type="text/javascript", headers=_FOR_EVER)


@router.get("/icon.svg")
async def navigation_icon(request: Request, readable: ReadableDags, dark: bool = False) -> Response:
    """The icon in Airflow's navigation, with the number of partitions that wait for a person."""
    headers = {"Cache-Control": f"private, max-age={_MINUTE}"}
    return Response(icon(dark, await _waiting(request, readable)), media_type="image/svg+xml", headers=headers)


async def _waiting(request: Request, readable: frozenset[str]) -> int:
    """How many wait; nothing is said of a database that cannot be used, for the icon is on every page of Airflow."""
    try:
        repository = await store(request)
        return await in_page_thread(repository.waiting, readable)
    except (DQError, HTTPException):
        return 0

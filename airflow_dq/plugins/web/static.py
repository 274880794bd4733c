"""The style sheet, the script and the icon."""

from __future__ import annotations

from fastapi import APIRouter, Response

from airflow_dq.report.style import icon, review_css, script

router = APIRouter(prefix="/static")
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
def navigation_icon(dark: bool = False) -> Response:
    """The icon in Airflow's navigation."""
    headers = {"Cache-Control": "private, max-age=86400"}
    return Response(icon(dark), media_type="image/svg+xml", headers=headers)

"""What each answer tells the browser about itself."""

from __future__ import annotations

from fastapi import Response

HEADERS = {
    # Nothing is fetched from elsewhere, nothing runs that is not ours, and only Airflow itself may frame a page.
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'self'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every answer that does not set them itself."""


def with_headers(response: Response) -> Response:
    """The answer with those of the headers that it does not have."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response

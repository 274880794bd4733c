"""Errors as pages: what happened, and what to do."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from airflow_dq.exceptions import DQError, ReviewError, StoreUnreachableError
from airflow_dq.plugins.web.context import FAILURE_SECONDS, addresses, page, remember
from airflow_dq.plugins.web.header import with_headers
from airflow_dq.report.pages import render_message

_TITLES = {
    401: "Log in first",
    403: "Not allowed",
    404: "Not found",
    405: "Not found",
    411: "Not understood",
    413: "Not understood",
    422: "Not understood",
}


def register(app: FastAPI) -> None:
    """Show every error of the application as a page."""
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _misunderstood)
    app.add_exception_handler(DQError, _unusable)
    app.add_exception_handler(Exception, _broken)


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 401:
        path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        text = "Only people who are logged in to Airflow see its data quality."
        return _message(request, 401, text, login=addresses(request).login(path))
    return _message(request, error.status_code, error.detail)


def _misunderstood(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = (f"{'.'.join(map(str, problem['loc'][1:]))}: {problem['msg']}" for problem in error.errors())
    return _message(request, 422, f"The request cannot be understood. {'; '.join(problems)}.")


def _unusable(request: Request, error: Exception) -> Response:
    # A review that cannot be recorded as asked for is the asker's matter, everything else the administrator's.
    if isinstance(error, ReviewError):
        return _message(request, 409, str(error))
    answer = page(render_message(addresses(request), "The statistics database cannot be used", str(error)), 503)
    if isinstance(error, StoreUnreachableError):
        remember(request, error)
        answer.headers["Retry-After"] = f"{FAILURE_SECONDS:g}"
    return answer


def _broken(request: Request, error: Exception) -> Response:
    # What is in the error may be meant for nobody but the log, which gets it.
    text = "Nothing was changed that is not shown here. Try again; the API server's log says what happened."
    return with_headers(_message(request, 500, text))


def _message(request: Request, status: int, text: str, *, login: str | None = None) -> Response:
    title = _TITLES.get(status, "That did not work")
    return page(render_message(addresses(request), title, text, login=login), status)

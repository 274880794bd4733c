"""How a request becomes a page: only when it is clear who asks, by one of a few threads, within seconds.

Airflow's API server has 40 threads for all that is not asynchronous, its own routes and everybody's plugins together.
Pages that waited there for a statistics database that does not answer would stop the whole server.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from functools import partial, wraps
from typing import Any, TypeVar

from anyio import CapacityLimiter, fail_after, to_thread
from anyio.lowlevel import RunVar
from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute

T = TypeVar("T")
Answer = Callable[[Request], Coroutine[Any, Any, Response]]

THREADS = 4
"""Pages made at once; each takes one connection to the statistics database, of the five that there may be."""
QUEUE_SECONDS = 2.0
"""How long a request waits for one of them; a page takes a tenth of a second."""
LARGEST_BODY = 64 * 1024
"""Bytes of a form: a comment of 2,000 characters and a scope of 5,000, each of up to nine bytes, and some more."""

_LIMITER: RunVar[CapacityLimiter] = RunVar("airflow_dq_pages")


async def in_page_thread(function: Callable[..., T], *given: Any, **named: Any) -> T:
    """Call a function in one of the threads that make pages.

    :raises HTTPException: 503 when none becomes free in time
    """
    limiter = _LIMITER.get(None)
    if limiter is None:
        limiter = CapacityLimiter(THREADS)
        _LIMITER.set(limiter)
    borrower = object()
    try:
        with fail_after(QUEUE_SECONDS):
            await limiter.acquire_on_behalf_of(borrower)
    except TimeoutError:
        raise HTTPException(503, "All threads for these pages are busy. Try again in a moment.") from None
    try:
        # A limiter of its own: the place is taken already, and not one of the server's 40.
        return await to_thread.run_sync(partial(function, *given, **named), limiter=CapacityLimiter(1))
    finally:
        limiter.release_on_behalf_of(borrower)


class PageRoute(APIRoute):
    """A route whose page is made by :func:`in_page_thread`, and whose body waits for the router's dependencies.

    FastAPI itself reads a body first, whoever sent it and however long it is, and asks then who that was.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **given: Any) -> None:
        # A router that includes another makes its routes once more, of the endpoints that they have.
        super().__init__(path, endpoint if inspect.iscoroutinefunction(endpoint) else _threaded(endpoint), **given)

    def get_route_handler(self) -> Answer:
        """The handler of a request."""
        answer = super().get_route_handler()
        if self.body_field is None:
            return _checked(answer)
        # The same dependencies once more, of a route that has no body.
        admitted = APIRoute(
            self.path,
            _nothing,
            methods=self.methods,
            dependencies=self.dependencies,
            dependency_overrides_provider=self.dependency_overrides_provider,
        ).get_route_handler()

        async def handle(request: Request) -> Response:
            await admitted(request)
            _require_short(request)
            return await answer(request)

        return _checked(handle)


def _threaded(endpoint: Callable[..., T]) -> Callable[..., Coroutine[Any, Any, T]]:
    @wraps(endpoint)
    async def page(**named: Any) -> T:
        return await in_page_thread(endpoint, **named)

    # The annotations are texts, which mean something in the endpoint's module only.
    page.__signature__ = inspect.signature(endpoint, eval_str=True)  # type: ignore[attr-defined]
    return page


async def _nothing() -> None:
    """Stands for the endpoint while it is found out whether the request may go on."""


def _checked(answer: Answer) -> Answer:
    async def handle(request: Request) -> Response:
        given = [*request.path_params.values(), *(text for pair in request.query_params.multi_items() for text in pair)]
        if any("\x00" in text for text in given if isinstance(text, str)):
            raise HTTPException(
                422, "The address holds a NUL character, which no name of Airflow's or a dataset's has."
            )
        return await answer(request)

    return handle


def _require_short(request: Request) -> None:
    """Refuse a body that no form of ours is, before it is read.

    :raises HTTPException: 411 when its length is not told, 413 when it is too long
    """
    told = request.headers.get("content-length", "")
    if not (told.isascii() and told.isdecimal()):
        raise HTTPException(411, "The request does not tell its length (Content-Length).")
    if len(told) > len(str(LARGEST_BODY)) or int(told) > LARGEST_BODY:
        raise HTTPException(413, f"The request has {told[:20]} bytes, and a form at most {LARGEST_BODY:,}.")

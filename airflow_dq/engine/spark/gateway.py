"""The errors of the gateway to Java, which a client of Spark Connect lacks."""

from __future__ import annotations

try:
    from py4j.protocol import Py4JError, Py4JJavaError
except ImportError:

    class _NeverRaisedError(Exception):
        """There is no Java: whatever goes wrong is told by Spark's own classes."""

    Py4JError = Py4JJavaError = _NeverRaisedError

__all__ = ["Py4JError", "Py4JJavaError"]

"""Triggers: how a deferred task waits without a worker."""

"""Notifiers: what tells a person."""

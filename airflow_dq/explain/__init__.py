"""Findings in words: what changed, what it looks like, and which alerts belong together."""

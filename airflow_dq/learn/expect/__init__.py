"""What a series is expected to do next, and how far it may stray."""

"""Access to the two systems a task talks to: the statistics database and Spark."""

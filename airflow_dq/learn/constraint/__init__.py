"""The families of constraints, one module each."""

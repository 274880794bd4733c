"""Models as strict JSON and back; the models themselves know nothing of it."""

"""Which ranges are kept: what each catches of the injected errors, and the choice among them."""

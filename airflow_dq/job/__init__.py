"""A profile job from its order to the stored profiles, whatever engine reads the data."""

"""History -> program: the constraints that the next partition is held to."""

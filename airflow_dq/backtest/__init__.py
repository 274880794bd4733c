"""Walking through the past as if the gate had been on."""

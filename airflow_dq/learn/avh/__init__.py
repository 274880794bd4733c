"""Auto-Validate-by-History as published (Tu et al., KDD 2023), whole and apart from the default way of learning."""

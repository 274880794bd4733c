"""The review pages as a FastAPI application; imported by the API server alone, when the first request comes."""

"""Agentic synthesis: a coding agent in a sandbox completes what rules left simulated."""

"""A language model that answers the calls of simulated tools."""

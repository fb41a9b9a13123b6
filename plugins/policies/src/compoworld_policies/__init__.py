"""Policies for CompoWorld that need no model: oracle, partial, search, null and random."""

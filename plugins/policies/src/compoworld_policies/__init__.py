"""Policies for CompoWorld that need no model: oracle, partial, null and random."""

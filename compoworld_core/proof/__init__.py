"""Proving tasks: player, rubric, verdict, certificate, mutations. Generators only propose."""

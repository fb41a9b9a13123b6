"""Experiments: the demo, and the paper's comparisons in miniature."""

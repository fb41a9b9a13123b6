"""Benchmarks: the figures of DESIGN beside their physical references, taken in one run."""

"""Bugs injected into healthy services, to see whether validation finds them."""

"""Emission: a design written down as the package a person would write."""

"""Exports successful CompoWorld trajectories as chat data for supervised fine-tuning."""

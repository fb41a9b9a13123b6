"""Rewards for CompoWorld: completion-focused, uniform and binary."""

"""Project management services for CompoWorld: linear."""

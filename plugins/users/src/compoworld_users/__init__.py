"""Users for CompoWorld tasks: scripted, or played by a model."""

"""The default CompoWorld task generator: a walk over services, instantiated by execution."""

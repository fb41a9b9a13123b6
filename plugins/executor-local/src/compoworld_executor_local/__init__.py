"""CompoWorld's local executor: a process pool on this machine."""

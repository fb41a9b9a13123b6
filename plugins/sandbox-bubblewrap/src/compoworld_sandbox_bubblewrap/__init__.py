"""CompoWorld's sandboxes: bubblewrap, or a container runtime."""

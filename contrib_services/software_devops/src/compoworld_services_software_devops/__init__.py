"""Software development and operations services for CompoWorld: github."""

"""Finance and payments services for CompoWorld: stripe."""

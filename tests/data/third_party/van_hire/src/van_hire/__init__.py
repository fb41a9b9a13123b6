"""A van hire desk."""

"""Data and analytics services for CompoWorld: snowflake."""

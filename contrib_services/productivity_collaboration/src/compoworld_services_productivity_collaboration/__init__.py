"""Productivity and collaboration services for CompoWorld: gmail, google_calendar, google_drive, notion."""

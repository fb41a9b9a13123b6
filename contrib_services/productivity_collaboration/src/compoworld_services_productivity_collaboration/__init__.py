"""Productivity and collaboration services: gmail, google_calendar, google_drive, notion."""

"""Independent validation of services, and bugs injected to test it."""

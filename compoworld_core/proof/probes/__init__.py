"""The probes of the certificate, each `probe(case) -> detail`, raising Refuted where it fails."""

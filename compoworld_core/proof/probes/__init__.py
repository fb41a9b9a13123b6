"""The probes of the certificate: `probe(case) -> detail`, or Refuted where it fails."""

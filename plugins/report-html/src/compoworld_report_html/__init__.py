"""One self-contained HTML report of a CompoWorld run."""

"""Programs that run inside the sandbox, each by its path; standard library only."""

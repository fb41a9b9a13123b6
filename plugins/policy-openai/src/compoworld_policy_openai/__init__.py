"""A CompoWorld policy behind any OpenAI-compatible chat endpoint."""

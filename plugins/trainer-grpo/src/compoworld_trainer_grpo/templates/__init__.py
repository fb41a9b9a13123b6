"""Chat templates: how messages become the text that a model reads, and its text a message."""

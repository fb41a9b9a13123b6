"""A CompoWorld task generator whose author is a language model; the proof decides."""

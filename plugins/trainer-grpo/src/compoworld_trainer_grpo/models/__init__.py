"""Models: the two embedded ones, and how any is loaded with tokenizer and template."""

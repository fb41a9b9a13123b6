"""Communication and support services for CompoWorld: slack, zendesk."""

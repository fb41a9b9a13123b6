"""Marketing, sales and CRM services for CompoWorld: hubspot."""

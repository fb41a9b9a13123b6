"""E-commerce and retail services for CompoWorld: shopify."""

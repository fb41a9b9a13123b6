"""Services from specifications: a listing that someone else wrote becomes a package."""

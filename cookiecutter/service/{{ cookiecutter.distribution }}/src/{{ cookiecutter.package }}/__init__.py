"""{{ cookiecutter.title }}: a service for CompoWorld."""

from {{ cookiecutter.package }} import seed, tools
from {{ cookiecutter.package }}.state import service

__all__ = ["seed", "service", "tools"]

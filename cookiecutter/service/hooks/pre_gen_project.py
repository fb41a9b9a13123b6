"""Refuses names that the service or the package could not have."""

import re
import sys

service, package = "{{ cookiecutter.service }}", "{{ cookiecutter.package }}"
if not re.fullmatch(r"[a-z][a-z0-9_]*", service):
    sys.exit(f"{service!r} is no service name: lower-case letters, digits and _, a letter first")
if not re.fullmatch(r"[a-z_][a-z0-9_]*", package):
    sys.exit(f"{package!r} is no package name: lower-case letters, digits and _")

"""Refuses names that the reward or the package could not have."""

import re
import sys

reward, package = "{{ cookiecutter.reward }}", "{{ cookiecutter.package }}"
if not re.fullmatch(r"[a-z][a-z0-9-]*", reward):
    sys.exit(f"{reward!r} is no name of a reward: lower-case letters, digits and -")
if not re.fullmatch(r"[a-z_][a-z0-9_]*", package):
    sys.exit(f"{package!r} is no package name: lower-case letters, digits and _")

"""The reward {{ cookiecutter.reward }} for CompoWorld."""

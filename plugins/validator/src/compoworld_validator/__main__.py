"""`python -m compoworld_validator PATH --json`: the command in a process of its own."""

from compoworld_validator.command import validate

if __name__ == "__main__":
    validate()

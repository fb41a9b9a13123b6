"""Registers the users."""

from __future__ import annotations

from compoworld_core import Register, hookimpl


@hookimpl
def register_users(register: Register) -> None:
    """Add `scripted`, `model` and `person`."""
    register(
        "scripted",
        "compoworld_users.scripted:scripted",
        summary="answers a question that has the words of a fact, and nothing else",
    )
    register(
        "model",
        "compoworld_users.model:ModelUser",
        summary="a model behind an OpenAI-compatible endpoint, each reply checked",
    )
    register(
        "person",
        "compoworld_users.person:Person",
        summary="somebody at the terminal, who types each reply",
    )

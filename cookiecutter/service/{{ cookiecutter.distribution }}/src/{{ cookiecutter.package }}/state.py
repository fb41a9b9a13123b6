"""Requests of customers and the comments on them."""

from __future__ import annotations

from typing import Literal

from compoworld_core import Entity, Ref, Service, State, Table
from compoworld_core.types import CustomerEmail, DateTime, StaffEmail, Text, Title

Status = Literal["open", "waiting", "closed"]
Priority = Literal["low", "normal", "high"]

STEPS: dict[str, tuple[Status, ...]] = {
    "open": ("waiting", "closed"),
    "waiting": ("open", "closed"),
    "closed": ("open",),
}
"""What a request may become."""


class Request(Entity):
    """What a customer wants."""

    id: str
    subject: Title
    details: Text = ""
    customer: CustomerEmail
    priority: Priority = "normal"
    status: Status = "open"
    created_at: DateTime
    updated_at: DateTime


class Comment(Entity):
    """What one of our people wrote below a request."""

    id: str
    request_id: Ref[Request]
    author: StaffEmail
    text: Text
    created_at: DateTime


class DeskState(State):
    """All requests and comments."""

    requests: Table[Request] = Table()
    comments: Table[Comment] = Table()


service = Service(
    "{{ cookiecutter.service }}",
    state=DeskState,
    domain="{{ cookiecutter.domain }}",
    title={{ cookiecutter.title | jsonify }},
    summary={{ cookiecutter.summary | jsonify }},
)
service.words.update(
    {
        "requests": "request",
        "requests.subject": "about {}",
        "requests.customer": "from {}",
        "requests.priority": "with {} priority",
        "requests.status": "that is {}",
        "comments": "comment",
        "comments.author": "by {}",
    }
)

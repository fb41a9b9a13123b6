"""Dialogue: a brief, the model's last reply, and what was wrong with it."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from attrs import define, field
from compoworld_policy_openai.connection import Connection
from compoworld_policy_openai.endpoint import Endpoint

from compoworld_core.proof.case import Candidate
from compoworld_tasks_agentic.options import AgenticOptions
from compoworld_tasks_agentic.replies import BadReply, read_object
from compoworld_tasks_agentic.spending import Spending

_LONGEST_ECHO: Final = 24_000
"""Characters of a refused reply that the model sees again."""
_LONGEST_COMPLAINT: Final = 2_000


class Complaint(Exception):  # noqa: N818  # says what it is
    """What is wrong with a reply, and what refused it; it goes back to the model."""

    def __init__(self, stage: str, why: str) -> None:
        self.stage, self.why = stage, why
        super().__init__(why)


@define
class Outcome:
    """How the work on one try ended."""

    candidate: Candidate | None
    probe: str = ""
    """What refused the last reply."""
    why: str = ""


@define
class Dialogue:
    """Asks one model for one object, and again with what was wrong with the last one.

    A request holds the brief, the last reply and the complaint about it: its length does not
    grow with the repairs.
    """

    options: AgenticOptions
    rules: str
    """What the model is told once: its job, the form of the reply."""
    brief: str
    rng: Random
    """Draws the seeds that are sent, and spreads waits."""
    spending: Spending = field(factory=Spending)
    _connection: Connection = field(init=False)
    _last: tuple[str, str] | None = None
    """The last reply and the complaint about it."""

    def __attrs_post_init__(self) -> None:
        self._connection = Connection(self.options.endpoint(), Random(self.rng.random()))

    @property
    def endpoint(self) -> Endpoint:
        """Who is asked."""
        return self._connection.endpoint

    def ask(self) -> dict[str, Any]:
        """The object of the next reply; Complaint where the reply holds none."""
        before = self._connection.tries
        try:
            answer = self._connection.ask(self._body())
        finally:
            self.spending.requests += self._connection.tries - before
        self.spending.add(answer["usage"])
        content = answer["message"].get("content")
        text = content if isinstance(content, str) else ""
        self._last = (text, "")
        if answer["finish_reason"] == "length":
            raise Complaint("reply", "the reply was cut off at the token limit; be briefer")
        try:
            return read_object(text)
        except BadReply as error:
            raise Complaint("reply", str(error)) from error

    def complain(self, complaint: Complaint) -> None:
        """Say what was wrong with the last reply."""
        text, _ = self._last or ("", "")
        self._last = (text, f"{complaint.stage}: {complaint.why}"[:_LONGEST_COMPLAINT])

    def _body(self) -> dict[str, Any]:
        options = self.options
        body: dict[str, Any] = {
            "model": self._connection.endpoint.model,
            "messages": self._messages(),
            "temperature": options.temperature,
            "max_tokens": options.max_tokens,
            "seed": None if options.seed is None else self.rng.getrandbits(31),
            "response_format": {"type": "json_object"} if options.json_mode else None,
            **options.body,
        }
        return {name: value for name, value in body.items() if value is not None}

    def _messages(self) -> list[dict[str, str]]:
        messages = [
            {"role": "system", "content": self.rules},
            {"role": "user", "content": self.brief},
        ]
        if self._last is not None:
            text, complaint = map(_sendable, self._last)
            shown = text[:_LONGEST_ECHO] or "(no text)"
            messages.append({"role": "assistant", "content": shown})
            messages.append(
                {
                    "role": "user",
                    "content": f"That was refused.\n{complaint}\nReply with the whole corrected"
                    " JSON object and nothing else.",
                }
            )
        return messages


def _sendable(text: str) -> str:
    """A text without halves of surrogate pairs, which no request can hold."""
    return text.encode(errors="replace").decode()

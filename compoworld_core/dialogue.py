"""Dialogue: what was said to the user of a task, and what they replied."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from attrs import frozen

from compoworld_core.errors import CompoWorldError, PluginError
from compoworld_core.observation import LIMIT, encodable, shown

if TYPE_CHECKING:
    from compoworld_core.protocols import User


class Exchange(NamedTuple):
    """A message to the user, and the reply."""

    said: str
    reply: str


@frozen
class Dialogue:
    """A user and the conversation so far.

    Forks of an environment share it: it is never changed, and a reply depends on what was said
    in the fork alone.
    """

    user: User
    said: tuple[Exchange, ...] = ()

    def ask(self, text: str, limit: int = LIMIT) -> tuple[str | None, Dialogue]:
        """The user's reply, None where there is no more to say, and the dialogue after it.

        A long reply is cut as an observation is; an empty one, which endpoints refuse, is none.
        Raises PluginError where the simulator breaks.
        """
        try:
            reply: object = self.user.reply(self.said, text)
        except CompoWorldError:
            raise
        except Exception as error:  # a simulator is a plugin: it may raise anything
            raise PluginError(f"the user failed: {type(error).__name__}: {error}") from error
        if reply is not None and not isinstance(reply, str):
            raise PluginError(
                f"the user returned a {type(reply).__name__}; reply() returns text, or None"
                " where the conversation is over"
            )
        if not reply or not reply.strip():
            return None, self
        heard = shown(encodable(reply), limit)
        return heard, Dialogue(self.user, (*self.said, Exchange(text, heard)))

"""Masks: conversations as tokens, with a 1 at each token that the model itself wrote.

A row is cut where turns begin and end, and each piece is tokenized alone, as a sampler does:
training sees the very tokens that sampling sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from compoworld_core.errors import UsageError
from compoworld_core.records import Message
from compoworld_trainer_grpo.templates.template import role

if TYPE_CHECKING:
    from compoworld_trainer_grpo.models.loading import Loaded


@frozen
class Row:
    """One training row."""

    input_ids: list[int]
    assistant_mask: list[int]
    """As long as the ids: 1 where a loss counts, 0 elsewhere."""


def rows(
    messages: Sequence[Message | Mapping[str, Any]],
    tools: Sequence[Mapping[str, Any]],
    loaded: Loaded,
) -> list[Row]:
    """The rows of a conversation: one, or one per assistant turn (see below).

    A template that strips past thinking shows the model another past in each turn; there, each
    assistant turn is a row, with the past that the model has when it writes that turn. What
    follows the last assistant turn is left out. The end token is the model's own.

    Raises UsageError where no token would be trained, where a turn does not begin with what the
    model sees when it writes it, and where the tokenizer loses text.

    Args:
        messages: of a trajectory, or as exported.
        tools: schemas, as `MetaTools.schemas()` gives them.
        loaded: tokenizer and template; the model is not used.
    """
    turns = [index for index, message in enumerate(messages) if role(message) == "assistant"]
    template = loaded.template
    found: list[Row] = []
    pieces: list[tuple[str, int]] = []
    for turn in turns:
        before = template.render(messages[:turn], tools, generation=True)
        whole = template.render(messages[: turn + 1], tools, generation=False)
        if not template.prefix_preserving:
            pieces = []
        past = "".join(text for text, _ in pieces)
        if not (before.startswith(past) and whole.startswith(before)):
            raise UsageError(_inconsistent(loaded, turn, past, before, whole))
        written = whole[len(before) :]
        cut = written.rfind(template.end) + len(template.end)
        if not template.end or cut < len(template.end):
            raise UsageError(
                f"the chat template {template.name!r} does not end message {turn} with"
                f" {template.end!r}, so a model would never learn to stop; name the right end"
                " token in the Template"
            )
        pieces += [(before[len(past) :], 0), (written[:cut], 1)]
        if not template.prefix_preserving:
            found.append(_row(pieces, loaded))
    if template.prefix_preserving and turns:
        found.append(_row(pieces, loaded))
    if not found or any(1 not in row.assistant_mask for row in found):
        raise UsageError(
            f"the conversation of {len(messages)} messages has no token to learn from: none of"
            " them is an assistant's; export trajectories that a policy has played"
        )
    return found


def _row(pieces: Sequence[tuple[str, int]], loaded: Loaded) -> Row:
    ids: list[int] = []
    mask: list[int] = []
    for text, own in pieces:
        tokens = encode(text, loaded)
        ids += tokens
        mask += [own] * len(tokens)
    return Row(ids, mask)


def encode(text: str, loaded: Loaded) -> list[int]:
    """The tokens of a rendered text; UsageError where they do not say the same text."""
    ids: list[int] = loaded.tokenizer(text, add_special_tokens=False)["input_ids"]
    back = loaded.tokenizer.decode(
        ids, skip_special_tokens=False, clean_up_tokenization_spaces=False
    )
    if back != text:
        raise UsageError(
            f"the tokenizer turns {_near(text, back)} into {_near(back, text)}; a model cannot"
            " learn what it cannot read: use a byte-level tokenizer"
        )
    return ids


def _inconsistent(loaded: Loaded, turn: int, past: str, before: str, whole: str) -> str:
    longer, shorter = (whole, before) if before.startswith(past) else (before, past)
    return (
        f"the chat template {loaded.template.name!r} is not prefix-consistent at message"
        f" {turn}: it renders {_near(longer, shorter)} where the model had seen"
        f" {_near(shorter, longer)}."
        " Set prefix_preserving to False in the Template, or use its training variant"
    )


def _near(text: str, other: str) -> str:
    """The text where it begins to differ from another one."""
    pairs = enumerate(zip(text, other, strict=False))
    first = next((i for i, (a, b) in pairs if a != b), min(len(text), len(other)))
    return repr(text[max(0, first - 20) : first + 20])

"""Decoding: the next turns of many conversations at once, from a model in this process.

Why not `generate` of transformers: there, all rows share one random stream, so that a rollout
would depend on its neighbours in the batch; it ends and begins anew with each turn, while here
the keys and values of a conversation stay, and rows of one prompt share its reading; and under
ZeRO-3 all processes must make the same number of forward passes, which only the owner of the
loop can see to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

import torch  # noqa: TID253  # this module is nothing without it; who needs it imports it late
from attrs import define, field, frozen
from transformers import DynamicCache  # noqa: TID253  # as above

if TYPE_CHECKING:
    from torch import Tensor


@frozen
class Ask:
    """A turn that is wanted."""

    row: int
    """Which conversation; rows that are left out of a turn have ended."""
    ids: Sequence[int]
    """What the conversation has got since this row's last turn: its prompt, at first."""
    most: int
    """New tokens at most."""
    random: Random
    """The row's own: a rollout depends on its seed, not on its neighbours."""


@frozen
class Turn:
    """What the model wrote."""

    ids: list[int]
    """With the end token, where it came to that."""
    logprobs: list[float]
    """Of each token, at the temperature, before top-k and top-p."""
    ended: bool
    """False where the budget cut it."""


class Session(Protocol):
    """Conversations that go on."""

    def advance(self, asks: Sequence[Ask]) -> list[tuple[int, Turn]]:
        """Take up turns that are wanted; the rows and turns that have been written next.

        At least one, as long as any is wanted. A row whose turn came back asks again in the
        next call, or has ended.
        """


class Engine(Protocol):
    """Whoever generates."""

    def begin(self) -> Session:
        """Start anew, with no conversation."""

    def drain(self) -> None:
        """Go along with other processes until they are done, too."""


@frozen
class Drawing:
    """How a token is drawn."""

    temperature: float = 1.0
    """0 takes the likeliest token."""
    top_p: float = 1.0
    top_k: int = 0
    """0 is no limit."""

    def draw(self, logits: Tensor, numbers: Sequence[float]) -> tuple[list[int], list[float]]:
        """A token for each row, and its log-probability.

        Args:
            logits: float, (rows, vocabulary).
            numbers: in [0, 1), one a row: where in the distribution it is drawn.
        """
        scores = logits.double() / (self.temperature or 1.0)
        every = scores.log_softmax(dim=-1)
        if not self.temperature:
            chosen = every.argmax(dim=-1)
        else:
            shares = self._kept(scores).softmax(dim=-1).cumsum(dim=-1)
            aims = torch.tensor(numbers, dtype=shares.dtype, device=shares.device)
            # a token of no weight has no width here, so it can never be hit
            at = (aims * shares[:, -1]).unsqueeze(-1)
            chosen = torch.searchsorted(shares, at, right=True).squeeze(-1)
            chosen = chosen.clamp(max=shares.shape[-1] - 1)
        picked = every.gather(-1, chosen.unsqueeze(-1)).squeeze(-1)
        return chosen.tolist(), picked.tolist()

    def _kept(self, scores: Tensor) -> Tensor:
        from transformers import TopKLogitsWarper, TopPLogitsWarper

        unused: Any = None  # token ids, which these two do not look at
        if self.top_k:
            scores = TopKLogitsWarper(self.top_k)(unused, scores)
        if self.top_p < 1:
            scores = TopPLogitsWarper(self.top_p)(unused, scores)
        return scores


@define
class LocalEngine:
    """A causal language model of transformers, PEFT adapters included."""

    model: Any
    ends: frozenset[int]
    """Tokens that end a turn."""
    pad: int
    drawing: Drawing = field(factory=Drawing)
    keep: bool = True
    """Keep keys and values over turns; models whose layers are not all full attention read
    the whole conversation again each turn, since their state cannot have gaps."""
    anyone: Callable[[bool], bool] | None = None
    """Tells the processes whether one of them makes a forward pass: needed where a pass is
    collective (ZeRO-3 with sharded parameters), so that all make as many."""
    passes: int = 0
    """Forward passes so far."""

    def begin(self) -> Session:
        """Start anew."""
        from compoworld_trainer_grpo.conversing import Conversations

        return Conversations(self) if self.keep else Rereading(self)

    def forward(self, **inputs: Any) -> Any:
        """A pass of the model, in step with the other processes."""
        if self.anyone is not None:
            self.anyone(True)
        self.passes += 1
        return self.model(**inputs)

    def drain(self) -> None:
        """Make empty passes until no process needs one."""
        if self.anyone is None:
            return
        one = torch.tensor([[self.pad]], device=self.model.device)
        with torch.no_grad():
            while self.anyone(False):
                self.passes += 1
                self.model(input_ids=one, use_cache=False)


@define
class Rereading:
    """Conversations that are read again each turn, from the start; all write together."""

    engine: LocalEngine
    _texts: dict[int, list[int]] = field(factory=dict)
    _cache: Any = None
    _mask: Any = None
    """(rows, places): 1 where the cache holds a token, 0 where a shorter text is padded."""

    def advance(self, asks: Sequence[Ask]) -> list[tuple[int, Turn]]:
        """Write the next turn of each of these conversations, token by token."""
        rows = [ask.row for ask in asks]
        with torch.no_grad():
            return list(zip(rows, self._turns(asks), strict=True))

    def _turns(self, asks: Sequence[Ask]) -> list[Turn]:
        engine = self.engine
        for ask in asks:
            self._texts.setdefault(ask.row, []).extend(ask.ids)
        self._cache, self._mask = DynamicCache(config=engine.model.config), None
        logits = self._step(*self._padded([self._texts[ask.row] for ask in asks]))
        ids: list[list[int]] = [[] for _ in asks]
        logprobs: list[list[float]] = [[] for _ in asks]
        going = [True] * len(asks)
        while True:
            numbers = [
                ask.random.random() if on else 0.0 for ask, on in zip(asks, going, strict=True)
            ]
            tokens, logs = engine.drawing.draw(logits, numbers)
            for row, ask in enumerate(asks):
                if going[row]:
                    ids[row].append(tokens[row])
                    logprobs[row].append(logs[row])
                    ended = tokens[row] in engine.ends
                    going[row] = not ended and len(ids[row]) < ask.most
            if not any(going):
                break
            fed = [token if on else engine.pad for token, on in zip(tokens, going, strict=True)]
            logits = self._step([[token] for token in fed], [[int(on)] for on in going])
        for own, ask in zip(ids, asks, strict=True):
            self._texts[ask.row] += own
        return [
            Turn(own, logs, own[-1] in engine.ends)
            for own, logs in zip(ids, logprobs, strict=True)
        ]

    def _padded(self, texts: list[list[int]]) -> tuple[list[list[int]], list[list[int]]]:
        width = max(len(text) for text in texts)
        gaps = [width - len(text) for text in texts]
        ids = [[self.engine.pad] * gap + text for gap, text in zip(gaps, texts, strict=True)]
        mask = [[0] * gap + [1] * (width - gap) for gap in gaps]
        return ids, mask

    def _step(self, ids: list[list[int]], held: list[list[int]]) -> Tensor:
        """A forward pass over new places; the logits at the last one, (rows, vocabulary)."""
        device = self.engine.model.device
        new = torch.tensor(held, device=device)
        self._mask = new if self._mask is None else torch.cat([self._mask, new], dim=1)
        positions = (self._mask.cumsum(dim=1) - 1).clamp(min=0)[:, -new.shape[1] :]
        output = self.engine.forward(
            input_ids=torch.tensor(ids, device=device),
            attention_mask=self._mask,
            position_ids=positions,
            cache=self._cache,
            use_cache=True,
            logits_to_keep=1,
        )
        logits: Tensor = output.logits[:, -1]
        return logits


def turns(session: Session, asks: Sequence[Ask]) -> list[Turn]:
    """The next turn of each of these conversations, in the order of the asks."""
    found = dict(session.advance(asks))
    while len(found) < len(asks):
        found |= dict(session.advance(()))
    return [found[ask.row] for ask in asks]

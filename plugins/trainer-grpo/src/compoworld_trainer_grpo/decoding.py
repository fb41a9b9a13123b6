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
from transformers.cache_utils import DynamicLayer  # noqa: TID253  # as above

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

    def turn(self, asks: Sequence[Ask]) -> list[Turn]:
        """Write the next turn of each conversation."""


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


class _Roomy(DynamicLayer):  # type: ignore[no-untyped-call]  # its base hooks subclassing
    """Keys and values of a layer, with room to grow.

    Transformers copies all of them for each new token, which is a third of the time that a
    small model takes; there, `StaticCache` would be the way, but its length is fixed.
    """

    _room: tuple[Tensor, Tensor] | None = None
    _seen: Tensor | None = None

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Add new places; all keys and values, (rows, heads, places, width)."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        held = self.get_seq_length()
        length = held + key_states.shape[2]
        # rows may have been chosen, or places moved, since: then the room is not of these
        mine = self._room is not None and self.keys is self._seen
        if self._room is None or not mine or self._room[0].shape[2] < length:
            roomy = length + length // 4 + 64
            made = [
                new.new_empty(*new.shape[:2], roomy, new.shape[3])
                for new in (key_states, value_states)
            ]
            for room, old in zip(made, (self.keys, self.values), strict=True):
                if held and old is not None:
                    room[:, :, :held] = old
            self._room = (made[0], made[1])
        for room, new in zip(self._room, (key_states, value_states), strict=True):
            room[:, :, held:length] = new
        self.keys, self.values = (room[:, :, :length] for room in self._room)
        self._seen = self.keys
        return self.keys, self.values


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

    def begin(self) -> LocalSession:
        """Start anew."""
        return LocalSession(self)

    def new_cache(self) -> DynamicCache:
        """A cache with nothing in it."""
        cache = DynamicCache(config=self.model.config)
        if self.keep:
            cache.layers = [_Roomy() for _ in cache.layers]  # type: ignore[no-untyped-call]  # as above
        return cache

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
class LocalSession:
    """Conversations in one batch: a cache, and which of its places hold a token."""

    engine: LocalEngine
    rows: list[int] = field(factory=list)
    """Which conversation each row of the cache is."""
    _cache: Any = None
    _mask: Any = None
    """(rows, places): 1 where the cache holds a token, 0 in gaps."""
    _unread: dict[int, list[int]] = field(factory=dict)
    """Tokens of each conversation that are not in the cache yet."""

    def turn(self, asks: Sequence[Ask]) -> list[Turn]:
        """Write the next turn of each conversation, token by token for all at once."""
        with torch.no_grad():
            return self._turn(asks)

    def _turn(self, asks: Sequence[Ask]) -> list[Turn]:
        engine = self.engine
        self._select([ask.row for ask in asks])
        for ask in asks:
            self._unread.setdefault(ask.row, []).extend(ask.ids)
        logits = self._read([self._unread[ask.row] for ask in asks])
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
        for row, ask in enumerate(asks):
            # the last token was drawn, but the model has not read it
            self._unread[ask.row] = (
                ids[row][-1:]
                if engine.keep
                else [
                    *self._unread[ask.row],
                    *ids[row],
                ]
            )
        return [
            Turn(own, logs, own[-1] in engine.ends)
            for own, logs in zip(ids, logprobs, strict=True)
        ]

    def _select(self, rows: list[int]) -> None:
        """Let go of conversations that have ended."""
        if not self.engine.keep:
            self._mask = None
        if self._mask is not None and rows != self.rows:
            kept = torch.tensor(
                [self.rows.index(row) for row in rows], device=self._mask.device
            )
            self._cache.reorder_cache(kept)
            self._mask = self._mask[kept]
        self.rows = rows
        if self._mask is not None:
            self._close_gaps()

    def _close_gaps(self) -> None:
        """Move tokens together, to the right, where a third of the places are gaps."""
        most = int(self._mask.sum(dim=1).max())
        if self._mask.shape[1] * 2 < most * 3:
            return
        places = self._mask.argsort(dim=1, stable=True)[:, -most:]
        self._mask = self._mask.gather(1, places)
        index = places[:, None, :, None]
        for layer in self._cache.layers:
            for name in ("keys", "values"):
                held = getattr(layer, name)
                spread = index.expand(-1, held.shape[1], -1, held.shape[3])
                setattr(layer, name, held.gather(2, spread))

    def _read(self, texts: list[list[int]]) -> Tensor:
        """Read new tokens of each row; the logits after the last one."""
        if self._mask is not None:
            return self._step(*self._padded(texts))
        self._cache = self.engine.new_cache()
        # rows of one prompt, which is what a group is, are read once
        places: dict[tuple[int, ...], int] = {}
        spread = [places.setdefault(tuple(text), len(places)) for text in texts]
        logits = self._step(*self._padded([list(text) for text in places]))
        if len(places) < len(texts):
            index = torch.tensor(spread, device=logits.device)
            self._cache.reorder_cache(index)
            held: Tensor | None = self._mask  # `_step` has set it
            assert held is not None
            self._mask, logits = held[index], logits[index]
        return logits

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

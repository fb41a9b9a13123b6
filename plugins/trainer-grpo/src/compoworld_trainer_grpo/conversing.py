"""Conversing: many conversations, each at its own pace, from a model in this process.

A turn that looks something up has eight tokens, one that acts has forty. Were all turns of a
batch written together, the short ones would wait for the long ones, turn after turn. So a
conversation goes on as soon as it has heard what it waits for: a pass writes one token of every
conversation that is under way, and what was heard is read for several of them together.

Each conversation's keys and values lie at the places of its own tokens, so there are no gaps,
and places that it has not come to are overwritten when it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import torch  # noqa: TID253  # a module for torch; imported late, as `decoding` is
from attrs import define, field
from transformers import DynamicCache  # noqa: TID253  # as above
from transformers.cache_utils import DynamicLayer  # noqa: TID253  # as above

from compoworld_trainer_grpo.decoding import Ask, LocalEngine, Turn

if TYPE_CHECKING:
    from torch import Tensor

_TOGETHER: Final = 4
"""What was heard is read once a fourth of the conversations wait for it: a pass over two of
them costs nearly what one over eight does."""
_NEVER: Final = -1e9
"""Added to the score of a place that is not looked at."""
_SPARE: Final = 64
"""Places that are there beyond those in use, at least."""


class _Places(DynamicLayer):  # type: ignore[no-untyped-call]  # its base hooks subclassing
    """Keys and values of a layer: each slot's at the places of its own tokens."""

    slots: Tensor | None = None
    """The slots that a pass is about; all of them, in order, where None."""
    places: Tensor | None = None
    """(slots, new tokens): where each token goes."""
    extent: int = 0
    """Places that a pass looks at."""

    def update(
        self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        """Put new tokens in their places; keys and values, (slots, heads, extent, width)."""
        found = []
        for held, new in ((self.keys, key_states), (self.values, value_states)):
            assert held is not None, "there is room before there are tokens"
            assert self.places is not None, "a pass says where its tokens go"
            rows = self._rows(held)
            held[rows[:, None], :, self.places] = new.transpose(1, 2)
            some = held if self.slots is None else held[self.slots]
            found.append(some[:, :, : self.extent])
        return found[0], found[1]

    def _rows(self, held: Tensor) -> Tensor:
        return (
            torch.arange(held.shape[0], device=held.device)
            if self.slots is None
            else self.slots
        )

    def widen(self, slots: int, places: int, like: Any) -> None:
        """Have room for so many places of so many slots."""
        shape = (slots, like.heads, places, like.width)
        for name in ("keys", "values"):
            room = torch.zeros(shape, dtype=like.dtype, device=like.device)
            held = getattr(self, name, None)
            if held is not None and held.dim() == len(shape):
                room[:, :, : held.shape[2]] = held
            setattr(self, name, room)
        self.is_initialized = True

    def take(self, slots: Tensor) -> None:
        """Keep the tokens of these slots, in this order; one may be taken several times."""
        assert self.keys is not None, "there is room before there are tokens"
        assert self.values is not None, "as much of it"
        self.keys, self.values = self.keys[slots], self.values[slots]


@define
class _Shape:
    """What a model's keys are like."""

    heads: int
    width: int
    dtype: Any
    device: Any

    @classmethod
    def of(cls, model: Any) -> _Shape:
        config = model.config.get_text_config()
        heads = config.num_attention_heads
        width = getattr(config, "head_dim", None) or config.hidden_size // heads
        held = getattr(config, "num_key_value_heads", None) or heads
        return cls(held, width, model.dtype, model.device)


@define
class _Line:
    """One conversation."""

    slot: int
    length: int = 0
    """Its tokens that the model has read."""
    heard: list[int] = field(factory=list)
    """Tokens to be read before it goes on."""
    ask: Ask | None = None
    """The turn that is wanted; None between turns."""
    ids: list[int] = field(factory=list)
    logprobs: list[float] = field(factory=list)

    @property
    def writes(self) -> bool:
        """Is it in the middle of a turn?"""
        return bool(self.ids)

    def turn(self, ended: bool) -> Turn:
        """Its turn, at the end of it: the last token was drawn, but not read."""
        made = Turn(self.ids, self.logprobs, ended)
        self.heard, self.ask, self.ids, self.logprobs = self.ids[-1:], None, [], []
        return made


@define
class Conversations:
    """The session of an engine that keeps keys and values."""

    engine: LocalEngine
    _lines: dict[int, _Line] = field(factory=dict)
    """By row."""
    _cache: Any = None
    _room: int = 0
    _slots: int = 0

    def advance(self, asks: Sequence[Ask]) -> list[tuple[int, Turn]]:
        """Take up turns that are wanted; go on until some of all those have been written.

        A conversation whose turn came back asks again, or is let go of with the next asks.
        """
        with torch.no_grad():
            for ask in asks:
                line = self._lines.setdefault(ask.row, _Line(-1))
                line.heard += ask.ids
                line.ask = ask
            if asks:
                self._settle()
            done: list[tuple[int, Turn]] = []
            while not done and any(line.ask for line in self._lines.values()):
                done = self._read() if self._may_read() else self._write()
            return done

    # -- slots -----------------------------------------------------------------------------

    def _settle(self) -> None:
        """Give new conversations a slot, and let go of those that have ended."""
        for row in [row for row, line in self._lines.items() if line.ask is None]:
            del self._lines[row]
        lines = list(self._lines.values())
        old = [line.slot for line in lines]
        if -1 not in old and len(lines) * 4 > self._slots * 3:
            return  # to copy what stays costs more than passing a few by
        for slot, line in enumerate(lines):
            line.slot = slot
        if self._cache is not None:
            device = self.engine.model.device
            kept = torch.tensor([max(slot, 0) for slot in old], device=device)
            for layer in self._cache.layers:
                layer.take(kept)
        self._slots = len(lines)

    def _provide(self, places: int) -> None:
        """Have room for so many places of every slot, and one more that nobody looks at."""
        shape = _Shape.of(self.engine.model)
        if self._cache is None:
            self._cache = DynamicCache(config=self.engine.model.config)
            self._cache.layers = [_Places() for _ in self._cache.layers]  # type: ignore[no-untyped-call]  # as above
            self._room = 0
        if places + 1 > self._room:
            self._room = places + places // 4 + _SPARE
            for layer in self._cache.layers:
                layer.widen(self._slots, self._room, shape)

    # -- passes ----------------------------------------------------------------------------

    def _may_read(self) -> bool:
        waiting = sum(bool(line.ask) and not line.writes for line in self._lines.values())
        writing = sum(line.writes for line in self._lines.values())
        return waiting > 0 and (not writing or waiting * _TOGETHER >= waiting + writing)

    def _read(self) -> list[tuple[int, Turn]]:
        """Read what waiting conversations have heard, and draw the first token of each turn."""
        rows = [row for row, line in self._lines.items() if line.ask and not line.writes]
        # of rows that hear the same from the start, which a group does, one reads for all
        first: dict[tuple[int, ...], int] = {}
        reader = {
            row: row
            if self._lines[row].length
            else first.setdefault(tuple(self._lines[row].heard), row)
            for row in rows
        }
        readers = list(dict.fromkeys(reader.values()))
        logits = self._pass(readers, [self._lines[row].heard for row in readers])
        if len(readers) < len(rows):
            self._copy({row: by for row, by in reader.items() if row != by})
        for row in rows:
            line = self._lines[row]
            line.length += len(line.heard)
            line.heard = []
        index = {row: place for place, row in enumerate(readers)}
        spread = torch.tensor([index[reader[row]] for row in rows], device=logits.device)
        return self._draw(rows, logits[spread])

    def _write(self) -> list[tuple[int, Turn]]:
        """Read the last token of each turn under way, and draw the next one."""
        rows = [row for row, line in self._lines.items() if line.writes]
        logits = self._pass(rows, [self._lines[row].ids[-1:] for row in rows])
        for row in rows:
            self._lines[row].length += 1
        return self._draw(rows, logits)

    def _copy(self, readers: dict[int, int]) -> None:
        """Have rows hold what another one has read for them."""
        slots = list(range(self._slots))
        for row, by in readers.items():
            slots[self._lines[row].slot] = self._lines[by].slot
        taken = torch.tensor(slots, device=self.engine.model.device)
        for layer in self._cache.layers:
            layer.take(taken)

    def _pass(self, rows: list[int], texts: list[list[int]]) -> Tensor:
        """Read new tokens of some rows; the logits after the last one, (rows, vocabulary)."""
        lines = [self._lines[row] for row in rows]
        extent = max(line.length + len(text) for line, text in zip(lines, texts, strict=True))
        self._provide(extent)
        width = max(map(len, texts))
        # one token of nearly all: passing by the others costs less than gathering these
        whole = width == 1 and len(rows) * 2 > self._slots
        taking = list(range(self._slots)) if whole else [line.slot for line in lines]
        at = {slot: place for place, slot in enumerate(taking)}
        ids = [[self.engine.pad] * width for _ in taking]
        # what pads goes where nobody looks, and looks at the first place alone
        places = [[self._room - 1] * width for _ in taking]
        positions = [[0] * width for _ in taking]
        for line, text in zip(lines, texts, strict=True):
            place, gap = at[line.slot], width - len(text)
            own = range(line.length, line.length + len(text))
            ids[place][gap:] = text
            places[place][gap:] = positions[place][gap:] = own
        device = self.engine.model.device
        put = torch.tensor(places, device=device)
        slots = None if whole else torch.tensor(taking, device=device)
        for layer in self._cache.layers:
            layer.slots, layer.places, layer.extent = slots, put, extent
        seen = torch.tensor(positions, device=device)
        reach = torch.arange(extent, device=device)
        output = self.engine.forward(
            input_ids=torch.tensor(ids, device=device),
            # as a number that is added: each way to compute attention takes that
            attention_mask=torch.where(reach <= seen[:, :, None], 0.0, _NEVER)[:, None],
            position_ids=seen,
            cache=self._cache,
            use_cache=True,
            logits_to_keep=1,
        )
        logits: Tensor = output.logits[:, -1]
        return logits[[at[line.slot] for line in lines]]

    def _draw(self, rows: list[int], logits: Tensor) -> list[tuple[int, Turn]]:
        """Draw a token of each row; the turns that end with it."""
        lines = [self._lines[row] for row in rows]
        asks = [line.ask for line in lines]
        numbers = [ask.random.random() for ask in asks if ask is not None]
        tokens, logs = self.engine.drawing.draw(logits, numbers)
        done: list[tuple[int, Turn]] = []
        for row, line, ask, token, log in zip(rows, lines, asks, tokens, logs, strict=True):
            assert ask is not None, "only rows that are asked write"
            line.ids.append(token)
            line.logprobs.append(log)
            ended = token in self.engine.ends
            if ended or len(line.ids) >= ask.most:
                done.append((row, line.turn(ended)))
        return done

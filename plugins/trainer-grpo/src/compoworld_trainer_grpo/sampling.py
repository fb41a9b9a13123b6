"""Sampling: whole episodes of many rollouts at once, with the tokens that training needs.

Episodes of a batch are under way together, each at its own pace. A rollout is a function of
the weights, its task, its sample number and the seed: what else is in the batch changes nothing
but the order in which numbers are added.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any

from attrs import asdict, define, evolve, field, frozen

from compoworld_core.conversation import to_chat
from compoworld_core.environment import Environment
from compoworld_core.episode import Limits
from compoworld_core.errors import UsageError
from compoworld_core.meta import SCHEMAS
from compoworld_core.observation import shown
from compoworld_core.records import Message, Task, ToolCall, Trajectory, Verdict
from compoworld_trainer_grpo.play import Play, rollout_seed

if TYPE_CHECKING:
    from compoworld_trainer_grpo.decoding import Ask, Engine, Turn
    from compoworld_trainer_grpo.models.loading import Loaded


@frozen
class Sampling:
    """How episodes are sampled, and where they end at the latest."""

    temperature: float = 1.0
    """0 takes the likeliest token, so that all rollouts of a task are the same."""
    top_p: float = 1.0
    top_k: int = 0
    """0 is no limit."""
    turns: int = 40
    """Assistant messages of an episode."""
    turn_tokens: int = 1024
    """New tokens of one assistant message; one that is cut ends the episode."""
    episode_tokens: int = 16384
    """Tokens of an episode: prompt, assistant and tools."""
    observation_tokens: int = 2048
    """Tokens of one tool result; the rest is cut, with a notice."""
    calls: int = 300
    """Calls of meta-tools."""
    batch: int = 64
    """Episodes that are played at once."""


@frozen
class Seat:
    """A rollout that is wanted."""

    task: Task
    sample: int
    """Which of its group it is."""


@frozen(eq=False)
class Episode:
    """A rollout with its tokens: the prompt, then what the model and the world added."""

    task: Task
    prompt_ids: list[int]
    completion_ids: list[int]
    """The model's tokens and, between them, those of tool results and headers."""
    model_mask: list[int]
    """As long as the completion: 1 at the model's own tokens."""
    logprobs: list[float]
    """As long as the completion: of the model's own tokens when they were drawn, else 0."""
    trajectory: Trajectory
    verdict: Verdict | None
    """None where a service broke (the trajectory's `error`)."""

    @property
    def truncated(self) -> bool:
        """Whether a limit or a budget ended it."""
        return bool(self.trajectory.usage.get("truncated"))


@define
class Tally:
    """What sampling has cost so far; the times are the clock's."""

    episodes: int = 0
    model_tokens: int = 0
    read_tokens: int = 0
    """Prompts and observations."""
    environment_seconds: float = 0.0
    """Forks, calls, and verdicts."""
    seconds: float = 0.0
    """All of it."""

    def copy(self) -> Tally:
        """As it is now."""
        return evolve(self)

    def since(self, before: Tally) -> Tally:
        """What was added since an earlier copy."""
        old, new = asdict(before), asdict(self)
        return Tally(**{name: new[name] - old[name] for name in new})


@define(eq=False)
class _Line:
    """An episode under way, with its tokens."""

    play: Play
    prompt: list[int]
    random: Random
    completion: list[int] = field(factory=list)
    mask: list[int] = field(factory=list)
    logprobs: list[float] = field(factory=list)
    news: list[int] = field(factory=list)
    """What the model is to read before its next turn."""

    @property
    def length(self) -> int:
        return len(self.prompt) + len(self.completion)

    def read(self) -> None:
        """Take the news up: they are the world's tokens."""
        if self.completion:
            self.completion += self.news
            self.mask += [0] * len(self.news)
            self.logprobs += [0.0] * len(self.news)

    def write(self, turn: Turn) -> None:
        self.completion += turn.ids
        self.mask += [1] * len(turn.ids)
        self.logprobs += turn.logprobs


@define
class Sampler:
    """Plays episodes with a model, in batches."""

    loaded: Loaded
    sampling: Sampling
    start: Callable[[Task], Environment]
    """Opens a task in s0: `functools.partial(open_task, run)`."""
    engine: Engine | None = None
    """Who generates; by default the loaded model, in this process."""
    policy: str = "local"
    """The policy's name in the trajectories."""
    tally: Tally = field(factory=Tally)
    _opened: dict[str, Environment] = field(factory=dict)
    _suffixes: dict[str, list[int]] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if self.engine is None:
            self.engine = local_engine(self.loaded, self.sampling)

    def play(self, tasks: Sequence[Task], n: int, seed: int) -> list[Episode]:
        """N rollouts of each task, the rollouts of a task one after the other."""
        return self.play_seats([Seat(task, i) for task in tasks for i in range(n)], seed)

    def play_seats(self, seats: Sequence[Seat], seed: int) -> list[Episode]:
        """A rollout for each seat, in their order.

        With several processes under ZeRO-3 each must call this equally often, with whatever
        seats, none included.

        Raises UsageError where a prompt does not fit the budget of an episode.
        """
        began = perf_counter()
        episodes: list[Episode] = []
        for position in range(0, len(seats), self.sampling.batch):
            episodes += self._wave(seats[position : position + self.sampling.batch], seed)
        self._engine.drain()
        self.tally.seconds += perf_counter() - began
        return episodes

    def reply(
        self, histories: Sequence[Sequence[Mapping[str, Any] | Message]], seeds: Sequence[int]
    ) -> list[Message]:
        """The next assistant message of each conversation, however it came about.

        Everything is read anew; whole episodes are cheaper by `play`.
        """
        from compoworld_trainer_grpo.decoding import Ask, turns

        template = self.loaded.template
        asks = []
        for row, (history, seed) in enumerate(zip(histories, seeds, strict=True)):
            ids = self._tokens(template.render(history, SCHEMAS, generation=True))
            most = min(self.sampling.turn_tokens, self._room - len(ids))
            if most < 1:
                raise UsageError(self._too_long("the conversation", len(ids)))
            asks.append(Ask(row, ids, most, Random(seed)))
        written = turns(self._engine.begin(), asks)
        self._engine.drain()
        return [
            template.parse(self._text(turn), number=_calls(history))
            for turn, history in zip(written, histories, strict=True)
        ]

    # -- a batch ---------------------------------------------------------------------------

    def _wave(self, seats: Sequence[Seat], seed: int) -> list[Episode]:
        lines = [self._line(seat, seed) for seat in seats]
        session = self._engine.begin()
        asks = [self._ask(row, line) for row, line in enumerate(lines)]
        live = len(lines)
        while live:
            found = session.advance(asks)
            for row, turn in found:
                self._hear(lines[row], turn)
            going = [row for row, _ in found if not lines[row].play.over]
            live -= len(found) - len(going)
            asks = [self._ask(row, lines[row]) for row in going]
        return [self._episode(line, seed) for line in lines]

    def _ask(self, row: int, line: _Line) -> Ask:
        """The next turn of an episode, once it has heard what there is to hear."""
        from compoworld_trainer_grpo.decoding import Ask

        line.read()
        most = min(self.sampling.turn_tokens, self._room - line.length)
        return Ask(row, line.news, most, line.random)

    def _line(self, seat: Seat, seed: int) -> _Line:
        task = seat.task
        own = rollout_seed(seed, task.id, seat.sample)
        limits = Limits(turns=self.sampling.turns, calls=self.sampling.calls)
        began = perf_counter()
        play = Play(task, self._start(task), seat.sample, own, limits)
        self.tally.environment_seconds += perf_counter() - began
        text = self.loaded.template.render(play.messages, SCHEMAS, generation=True)
        prompt = self._tokens(text)
        if len(prompt) >= self._room:
            raise UsageError(self._too_long(f"the prompt of {task.id}", len(prompt)))
        self.tally.read_tokens += len(prompt)
        return _Line(play, prompt, Random(own), news=prompt)

    def _hear(self, line: _Line, turn: Turn) -> None:
        """Take a turn, let the services answer, and make their answer the news."""
        play, count = line.play, len(turn.ids)
        line.write(turn)
        self.tally.model_tokens += count
        text = self._text(turn)
        if not turn.ended:
            play.break_off(text, tokens=count)
            return
        said = self.loaded.template.parse(text, number=play.calls)
        began = perf_counter()
        heard = play.hear(said, tokens=count)
        self.tally.environment_seconds += perf_counter() - began
        if play.over:
            return
        line.news = self._suffix(play.shorten(heard, self._cut))
        self.tally.read_tokens += len(line.news)
        if line.length + len(line.news) >= self._room:
            play.truncate()

    def _episode(self, line: _Line, seed: int) -> Episode:
        play = line.play
        began = perf_counter()
        trajectory = play.trajectory(key=self._key(play, seed), policy=self.policy)
        self.tally.environment_seconds += perf_counter() - began
        self.tally.episodes += 1
        return Episode(
            play.task,
            line.prompt,
            line.completion,
            line.mask,
            line.logprobs,
            trajectory,
            trajectory.verdict,
        )

    # -- tokens ----------------------------------------------------------------------------

    def _suffix(self, heard: Sequence[Message]) -> list[int]:
        """The tokens between a turn and the next: the answers, and the header.

        A stand-in takes the place of the turn itself, whose tokens are there as they were
        drawn; so a template that strips past thinking keeps it, and nothing is read twice.
        """
        key = "\0".join(f"{message.role}\0{message.content}" for message in heard)
        found = self._suffixes.get(key)
        if found is None:
            calls = tuple(
                ToolCall(id=message.tool_call_id, name="call_tool", arguments="{}")
                for message in heard
                if message.tool_call_id is not None
            )
            stand_in = Message(role="assistant", content="x", tool_calls=calls)
            before = Message(role="user", content="x")
            text = self.loaded.template.continuation([before, stand_in, *heard], ())
            if len(self._suffixes) >= _MOST_SUFFIXES:
                self._suffixes.clear()
            found = self._suffixes[key] = self._tokens(text)
        return found

    def _cut(self, text: str) -> str:
        """An observation that keeps to its budget of tokens."""
        most = self.sampling.observation_tokens
        if len(text.encode()) <= most:  # no token is shorter than a byte
            return text
        ids = self._tokens(text)
        if len(ids) <= most:
            return text
        beginning = self._decode(ids[:most]).rstrip("\ufffd")  # half a character
        return shown(text, len(beginning))

    def _text(self, turn: Turn) -> str:
        return self._decode(turn.ids[:-1] if turn.ended else turn.ids)

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self.loaded.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def _decode(self, ids: Sequence[int]) -> str:
        text: str = self.loaded.tokenizer.decode(
            ids, skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        return text

    @property
    def _room(self) -> int:
        """Tokens that an episode may have."""
        config = getattr(self.loaded.model, "config", None)
        longest = getattr(config, "max_position_embeddings", None)
        budget = self.sampling.episode_tokens
        return budget if longest is None else min(budget, longest)

    def _too_long(self, what: str, length: int) -> str:
        return (
            f"{what} has {length} tokens, and an episode may have {self._room}; raise"
            " episode_tokens as far as the model goes, or use tasks of fewer services"
        )

    # -- the rest --------------------------------------------------------------------------

    @property
    def _engine(self) -> Engine:
        assert self.engine is not None
        return self.engine

    def _start(self, task: Task) -> Environment:
        """s0 of a task; the last ones are at hand, for N rollouts share one."""
        found = self._opened.get(task.id)
        if found is None:
            if len(self._opened) >= _MOST_OPENED:
                self._opened.clear()
            found = self._opened[task.id] = self.start(task)
        return found

    def _key(self, play: Play, seed: int) -> str:
        parts = [self.policy, asdict(self.sampling), seed, play.task.id, play.sample]
        text = json.dumps(parts, sort_keys=True)
        return f"rollout-{sha256(text.encode()).hexdigest()[:12]}"


_MOST_OPENED = 256
"""Tasks whose s0 is at hand: they share their bases, so one costs its patches."""
_MOST_SUFFIXES = 4096
"""Answers whose tokens are at hand: the rollouts of a group hear much the same."""


def local_engine(loaded: Loaded, sampling: Sampling) -> Engine:
    """The engine of a loaded model, in this process."""
    from compoworld_trainer_grpo.decoding import Drawing, LocalEngine

    tokenizer = loaded.tokenizer
    drawing = Drawing(sampling.temperature, sampling.top_p, sampling.top_k)
    pad = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
    return LocalEngine(loaded.model, end_tokens(loaded), pad, drawing, _keeps(loaded.model))


def end_tokens(loaded: Loaded) -> frozenset[int]:
    """The tokens that end a turn: the template's and the tokenizer's."""
    tokenizer, template = loaded.tokenizer, loaded.template
    end = tokenizer.convert_tokens_to_ids(template.end) if template.end else None
    found = {token for token in (end, tokenizer.eos_token_id) if token is not None}
    return frozenset(found - {tokenizer.unk_token_id})


def _keeps(model: Any) -> bool:
    """Whether keys and values can stay over turns: all layers attend to everything."""
    from transformers import DynamicCache
    from transformers.cache_utils import DynamicLayer

    layers = DynamicCache(config=model.config).layers
    return all(type(layer) is DynamicLayer for layer in layers)


def _calls(history: Sequence[Mapping[str, Any] | Message]) -> int:
    chats: Iterator[Mapping[str, Any]] = (
        to_chat(each) if isinstance(each, Message) else each for each in history
    )
    return sum(len(chat.get("tool_calls") or ()) for chat in chats)

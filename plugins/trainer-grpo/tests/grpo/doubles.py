"""Engines that say what they are told, and what an oracle would say in tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from compoworld_trainer_grpo.decoding import Ask, Drawing, LocalEngine, Turn, turns
from compoworld_trainer_grpo.sampling import Episode, Seat, Tally

from compoworld_core.meta import SCHEMAS
from compoworld_core.records import Criterion, Task, Trajectory, Verdict


def spoken(trajectory: Trajectory, loaded: Any) -> list[str]:
    """The text of each assistant turn, up to its end token."""
    found = []
    for position, message in enumerate(trajectory.messages):
        if message.role == "assistant":
            render = loaded.template.render
            before = render(trajectory.messages[:position], SCHEMAS, generation=True)
            whole = render(trajectory.messages[: position + 1], SCHEMAS, generation=False)
            end = whole.rfind(loaded.template.end) + len(loaded.template.end)
            found.append(whole[len(before) : end])
    return found


class Scripted:
    """An engine that says the turns of a script, whatever it hears; by row."""

    def __init__(self, loaded: Any, scripts: Sequence[Sequence[str]]) -> None:
        self.loaded = loaded
        self.scripts = [list(script) for script in scripts]
        self.heard: dict[int, list[int]] = {}
        """Row → all that it was asked to read."""
        self.drained = 0

    def begin(self) -> Scripted:
        self.left: dict[int, Iterator[str]] = {}
        return self

    def drain(self) -> None:
        self.drained += 1

    def advance(self, asks: Sequence[Ask]) -> list[tuple[int, Turn]]:
        return [(ask.row, self._say(ask)) for ask in asks]

    def _say(self, ask: Ask) -> Turn:
        self.heard.setdefault(ask.row, []).extend(ask.ids)
        script = self.scripts[ask.row % len(self.scripts)]
        text = next(self.left.setdefault(ask.row, iter(script)))
        ids = self.loaded.tokenizer(text, add_special_tokens=False)["input_ids"][: ask.most]
        return Turn(ids, [-0.5] * len(ids), ids[-1] == self.loaded.tokenizer.eos_token_id)


CONDITIONS = {"even": 2, "fourth": 4}
"""Of the bandit: the first token that is drawn must divide by each."""


class Bandit:
    """A sampler of episodes of one token: an arm, whose two criteria are known.

    One arm of four satisfies both, another one of them; what is best is known in advance.
    """

    def __init__(self, loaded: Any) -> None:
        self.engine = LocalEngine(loaded.model, frozenset(), 0)
        self.tally = Tally()
        self.prompt = [5, 6, 7]
        self.seeds: list[int] = []
        self.spoil: frozenset[int] = frozenset()
        """Rows without a verdict."""

    def play_seats(self, seats: Sequence[Seat], seed: int) -> list[Episode]:
        self.seeds.append(seed)
        asks = [
            Ask(row, self.prompt, 2, Random(f"{seed}:{seat.task.id}:{seat.sample}"))
            for row, seat in enumerate(seats)
        ]
        said = turns(self.engine.begin(), asks)
        self.engine.drain()
        return [
            self._episode(row, *pair) for row, pair in enumerate(zip(seats, said, strict=True))
        ]

    def _episode(self, row: int, seat: Seat, turn: Turn) -> Episode:
        criteria = {name: turn.ids[0] % by == 0 for name, by in CONDITIONS.items()}
        verdict = None if row in self.spoil else Verdict(criteria=criteria, gates={})
        trajectory = Trajectory(
            id=f"{seat.task.id}-{seat.sample}", task=seat.task.id, policy="bandit", seed=0,
            sample=seat.sample, messages=(), verdict=verdict, usage={"turns": 1},
        )  # fmt: skip
        # the second token is the world's: no loss may be on it
        mask, logs = [1, 0], [turn.logprobs[0], 0.0]
        return Episode(seat.task, list(self.prompt), turn.ids, mask, logs, trajectory, verdict)


def bandit_tasks(tasks: Sequence[Task], count: int) -> dict[str, Task]:
    """Tasks by name, with the bandit's criteria."""
    kinds = {"even": "create", "fourth": "update"}
    criteria = tuple(Criterion(id=name, text=name, kind=kinds[name]) for name in CONDITIONS)
    made = [
        tasks[0].model_copy(update={"id": f"task-{n}", "criteria": criteria, "gates": ()})
        for n in range(count)
    ]
    return {task.id: task for task in made}


class Dictated(Drawing):
    """Draws the tokens that its numbers are; their probabilities are the model's."""

    def draw(self, logits: Any, numbers: Sequence[float]) -> tuple[list[int], list[float]]:
        import torch

        chosen = torch.tensor([int(number) for number in numbers])
        logs = logits.double().log_softmax(-1).gather(-1, chosen[:, None]).squeeze(-1)
        return chosen.tolist(), logs.tolist()


class Tape(Random):
    """Numbers that are tokens."""

    def __new__(cls, tokens: Sequence[int]) -> Tape:
        return super().__new__(cls, 0)

    def __init__(self, tokens: Sequence[int]) -> None:
        super().__init__(0)
        self.tokens: Iterator[int] = iter(tokens)

    def random(self) -> float:
        return float(next(self.tokens))

"""Serving: turns that vLLM writes, beside the trained model or as a server, through TRL.

TRL sends the weights there before each generation batch. vLLM keeps the keys and values of
what it has read, so a conversation that goes on is not read again. It has its own random
stream: with it, a run is not repeated token by token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from attrs import define, field

from compoworld_trainer_grpo.decoding import Ask, Turn
from compoworld_trainer_grpo.rollouts import gathered, somebody

if TYPE_CHECKING:
    from collections.abc import Callable


@define
class VllmEngine:
    """TRL's `VLLMGeneration`, asked turn by turn."""

    generation: Any
    server: bool
    """A server is asked by the first process for all of them, so all ask equally often."""
    ends: frozenset[int]
    anyone: Callable[[bool], bool] = somebody

    def begin(self) -> VllmSession:
        """Start anew."""
        return VllmSession(self)

    def drain(self) -> None:
        """Ask for nothing until no process asks for something."""
        while self.server and self.anyone(False):
            self._from_server([], 0)

    def write(self, prompts: list[list[int]], most: int) -> list[tuple[list[int], list[float]]]:
        """Tokens and their log-probabilities after each prompt, at most so many."""
        if self.server:
            self.anyone(True)
            return self._from_server(prompts, most)
        self.generation.max_completion_length = most
        _, ids, logprobs, _ = self.generation.generate(prompts, None, 1)
        return _paired(ids, logprobs)

    def _from_server(
        self, prompts: list[list[int]], most: int
    ) -> list[tuple[list[int], list[float]]]:
        # TRL's own call wants as many prompts of each process; episodes end at their own time
        from accelerate.utils import broadcast_object_list

        made = self.generation
        counts = gathered([len(prompts)])
        every, longest = gathered(prompts), max(gathered([most]))
        answer: list[Any] = [None]
        if made.accelerator.is_main_process:
            said = made.vllm_client.generate(
                prompts=every,
                n=1,
                repetition_penalty=made.repetition_penalty,
                temperature=made.temperature,
                top_p=made.top_p,
                top_k=made.top_k,
                min_p=0.0 if made.min_p is None else made.min_p,
                max_tokens=longest,
                logprobs=0,
                generation_kwargs=made.generation_kwargs,
            )
            answer = [_paired(said["completion_ids"], said["logprobs"])]
        broadcast_object_list(answer, from_process=0)
        rank = made.accelerator.process_index
        first = sum(counts[:rank])
        own: list[tuple[list[int], list[float]]] = answer[0][first : first + len(prompts)]
        return own


@define
class VllmSession:
    """Conversations: each turn sends all of it."""

    engine: VllmEngine
    _texts: dict[int, list[int]] = field(factory=dict)

    def advance(self, asks: Sequence[Ask]) -> list[tuple[int, Turn]]:
        """Write the next turn of each of these conversations."""
        for ask in asks:
            self._texts.setdefault(ask.row, []).extend(ask.ids)
        prompts = [list(self._texts[ask.row]) for ask in asks]
        written = self.engine.write(prompts, max(ask.most for ask in asks))
        turns: list[tuple[int, Turn]] = []
        for ask, (ids, logprobs) in zip(asks, written, strict=True):
            own = ids[: ask.most]
            self._texts[ask.row] += own
            turn = Turn(own, logprobs[: ask.most], own[-1] in self.engine.ends)
            turns.append((ask.row, turn))
        return turns


def _paired(
    ids: Sequence[Sequence[int]], logprobs: Sequence[Sequence[Sequence[float | None]]]
) -> list[tuple[list[int], list[float]]]:
    """TRL gives a list of log-probabilities for each token, the drawn one's first."""
    return [
        (list(own), [float("nan") if log[0] is None else log[0] for log in logs])
        for own, logs in zip(ids, logprobs, strict=True)
    ]

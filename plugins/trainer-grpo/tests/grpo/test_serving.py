"""Turns from vLLM: what TRL's part of it is asked, and what comes back. vLLM is a double."""

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from compoworld_trainer_grpo.decoding import Ask, turns
from compoworld_trainer_grpo.grpo import vllm_arguments
from compoworld_trainer_grpo.sampling import Sampler, Sampling
from compoworld_trainer_grpo.serving import VllmEngine
from compoworld_trainer_grpo.settings import GrpoSettings
from doubles import spoken

from compoworld_core.errors import UsageError
from compoworld_core.records import Task, Trajectory

END = 2


class Beside:
    """`VLLMGeneration` in colocate mode: says how long its prompt was, then ends."""

    max_completion_length = 0

    def __init__(self) -> None:
        self.asked: list[list[list[int]]] = []

    def generate(self, prompts: Any, images: None, num_generations: int) -> Any:
        assert num_generations == 1
        self.asked.append(prompts)
        ids = [[len(each), END][: self.max_completion_length] for each in prompts]
        return prompts, ids, [[[-1.0]] * len(each) for each in ids], None


class Client:
    """A server's client."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def generate(self, **asked: Any) -> Any:
        self.asked.append(asked)
        ids = [[len(each), END] for each in asked["prompts"]]
        return {"completion_ids": ids, "logprobs": [[[-2.0], [None]]] * len(ids)}


def ask(row: int, ids: list[int], most: int = 9) -> Ask:
    return Ask(row, ids, most, Random(0))


def test_a_conversation_is_sent_whole_and_in_tokens() -> None:
    beside = Beside()
    session = VllmEngine(beside, False, frozenset({END})).begin()
    first = turns(session, [ask(0, [7, 7]), ask(1, [8])])
    assert [(turn.ids, turn.ended) for turn in first] == [([2, END], True), ([1, END], True)]
    turns(session, [ask(1, [5, 5])])
    assert beside.asked[1] == [[8, 1, END, 5, 5]]


def test_each_turn_keeps_to_its_own_budget() -> None:
    session = VllmEngine(Beside(), False, frozenset({END})).begin()
    said = turns(session, [ask(0, [7, 7, 7], most=1), ask(1, [8])])
    assert [turn.ids for turn in said] == [[3], [1, END]]
    assert not said[0].ended


def test_a_server_is_asked_for_all_processes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process has one conversation left, this one two; each gets its own."""
    client = Client()
    generation = SimpleNamespace(
        vllm_client=client, repetition_penalty=1.0, temperature=0.9, top_p=1.0, top_k=0,
        min_p=None, generation_kwargs=None,
        accelerator=SimpleNamespace(is_main_process=True, process_index=1),
    )  # fmt: skip
    others: list[list[Any]] = [[1], [[4, 4, 4, 4]], [5]]
    left = iter(others)
    monkeypatch.setattr(
        "compoworld_trainer_grpo.serving.gathered", lambda items: next(left) + items
    )
    engine = VllmEngine(generation, True, frozenset({END}), lambda here: here)
    said = turns(engine.begin(), [ask(0, [7, 7]), ask(1, [8])])
    assert [turn.ids[0] for turn in said] == [2, 1]
    assert client.asked[0]["prompts"] == [[4, 4, 4, 4], [7, 7], [8]]
    assert client.asked[0]["max_tokens"] == 9
    assert client.asked[0]["temperature"] == 0.9


def test_a_process_that_is_done_goes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client()
    generation = SimpleNamespace(
        vllm_client=client, repetition_penalty=1.0, temperature=1.0, top_p=1.0, top_k=0,
        min_p=0.1, generation_kwargs=None,
        accelerator=SimpleNamespace(is_main_process=True, process_index=0),
    )  # fmt: skip
    going = iter([True, True, False])
    monkeypatch.setattr("compoworld_trainer_grpo.serving.gathered", lambda items: items)
    VllmEngine(generation, True, frozenset({END}), lambda here: next(going)).drain()
    assert [each["prompts"] for each in client.asked] == [[], []]


def test_episodes_are_played_with_it(
    loaded: Any, opener: Any, tasks: list[Task], solved: list[Trajectory]
) -> None:
    turns = iter(spoken(solved[0], loaded))

    class Solving(Beside):
        def generate(self, prompts: Any, images: None, num_generations: int) -> Any:
            ids = loaded.tokenizer(next(turns), add_special_tokens=False)["input_ids"]
            return prompts, [ids], [[[-1.0]] * len(ids)], None

    engine = VllmEngine(Solving(), False, frozenset({loaded.tokenizer.eos_token_id}))
    roomy = Sampling(turn_tokens=4000, episode_tokens=32_000, observation_tokens=20_000)
    [episode] = Sampler(loaded, roomy, opener, engine=engine).play(tasks[:1], 1, 0)
    assert episode.verdict is not None
    assert episode.verdict.success


def test_trl_is_told_who_samples() -> None:
    made = GrpoSettings(model="m", tasks=("x",), sampler="vllm-server", vllm_url="http://h:1")
    found = vllm_arguments(made)
    assert (found["vllm_mode"], found["vllm_server_base_url"]) == ("server", "http://h:1")
    beside = vllm_arguments(GrpoSettings(model="m", tasks=("x",), sampler="vllm-colocate"))
    assert beside["vllm_mode"] == "colocate"
    with pytest.raises(UsageError, match="needs the server's address"):
        vllm_arguments(GrpoSettings(model="m", tasks=("x",), sampler="vllm-server"))

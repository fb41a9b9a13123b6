"""A rank of a training whose episodes are deliberately unequal; see test_processes.py.

python zero_worker.py RUN [sharded]

The model's probabilities are its own, but its tokens are dictated: row 0 of the first process
ends at once, others call tools up to seven times, so that ranks need different numbers of turns
and of forward passes.
"""

import json
import os
import sys
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import torch  # noqa: TID253  # a process that trains
from compoworld_trainer_grpo import grpo, play, rollouts, sampling, worker
from compoworld_trainer_grpo.runs import TrainingRun
from doubles import Dictated, Tape

CALL = "<tool_call>list_services {}<|im_end|>"
TELL = '<tool_call>list_tools {"service": "crm"}<|im_end|>'
passes: list[int] = []


def script(random: Random, sample: int) -> str:
    turns = 0 if sample == 0 else random.randint(0, 7)
    return "".join(random.choice((CALL, TELL)) for _ in range(turns)) + "Done.<|im_end|>"


def dictated(loaded: Any, settings: Any) -> Any:
    made = real_engine(loaded, settings)
    made.drawing = Dictated()
    return made


def dictated_line(self: Any, seat: Any, seed: int) -> Any:
    line = real_line(self, seat, seed)
    text = script(Random(play.rollout_seed(seed, seat.task.id, seat.sample)), seat.sample)
    line.random = Tape(self.loaded.tokenizer(text, add_special_tokens=False)["input_ids"])
    return line


def unequal(self: Any, episodes: Any) -> Any:
    """Rewards that differ, whatever the dictated episodes achieve."""
    groups = real_score(self, episodes)
    turns = rollouts.gathered([e.trajectory.usage["turns"] for e in episodes])
    for position, group in enumerate(groups):
        own = turns[position * self.n : (position + 1) * self.n]
        mean = sum(own) / len(own)
        object.__setattr__(group, "advantages", tuple((turn - mean) / 4 for turn in own))
    passes.append(self.sampler.engine.passes)
    return groups


def sharded(*given: Any, **named: Any) -> Any:
    """Rollouts whose forward passes are collective, as where parameters are offloaded."""
    return rollouts.Rollouts(*given, **{**named, "gather": False})


real_engine, real_line = sampling.local_engine, sampling.Sampler._line
real_score = rollouts.Rollouts._score
sampling.local_engine = dictated
sampling.Sampler._line = dictated_line  # type: ignore[method-assign]
rollouts.Rollouts._score = unequal  # type: ignore[method-assign]

if __name__ == "__main__":
    worker.end_with_parent()
    run = TrainingRun.open(Path(sys.argv[1]))
    if sys.argv[2:] == ["sharded"]:
        grpo.Rollouts = sharded  # type: ignore[misc, assignment]
    worker.work(run)
    if torch.distributed.is_initialized():
        # left to the interpreter's end, this takes minutes every now and then
        torch.distributed.destroy_process_group()
    rank = os.environ.get("RANK", "0")
    (run.path / f"passes-{rank}.json").write_text(json.dumps(passes))

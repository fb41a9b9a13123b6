"""What strategies look like from outside: one small protocol per kind of plugin.

Structural types: a plugin imports nothing from here to satisfy them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from compoworld_core.environment import Environment
    from compoworld_core.generation import Request
    from compoworld_core.observation import Observation
    from compoworld_core.patch import Patch
    from compoworld_core.proof.case import Candidate
    from compoworld_core.records import Task, Verdict
    from compoworld_core.sandbox import Ended, Job
    from compoworld_core.service import Service, Tool
    from compoworld_core.state import State
    from compoworld_core.world import World

Message: TypeAlias = dict[str, Any]
"""One chat message in the shape of OpenAI-compatible endpoints: role, content, tool_calls."""

ToolSchema: TypeAlias = dict[str, Any]
"""One function that a model may call, as such endpoints describe it."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@runtime_checkable
class Policy(Protocol):
    """Chooses the next action from the history; one object plays one rollout."""

    def act(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Message:
        """Return the next assistant message; one without tool calls ends the rollout.

        Where the task has a user who answers it, the rollout goes on.
        """


class PolicyFactory(Protocol):
    """Makes the policy of one rollout; what ``register_policies`` registers.

    One whose options name files may have a method ``inputs(options)`` as well: name → digest of
    their content. A run folder holds rollouts of the same inputs alone.
    """

    def __call__(self, task: Task, *, seed: int, **options: Any) -> Policy:
        """Make a policy; only the model-free ones may look at more than the instruction."""


@runtime_checkable
class Simulator(Protocol):
    """Predicts what a tool without faithful code would do."""

    def simulate(
        self, service: Service[Any], tool: Tool, state: State, arguments: Mapping[str, Any]
    ) -> tuple[Patch, Observation]:
        """Return a patch of the state, which must validate, and what the agent sees."""


@runtime_checkable
class User(Protocol):
    """Plays the user of a task; one object for one rollout, and for all its forks."""

    def reply(self, before: Sequence[tuple[str, str]], text: str) -> str | None:
        """Answer a message, given the earlier ones with their replies; None ends it all."""


class UserFactory(Protocol):
    """Makes the user of one rollout; what ``register_users`` registers."""

    def __call__(self, task: Task, *, seed: int, **options: Any) -> User:
        """Make a user; what they hold back is in ``task.user``."""


@runtime_checkable
class TaskGenerator(Protocol):
    """Proposes tasks; the core proves them.

    A generator may have two more methods, which are called where they are there:
    `check(request)` raises UsageError for patterns or options that it does not know, before
    anything is written; `prepare(service)` studies a service before the first try.
    """

    def propose(self, world: World, request: Request, index: int) -> Candidate:
        """Propose the candidate of one try; a pure function of world, request and index.

        Raises Refuted with the reason where this try comes to nothing, which is normal.
        """


@runtime_checkable
class Verifier(Protocol):
    """Decides one kind of criterion from outcomes alone."""

    def verify(
        self,
        check: Mapping[str, Any],
        initial: Environment,
        final: Environment,
        outputs: Sequence[str | None],
    ) -> tuple[bool, str]:
        """Return whether the check holds, and what was found instead if not."""


@runtime_checkable
class Reward(Protocol):
    """Turns the verdicts of one task's rollouts into as many numbers."""

    def __call__(self, verdicts: Sequence[Verdict], **options: Any) -> list[float]:
        """Score a group; verdicts name criteria and gates, and are not changed."""


@runtime_checkable
class Trainer(Protocol):
    """Turns tasks or trajectories into a checkpoint."""

    def train(self, config: Mapping[str, Any]) -> Path:
        """Train and return the checkpoint's folder."""


@runtime_checkable
class Executor(Protocol):
    """Spreads independent work; results come in the order of the items, whatever ends first."""

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], *, workers: int
    ) -> Iterator[Result]:
        """Apply the function to each item; an exception of one item is raised at its place."""


@runtime_checkable
class Sandbox(Protocol):
    """Runs a program that nobody vouches for, apart from this machine's files and network."""

    def refusal(self) -> str:
        """Why it cannot run here, and what would help; empty where it can."""

    def run(self, job: Job) -> Ended:
        """Run a job to its end or its limits; nothing of it is left behind."""

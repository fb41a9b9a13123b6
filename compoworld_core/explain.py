"""Explanation: a verdict that says which call decided each criterion and gate.

The verdict itself looks at outcomes alone; this looks at how things stood after each write.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from compoworld_core.conversation import tool_calls
from compoworld_core.environment import Environment
from compoworld_core.errors import RecordError
from compoworld_core.proof.verdict import judge
from compoworld_core.records import Criterion, Finding, Task, Trajectory, Verdict


@define
class Witness:
    """Keeps how a world stood after each call that wrote: a fork each, which copies nothing."""

    environment: Environment
    stages: list[tuple[int, Environment]] = field(factory=list)
    """(position of the call, the world after it)."""
    _writes: int = -1

    def __attrs_post_init__(self) -> None:
        self._writes = self._count()

    def look(self, call: int) -> None:
        """Take a stage if the call of this position has written."""
        writes = self._count()
        if writes != self._writes:
            self._writes = writes
            self.stages.append((call, self.environment.fork()))

    def _count(self) -> int:
        return sum(state.ledger.writes for state in self.environment.states.values())


def explain(
    task: Task,
    initial: Environment,
    final: Environment,
    stages: Sequence[tuple[int, Environment]],
    *,
    answer: str | None = None,
) -> Verdict:
    """The verdict on a final state, with what was expected, what is, and which call did it.

    The deciding call of a criterion is the last one that changed what is found for it, where it
    fails for the part that fails; that of a broken gate is the one that broke it. It is None
    where no call did: what was never touched has no call, and neither has the final answer.

    Args:
        task: whose criteria and gates.
        initial: s0.
        final: the world at the end.
        stages: the world after each call that wrote, in order, as a `Witness` keeps them.
        answer: the final message.
    """
    verdict = judge(task.criteria, task.gates, initial, final, answer=answer, findings=True)
    parts = {criterion.id: _parts(criterion) for criterion in task.criteria}
    pieces = [piece for each in parts.values() for piece in each]
    held: list[Finding] = []
    calls: list[int | None] = []
    for call, world in ((None, initial), *stages):
        found = judge(pieces, task.gates, initial, world, answer=answer, findings=True).findings
        if call is None:
            held, calls = list(found), [None] * len(found)
            continue
        for position, (old, new) in enumerate(zip(held, found, strict=True)):
            is_gate = position >= len(pieces)
            if old.ok != new.ok or (old.found != new.found and not is_gate):
                calls[position] = call
        held = list(found)
    findings = []
    start = 0
    for finding in verdict.findings[: len(task.criteria)]:
        end = start + len(parts[finding.id])
        findings.append(_decided(finding, held[start:end], calls[start:end]))
        start = end
    for finding, call in zip(
        verdict.findings[len(task.criteria) :], calls[start:], strict=True
    ):
        findings.append(finding if finding.ok else finding.model_copy(update={"call": call}))
    return verdict.model_copy(update={"findings": tuple(findings)})


def _parts(criterion: Criterion) -> list[Criterion]:
    """A criterion on several existing records, as one on each; any other as it is."""
    if criterion.kind not in ("update", "delete") or len(criterion.targets) < 2:
        return [criterion]
    return [
        criterion.model_copy(update={"id": f"{criterion.id}/{number}", "targets": (target,)})
        for number, target in enumerate(criterion.targets)
    ]


def _decided(
    finding: Finding, parts: Sequence[Finding], calls: Sequence[int | None]
) -> Finding:
    """The finding with the call that completed it, or that left its first failing part so."""
    if finding.ok:
        done = [call for call in calls if call is not None]
        return finding.model_copy(update={"call": max(done) if done else None})
    for part, call in zip(parts, calls, strict=True):
        if not part.ok:
            return finding.model_copy(update={"call": call})
    return finding


def replay(task: Task, initial: Environment, trajectory: Trajectory) -> Trajectory:
    """The trajectory, judged and explained by making its calls again from s0.

    Raises RecordError where a call shows something else than the trajectory recorded: the task,
    a service or the trajectory was changed since, or a simulated tool was called.
    """
    environment = initial.fork()
    witness = Witness(environment)
    shown = {m.tool_call_id: m.content or "" for m in trajectory.messages if m.role == "tool"}
    for position, call in enumerate(tool_calls(trajectory.messages)):
        if call.id not in shown:
            break
        observation = environment.meta.dispatch(call.name, call.arguments)
        if observation.text[:1000] != shown[call.id][:1000]:
            raise RecordError(
                f"{trajectory.id}: call {position} ({call.name}) shows something else now:"
                f" {observation.text[:80]!r}, recorded: {shown[call.id][:80]!r}"
            )
        witness.look(position)
    if trajectory.answer is not None:
        environment.finish(trajectory.answer)
    verdict = explain(task, initial, environment, witness.stages, answer=trajectory.answer)
    return trajectory.model_copy(
        update={"verdict": verdict, "final_digest": environment.digest()}
    )

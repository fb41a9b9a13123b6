"""Diagram: a task's walk as inline SVG, one lane per service, time from left to right."""

from __future__ import annotations

from collections.abc import Iterator

from compoworld_core.records import Task
from compoworld_report_html.markup import Markup, Node, element

_LEFT, _STEP, _LANE, _SPARE, _TOP = 168, 78, 46, 21, 26
_HUES = 8


def hue(task: Task, service: str) -> int:
    """The colour number of a service in its task; -1 for one that the walk does not visit."""
    return task.services.index(service) % _HUES if service in task.services else -1


def walk_diagram(task: Task) -> Markup:
    """The walk through the lanes of its services, what each edge carries, and distractors."""
    lanes = {name: _TOP + _LANE * n + _LANE // 2 for n, name in enumerate(task.services)}
    bottom = _TOP + _LANE * len(lanes)
    width = _LEFT + _STEP * len(task.walk) + 10
    height = bottom + (_SPARE * len(task.distractors) + 12 if task.distractors else 4)
    said = f"Walk: {', then '.join(task.walk)}."
    if task.distractors:
        said += f" Not needed: {', '.join(task.distractors)}."
    return element(
        "svg",
        list(_lanes(task, lanes, width)),
        list(_edges(task, lanes)),
        list(_visits(task, lanes)),
        list(_distractors(task, bottom, width)),
        class_="walk",
        viewBox=f"0 0 {width} {height}",
        role="img",
        aria_label=said,
        style=f"max-width:{width}px",
    )


def _lanes(task: Task, lanes: dict[str, int], width: int) -> Iterator[Node]:
    for name, y in lanes.items():
        yield element("line", x1=_LEFT - 12, y1=y, x2=width - 6, y2=y, class_="lane")
        yield element(
            "text", _short(name), x=_LEFT - 24, y=y + 4, class_=f"name h{hue(task, name)}"
        )
    for number in range(len(task.walk)):
        yield element("text", number + 1, x=_x(number), y=14, class_="tick")


def _x(visit: int) -> int:
    return _LEFT + _STEP * visit + _STEP // 2


def _edges(task: Task, lanes: dict[str, int]) -> Iterator[Node]:
    carried = {carry.edge: carry for carry in task.reference.carries}
    for edge, (source, target) in enumerate(zip(task.walk, task.walk[1:], strict=False)):
        x1, y1, x2, y2 = _x(edge), lanes[source], _x(edge + 1), lanes[target]
        bend = _STEP // 2
        path = f"M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
        yield element("path", d=path, class_=f"edge h{hue(task, source)}")
        carry = carried.get(edge)
        if carry is not None:
            told = f"{source} → {target}: {carry.kind} ({carry.source})"
            yield element(
                "text", element("title", told), carry.kind,
                x=(x1 + x2) // 2, y=(y1 + y2) // 2 - 5, class_="carry",
            )  # fmt: skip


def _visits(task: Task, lanes: dict[str, int]) -> Iterator[Node]:
    for number, name in enumerate(task.walk):
        x, y = _x(number), lanes[name]
        title = element("title", f"visit {number + 1}: {name}")
        yield element("circle", title, cx=x, cy=y, r=8, class_=f"visit h{hue(task, name)}")


def _distractors(task: Task, bottom: int, width: int) -> Iterator[Node]:
    for number, name in enumerate(task.distractors):
        y = bottom + 12 + _SPARE * number
        yield element("line", x1=_LEFT - 12, y1=y, x2=width - 6, y2=y, class_="lane spare")
        yield element("text", _short(name), x=_LEFT - 24, y=y + 4, class_="name spare")


def _short(name: str) -> str:
    return name if len(name) <= 22 else f"{name[:21]}…"

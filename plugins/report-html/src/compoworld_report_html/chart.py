"""Chart: lines over steps as inline SVG, a colour for each, with what they are beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, isfinite, log10
from typing import Final

from attrs import frozen

from compoworld_report_html.markup import Markup, Node, element

_WIDTH, _HEIGHT = 470, 210
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 12, 30
_HUES: Final = 8
_MOST_POINTS: Final = 400
"""Points of a line that are drawn: more than there are pixels show nothing more."""


@frozen
class Line:
    """One line of a chart."""

    label: str
    points: Sequence[Sequence[float]]
    """(step, value) pairs, by step."""


def chart(title: str, lines: Sequence[Line]) -> Markup | None:
    """A chart with a legend; nothing where there is no point to draw."""
    drawn = [
        Line(each.label, _thinned([p for p in each.points if all(map(isfinite, p))]))
        for each in lines
    ]
    drawn = [each for each in drawn if each.points]
    if not drawn:
        return None
    xs = [point[0] for each in drawn for point in each.points]
    ys = [point[1] for each in drawn for point in each.points]
    x_low, x_high = min(xs), max(xs)
    y_ticks = _ticks(min(0.0, *ys), max(ys))
    frame = _Frame(x_low, x_high if x_high > x_low else x_low + 1, y_ticks[0], y_ticks[-1])
    svg = element(
        "svg",
        list(_axes(frame, y_ticks)),
        [_line(frame, each, number) for number, each in enumerate(drawn)],
        class_="chart",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label=f"{title}: {', '.join(_told(each) for each in drawn)}",
        style=f"max-width:{_WIDTH}px",
    )
    return element("figure", element("figcaption", title), svg, _legend(drawn))


@frozen
class _Frame:
    """Which part of the plane is seen."""

    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def x(self, value: float) -> float:
        share = (value - self.x_low) / (self.x_high - self.x_low)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(self, value: float) -> float:
        share = (value - self.y_low) / (self.y_high - self.y_low)
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)


def _ticks(low: float, high: float) -> list[float]:
    """Round values from below the least to above the most, about five of them."""
    if high <= low:
        high = low + 1
    rough = (high - low) / 4
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= rough * 0.999)
    first = floor(low / step)
    ticks = [first * step]
    while ticks[-1] < high - step * 1e-6:
        ticks.append((first + len(ticks)) * step)
    return ticks


def _axes(frame: _Frame, y_ticks: Sequence[float]) -> Iterator[Node]:
    for value in y_ticks:
        y = frame.y(value)
        yield element("line", x1=_LEFT, y1=y, x2=_WIDTH - _RIGHT, y2=y, class_="grid")
        yield element("text", f"{value:.4g}", x=_LEFT - 6, y=y + 4, class_="tick y")
    for value in dict.fromkeys((frame.x_low, (frame.x_low + frame.x_high) // 2, frame.x_high)):
        where = frame.x(value)
        yield element("text", f"{value:.4g}", x=where, y=_HEIGHT - 10, class_="tick x")


def _line(frame: _Frame, line: Line, number: int) -> Markup:
    places = " L".join(f"{frame.x(x)} {frame.y(y)}" for x, y in line.points)
    hue = f"h{number % _HUES}"
    if len(line.points) == 1:
        x, y = line.points[0]
        return element("circle", cx=frame.x(x), cy=frame.y(y), r=3, class_=f"dot {hue}")
    return element("path", d=f"M{places}", class_=f"curve {hue}")


def _legend(lines: Sequence[Line]) -> Markup | None:
    if len(lines) == 1 and not lines[0].label:
        return None
    return element(
        "p",
        [
            element("span", each.label, class_=f"key h{number % _HUES}")
            for number, each in enumerate(lines)
        ],
        class_="legend",
    )


def _told(line: Line) -> str:
    """A line for those who do not see it."""
    first, last = line.points[0], line.points[-1]
    return f"{line.label} from {first[1]:.4g} to {last[1]:.4g}".strip()


def _thinned(points: Sequence[Sequence[float]]) -> Sequence[Sequence[float]]:
    """At most so many points, each the mean of as many neighbours."""
    size = -(-len(points) // _MOST_POINTS)
    if size <= 1:
        return points
    groups = [points[start : start + size] for start in range(0, len(points), size)]
    return [[sum(axis) / len(group) for axis in zip(*group, strict=True)] for group in groups]

"""Three small plots as SVG text: lines, grouped bars with intervals, stacked bars.

Colours are classes (``s0`` ... ``s7``), so that the page chooses them for light and dark; lines differ in their dashes
too. Every text is escaped. Sizes are in pixels of the view box.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgask.eval.page import safe

N_COLOURS = 8
WIDTH = 720
LEFT, RIGHT, TOP, FOOT = 60, 16, 34, 44
MOST_POINTS = 300  # of a line; more cannot be seen
LABEL_CHARS = 28
ROW, GAP, LABEL_WIDTH = 18, 8, 200
DASHES = ("", "7 3", "2 3", "9 3 2 3")


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    xs: Sequence[float]
    ys: Sequence[float]


@dataclass(frozen=True, slots=True)
class Bar:
    series: int  # place in the legend
    value: float
    low: float
    high: float
    n: int


def line_plot(title: str, x_label: str, y_label: str, lines: Sequence[Line]) -> str:
    """Lines over x from 0 to 1; y begins at 0."""
    height = 330
    top = _nice(max((max(line.ys, default=0.0) for line in lines), default=1.0))
    width_in, height_in = WIDTH - LEFT - RIGHT, height - TOP - FOOT

    def place(x: float, y: float) -> str:
        return f"{LEFT + x * width_in:.1f},{TOP + (1 - y / top) * height_in:.1f}"

    parts = []
    for step in range(6):
        share = step / 5
        y = TOP + (1 - share) * height_in
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{share * top:.2g}", "end"))
        parts.append(_text(LEFT + share * width_in, height - FOOT + 18, f"{share:.1f}", "middle"))
    parts.append(_text(LEFT + width_in / 2, height - 8, x_label, "middle"))
    parts.append(_text(LEFT, TOP - 14, y_label, "start"))
    for at, line in enumerate(lines):
        points = " ".join(place(x, y) for x, y in _thinned(line))
        dash = f' stroke-dasharray="{DASHES[at % len(DASHES)]}"' if at % len(DASHES) else ""
        parts.append(f'<polyline class="line s{at % N_COLOURS}"{dash} points="{points}"/>')
    return _figure(title, height, parts, [line.name for line in lines])


def bar_plot(title: str, series: Sequence[str], groups: Mapping[str, Sequence[Bar]]) -> str:
    """Shares from 0 to 1, one group of bars a key, each with its interval as a whisker."""
    parts, y = [], TOP
    width_in = WIDTH - LABEL_WIDTH - 120
    for group, bars in groups.items():
        parts.append(_text(LABEL_WIDTH - 8, y + ROW * max(1, len(bars)) / 2 + 4, _cut(group), "end"))
        for bar in bars:
            parts += _bar(bar, y, width_in)
            y += ROW
        y += GAP
    axis = f'<line class="axis" x1="{LABEL_WIDTH}" y1="{TOP - 4}" x2="{LABEL_WIDTH}" y2="{y}"/>'
    return _figure(title, y + 12, [*parts, axis], series)


def _bar(bar: Bar, y: float, width_in: float) -> list[str]:
    middle = y + ROW / 2
    low, high = (LABEL_WIDTH + _share(end) * width_in for end in (bar.low, bar.high))
    return [
        f'<rect class="s{bar.series % N_COLOURS}" x="{LABEL_WIDTH}" y="{y + 2}" '
        f'width="{_share(bar.value) * width_in:.1f}" height="{ROW - 4}"/>',
        f'<line class="whisker" x1="{low:.1f}" y1="{middle}" x2="{high:.1f}" y2="{middle}"/>',
        _text(LABEL_WIDTH + width_in + 8, middle + 4, f"{bar.value:.3f}  n={bar.n}", "start"),
    ]


def stacked_bars(title: str, unit: str, rows: Mapping[str, Mapping[str, float]]) -> str:
    """One bar a row, made of its parts in the order of their first appearance."""
    stages = list(dict.fromkeys(stage for parts in rows.values() for stage in parts))
    longest = max((sum(parts.values()) for parts in rows.values()), default=0.0) or 1.0
    width_in = WIDTH - LABEL_WIDTH - 120
    drawn, y = [], TOP
    for name, parts in rows.items():
        x = float(LABEL_WIDTH)
        drawn.append(_text(LABEL_WIDTH - 8, y + ROW / 2 + 4, _cut(name), "end"))
        for stage, value in parts.items():
            width = value / longest * width_in
            colour = stages.index(stage) % N_COLOURS
            drawn.append(f'<rect class="s{colour}" x="{x:.1f}" y="{y + 2}" width="{width:.1f}" height="{ROW - 4}"/>')
            x += width
        drawn.append(_text(x + 8, y + ROW / 2 + 4, f"{sum(parts.values()):.1f} {unit}", "start"))
        y += ROW + GAP
    return _figure(title, y + 12, drawn, stages)


# --- parts --------------------------------------------------------------------------------------


def _figure(title: str, height: float, parts: Sequence[str], legend: Sequence[str]) -> str:
    """The whole SVG; the legend is below, several to a line."""
    drawn, x, y = list(parts), 8.0, height + 14
    for at, name in enumerate(legend):
        label = _cut(name)
        width = 34 + 7.2 * len(label)
        if x + width > WIDTH and x > 8:
            x, y = 8.0, y + 20
        drawn.append(f'<rect class="s{at % N_COLOURS}" x="{x:.1f}" y="{y - 10:.1f}" width="14" height="10"/>')
        drawn.append(_text(x + 20, y, label, "start"))
        x += width
    bottom = math.ceil(y + 12)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH} {bottom}" aria-label="{safe(title)}">'
        f"<title>{safe(title)}</title>{''.join(drawn)}</svg>"
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{safe(text)}</text>'


def _cut(text: str) -> str:
    """From the middle: names of kinds differ at their ends as much as at their beginnings."""
    if len(text) <= LABEL_CHARS:
        return text
    tail = LABEL_CHARS // 2
    return f"{text[: LABEL_CHARS - 1 - tail]}…{text[-tail:]}"


def _share(value: float) -> float:
    return 0.0 if math.isnan(value) else min(1.0, max(0.0, value))


def _nice(most: float) -> float:
    """The next round number from ``most`` up."""
    return next((end for end in (0.05, 0.1, 0.2, 0.5) if most <= end), 1.0)


def _thinned(line: Line) -> list[tuple[float, float]]:
    points = list(zip(line.xs, line.ys, strict=True))
    if len(points) <= MOST_POINTS:
        return points
    step = (len(points) - 1) / (MOST_POINTS - 1)
    return [points[round(at * step)] for at in range(MOST_POINTS)]

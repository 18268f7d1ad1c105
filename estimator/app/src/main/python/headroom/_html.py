"""A prediction in a notebook: the verdict, and memory over time as a picture."""

from __future__ import annotations

from html import escape
from typing import Any

from headroom._units import size

WIDTH, HEIGHT, TOP, LEFT = 900, 260, 18, 64
"""Pixels of the picture, and of the margins for the phases' names and the scale."""

COLOURS = {
    "parameters": "#2B5C8A",
    "buffers": "#7B8FA6",
    "optimizer_state": "#5E4FA2",
    "inputs": "#999999",
    "workspaces": "#8C6D31",
    "gradients": "#D1495B",
    "outputs": "#C9A5D6",
    "saved_activations": "#66B2A4",
    "temporaries": "#F2B84B",
}
"""From the bottom of the stack, what lives longest, to its top; told apart in grey, and without red and green."""


def page(prediction: dict[str, Any], warnings: list[str], timeline: dict[str, Any]) -> str:
    """A prediction, as ``headroom predict --json`` prints it, as HTML without scripts."""
    said, device, peak = prediction["verdict"], prediction["device"], prediction["peak"]
    fits, headroom = said["fits"], said["headroom"]
    verdict = {None: "", True: "Fits", False: "Does not fit"}[fits]
    if device:
        verdict += f" on {device['title'] or size(device['memory'])}"
        if headroom is not None:
            verdict += f": {size(abs(headroom))} {'free' if headroom >= 0 else 'missing'}"
    colour = {None: "inherit", True: "#1a7f37", False: "#c62828"}[fits]
    peaks = ", ".join(f"{size(peak[kind])} {kind}" for kind in ("allocated", "reserved", "device"))
    lines = "".join(f"<li>{escape(line)}</li>" for line in warnings)
    return (
        f'<div class="headroom" style="font-family:sans-serif;max-width:{WIDTH}px">'
        f'<p style="margin:0 0 .4em"><b>{escape(prediction["model"])}</b>'
        # Large and bold, these colours are read on a light ground and on a dark one.
        f' <b style="color:{colour};font-size:20px">{escape(verdict)}</b><br>'
        f"peak {peaks}</p>"
        f"{picture(timeline)}{legend(timeline)}"
        f"{f'<ul>{lines}</ul>' if lines else ''}</div>"
    )


def picture(timeline: dict[str, Any]) -> str:
    """Blocks stacked by category, reserved memory as a line; every event of the run is as wide as any other."""
    columns = timeline["columns"]
    if not columns:
        return "<p>Nothing was allocated.</p>"
    top = max(1, *(c["reserved"] for c in columns)) * 1.05
    x = [_x(c["event"], timeline) for c in columns] + [float(WIDTH)]
    shapes = [_phase(span, timeline) for span in timeline["phases"]]
    lower = [0] * len(columns)
    for category, colour in COLOURS.items():
        upper = [low + c[category] for low, c in zip(lower, columns, strict=True)]
        if upper != lower:
            points = _steps(x, upper, top) + _steps(x, lower, top)[::-1]
            shapes.append(
                f'<polygon fill="{colour}" points="{" ".join(points)}"><title>{_words(category)}</title></polygon>'
            )
        lower = upper
    line = " ".join(_steps(x, [c["reserved"] for c in columns], top))
    shapes.append(f'<polyline fill="none" stroke="currentColor" points="{line}"><title>reserved</title></polyline>')
    for share in (0.0, 0.5, 1.0):
        y = _y(share * top / 1.05, top)
        shapes.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{size(int(share * top / 1.05))}</text>')
    return (
        f'<svg role="img" aria-label="memory over time" viewBox="0 0 {WIDTH} {HEIGHT}" width="100%"'
        f' style="font-size:11px;fill:currentColor">{"".join(shapes)}</svg>'
    )


def legend(timeline: dict[str, Any]) -> str:
    """The colours that the picture has."""
    items = [
        f'<span style="display:inline-block;width:.8em;height:.8em;background:{colour}"></span> {_words(category)}'
        for category, colour in COLOURS.items()
        if any(c[category] for c in timeline["columns"])
    ]
    return f'<p style="font-size:12px;margin:.2em 0">{" &nbsp; ".join([*items, "&#8213; reserved"])}</p>'


def _phase(span: dict[str, Any], timeline: dict[str, Any]) -> str:
    start, end = _x(span["from"], timeline), _x(span["to"], timeline)
    line = f'<line x1="{start:.1f}" x2="{start:.1f}" y1="{TOP}" y2="{HEIGHT}" stroke="#bbb" stroke-width=".6"/>'
    name = span["phase"] if span["micro"] in (None, 0) else ""
    if end - start < 6.5 * len(name):
        return line if end - start > 6 else ""
    return f'{line}<text x="{(start + end) / 2:.1f}" y="12" text-anchor="middle">{escape(name)}</text>'


def _x(event: int, timeline: dict[str, Any]) -> float:
    return LEFT + (WIDTH - LEFT) * event / max(1, timeline["events"])


def _y(count: float, top: float) -> float:
    return TOP + (HEIGHT - TOP) * (1 - count / top)


def _steps(x: list[float], counts: list[int], top: float) -> list[str]:
    points = []
    for i, count in enumerate(counts):
        if i == 0 or count != counts[i - 1] or i == len(counts) - 1:
            if i > 0:
                points.append(f"{x[i]:.1f},{_y(counts[i - 1], top):.1f}")
            points.append(f"{x[i]:.1f},{_y(count, top):.1f}")
    return [*points, f"{x[-1]:.1f},{_y(counts[-1], top):.1f}"]


def _words(category: str) -> str:
    return category.replace("_", " ")

"""The steps for tokens without matrices: what comes out, and why no multiple helps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from regard.kinds.feasibility.solve.scene import Array
from regard.language import parse
from regard.report import number
from regard.solving.latex_numbers import column, factor, percent, ratio, root, tex

if TYPE_CHECKING:
    from regard.kinds.feasibility.solve.solver import Found

__all__ = ["multiple", "square", "steps", "unit"]


def _length(found: Found) -> str:
    """Return the length of the basis vectors in LaTeX."""
    norm = found.problem.given.basis.norm
    if isinstance(norm, str):
        return parse(norm).to_latex()
    return f"({tex(norm)})" if "^" in tex(norm) else tex(norm)  # powers of it are written


def square(found: Found) -> str:
    """Return scale · length², the unit of the scores."""
    length = _length(found)
    scale = found.scene.scale
    return (factor(scale) if scale != 1 else "") + (rf"{length}^2" if length != "1" else "1")


def unit(found: Found) -> float:
    """Return the unit of the scores as a number."""
    return found.scene.scale * found.scene.norm**2


def steps(found: Found) -> tuple[tuple[str, str], ...]:
    """Return why."""
    at, label = found.scene, found.symbol
    row = at.row + 1
    scores = at.scale * (at.tokens @ at.tokens[at.row])
    shown = ", ".join(multiple(float(s) / unit(found)) for s in scores)
    said = [
        (
            f"Token {row} scores every token by their inner product. Basis vectors are at right "
            f"angles, so only common ones count. In units of ${square(found)}$:",
            rf"{factor(at.scale)}x_{{{row}}}^\top x_j = ({shown}) \cdot {square(found)}",
        ),
        (
            _who_wins(found),
            rf"{label} \to {parse(found.shown).to_latex()}, \qquad {_exact_distance(found)}"
            if found.problem.given.limits
            else rf"\alpha = {column(at.weights(at.tokens))}",
        ),
    ]
    if found.possible:
        return (*said, *_possible_steps(found))
    return (*said, *_impossible_steps(found))


def _who_wins(found: Found) -> str:
    weights = found.scene.weights(found.scene.tokens)
    if not found.problem.given.limits:
        return f"The softmax turns the scores into weights, and ${found.symbol}$ is this average."
    if np.ptp(weights) <= 1e-12:
        return f"All scores are alike, so ${found.symbol}$ is the plain average of the tokens."
    start = f"So ${found.symbol}$ comes close to"
    if np.max(found.limit_weights) < 1:
        return (
            "The largest scores take the weight, the more so the longer the vectors are. "
            f"{start} the average of what they belong to."
        )
    itself = ", the token itself." if found.limit_weights[found.scene.row] == 1 else "."
    return (
        "The largest score takes the weight, the more so the longer the vectors are. "
        f"{start} what it belongs to{itself}"
    )


def multiple(x: float) -> str:
    """Return a multiple of that unit."""
    text = ratio(round(x, 12))
    return text if len(text) < 12 else tex(x)


def _exact_distance(found: Found) -> str:
    """Return the distance of the output from its limit, with its closed form where there is one."""
    at = found.scene
    leader = int(np.argmax(found.limit_weights))
    value = rf"\approx {tex(found.distance)}" if found.distance else "= 0"
    name = _miss(found, found.shown)
    if found.limit_weights[leader] != 1 or len(at.tokens) < 2:
        return f"{name} {value}"
    rest = [j for j in range(len(at.tokens)) if j != leader]
    scores = at.scale * (at.tokens @ at.tokens[at.row]) / unit(found)
    gaps = scores[leader] - scores[rest]
    if np.ptp(gaps) > 1e-12:
        return f"{name} {value}"
    apart = np.sum(at.tokens[rest] - at.tokens[leader], axis=0) / at.norm
    length = _length(found)
    times = "" if length == "1" else rf"\, {length}"
    power = factor(float(round(gaps[0], 12))) + square(found)
    over = (
        rf"\frac{{{root(float(round(apart @ apart, 9)))} {times}}}{{e^{{{power}}} + {len(rest)}}}"
    )
    return f"{name} = {over} {value}"


def _possible_steps(found: Found) -> list[tuple[str, str]]:
    at = found.scene
    if found.as_it_is:
        return [
            (
                f"That is the goal already, within {percent(found.tolerance)} of its length.",
                rf"{_relative(found)} = {tex(found.unchanged, 3)}",
            )
        ]
    assert found.best is not None
    tokens = at.changed_by(found.best.factor, found.best.vector)
    scores = at.scale * (tokens @ tokens[at.row]) / unit(found)
    shown = ", ".join(multiple(float(s)) for s in scores)
    return [
        (
            f"A multiple changes the scores. With the factor {number(found.best.factor)} they are, "
            "in the same units,",
            rf"x_{{{at.changed + 1}}} = {parse(found.changed_token).to_latex()}: \qquad ({shown})",
        ),
        (
            "With the weights that follow from these, the output comes as near to the goal as was "
            "asked for.",
            rf"\alpha = {column(at.weights(tokens))}, \qquad {_relative(found)} = "
            rf"{tex(found.best.error, 3)} \le {tex(found.tolerance)}",
        ),
    ]


def _impossible_steps(found: Found) -> list[tuple[str, str]]:
    at, goal = found.scene, parse(found.goal_text).to_latex()
    if _reach(found, at.tokens):
        said = [
            (
                f"Other weights could give ${goal}$, which is an average of the tokens. But the "
                "weights are not free: they follow from the scores, and lie elsewhere.",
                rf"{_relative(found)} = {tex(found.unchanged, 4)}",
            )
        ]
    else:
        said = [
            (
                f"Could other weights give ${goal}$? The output is an average of the tokens, and "
                "the nearest average of them stays at a distance.",
                _hull_line(found, at.tokens),
            )
        ]
    apart = [
        (name, direction)
        for name, direction in at.added
        if not _reach(found, at.changed_by(1.0, direction))
    ]
    names = " or ".join(f"${parse(name).to_latex()}$" for name, _ in apart)
    lines = [
        rf"\text{{with}} \; {parse(name).to_latex()}: \quad "
        + _hull_line(found, at.changed_by(1.0, direction))
        for name, direction in apart
    ]
    if lines:
        said.append(
            (
                f"Adding {names} to $x_{{{at.changed + 1}}}$ does not help: it moves one token, "
                "and the nearest average is then",
                r", \qquad ".join(lines),
            )
        )
    said += _every_factor(found)
    unproved = [name for name, pieces in found.proofs if pieces is None]
    if unproved:
        said.append((f"For every multiple of {', '.join(unproved)} this is not proved.", ""))
    return said


def _miss(found: Found, text: str) -> str:
    """Return ‖c − text‖, with brackets where the formula needs them."""
    return rf"\lVert {parse(f'{found.label} - ({text})').to_latex()} \rVert"


def _relative(found: Found) -> str:
    goal = parse(found.goal_text).to_latex()
    return rf"\frac{{{_miss(found, found.goal_text)}}}{{\lVert {goal} \rVert}}"


def _reach(found: Found, tokens: Array) -> bool:
    """Whether free weights would bring the output to the goal."""
    return found.hull(tokens) <= found.tolerance * found.scene.size


def _hull_line(found: Found, tokens: Array) -> str:
    at = found.scene
    nearest = found.hull(tokens)
    share = (nearest / at.norm) ** 2
    simple = root(float(round(share, 9)))
    exact = abs(math.sqrt(share) - _value(simple)) < 1e-9
    closed = rf"{simple} \, {_length(found)} = " if exact and _length(found) != "1" else ""
    return (
        rf"\min_{{\text{{weights}}}} {_miss(found, found.goal_text)} = {closed}{tex(nearest)}, "
        rf"\qquad \text{{relative}} \; {tex(nearest / at.size, 3)}"
    )


def _value(latex: str) -> float:
    inside = latex.removeprefix("\\sqrt{").removesuffix("}")
    above, _, below = inside.partition("/")
    found = float(above) / float(below or 1)
    return math.sqrt(found) if latex.startswith("\\sqrt") else found


def _every_factor(found: Found) -> list[tuple[str, str]]:
    """Return the steps that cover all factors."""
    at, relative = found.scene, _relative(found)
    lines, shares, bounds, several = [], [], [], []
    for name, pieces in found.proofs:
        if not pieces:
            continue
        bounds.append(min(piece.bound for piece in pieces) / at.size)
        line = _lead(found, name) if len(pieces) == 1 else None
        if line is None:
            several.append(name)
        else:
            lines.append(rf"{parse(name).to_latex()}: \quad {line}")
            shares.append(pieces[0].share)
    said = []
    if lines:
        said += [
            (
                rf"And any multiple $\lambda$? Token {at.row + 1} raises its own score most of "
                "all. Above that of its nearest rival it stays by",
                r", \qquad ".join(lines),
            ),
            (
                f"So token {at.row + 1} keeps at least {percent(min(shares), 6)} of the weight on "
                "itself. Its own direction stays in the output, whatever the multiple.",
                rf"{relative} \ge {tex(min(bounds), 4)}",
            ),
        ]
    if several:
        shown = " or ".join(f"${parse(name).to_latex()}$" for name in several)
        said.append(
            (
                f"For every multiple of {shown}{_pieces(found, several)} the output stays away "
                "from the goal.",
                rf"{relative} \ge {tex(min(bounds), 4)}",
            )
        )
    return said


def _pieces(found: Found, names: list[str]) -> str:
    """How the multiples were looked at, if not all at once."""
    many = any(len(pieces or []) > 1 for name, pieces in found.proofs if name in names)
    return ", piece by piece along the line of factors," if many else ""


def _lead(found: Found, name: str) -> str | None:
    """Return by how much the token leads its nearest rival, for every factor, if it does."""
    at = found.scene
    piece = (dict(found.proofs)[name] or [])[0]
    if piece.gap <= 0 or at.row != at.changed or piece.leader != at.row or len(at.tokens) < 2:
        return None
    rows = at.differences(dict(at.added)[name], piece.leader) / unit(found)
    lows = [_low(row) if j != piece.leader else math.inf for j, row in enumerate(rows)]
    j = int(np.argmin(lows))
    constant, linear, quadratic = (float(round(v, 12)) for v in rows[j])
    polynomial = _polynomial(quadratic, linear, constant)
    low = factor(float(round(lows[j], 12)))
    return rf"{square(found)} ({polynomial}) \ge {low}{square(found)} \quad (x_{{{j + 1}}})"


def _low(row: Array) -> float:
    constant, linear, square = (float(v) for v in row)
    return constant - linear * linear / (4 * square) if square > 0 else constant


def _polynomial(square: float, linear: float, constant: float) -> str:
    parts: list[str] = []
    for value, power in ((constant, ""), (linear, r"\lambda"), (square, r"\lambda^2")):
        if value == 0:
            continue
        sign = "-" if value < 0 else "+" if parts else ""
        size = abs(value)
        shown = tex(size) if not power else factor(size) + power
        parts.append(f"{sign} {shown}".strip())
    return " ".join(parts) or "0"

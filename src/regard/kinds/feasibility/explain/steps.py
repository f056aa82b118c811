"""The steps for tokens without matrices: what comes out, and why no multiple helps."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from regard.checking.sampling import Float64
from regard.kinds.feasibility.solve import AsItIs, Found, OutOfReach, Reached
from regard.kinds.feasibility.solve.excluded_multiples import Piece, least_gap, nearest_rival
from regard.language import parse
from regard.report.numbers import short
from regard.solving.finding import Steps
from regard.solving.latex_numbers import column, equal, factor, percent, ratio, root, tex
from regard.solving.token_names import length_symbol, token_symbol

__all__ = ["multiple", "square", "steps"]


def square(found: Found) -> str:
    """Return scale · length², the unit of the scores."""
    length, scale = length_symbol(found.problem.given), found.at.scale
    return (factor(scale) if scale != 1 else "") + (rf"{length}^2" if length != "1" else "1")


def multiple(x: float) -> str:
    """Return a multiple of that unit."""
    text = ratio(round(x, 12))
    return text if len(text) < 12 else tex(x)


def _multiples(found: Found, tokens: Float64) -> str:
    """Return the scores of the row in that unit."""
    return ", ".join(multiple(float(s)) for s in found.at.scores(tokens) / found.at.unit)


def steps(found: AsItIs | Reached | OutOfReach) -> Steps:
    """Return why: the scores, who takes the weight, and what a change does to that."""
    at, row = found.at, found.at.row
    said = (
        (
            f"**Scores.** Token {row + 1} scores every token by their inner product. Basis "
            f"vectors are at "
            f"right angles, so only common ones count. In units of ${square(found)}$:",
            rf"{factor(at.scale)}{token_symbol(row)}^\top x_j = ({_multiples(found, at.tokens)}) "
            rf"\cdot {square(found)}",
        ),
        (
            _who_wins(found),
            rf"{token_symbol(row, 'c')} \to {parse(found.instead).to_latex()}, \qquad "
            f"{_exact_distance(found)}"
            if found.problem.given.limits
            else rf"\alpha = {column(at.weights())}",
        ),
    )
    if isinstance(found, AsItIs):
        within = (
            f"**Goal.** That is the goal already, within {percent(found.tolerance)} of its length."
        )
        return (*said, (within, rf"{_relative(found)} {equal(at.error(at.tokens), 3)}"))
    if isinstance(found, Reached):
        return (*said, *_reached_steps(found))
    return (*said, *_excluded_steps(found))


def _who_wins(found: Found) -> str:
    symbol = token_symbol(found.at.row, "c")
    if not found.problem.given.limits:
        return (
            f"**Weights.** The softmax turns the scores into weights, and ${symbol}$ is this "
            "average."
        )
    if np.ptp(found.at.weights()) <= 1e-12:
        return (
            f"**Weights.** All scores are alike, so ${symbol}$ is the plain average of the tokens."
        )
    if np.max(found.limit_weights) < 1:
        return (
            "**Weights.** The largest scores take the weight, the more so the longer the vectors "
            "are. "
            f"So ${symbol}$ comes close to the average of what they belong to."
        )
    itself = ", the token itself." if found.limit_weights[found.at.row] == 1 else "."
    return (
        "**Weights.** The largest score takes the weight, the more so the longer the vectors are. "
        f"So ${symbol}$ comes close to what it belongs to{itself}"
    )


def _exact_distance(found: Found) -> str:
    """Return the distance of the output from its limit, with its closed form where there is one."""
    at = found.at
    leader = int(np.argmax(found.limit_weights))
    value = rf"\approx {tex(found.distance)}" if found.distance else "= 0"
    plain = f"{_miss(found, found.instead)} {value}"
    if found.limit_weights[leader] != 1 or len(at.tokens) < 2:
        return plain
    rest = [j for j in range(len(at.tokens)) if j != leader]
    scores = at.scores() / at.unit
    gaps = scores[leader] - scores[rest]
    if np.ptp(gaps) > 1e-12:
        return plain
    apart = np.sum(at.tokens[rest] - at.tokens[leader], axis=0) / at.table.norm
    length = length_symbol(found.problem.given)
    times = "" if length == "1" else rf"\, {length}"
    above = f"{root(float(round(apart @ apart, 9)))} {times}"
    power = factor(float(round(gaps[0], 12))) + square(found)
    closed = rf"\frac{{{above}}}{{e^{{{power}}} + {len(rest)}}}"
    return f"{_miss(found, found.instead)} = {closed} {value}"


def _reached_steps(found: Reached) -> Steps:
    at, best = found.at, found.best
    tokens = at.changed_by(best.factor, best.vector)
    return (
        (
            f"**Multiple.** A multiple changes the scores. With the factor {short(best.factor)} "
            f"they are, "
            "in the same units,",
            rf"{token_symbol(at.changed)} = {parse(found.token).to_latex()}: \qquad "
            f"({_multiples(found, tokens)})",
        ),
        (
            "With the weights that follow from these, the output comes as near to the goal as was "
            "asked for.",
            rf"\alpha = {column(at.weights(tokens))}, \qquad {_relative(found)} "
            rf"{equal(best.error, 3)} \le {tex(found.tolerance)}",
        ),
    )


def _excluded_steps(found: OutOfReach) -> Steps:
    at, goal = found.at, parse(found.goal_text).to_latex()
    if found.is_average(at.tokens):
        weights = (
            f"Other weights could give ${goal}$, which is an average of the tokens. But the "
            "weights are not free: they follow from the scores, and lie elsewhere.",
            rf"{_relative(found)} {equal(at.error(at.tokens))}",
        )
    else:
        weights = (
            f"**Other weights.** Could other weights give ${goal}$? The output is an average of "
            f"the tokens, and "
            "the nearest average of them stays at a distance.",
            _hull_line(found, at.tokens),
        )
    moved = {name: at.changed_by(1.0, one) for name, one in at.directions.items()}
    apart = {name: tokens for name, tokens in moved.items() if not found.is_average(tokens)}
    said = [weights]
    if apart:
        said.append(
            (
                f"**Tokens.** Adding {_either(apart)} to ${token_symbol(at.changed)}$ does not "
                f"help: it moves "
                "one token, and the nearest average is then",
                r", \qquad ".join(
                    rf"\text{{with}} \; {parse(name).to_latex()}: \quad {_hull_line(found, tokens)}"
                    for name, tokens in apart.items()
                ),
            )
        )
    said += _every_factor(found)
    unproved = [name for name, pieces in found.proofs.items() if pieces is None]
    if unproved:
        said.append((f"For every multiple of {', '.join(unproved)} this is not proved.", ""))
    return tuple(said)


def _either(names: dict[str, Float64] | list[str]) -> str:
    return " or ".join(f"${parse(name).to_latex()}$" for name in names)


def _miss(found: Found, text: str) -> str:
    """Return ‖c − text‖, with brackets where the formula needs them."""
    return rf"\lVert {parse(f'{found.label} - ({text})').to_latex()} \rVert"


def _relative(found: Found) -> str:
    """Return the distance to the goal over the length of the goal."""
    goal = parse(found.goal_text).to_latex()
    return rf"\frac{{{_miss(found, found.goal_text)}}}{{\lVert {goal} \rVert}}"


def _hull_line(found: Found, tokens: Float64) -> str:
    """Return how near any weights come, as a root times the length where it is a simple one."""
    nearest, length = found.nearest_average(tokens)[0], length_symbol(found.problem.given)
    share = (nearest / found.at.table.norm) ** 2
    simple = float(Fraction(round(share, 9)).limit_denominator(1000))
    exact = abs(math.sqrt(share) - math.sqrt(simple)) < 1e-9
    closed = rf"{root(float(round(share, 9)))} \, {length} = " if exact and length != "1" else ""
    return (
        rf"\min_{{\text{{weights}}}} {_miss(found, found.goal_text)} = {closed}{tex(nearest)}, "
        rf"\qquad \text{{relative}} \; {tex(nearest / found.at.size, 3)}"
    )


def _every_factor(found: OutOfReach) -> list[tuple[str, str]]:
    """Return the steps that cover all factors."""
    at = found.at
    covered = {name: pieces for name, pieces in found.proofs.items() if pieces}
    leads = {name: _lead(found, name, pieces) for name, pieces in covered.items()}
    led = [name for name in covered if leads[name]]
    several = [name for name in covered if not leads[name]]
    if not covered:
        return []
    least = min(piece.bound for pieces in covered.values() for piece in pieces) / at.size
    bound = rf"{_relative(found)} \ge {tex(least, 4)}"
    said = []
    if led:
        share = percent(min(covered[name][0].share for name in led), 4)
        said += [
            (
                rf"**Multiples.** And any multiple $\lambda$? Token {at.row + 1} raises its own "
                rf"score most of "
                "all. Above that of its nearest rival it stays by",
                r", \qquad ".join(
                    rf"{parse(name).to_latex()}: \quad {leads[name]}" for name in led
                ),
            ),
            (
                f"**The rest.** So token {at.row + 1} keeps at least {share} of the weight on "
                f"itself. Its own "
                "direction stays in the output, whatever the multiple.",
                bound,
            ),
        ]
    if several:
        many = any(len(covered[name]) > 1 for name in several)
        how = ", piece by piece along the line of factors," if many else ""
        away = f"For every multiple of {_either(several)}{how} the output stays away from the goal."
        said.append((away, bound))
    return said


def _lead(found: OutOfReach, name: str, pieces: list[Piece]) -> str:
    """Return by how much the token leads its nearest rival, for every factor; "" if it does not."""
    at, piece = found.at, pieces[0]
    if len(pieces) > 1 or piece.gap <= 0 or len(at.tokens) < 2:
        return ""
    if at.row != at.changed or piece.leader != at.row:
        return ""
    rival, lead = nearest_rival(at, at.added[name], piece.leader)
    low = factor(float(round(least_gap(lead, -math.inf, math.inf), 12)))
    polynomial = _polynomial([float(round(v, 12)) for v in lead])
    unit = square(found)
    return rf"{unit} ({polynomial}) \ge {low}{unit} \quad ({token_symbol(rival)})"


def _polynomial(coefficients: list[float]) -> str:
    """Return a polynomial in λ by its coefficients, the constant first."""
    parts: list[str] = []
    for value, power in zip(coefficients, ("", r"\lambda", r"\lambda^2"), strict=True):
        if value == 0:
            continue
        sign = "-" if value < 0 else "+" if parts else ""
        shown = factor(abs(value)) + power if power else tex(abs(value))
        parts.append(f"{sign} {shown}".strip())
    return " ".join(parts) or "0"

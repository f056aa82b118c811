"""Does zeroing these blocks make a head look T steps back, give or take B/2?

A block is kept while its cosine has turned by at most a phase φ at the edge of the window:
w_i B/2 ≤ φ. Any φ in the range that the problem accepts is right.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from regard.checking.answers import Answer
from regard.checking.merged_goals import tried
from regard.checking.mistakes import recognise
from regard.checking.sampling import Trial
from regard.checking.verdict import Counterexample, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.band.instance import Bools, Window
from regard.kinds.band.misconceptions import MISTAKES, Case
from regard.kinds.band.reading import Asked, read
from regard.kinds.band.spec import BandProblem
from regard.problems.positions import Float64
from regard.report import number
from regard.report.numbers import listing

MANY = 256  # a width at which phases are close together
FEW = (2, 4, 6, 8, 12, 16)  # widths of counterexamples, the smallest first


def hint(error: InvalidAnswer) -> str:
    """Say what to write where an answer that cannot be read looks like a set of blocks."""
    said = error.formula
    if said is None or not error.field.startswith("zeroed"):
        return ""
    braces = any(mark in said.text for mark in ("\\in", "∈", "{", "..", "[]", "block", " to "))
    if not braces and not said.text.startswith(",", said.column):
        return ""
    return "\nWrite a list of blocks as [0, 1, 2], or an inequality such as w_i B/2 > pi/2."


def judge(problem: BandProblem, answer: Answer) -> Verdict:
    """Judge which blocks an answer zeroes."""
    asked = read(problem, answer)
    name = "the blocks that turn too far within the window are zeroed"
    if asked.varied:
        name += f", for any {listing(asked.varied)}"
    draw = partial(_draw, asked) if asked.varied else None
    tries = tried(asked.here, asked.error, 0.0, draw, _hard(asked))
    failing = tries.failing
    return Verdict(
        problem,
        (tries.goal(name, partial(_difference, asked)),),
        _counterexample(asked, failing[0]) if failing else None,
        _recognised(asked, [trial.instance for trial in tries.all]) if failing else None,
        _remarks(asked, not failing),
    )


def _recognised(asked: Asked, windows: list[Window]) -> Misconception | None:
    """Name the first misconception that the answer shows wherever it was tried."""
    if "d_model" in asked.varied:
        windows = [*windows, replace(asked.here, d_model=MANY)]
    return recognise(MISTAKES, Case(asked, tuple((w, asked.zeroed(w)) for w in windows)))


def _draw(asked: Asked, rng: np.random.Generator) -> Window:
    """Return another window; what the answer is not about stays."""
    here, varied = asked.here, asked.varied
    d_model = 2 * int(rng.integers(3, 13)) if "d_model" in varied else here.d_model
    B = float(np.round(np.exp(rng.uniform(0.0, 6.0)), 2)) if "B" in varied else here.B
    T = int(rng.integers(-40, 41)) if "T" in varied else here.T
    return replace(here, d_model=d_model, B=B, T=T)


def _hard(asked: Asked) -> list[Window]:
    """Return very narrow and very wide windows, and many blocks close to each other."""
    here = asked.here
    windows = [replace(here, d_model=MANY)] if "d_model" in asked.varied else []
    if "B" in asked.varied:
        windows += [replace(here, d_model=min(here.d_model, 64), B=B) for B in (0.5, 3.0, 2000.0)]
    if "T" in asked.varied:
        windows += [replace(here, T=T) for T in (0, -3)]
    return windows


def _difference(asked: Asked, trial: Trial[Window]) -> str:
    window = trial.instance
    where = "" if window == asked.here else f" for {window}"
    return f"zeroed: {_blocks(asked.zeroed(window))}; right: {_choices(asked, window)}{where}"


def _choices(asked: Asked, window: Window) -> str:
    """Say which blocks may be zeroed."""
    fewest, most = asked.borders(window)
    return " up to ".join(_blocks(np.arange(most) < m) for m in sorted({fewest, most}))


def _blocks(zeroed: Bools) -> str:
    """Write which blocks are zeroed."""
    found = np.flatnonzero(zeroed).tolist()
    if not found:
        return "no block"
    if found == list(range(found[0], found[-1] + 1)):
        return f"block {found[0]}" if len(found) == 1 else f"blocks {found[0]} … {found[-1]}"
    shown = ", ".join(map(str, found[:6]))
    return f"blocks {shown}{', …' if len(found) > 6 else ''}"


def _remarks(asked: Asked, right: bool) -> tuple[str, ...]:
    here = asked.here
    said = []
    if not asked.varied:
        said.append("The answer is made of numbers, so it was tried on this instance only.")
    elif right and not {"B", "d_model"} <= set(asked.varied):
        numbers = {"B": here.B, "d_model": here.d_model}
        fixed = [f"{name} = {number(x)}" for name, x in numbers.items() if name not in asked.varied]
        said.append(f"The answer is about {listing(fixed)} only, and was judged so.")
    if right:
        m = int(np.sum(asked.zeroed(here)))
        if m < len(here.phases):
            degrees = number(float(np.degrees(here.phases[m])), 4)
            said.append(f"The fastest block kept, {m}, has turned by {degrees}° at the edge.")
    return tuple(said)


def _counterexample(asked: Asked, trial: Trial[Window]) -> Counterexample:
    """Look for the fewest blocks on which the answer is wrong."""
    window = next((w for w in _smaller(asked) if asked.error(w) > 0), trial.instance)
    zeroed, phases = asked.zeroed(window), window.phases
    at = int(np.argmax(zeroed != asked.nearest(window, zeroed)))
    sentence = (
        f"With {window} the answer zeroes {_blocks(zeroed)}, and right would be "
        f"{_choices(asked, window)}: {_why(asked, at, bool(zeroed[at]), float(phases[at]))}."
    )
    arrays = {
        "d_model": window.d_model,
        "B": window.B,
        "T": window.T,
        "w": window.omega.tolist(),
        "phases": phases.tolist(),
        "zeroed": np.flatnonzero(zeroed).tolist(),
    }
    steps = (
        (f"The frequencies are {_some(window.omega)}.", ""),
        (f"At the edge of the window the blocks have turned by {_some(phases)}.", ""),
        (f"The cosine of block {at} is {number(float(np.cos(phases[at])), 4)} there.", ""),
    )
    seed = trial.seed if window == trial.instance else None
    why = _why(asked, at, bool(zeroed[at]), float(phases[at]))
    return Counterexample(
        arrays, sentence, seed, steps, f"{why[:1].upper()}{why[1:]}.",
        f"d_model = {window.d_model}, B = {number(window.B, 4)}", ("phases", "zeroed"),
    )  # fmt: skip


def _why(asked: Asked, at: int, is_zeroed: bool, phase: float) -> str:
    """Say why a block should not be zeroed, or not be kept."""
    low, high = asked.problem.goal.accept
    turned = f"turns by w_i B/2 = {number(phase, 4)} from the middle to the edge"
    if is_zeroed:
        end = " and faster ones are kept" if phase > low else f", at most {number(low, 4)}"
        return f"block {at} is zeroed, although it only {turned}{end}"
    end = " and slower ones are zeroed" if phase <= high else f", more than {number(high, 4)}"
    return f"block {at} is kept, although it {turned}{end}"


def _some(values: Float64) -> str:
    shown = ", ".join(number(float(x), 4) for x in values[:8])
    return f"({shown}{', …' if len(values) > 8 else ''})"


def _smaller(asked: Asked) -> list[Window]:
    here, varied = asked.here, asked.varied
    widths = FEW if "d_model" in varied else (here.d_model,)
    sizes = (here.B, 1.0, 2.0, 20.0, 200.0) if "B" in varied else (here.B,)
    shifts = (here.T, 0, 1, 30) if "T" in varied else (here.T,)
    return [replace(here, d_model=d, B=B, T=T) for d in widths for B in sizes for T in shifts]

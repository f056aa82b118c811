"""What wrong choices of zeroed blocks look like, and the smallest case that shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from regard.checking.misconceptions import misconception
from regard.checking.sampling import Trial
from regard.checking.verdict import Counterexample, Misconception
from regard.kinds.band.judge.judge import Asked, Bools, Window, blocks, choices, wrong
from regard.report import number

MANY = 256  # a width at which phases are close together
FEW = (2, 4, 6, 8, 12, 16)  # widths of counterexamples, the smallest first


def recognise(asked: Asked, windows: Sequence[Window]) -> Misconception | None:
    """Name the first misconception that the answer shows wherever it was tried.

    Those that say what would be right are only named if that would be right in every window.
    """
    windows = [*windows, replace(asked.here, d_model=MANY)] if asked.any_width else windows
    sets = [asked.zeroed(window) for window in windows]
    # Windows that zero some blocks and keep some, so that the two can be told apart.
    mixed = [
        zeroed
        for window, zeroed in zip(windows, sets, strict=True)
        if window == asked.here or 0 < asked.borders(window)[0] < len(zeroed) - 1
    ]
    tests: list[tuple[str, Callable[[], bool]]] = [
        ("zeroes-nothing", lambda: not any(map(np.any, mixed))),
        ("zeroes-everything", lambda: all(map(np.all, mixed))),
        ("frequencies-swapped", lambda: _swapped(asked, windows, sets)),
        ("offset-for-width", lambda: _offset(asked, windows)),
        ("half-width-forgotten", lambda: _as_if(asked, windows, 0.5)),
        ("entries-for-blocks", lambda: _entries(asked, windows, sets)),
        ("not-the-fastest", lambda: not all(map(_from_the_fastest, sets))),
        ("zeroes-too-much", lambda: _beyond(asked, windows, sets, +1)),
        ("zeroes-too-little", lambda: _beyond(asked, windows, sets, -1)),
    ]
    return next((misconception(tag) for tag, shows in tests if shows()), None)


def _from_the_fastest(zeroed: Bools) -> bool:
    return bool(np.all(zeroed[: int(np.sum(zeroed))]))


def _swapped(asked: Asked, windows: Sequence[Window], sets: list[Bools]) -> bool:
    """The blocks that are kept should go, or as many should go from the other end."""
    return any(
        all(
            wrong(change(zeroed), asked.borders(window)) == 0
            for window, zeroed in zip(windows, sets, strict=True)
        )
        for change in (np.logical_not, np.flip)
    )


def _entries(asked: Asked, windows: Sequence[Window], sets: list[Bools]) -> bool:
    """Rows of A are numbered, two for each block."""
    if not asked.varies:
        rows = set(np.flatnonzero(sets[0]).tolist())
        halves = np.isin(np.arange(len(sets[0])), [row // 2 for row in rows])
        pairs = bool(rows) and all(row ^ 1 in rows for row in rows)
        return pairs and wrong(halves, asked.borders(windows[0])) == 0
    if not asked.any_window:
        return False  # with one width, any number of blocks is right for some phase
    # If row r turned by its share of the frequencies, one phase would explain all windows.
    low, high = asked.problem.goal.accept
    for window, zeroed in zip(windows, sets, strict=True):
        row = np.arange(len(zeroed))
        turned = window.base ** (-row / window.d_model) * window.B / 2
        low = max(low, float(np.max(turned[~zeroed], initial=0.0)))
        high = min(high, float(np.min(turned[zeroed], initial=np.inf)))
    return low <= high and any(map(np.any, sets))


def _offset(asked: Asked, windows: Sequence[Window]) -> bool:
    """The answer would be right if T stood for the width of the window, or for half of it."""
    if not asked.any_shift:
        return False
    return any(
        all(wrong(asked.zeroed(w, {"T": share * w.B}), asked.borders(w)) == 0 for w in windows)
        for share in (1.0, 0.5)
    )


def _as_if(asked: Asked, windows: Sequence[Window], share: float) -> bool:
    """The answer would be right if B stood for this share of the window."""
    if not asked.any_window:
        return False
    return all(wrong(asked.zeroed(w, {"B": share * w.B}), asked.borders(w)) == 0 for w in windows)


def _beyond(asked: Asked, windows: Sequence[Window], sets: list[Bools], side: int) -> bool:
    """Too many are zeroed wherever the number is not right, or too few."""
    off = []
    for window, zeroed in zip(windows, sets, strict=True):
        fewest, most = asked.borders(window)
        count = int(np.sum(zeroed))
        off.append(1 if count > most else -1 if count < fewest else 0)
    return side in off and -side not in off


def counterexample(asked: Asked, trial: Trial[Window]) -> Counterexample:
    """Look for the fewest blocks on which the answer is wrong."""
    window = next((w for w in _smaller(asked) if asked.error(w) > 0), trial.instance)
    zeroed, (fewest, most) = asked.zeroed(window), asked.borders(window)
    phases = window.phases
    i = np.arange(len(phases))
    m = min(range(fewest, most + 1), key=lambda m: int(np.sum(zeroed != (i < m))))
    at = int(np.argmax(zeroed != (i < m)))
    low, high = asked.problem.goal.accept
    turned = f"turns by w_i B/2 = {number(float(phases[at]), 4)} from the middle to the edge"
    if zeroed[at]:
        why = f"block {at} is zeroed, although it only {turned}, at most {number(low, 4)}"
        if phases[at] > low:
            why = f"block {at} is zeroed, although it only {turned} and faster ones are kept"
    else:
        why = f"block {at} is kept, although it {turned}, more than {number(high, 4)}"
        if phases[at] <= high:
            why = f"block {at} is kept, although it {turned} and slower ones are zeroed"
    sentence = (
        f"With {window} the answer zeroes {blocks(zeroed)}, and right would be "
        f"{choices(fewest, most)}: {why}."
    )
    arrays = {
        "d_model": window.d_model,
        "B": window.B,
        "T": window.T,
        "w": window.speeds.tolist(),
        "phases": phases.tolist(),
        "zeroed": np.flatnonzero(zeroed).tolist(),
    }
    steps = (
        (f"The frequencies are {_some(window.speeds)}.", ""),
        (f"At the edge of the window the blocks have turned by {_some(phases)}.", ""),
        (f"The cosine of block {at} is {number(float(np.cos(phases[at])), 4)} there.", ""),
    )
    seed = trial.seed if window == trial.instance else None
    return Counterexample(arrays, sentence, seed, steps)


def _some(values: np.ndarray) -> str:
    shown = ", ".join(number(float(x), 4) for x in values[:8])
    return f"({shown}{', …' if len(values) > 8 else ''})"


def _smaller(asked: Asked) -> list[Window]:
    here = asked.here
    widths = FEW if asked.any_width else (here.d_model,)
    sizes = (here.B, 1.0, 2.0, 20.0, 200.0) if asked.any_window else (here.B,)
    shifts = (here.T, 0, 1, 30) if asked.any_shift else (here.T,)
    return [replace(here, d_model=d, B=B, T=T) for d in widths for B in sizes for T in shifts]

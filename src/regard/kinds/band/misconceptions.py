"""What is got wrong about zeroing blocks, and how the blocks that an answer zeroes show it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from regard.checking.mistakes import Mistake
from regard.kinds.band.instance import Bools, Window, window_of
from regard.kinds.band.reading import Asked
from regard.kinds.band.spec import BandProblem
from regard.language.writing import angle


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong answer, with the blocks that it zeroes in each window it was tried on."""

    asked: Asked
    tried: tuple[tuple[Window, Bools], ...]

    @property
    def mixed(self) -> list[Bools]:
        """What it zeroes here, and where some blocks are to be zeroed and some to be kept."""
        return [
            zeroed
            for window, zeroed in self.tried
            if window == self.asked.here or 0 < self.asked.borders(window)[0] < len(zeroed) - 1
        ]

    def right_with(self, change: Callable[[Window, Bools], Bools]) -> bool:
        """Whether other blocks instead would be right in every window."""
        return all(self.asked.off(w, change(w, zeroed)) == 0 for w, zeroed in self.tried)

    def right_if(self, name: str, share: float) -> bool:
        """Whether the answer would be right if a name stood for this share of B."""
        if name not in self.asked.varied:
            return False
        return self.right_with(lambda w, _: self.asked.zeroed(w, {name: share * w.B}))


def _swapped(case: Case) -> bool:
    """The blocks that are kept should go, or as many should go from the other end."""
    others = case.right_with(lambda _, zeroed: ~zeroed)
    return others or case.right_with(lambda _, zeroed: zeroed[::-1])


def _entries(case: Case) -> bool:
    """Rows of A are numbered, two for each block."""
    asked = case.asked
    if not asked.varied:
        rows = set(np.flatnonzero(case.tried[0][1]).tolist())
        halves = [row // 2 for row in rows]
        pairs = bool(rows) and all(row ^ 1 in rows for row in rows)
        return pairs and case.right_with(lambda _, z: np.isin(np.arange(len(z)), halves))
    if "B" not in asked.varied:
        return False  # with one width, any number of blocks is right for some phase
    # If row r turned by its share of the frequencies, one phase would explain all windows.
    low, high = asked.problem.goal.accept
    for window, zeroed in case.tried:
        turned = window.base ** (-np.arange(len(zeroed)) / window.d_model) * window.B / 2
        low = max(low, float(np.max(turned[~zeroed], initial=0.0)))
        high = min(high, float(np.min(turned[zeroed], initial=np.inf)))
    return low <= high and any(np.any(zeroed) for _, zeroed in case.tried)


def _beyond(case: Case, side: int) -> bool:
    """Too many are zeroed wherever the number is not right (side 1), or too few (side −1)."""
    off = set()
    for window, zeroed in case.tried:
        fewest, most = case.asked.borders(window)
        count = int(np.sum(zeroed))
        off.add(1 if count > most else -1 if count < fewest else 0)
    return side in off and -side not in off


def _rows_of_blocks(problem: BandProblem) -> dict[str, list[int]]:
    """The rows of the blocks that turn too far: twice as many numbers."""
    gone = int(np.sum(window_of(problem.given).phases > problem.goal.phase))
    return {"zeroed": list(range(min(2 * gone, problem.given.d_model // 2)))}


MISTAKES: tuple[Mistake[BandProblem, Case], ...] = (
    Mistake(
        "zeroes-nothing",
        "No block is zeroed.\nSo the head is as exact as before, and the window is not wider.",
        lambda case: not any(map(np.any, case.mixed)),
        lambda problem: {"zeroed": []},
        "Leaving $A$ as it was",
    ),
    Mistake(
        "zeroes-everything",
        "Every block is zeroed.\n"
        "Then all keys have the same score: the head looks at nothing in particular.",
        lambda case: all(map(np.all, case.mixed)),
        lambda problem: {"zeroed": "i >= 0"},
    ),
    Mistake(
        "frequencies-swapped",
        "Fast and slow blocks have changed places:\n"
        "w_i falls with i, so small i are fast. A fast block makes the head exact and has to "
        "go; a slow one is nearly the same all over the window.",
        _swapped,
        lambda problem: {"zeroed": f"w_i B/2 < {angle(problem.goal.phase)}"},
        "Zeroing the slow blocks instead of the fast ones",
    ),
    Mistake(
        "offset-for-width",
        "How far back the window lies does not matter:\n"
        "T turns the blocks, and which of them are too fast depends on the width B alone.",
        lambda case: case.right_if("T", 1.0) or case.right_if("T", 0.5),
        lambda problem: {"zeroed": f"w_i T/2 > {angle(problem.goal.phase)}"},
    ),
    Mistake(
        "half-width-forgotten",
        "The window reaches B/2 to each side of T, not B:\n"
        "at its edge a block has turned by w_i B/2.",
        lambda case: case.right_if("B", 0.5),
        lambda problem: {"zeroed": f"w_i B > {angle(problem.goal.accept[0])}"},
    ),
    Mistake(
        "entries-for-blocks",
        "As rows and columns of A these would be right.\n"
        "Each block has two of them, so the numbers of the blocks are half of that.",
        _entries,
        _rows_of_blocks,
    ),
    Mistake(
        "not-the-fastest",
        "A block is zeroed and a faster one is kept:\n"
        "whenever a block turns too far within the window, so do all faster ones.",
        lambda case: not all(np.all(zeroed[: np.sum(zeroed)]) for _, zeroed in case.tried),
    ),
    Mistake(
        "zeroes-too-much",
        "Blocks are zeroed that hardly turn within the window.\n"
        "The fast ones are zeroed too, as they should be: keep a block whose cosine is still "
        "near its top at the edge.",
        lambda case: _beyond(case, 1),
        lambda problem: {"zeroed": f"w_i B/2 > {angle(problem.goal.accept[0] / 8)}"},
    ),
    Mistake(
        "zeroes-too-little",
        "Too few blocks are zeroed:\n"
        "blocks stay that turn too far within the window, and their cosine has fallen deep "
        "before the edge.",
        lambda case: _beyond(case, -1),
        lambda problem: {"zeroed": f"w_i B/2 > {angle(2 * math.pi)}"},
    ),
)
OFTEN = ("frequencies-swapped", "zeroes-nothing")

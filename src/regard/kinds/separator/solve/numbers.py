"""Taking a value out of a mix in numbers: examples, and what wrong matrices return."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from regard.report import Block, Plot, Series, Table, vector
from regard.solving.latex_numbers import column, ratio

Array = NDArray[np.float64]

MOST = 8  # entries of a vector that are shown


def _sample(kept: Array, dropped: Array, first: int, other: int) -> tuple[Array, Array]:
    """Return a value of each subspace, with whole coordinates counted from these on."""
    x = np.arange(first, first + kept.shape[1], dtype=float)
    y = np.arange(other, other + dropped.shape[1], dtype=float)
    return kept @ x, dropped @ y


def examples(
    kept: Array, dropped: Array, share: float, M: Array, keep: str, drop: str
) -> tuple[Block, ...]:
    """Return a table of two examples, and a plot of the first beside wrong answers."""
    rows = []
    for first, other in ((1, 5), (2, 7)):
        value, noise = _sample(kept, dropped, first, other)
        c = share * (value + noise)
        cells = (value, noise, c, np.where(np.abs(M @ c) < 1e-12, 0.0, M @ c))
        rows.append(tuple(vector(cell, most=MOST) for cell in cells))
    value, noise = _sample(kept, dropped, 1, 5)
    c = share * (value + noise)
    places = tuple(f"entry {i + 1}" for i in range(min(len(c), MOST)))
    named = [("the value", value), ("M c", M @ c), ("c itself", c)]
    if float(np.max(np.abs(kept @ (kept.T @ c) - M @ c))) > 1e-9:
        named.append((f"{keep} {keep}' c", kept @ (kept.T @ c)))
    series = tuple(Series(name, places, tuple(v[:MOST].tolist())) for name, v in named)
    names = (f"value in the span of {keep}", f"in the span of {drop}", "c", "M takes c to")
    return (
        Table(names, tuple(rows), "two examples"),
        Plot("bars", "the value and what is taken for it", "", "", series),
    )


def mistakes(
    kept: Array, dropped: Array, share: float, M: Array, letter: str, orthonormal: bool
) -> tuple[str, ...]:
    """Return what is often got wrong, in numbers of the instance; M is the right matrix."""
    value, noise = _sample(kept, dropped, 2 if orthonormal else 1, 7 if orthonormal else 5)
    c = share * (value + noise)
    S, other = letter.upper(), "t" if letter == "s" else "s"
    wanted = f"$v_{letter} = {_shown(value)}$"
    projected = kept @ (np.linalg.pinv(kept) @ c) / share
    at_right_angles = float(np.max(np.abs(projected - M @ c))) < 1e-9
    said = []
    if share != 1:
        said.append(
            f"Forgetting the factor {ratio(1 / share)}, because $c$ holds only {ratio(share)} of "
            f"the value: without it ${_shown(share * M @ c)}$ comes out instead of {wanted}."
        )
    if not at_right_angles:
        said.append(
            f"Projecting on the span of ${S}$ at right angles, as if the other value were at right "
            f"angles to it: that returns ${_shown(projected)}$ instead of {wanted}."
        )
    if not orthonormal:
        said.append(
            f"Taking the basis for an orthonormal one: ${S} {S}^\\top c$ over the share is "
            f"${_shown(kept @ (kept.T @ c) / share)}$ instead of {wanted}. The inverse of "
            f"${S}^\\top {S}$ is needed as soon as its vectors are not at right angles to each "
            "other and of length one."
        )
    elif at_right_angles:
        skew = np.array([[1.0, 0.6], [0.0, 0.8]])
        plain = skew @ np.array([1.0, 2.0])
        said.append(
            f"Using only that the basis vectors have length one: with $(1, 0)$ and $(0.6, 0.8)$ "
            f"the value ${_shown(plain)}$ would become ${_shown(skew @ skew.T @ plain)}$. They "
            "also have to be at right angles to each other."
        )
    size = kept.shape[1]
    said.append(
        f"Stopping at the coordinates: ${S}^\\top c = {_shown(kept.T @ c)}$ has {size} "
        f"{'entry' if size == 1 else 'entries'}, and {wanted} has {len(value)}."
    )
    if at_right_angles:
        said.append(
            f"Asking for right angles between ${letter}_i$ and ${other}_j$ with $i \\ne j$ only: "
            f"if ${other}_1 = {letter}_1$, the matrix takes ${other}_1$ to "
            f"${_shown(M @ kept[:, 0])}$ and not to zero."
        )
    return tuple(said)


def _shown(x: Array) -> str:
    """Write a vector without what is rounding."""
    return column(np.where(np.abs(x) < 1e-12 * max(float(np.max(np.abs(x))), 1.0), 0.0, x))

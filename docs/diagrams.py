"""Pictures of how things go together, and of many answers, heads or settings at once."""

from __future__ import annotations

import math

import numpy as np
from drawing import box, line, svg, text

import regard


def _boxes(rows: list[list[str]], label: str) -> str:
    """Draw rows of boxes, each joined to the next."""
    parts = []
    for i, row in enumerate(rows):
        y = 26 + 92 * i
        for j, name in enumerate(row):
            parts += [
                box(8 + 190 * j, y, 162, 52, "card"),
                text(89 + 190 * j, y + 32, name, "label", "middle"),
            ]
            if j:
                parts.append(
                    line([(172 + 190 * (j - 1), y + 26), (196 + 190 * (j - 1), y + 26)], "curve")
                )
    return svg(560, 26 + 92 * len(rows), label, parts)


def flow() -> str:
    rows = [["problem", "solution, proved", "page, PDF, JSON"], ["answer", "verdict, with why"]]
    return _boxes(rows, "A problem is solved, an answer is judged, both become a page")


def box_for_programs() -> str:
    rows = [
        ["mine.py", "a box: no network", "what it returned"],
        ["the reference", "compared here", "verdict, with why"],
    ]
    return _boxes(rows, "A program runs in a box, and what it returns is compared outside of it")


def exports() -> str:
    parts = [box(8, 72, 162, 52, "card"), text(89, 104, "one problem", "label", "middle")]
    for i, name in enumerate(("Gradescope", "otter", "nbgrader", "PrairieLearn")):
        y = 10 + 48 * i
        parts += [line([(172, 98), (300, y + 18)], "curve"), box(302, y, 170, 36, "card"),
                  text(387, y + 24, name, "label", "middle")]  # fmt: skip
    return svg(560, 200, "One problem becomes a folder for each of four graders", parts)


ANSWERS = ("C (k_a + k_b)", "10 (k_a + k_b)", "k_a + k_b", "C (k_a - k_b)", "C k_a")


def a_class() -> str:
    parts = []
    for i, answer in enumerate(ANSWERS):
        y = 10 + 38 * i
        verdict = regard.check("average-two-values", answer)
        words = (
            "right"
            if verdict.right
            else verdict.misconception.tag
            if verdict.misconception
            else "not right"
        )
        parts += [
            text(8, y + 19, answer),
            box(190, y + 4, 160, 18, "track"),
            box(190, y + 4, 160 * (verdict.score or 0), 18, "query"),
            text(366, y + 19, words),
        ]
    return svg(560, 204, "The scores of five answers, and what is wrong with them", parts)


def offset_masses() -> str:
    n, offsets = 24, tuple(range(-2, 7))
    head = regard.design.offset(2, 16, n=n, tolerance=0.2).head()
    positions = regard.sinusoidal(n, 16)
    found = regard.attention_statistics(
        positions @ head.W_Q, positions @ head.W_K, scale=head.scale, offsets=offsets
    )
    mass = np.asarray(found.offset_mass)[6:].mean(axis=0)
    parts = []
    for i, (offset, share) in enumerate(zip(offsets, mass, strict=True)):
        x = 30 + 57 * i
        parts += [box(x, 170 - 150 * share, 40, 150 * share, "target" if offset == 2 else "key"),
                  text(x + 20, 194, f"{offset}".replace("-", "−"), "label", "middle")]  # fmt: skip
    parts += [
        line([(20, 171), (545, 171)], "axis"),
        text(545, 24, "weight by steps back", anchor="end"),
    ]
    return svg(560, 206, "How much weight a head puts how many steps back", parts)


def leaks() -> str:
    def x(C: float) -> float:
        return 84 + 36 * C

    def y(r: float) -> float:
        return 14 + 32 * -math.log10(r)

    scales = np.linspace(0, 11.5, 47)
    parts = []
    for n in (4, 64, 1024):
        keys = np.eye(n)
        points = []
        for C in scales:
            weights = regard.attention_with_weights(
                C * (keys[:1] + keys[1:2]), keys, keys[:, :1], scale=1
            )[1]
            points.append((x(C), y(1 - weights[0, :2].sum())))
        parts += [line(points, "curve"), text(points[-1][0] + 6, points[-1][1] + 4, f"n = {n}")]
    parts += [text(76, y(10.0**-k) + 5, f"{100 * 10.0**-k:g} %", anchor="end") for k in (0, 2, 4)]
    return svg(600, 206, "The leak against the factor C, for three numbers of keys", parts)

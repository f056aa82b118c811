"""The pictures of the documentation, each drawn from numbers that regard computes when it is built.

A picture is inline SVG: its colours come from `_static/regard.css`, so that it follows light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import diagrams
import numpy as np
from drawing import box, dot, line, name, svg, text

import regard


@dataclass(frozen=True)
class Picture:
    """A picture, what it shows in one sentence, the code behind it and the page that explains it."""

    title: str
    sentence: str
    code: str
    page: str
    draw: Callable[[], str]

    def html(self) -> str:
        """The picture as a figure of a page."""
        return f'<figure class="picture">{self.draw()}<figcaption>{self.sentence}</figcaption></figure>'


def _weights(C: float) -> np.ndarray:
    """Return the weights of six orthonormal keys for the query C (k_a + k_b)."""
    keys = np.eye(6)
    return regard.attention_with_weights(C * (keys[:1] + keys[1:2]), keys, keys, scale=1)[1][0]


def leak() -> str:
    C = np.linspace(0, 12, 121)
    lost = np.array([1 - _weights(c)[:2].sum() for c in C])
    enough = float(regard.solve("average-two-values").answer["C"])

    def x(c: float) -> float:
        return 84 + 37 * c

    def y(r: float) -> float:
        return 20 + 32 * -math.log10(r)

    ticks = [
        text(76, y(10.0**-k) + 5, f"{100 * 10.0**-k:g} %", anchor="end") for k in range(1, 6, 2)
    ]
    ends = [text(x(c), 208, f"{c}", anchor="middle") for c in (0, 4, 8, 12)]
    return svg(
        560, 216, "The leak falls with the factor C", [
            box(x(enough), 12, x(12) - x(enough), 180, "region"),
            line([(x(c), y(r)) for c, r in zip(C, lost, strict=True)], "curve"),
            dot(x(enough), y(1 - _weights(enough)[:2].sum()), 6, "query"),
            text(x(enough) + 10, 34, f"enough, from {math.ceil(100 * enough) / 100:.2f} on"),
            text(x(0.3), y(0.002), "weight on the other keys", "label"),
            *ticks, *ends,
        ],
    )  # fmt: skip


def noise() -> str:
    mu, covariances = np.eye(4), np.zeros((4, 4, 4))
    covariances[0] = np.outer(mu[0], mu[0]) / 2
    edges = np.linspace(0, 1, 15)

    def shares(queries: np.ndarray) -> np.ndarray:
        law = regard.analysis.key_noise(queries, mu, covariances, mu)
        below = [law.probability(mu[0], float(edge)) for edge in edges[1:-1]]
        return np.diff([0.0, *below, 1.0])

    parts = []
    for row, (title, queries) in enumerate(
        [("one head", 10 * (mu[0] + mu[1])), ("two heads", 10 * mu[:2])]
    ):
        base = 96 + 104 * row
        parts.append(text(20, base - 62, title))
        for i, share in enumerate(shares(queries)):
            parts.append(box(120 + 30 * i, base - 80 * share, 24, 80 * share, "bar"))
        parts.append(line([(116, base + 1), (540, base + 1)], "axis"))
    parts += [text(120, 222, "0"), text(540, 222, f"all on {name('v', 'a')}", anchor="end")]
    parts.append(text(330, 222, "half", anchor="middle"))
    return svg(560, 232, "How much of the output is v_a when its key varies in length", parts)


PLANE = np.array([[-1.3, -0.7], [1.5, -0.5], [0.0, 1.4], [0.1, 0.05]])


def _place(key: np.ndarray) -> tuple[float, float]:
    return 280 + 130 * key[0], 118 - 68 * key[1]


def hull() -> str:
    try:
        regard.design.query(PLANE, 3)
        raise AssertionError("the key in the middle cannot be copied")
    except regard.InfeasibleDesign as refused:
        most = float(refused.best.weights[3])
    corners = [_place(key) for key in PLANE[:3]]
    ends = ("end", "start", "start")  # of the edges, which the names keep off
    names = [
        text(x + (14 if end == "start" else -14), y + 4, f"k{'₁₂₃'[i]}", anchor=end)
        for i, ((x, y), end) in enumerate(zip(corners, ends, strict=True))
    ]
    x, y = _place(PLANE[3])
    return svg(
        560, 236, "A key that lies among the others", [
            line([*corners, corners[0]], "forbidden"),
            *(dot(*corner, 9, "key") for corner in corners), *names,
            dot(x, y, 11, "impossible"),
            text(280, 228, f"no query gives k₄ more than {math.ceil(1000 * most) / 10:.1f} %", anchor="middle"),
            text(x + 18, y + 5, "k₄"),
        ],
    )  # fmt: skip


def ceiling() -> str:
    angles = np.linspace(0, 2 * np.pi, 721)
    lengths = np.linspace(0.01, 8, 90)
    directions = np.stack([np.cos(angles), np.sin(angles)], -1)

    def best(j: int, R: float) -> float:
        weights = regard.attention_with_weights(R * directions, PLANE, PLANE, scale=1)[1]
        return float(weights[:, j].max())

    def x(R: float) -> float:
        return 60 + 58 * R

    def y(w: float) -> float:
        return 190 - 165 * w

    curves = {j: [(x(R), y(best(j, R))) for R in lengths] for j in (2, 3)}
    return svg(
        560, 222, "The largest weight that a query of a given length gives", [
            line([(x(0), y(1)), (x(8), y(1))], "axis"), line([(x(0), y(0)), (x(8), y(0))], "axis"),
            line(curves[2], "curve"), line(curves[3], "forbidden"),
            text(x(5), y(0.8), "a corner: as near to 1 as one likes", anchor="middle"),
            text(x(4.6), y(0.33), "a key among the others: a ceiling, proved", anchor="middle"),
            text(x(8), 212, "length of the query", anchor="end"),
            text(54, y(1) + 4, "1", anchor="end"), text(54, y(0) + 4, "0", anchor="end"),
        ],
    )  # fmt: skip


def causal() -> str:
    n = 12
    heads = regard.design.offset(2, 16, n=n).head()
    weights = heads.weights(np.zeros((n, 16)), positions=regard.sinusoidal(n, 16), is_causal=True)
    size = 17
    cells = [
        box(110 + size * j, 8 + size * i, size - 1, size - 1, "bar", float(weights[i, j]))
        for i in range(n)
        for j in range(i + 1)
    ]
    grid = [
        box(110 + size * j, 8 + size * i, size - 1, size - 1, "track")
        for i in range(n)
        for j in range(n)
    ]
    words = [
        text(100, 60, "each token", anchor="end"), text(330, 60, "looks two steps back,"),
        text(330, 82, "and never ahead"),
    ]  # fmt: skip
    return svg(
        560, 220, "A causal map of a head that looks two steps back", [*grid, *cells, *words]
    )


def kernel() -> str:
    design = regard.design.band(5, 4, 64, n=40, method="optimal")
    shifts = np.arange(-20, 21)
    values = regard.analysis.positional_kernel(design.A).f(shifts)
    low, high = values.min(), values.max()

    def x(s: float) -> float:
        return 280 + 12 * s

    def y(f: float) -> float:
        return 190 - 165 * (f - low) / (high - low)

    return svg(
        560, 222, "Scores by shift of a head that looks 5 steps back, give or take 2", [
            box(x(2.5), 14, x(7.5) - x(2.5), 180, "wanted"),
            line([(x(s), y(f)) for s, f in zip(shifts, values, strict=True)], "curve"),
            *(dot(x(s), y(f), 3, "query" if 3 <= s <= 7 else "key")
              for s, f in zip(shifts, values, strict=True)),
            text(x(5), 212, "T = 5", anchor="middle"), text(x(0), 212, "0", anchor="middle"),
            text(x(-20), 212, "steps back"),
        ],
    )  # fmt: skip


def yours() -> str:
    given = _weights(1.0)
    parts = []
    for i in range(6):
        y = 12 + 34 * i
        wanted = 0.5 if i < 2 else 0.0
        parts += [
            text(40, y + 17, name("k", "ab3456"[i]), anchor="end"),
            box(52, y + 4, 380, 14, "track"),
            box(52, y + 4, 380 * given[i], 14, "impossible"),
            box(50 + 380 * wanted, y, 4, 22, "target"),
            text(446, y + 17, f"{100 * given[i]:.1f} %"),
        ]
    return svg(560, 220, "The weights of k_a + k_b beside those wanted", parts)


def _designed() -> np.ndarray:
    """Return the weights at the answer's own C."""
    return _weights(float(regard.solve("average-two-values").answer["C"]))


def share() -> str:
    """Return what each of the two keys gets, for the first screen."""
    return f"{100 * _designed()[0]:.1f} %"


def shared() -> str:
    """Return the weights at the answer's own C, for the first screen."""
    weights = _designed()
    parts = []
    for i in range(6):
        y = 12 + 34 * i
        kind = "target" if i < 2 else "key"
        percent = f"{100 * weights[i]:.1f} %" if i < 2 else f"{100 * weights[i]:.2f} %"
        parts += [
            text(40, y + 17, name("k", "ab3456"[i]), anchor="end"),
            box(52, y + 4, 400, 14, "track"),
            box(52, y + 4, 400 * weights[i], 14, kind),
            text(545, y + 17, percent, "label", "end"),
        ]
    return svg(560, 220, "Two of six keys share the attention", parts)


def worked() -> str:
    trace = regard.trace([[2, 3], [-1, 0], [1, -2]], [[1, 0, 2], [0, 1, -3]],
                         [[0, 0, -1], [-2, 0, 1]], [[8, 0], [0, 9]])  # fmt: skip
    told = trace.to_dict(digits=6)
    scores, weights = told["exact"]["scores"], np.array(told["decimal"]["weights"], float)
    parts = []
    for i in range(3):
        for j in range(3):
            x, y = 120 + 74 * j, 26 + 56 * i
            parts.append(box(x, y, 70, 52, "track"))
            parts.append(box(x, y, 70, 52, "bar", float(weights[i, j])))
            kind = "inverse" if weights[i, j] > 0.55 else "label"
            parts.append(text(x + 35, y + 31, scores[i][j], kind, "middle"))
    parts += [text(370, 60, "scores, exactly;"),
              text(370, 80, "shade: the weight")]  # fmt: skip
    return svg(560, 204, "Scores and weights of three tokens", parts)


PICTURES = {
    "tour": Picture(
        "Two of six keys share the attention",
        "The query C (k_a + k_b) at the smallest C that is enough: two of six keys share the weight.",
        'regard.solve("average-two-values")', "tour", shared),
    "leak": Picture(
        "How large must the factor be?",
        "The weight that is lost to the other keys falls like e⁻ᶜ; from the shaded region on it is little enough.",
        'regard.solve("average-two-values").answer["C"]', "own_problems", leak),
    "analysis": Picture(
        "What does noise do to one head?",
        "A key varies in length. One head then copies either value, never both; two heads average them.",
        "regard.analysis.key_noise(queries, means, covariances, values)", "analysis", noise),
    "design": Picture(
        "What can no query do?",
        "A key inside the triangle of the others can never win: the most it can get is proved.",
        "regard.design.query(keys, 3)", "design", hull),
    "theory": Picture(
        "What does a proof of impossibility say?",
        "Longer queries bring a corner as near to 1 as one likes. A key among the others stays under its ceiling.",
        "error.certificate", "theory", ceiling),
    "compute": Picture(
        "Who looks where?",
        "The weights of a causal head, a row for each token.",
        "head.weights(x, is_causal=True)", "compute", causal),
    "positions": Picture(
        "Five steps back, give or take two",
        "Scores by shift of a designed head: highest in the window, everywhere else below.",
        'regard.design.band(5, 4, 64, n=40, method="optimal")', "positions", kernel),
    "check": Picture(
        "Why is this answer not right yet?",
        "The answer k_a + k_b beside what is wanted: the direction is right, and the query too short.",
        'regard.check("average-two-values", "k_a + k_b")', "check", yours),
    "explain": Picture(
        "Where does this number come from?",
        "Exact scores of three tokens; the shade is the weight that the softmax makes of them.",
        "regard.trace(x, W_Q, W_K, W_V)", "explain", worked),
    "own_problems": Picture(
        "From a file to a page",
        "A problem is a small file. It is solved and proved, answers to it are judged, and both become a page.",
        "regard.solve(\"mine.toml\")", "own_problems", diagrams.flow),
    "models": Picture(
        "How far back does a head look?",
        "The share of its weight that a head puts so many steps back: two, and little else.",
        "regard.models.inspect(model)", "models", diagrams.offset_masses),
    "cluster": Picture(
        "How does it grow?",
        "One quantity over many settings: what the other keys keep, against the factor, for three numbers of keys.",
        "regard.cluster.sweep(…)", "cluster", diagrams.leaks),
    "grade": Picture(
        "What did a class answer?",
        "Five answers to one problem: how much of it each reaches, and which mistake it looks like.",
        "regard grade average-two-values hand-ins -o grades", "grade", diagrams.a_class),
    "programs": Picture(
        "Where does a program run?",
        "A file is run in a process that can reach nothing; what it returns is compared outside.",
        "regard check attention-lab mine.py", "programs", diagrams.box_for_programs),
    "exports": Picture(
        "Which grader does your course use?",
        "One problem becomes a complete folder for each of four graders, with the same scores.",
        "regard export average-two-values --to gradescope -o folder", "exports", diagrams.exports),
}  # fmt: skip

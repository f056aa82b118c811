"""Tell of two layers: what the first writes, what the second does with it, what is worst."""

from __future__ import annotations

import numpy as np

from regard.kinds.layers.solve import TwoLayers, matrices
from regard.kinds.layers.spec import LayersProblem
from regard.report import Facts, Plot, Table, number
from regard.report.headline import marked
from regard.solving.finding import Explanation, Steps
from regard.solving.latex_numbers import equal

_FIRST: Steps = (
    (
        "**Layer 1.** Layer 1 is a previous-token head: $P^\\top x_t$ says which position this "
        "is, $S$ steps "
        "back by "
        "one, and the key with that position is met. Its values are tokens, written into the "
        "second room.",
        r"K_1 = P^\top,\quad Q_1 = C\, S P^\top,\quad V_1 = W U^\top",
    ),
    (
        "**Stream.** With $E = e^C$ row $t$ of layer 1 gives the place before $E$ times the "
        "weight of any "
        "other, so "
        "that nearly $w$ of the token before is added to the stream. $E$ is finite, and a little "
        "of "
        "every other token comes with it.",
        r"y_t = x_t + W U^\top \sum_j a_{tj} x_j \approx u_{x_t} + p_t + w_{x_{t-1}}",
    ),
)
_INDUCTION: Steps = (
    (
        "**Layer 2.** A key of layer 2 is what came before its place, a query is the token "
        "itself. So row $t$ "
        "finds the "
        "places that follow an earlier $x_t$, and brings the token there: an induction head.",
        r"s_{tj} = C\, u_{x_t}^\top W^\top y_j \approx C\,[x_{j-1} = x_t],\qquad V_2 = U U^\top",
    ),
)
_TWO_BACK: Steps = (
    (
        "**Layer 2.** Layer 2 steps back by one as well, and brings what layer 1 has written "
        "there: the token "
        "before "
        "the place before.",
        r"s_{tj} = C\,[j = t - 1],\qquad c_t = V_2\, y_{t-1} \approx u_{x_{t-2}}",
    ),
    (
        "**Virtual head.** Both together are a virtual head: weights are multiplied as matrices, "
        "and so are values. "
        "Two "
        "patterns one below the diagonal make one that is two below it.",
        r"c = (A_2 A_1)\, X\, (V_2 V_1)^\top,\qquad V_2 V_1 = U W^\top W U^\top = U U^\top",
    ),
)


def explain(problem: LayersProblem, found: TwoLayers) -> Explanation:
    """Return both layers in words, with the sequence that is worst."""
    induction = problem.goal.bring == "what followed"
    steps = (
        *_FIRST,
        *(_INDUCTION if induction else _TWO_BACK),
        *_first_row(problem),
        *_size(found),
    )
    answer = found.answer
    key = r"W^\top" if problem.given.start else r"W^\top - \mathbf{1} p_1^\top"
    second = rf"K_2 = {key},\; Q_2 = C U^\top,\; V_2 = U U^\top"
    if not induction:
        second = r"K_2 = P^\top,\; Q_2 = C S P^\top,\; V_2 = U W^\top"
    headline = (
        rf"K_1 = P^\top,\; Q_1 = C S P^\top,\; V_1 = W U^\top;\quad {second};\quad "
        rf"C {equal(float(answer['C']))}"
    )
    brought = "what followed the same token before" if induction else "the token two places before"
    result = f"Two layers bring {brought}, with $C$ = {marked(number(found.C, 6), 'target')}."
    return Explanation(headline, steps, _details(problem, found), _beliefs(problem), result=result)


def _first_row(problem: LayersProblem) -> Steps:
    if problem.goal.bring != "what followed":
        return ()
    if problem.given.start:
        return (
            (
                "**Start token.** The first token of a sequence sees the start before it and not "
                "only itself, so "
                "that its "
                "key matches no token.",
                r"y_1 \approx u_{x_1} + p_1 + w_{start}",
            ),
        )
    return (
        (
            "**First row.** Row 1 sees only itself in layer 1, and takes its own token for the "
            "one before. "
            "Nothing ever "
            "follows at position 1, so its key is pushed down by as much as a match counts.",
            r"K_2 = W^\top - \mathbf{1} p_1^\top:\qquad s_{t1} = C\,([x_1 = x_t] - 1) \le 0",
        ),
    )


def _size(found: TwoLayers) -> Steps:
    names = [found.stream.given.vocabulary[y] for y in found.worst]
    return (
        (
            "**Error.** A key of layer 2 depends on all tokens up to its place, so that the "
            "worst sequence is "
            "not found "
            f"place by place: all sequences are run. The worst is row {found.row} of "
            f"({', '.join(names)}).",
            rf"\max \lVert c_t - c_t^* \rVert {equal(found.error)} \quad (C "
            rf"{equal(found.C)})",
        ),
    )


def _details(problem: LayersProblem, found: TwoLayers) -> tuple[Facts | Plot | Table, ...]:
    stream = found.stream
    M, N = stream.M, problem.given.length
    facts = Facts(
        (
            ("tokens", ", ".join(problem.given.vocabulary)),
            ("sequences", f"{sum(M**n for n in range(1, N + 1))}, all of 1 to {N} tokens"),
            ("rows that have something to bring", str(_rows(found))),
            ("factor C", number(found.C, 9)),
            ("largest error", number(found.error, 6)),
        )
    )
    sizes = (found.C / 2, found.C, 2 * found.C)
    rows = tuple(
        (number(C, 7), number(float(np.max(stream.errors(matrices(stream, C)))), 4)) for C in sizes
    )
    table = Table(("C", "largest error"), rows, "the larger the factor, the sharper")
    return facts, _picture(found), table


def _picture(found: TwoLayers) -> Plot:
    """Return where layer 2 looks in a sequence in which the tokens take turns."""
    stream = found.stream
    turns = np.arange(stream.given.length) % stream.M
    at = int(np.argmax((stream.sequences[:, int(stream.given.start) :] == turns).all(axis=1)))
    names = (*stream.given.vocabulary, *(("start",) if stream.given.start else ()))
    tokens = tuple(names[token] for token in stream.sequences[at])
    weights = stream.run(matrices(stream, found.C))[1][at]
    return Plot(
        "heatmap",
        f"Where layer 2 looks in {' '.join(tokens)}",
        "attended to",
        "token",
        rows=tuple(tuple(row) for row in weights.tolist()),
        row_labels=tokens,
        column_labels=tokens,
    )


def _rows(found: TwoLayers) -> int:
    """Return how many rows of all sequences, each prefix once, have something to bring."""
    stream = found.stream
    count = 0
    for t in range(stream.places):
        goal = stream.wanted[:, t] >= 0
        step = stream.M ** (stream.places - 1 - t)  # sequences with the same prefix stand together
        count += int(np.sum(goal[::step]))
    return count


def _beliefs(problem: LayersProblem) -> tuple[str, ...]:
    if problem.goal.bring != "what followed":
        return ()
    return (
        "One layer does not do this with such keys: a key of layer 1 knows its own token and place "
        "only, "
        "and not what stood before it.",
    )

"""What is often got wrong with outer products, in numbers."""

from __future__ import annotations

from regard.kinds.self_attention.explain import closed_forms as closed
from regard.kinds.self_attention.solve.findings import OfFormulas
from regard.kinds.self_attention.solve.wrong_heads import Slip
from regard.report import number
from regard.solving.latex_numbers import tex

__all__ = ["beliefs"]


def beliefs(found: OfFormulas) -> tuple[str, ...]:
    """Return a sentence for each slip that matters, with the error it leads to."""
    length, square = closed.length(found), found.head.at.norm**2
    worst = number(max(found.head.errors.values()), 3)
    words = {
        Slip.VALUES_UNDIVIDED: f"Forgetting $1/{length}^2$ in $V$: the outputs come out "
        f"${length}^2 = {tex(square)}$ times as long, an error of {{}} instead of {worst}.",
        Slip.NO_MATRICES: "Leaving the matrices out ($K = Q = V = I$): the error is {}, because "
        "each token attends to itself or to a longer one.",
        Slip.QUERIES_TURNED: "Writing the outer products of $Q$ in the wrong order, $v u^\\top$ "
        "for $u v^\\top$: queries are then read from directions that the rows do not have; "
        "error {}.",
        Slip.QUERIES_DIVIDED_TWICE: f"Dividing $Q$ by ${length}^4$ instead of ${length}^2$: scores "
        "are then of order 1 however long the vectors are, and the weights stay spread; error {}.",
    }
    return tuple(words[one.slip].replace("{}", number(one.error, 4)) for one in found.wrong_heads)

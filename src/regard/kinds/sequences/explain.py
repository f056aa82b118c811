"""Tell of matrices that serve every sequence: why these scores, how large, which sequence is worst."""

from __future__ import annotations

from typing import Any

from regard.kinds.sequences.solve import Copying, OrderUnseen
from regard.kinds.sequences.spec import SequencesProblem
from regard.report import Facts, Table, number
from regard.solving.finding import Explanation, Steps
from regard.solving.latex_numbers import tex

_HEAD = {
    "own token": (r"Q = C\, U U^\top", "The key of token $y$ meets the query of token $x$ in $u_y^\\top u_x$."),
    "first token": (
        r"Q = C\, p_1 (P \mathbf{1})^\top",
        "$(P \\mathbf{1})^\\top x_t = 1$ for every input, so every query is $C p_1$, and only position 1 meets it.",
    ),
    "previous token": (
        r"Q = C\, P S P^\top",
        "$P^\\top x_t$ says which position this is, $S$ steps back by one, and $P$ makes it a query.",
    ),
    "last place": (
        r"Q = (C\, u_{of} + b\, P J \mathbf{1}) (P \mathbf{1})^\top",
        "Every query is the same: a match counts $C$, and each later position $b$ more.",
    ),
}  # fmt: skip


def explain(problem: SequencesProblem, found: Copying | OrderUnseen) -> Explanation:
    """Return the matrices in words, or the two sequences that look alike."""
    if isinstance(found, OrderUnseen):
        return _unseen(problem, found)
    task = problem.goal.copy_what
    query, why = _HEAD[task]
    query = query.replace("u_{of}", f"u_{{{problem.goal.of}}}")
    value = r"P P^\top" if task == "last place" else r"U U^\top"
    least = rf"C = {tex(found.C, 7)}" + (rf",\quad b = {tex(found.slope, 7)}" if found.slope else "")
    headline = rf"K = I,\quad {query},\quad V = {value},\quad {least}"
    return Explanation(headline, (*_steps(problem, found, why), *_sizes(problem, found)), _details(problem, found))


def _steps(problem: SequencesProblem, found: Copying, why: str) -> Steps:
    score = {
        "own token": r"s_{tj} = C\,[x_j = x_t]",
        "first token": r"s_{tj} = C\,[j = 1]",
        "previous token": r"s_{tj} = C\,[j = t - 1]",
        "last place": rf"s_{{tj}} = C\,[x_j = {problem.goal.of}] + b\, j",
    }[problem.goal.copy_what]
    what = "position" if problem.goal.copy_what == "last place" else "token"
    return (
        (why, score),
        (
            f"$V$ keeps the {what} of an input and drops the rest, so that what is brought is a mix of "
            f"{what}s, and the wanted one is $\\sqrt2$ away from each other one.",
            r"c_t = \sum_j \alpha_{tj} V x_j,\qquad \lVert c_t - c_t^* \rVert \le \sqrt2\, \frac{r}{1 + r}",
        ),
        (
            "Tokens at different positions are chosen independently. So the worst sequence for a row is "
            "found position by position, and needs no list of all sequences.",
            r"r = \max \frac{1 - \alpha_{tj^*}}{\alpha_{tj^*}} = \sum_{j \ne j^*} \max_y e^{s(y, j) - s^*}",
        ),
    )


def _sizes(problem: SequencesProblem, found: Copying) -> Steps:
    N, tolerance = found.setting.N, problem.goal.tolerance
    kappa = rf"\kappa = \frac{{\varepsilon}}{{\sqrt2 - \varepsilon}}"
    if problem.goal.copy_what == "last place":
        return (
            (
                "At worst all earlier positions match and no later one does. With $C = N b$ a position that "
                "does not match counts as one that is $N$ further back, and $r$ is the same wherever $j^*$ is.",
                rf"r = \sum_{{k=1}}^{{N-1}} e^{{-b k}} \le {kappa} \quad\Rightarrow\quad "
                rf"b \ge {tex(found.slope, 7)},\quad C = N b = {tex(found.C, 7)}",
            ),
        )
    return (
        (
            f"At worst the other {N - 1} positions all hold one other token, with the score 0.",
            rf"r = (N - 1) e^{{-C}} \le {kappa} \quad\Rightarrow\quad C \ge \ln\frac{{(N-1)(\sqrt2 - "
            rf"\varepsilon)}}{{\varepsilon}} = {tex(found.C, 7)}\quad (\varepsilon = {tex(tolerance)})",
        ),
    )


def _details(problem: SequencesProblem, found: Copying) -> tuple[Any, ...]:
    setting = found.setting
    count = sum(setting.M**n for n in range(1, setting.N + 1))
    facts = Facts(
        (
            ("tokens", ", ".join(problem.given.vocabulary)),
            ("positions", f"1 to {setting.N}" if setting.has_positions else "none"),
            ("sequences", f"{count}, all of 1 to {setting.N} tokens"),
            ("factor C", number(found.C, 9)),
            *([("slope b", number(found.slope, 9))] if found.slope else []),
            ("error, at most", number(found.bound)),
        )
    )
    return (facts,)


def _unseen(problem: SequencesProblem, found: OrderUnseen) -> Explanation:
    names = problem.given.vocabulary
    first, second = (tuple(names[y] for y in s) for s in (found.first, found.second))
    at = 0 if problem.goal.copy_what == "first token" else found.row - 1
    headline = r"\text{no } K, Q, V: \quad \max \lVert c - c^* \rVert \ge \tfrac{1}{\sqrt2}"
    steps: Steps = (
        (
            "Without positions an input says which token it is and not where it stands. Attention sums over "
            "the positions it sees, and a sum has no order.",
            r"c_t = \sum_j \alpha(x_t, x_j)\, V x_j",
        ),
        (
            f"So row {found.row + 1} of ({', '.join(first)}) and of ({', '.join(second)}) is the same, whatever the "
            f"matrices: the same query, and the same tokens seen.",
            rf"c_{found.row + 1}({', '.join(first)}) = c_{found.row + 1}({', '.join(second)})",
        ),
        (
            f"But the wanted ones differ: $u_{first[at]}$ and $u_{second[at]}$ are $\\sqrt2$ apart, and no vector is "
            "nearer than half of that to both.",
            rf"\lVert u_{first[at]} - u_{second[at]} \rVert = \sqrt2",
        ),
    )
    table = Table(
        ("sequence", f"row {found.row + 1} sees", "wanted"),
        tuple((", ".join(s), ", ".join(sorted(s)), f"$u_{s[at]}$") for s in (first, second)),
        "Two sequences that look the same",
    )
    return Explanation(headline, steps, (table,))

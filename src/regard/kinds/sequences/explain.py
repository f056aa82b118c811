"""Tell of matrices that serve every sequence: why these scores, how large, what is worst."""

from __future__ import annotations

from typing import Any

from regard.kinds.sequences.solve import Copying, OrderUnseen
from regard.kinds.sequences.spec import SequencesProblem
from regard.language.bounds import upper_bound
from regard.report import Facts, Plot, Table
from regard.report.headline import marked
from regard.report.numbers import rounded_up
from regard.solving.finding import Explanation, Steps
from regard.solving.latex_numbers import equal, tex_enough

_QUERY = {
    "own token": r"Q = C\, U U^\top",
    "first token": r"Q = C\, p_1 (P \mathbf{1})^\top",
    "previous token": r"Q = C\, P S P^\top",
    "written after": r"Q = C\, P S P^\top",
    "last place": r"Q = C\, (N u_{of} + P J \mathbf{1}) (P \mathbf{1})^\top",
}
_DOES = {
    "own token": "copies every token",
    "first token": "copies the first token",
    "previous token": "copies the previous token",
    "written after": "writes one token after another",
    "last place": "finds the last place",
}
_WHY = {
    "own token": r"**Scores.** The key of token $y$ meets the query of token $x$ in "
    r"$u_y^\top u_x$.",
    "first token": r"**Scores.** $(P \mathbf{1})^\top x_t = 1$ for every input, so every query "
    r"is $C p_1$, and "
    "only position 1 meets it.",
    "previous token": r"**Scores.** $P^\top x_t$ says which position this is, $S$ steps back by "
    r"one, and $P$ "
    "makes it a query.",
    "written after": r"**Scores.** $P^\top x_t$ says which position this is, $S$ steps back by "
    r"one, and $P$ "
    "makes it a query.",
    "last place": "**Scores.** Every query is the same: a match counts $N C$, each later "
    "position $C$ more.",
}
_SCORE = {
    "own token": r"s_{tj} = C\,[x_j = x_t]",
    "first token": r"s_{tj} = C\,[j = 1]",
    "previous token": r"s_{tj} = C\,[j = t - 1]",
    "written after": r"s_{tj} = C\,[j = t - 1]",
    "last place": r"s_{tj} = C\,(N\,[x_j = of] + j)",
}
_KAPPA = r"\kappa = \frac{\varepsilon}{\sqrt2 - \varepsilon}"


def explain(problem: SequencesProblem, found: Copying | OrderUnseen) -> Explanation:
    """Return the matrices in words, or the two sequences that look alike."""
    if isinstance(found, OrderUnseen):
        return _unseen(problem, found)
    task, of = problem.goal.copy_what, problem.goal.of
    query = _QUERY[task].replace("u_{of}", f"u_{{{of}}}")
    value = r"P P^\top" if task == "last place" else r"U U^\top"
    if task == "written after":
        value = rf"u_{{{problem.goal.write}}} u_{{{of}}}^\top"
    headline = rf"K = I,\quad {query},\quad V = {value},\quad C \ge {tex_enough(found.C)}"
    steps = (*_steps(problem), *_sizes(problem, found))
    return Explanation(
        headline,
        steps,
        _details(problem, found),
        result=f"One head {_DOES[task]}, from $C$ = {marked(rounded_up(found.C), 'target')} on.",
    )


def _steps(problem: SequencesProblem) -> Steps:
    task = problem.goal.copy_what
    what = "position" if task == "last place" else "token"
    if task == "written after":
        kept = (
            f"**Output.** $V$ takes $u_{{{problem.goal.of}}}$ to $u_{{{problem.goal.write}}}$ "
            f"and everything "
            f"else "
            "to 0. The one and the other are 1 apart.",
            r"c_t = \sum_j \alpha_{tj} V x_j,\qquad "
            r"\lVert c_t - c_t^* \rVert \le \frac{r}{1 + r}",
        )
    else:
        kept = (
            f"**Output.** $V$ keeps the {what} of an input and drops the rest, so that what is "
            f"brought is a "
            f"mix of {what}s, and the wanted one is $\\sqrt2$ away from each other one.",
            r"c_t = \sum_j \alpha_{tj} V x_j,\qquad "
            r"\lVert c_t - c_t^* \rVert \le \sqrt2\, \frac{r}{1 + r}",
        )
    return (
        (_WHY[task], _SCORE[task].replace("of", str(problem.goal.of))),
        kept,
        (
            "**Worst sequence.** Tokens at different positions are chosen independently. So the "
            "worst sequence for a "
            "row is found position by position, and needs no list of all sequences.",
            r"r = \max \frac{1 - \alpha_{tj^*}}{\alpha_{tj^*}} = "
            r"\sum_{j \ne j^*} \max_y e^{s(y, j) - s^*}",
        ),
    )


def _sizes(problem: SequencesProblem, found: Copying) -> Steps:
    N, tolerance = found.setting.N, problem.goal.tolerance
    if problem.goal.copy_what == "last place":
        why = (
            "**Leak.** At worst all earlier positions match and no later one does. A position "
            "that does not "
            "match counts as one that is $N$ further back, so $r$ is the same wherever $j^*$ is."
        )
        least = r"r = \sum_{k=1}^{N-1} e^{-C k}"
    else:
        why = (
            f"**Leak.** At worst the other {N - 1} positions all hold one other token, with "
            "the score 0."
        )
        least = r"r = (N - 1) e^{-C}"
    kappa = _KAPPA
    if problem.goal.copy_what == "written after":
        kappa = kappa.replace(r"\sqrt2", "1")
        why = (
            f"**Leak.** At worst the place before is the only one of {N} that holds this token, "
            f"or the only "
            f"one "
            "that does not."
        )
    end = rf"C \ge {tex_enough(found.C)} \quad (\varepsilon {equal(tolerance)},\; N = {N})"
    return ((why, rf"{least} \le {kappa} \quad\Rightarrow\quad {end}"),)


def _details(problem: SequencesProblem, found: Copying) -> tuple[Any, ...]:
    setting = found.setting
    count = sum(setting.M**n for n in range(1, setting.N + 1))
    facts = Facts(
        (
            ("tokens", ", ".join(problem.given.vocabulary)),
            ("positions", f"1 to {setting.N}" if setting.has_positions else "none"),
            ("sequences", f"{count}, all of 1 to {setting.N} tokens"),
            ("factor C", rounded_up(found.C, 4)),
            ("error, at most", upper_bound(found.bound, 4)),
        )
    )
    picture = Plot(
        "heatmap",
        f"Where each token of {' '.join(found.tokens)} looks",
        "attended to",
        "token",
        rows=tuple(tuple(row) for row in found.weights.tolist()),
        row_labels=found.tokens,
        column_labels=found.tokens,
    )
    return facts, picture


def _unseen(problem: SequencesProblem, found: OrderUnseen) -> Explanation:
    names = problem.given.vocabulary
    first, second = (tuple(names[y] for y in s) for s in (found.first, found.second))
    at = 0 if problem.goal.copy_what == "first token" else found.row - 1
    headline = r"\text{no } K, Q, V: \quad \max \lVert c - c^* \rVert \ge \tfrac{1}{\sqrt2}"
    row = found.row + 1
    one, other = ", ".join(first), ", ".join(second)
    steps: Steps = (
        (
            "**Sum.** Without positions an input says which token it is and not where it stands. "
            "Attention "
            "sums over the positions it sees, and a sum has no order.",
            r"c_t = \sum_j \alpha(x_t, x_j)\, V x_j",
        ),
        (
            f"**Same row.** So row {row} of ({one}) and of ({other}) is the same, whatever the "
            f"matrices: the "
            "same query, and the same tokens seen.",
            rf"c_{row}({one}) = c_{row}({other})",
        ),
        (
            f"**Wanted.** But the wanted ones differ: $u_{first[at]}$ and $u_{second[at]}$ are "
            f"$\\sqrt2$ "
            "apart, and no vector is nearer than half of that to both.",
            rf"\lVert u_{first[at]} - u_{second[at]} \rVert = \sqrt2",
        ),
    )
    table = Table(
        ("sequence", f"row {found.row + 1} sees", "wanted"),
        tuple((", ".join(s), ", ".join(sorted(s)), f"$u_{s[at]}$") for s in (first, second)),
        "Two sequences that look the same",
    )
    belief = (
        "A causal mask does not help: it hides what comes after a row, and in both sequences "
        "nothing does."
    )
    return Explanation(
        headline,
        steps,
        (table,),
        (belief,),
        result=f"Without positions {marked('no head', 'bad')} does it: it cannot see the order.",
    )

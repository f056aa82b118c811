"""Tell the backward pass: step by step from the output to the inputs, with the numbers beside."""

from __future__ import annotations

import numpy as np

from regard.kinds.gradient.forward import definitions, loss
from regard.kinds.gradient.solve import Backward, Vanishing
from regard.kinds.gradient.spec import TO_TARGETS, GradientGiven, GradientProblem
from regard.language import parse
from regard.report import Block, Heading, Plot, Series, Table, Text
from regard.report.headline import marked
from regard.report.numbers import listing, number, spelled
from regard.solving.finding import Explanation, Steps
from regard.solving.latex_numbers import typeset

LONGEST_RESULT = 60  # characters of LaTeX that stand in a sentence

WHY = {
    "dZ": "**Output.** What comes back to the output, from the loss.",
    "dY": "**Heads.** What comes back to $Y$, through $W_O$.",
    "dW_O": "**Output matrix.** $Z = Y W_O$: the matrix gets what went into it, transposed, "
    "times what comes back.",
    "dV": "**Values.** $Y = A V$ is linear in $V$: row $j$ of $V$ goes into row $i$ of $Y$ with "
    "weight "
    "$A_{ij}$.",
    "dA": "**Weights.** $Y = A V$ is linear in $A$: entry $(i, j)$ of $A$ meets row $j$ of $V$ "
    "and row "
    "$i$ of $G$.",
    "dS": "**Scores.** Row by row through the softmax, with its Jacobian $\\mathrm{diag}(a) - a "
    "a^\\top$: every score "
    "moves all weights of its row. Each row of $dS$ sums to 0.",
    "dQ": "**Queries.** $S$ is the scale times $Q K^\\top$: the query gets the keys.",
    "dK": "**Keys.** And the key gets the queries, with $dS$ transposed. Each column of $dK$ "
    "sums to 0.",
    "dW_Q": "**Matrix $W_Q$.** $Q = X W_Q$: what went in, transposed, times what comes back; the "
    "same for the "
    "others.",
    "dW_K": "**Matrix $W_K$.** $K = X W_K$ in the same way.",
    "dW_V": "**Matrix $W_V$.** $V = X W_V$ in the same way.",
    "db_Q": "**Bias $b_Q$.** A bias is added to every row, so that rows are summed.",
    "db_K": "**Bias $b_K$.** The bias of the keys moves all scores of a row alike, which softmax "
    "does not "
    "see: this is 0.",
    "db_V": "**Bias $b_V$.** The weights of a row sum to 1, so that this is the sum of the rows "
    "of what "
    "comes back.",
    "dX": "**Tokens.** $X$ goes into queries, keys and values: the three gradients are added.",
    "loss": "**Loss.** What the loss comes to.",
    "J": "**Jacobian.** $\\partial a_i/\\partial s_j$ is $a_i (1 - a_i)$ for $i = j$ and "
    "$-a_i a_j$ for $i "
    "\\ne j$.",
    "ds": "**Backward.** The Jacobian times what comes back, without ever writing the matrix.",
}
CROSS_ENTROPY = (
    "**Scores.** $-\\log a_j$ has the slope $a_i$ in every score $s_i$, less 1 in $s_j$; targets "
    "sum to 1."
)
BOUND_STEPS: Steps = (
    (
        "**Others.** Let $x = (n-1) e^{-\\gamma}$. Every other score is at most $e^{-\\gamma}$ "
        "times as "
        "heavy as the "
        "largest, so the weight $r$ of all others together is at most",
        r"r \le \frac{x}{1 + x}",
    ),
    (
        "**Jacobian.** The Jacobian is positive semidefinite: its norm is at most its trace.",
        r"\lVert J \rVert_2 \le \mathrm{tr}\, J = 1 - \lVert a \rVert^2 \le 1 - (1 - r)^2 \le "
        r"2 r \le 2 x",
    ),
    (
        "**Gradient.** A query's gradient is a sum over pairs of keys, weighted by $a_i a_j$, "
        "whose total "
        "is at most "
        "$1 - \\lVert a \\rVert^2$.",
        r"\lVert dq \rVert \le \frac{\kappa}{2} (1 - \lVert a \rVert^2) D_K D_V \le \kappa x "
        r"D_K D_V",
    ),
    (
        "**Factor.** With $q = C \\hat q$ the gap is $C$ times that of $\\hat q$: gradients vanish "
        "exponentially in $C$. "
        "Dividing by $\\sqrt{d_k}$ keeps the gap of random scores of order 1, and gradients alive.",
        "",
    ),
)


def explain(problem: GradientProblem, found: Backward | Vanishing) -> Explanation:
    """Return the steps of the backward pass, or why a bound holds."""
    if isinstance(found, Vanishing):
        bound = marked("exponentially", "target")
        result = f"{_OF[found.of]} falls {bound} as the largest score moves away from the others."
        return Explanation(_named(found), BOUND_STEPS, tuple(_curve(found)), result=result)
    return Explanation(
        _headline(problem, found),
        _steps(problem, found),
        tuple(_tables(problem, found)),
        (),
        (_assumed(problem),),
        result=_result(problem, found),
    )


_OF = {
    "leak": "The weight of all other keys",
    "jacobian": "The Jacobian of a softmax",
    "query": "The gradient of a query",
}


def _result(problem: GradientProblem, found: Backward) -> str:
    """Say the gradient where one is asked for and short, else of what gradients are found."""
    find = problem.goal.find
    if find == ["J"]:
        jacobian = marked(r"$\mathrm{diag}(a) - a a^\top$", "target")
        return f"The Jacobian of a softmax is {jacobian}."
    of = listing([f"${parse(name[1:]).to_latex()}$" for name in find if name != "J"])
    many = len(find) > 1
    if found.numbers:
        return f"The gradient{'s' * many} of {of} {'are' if many else 'is'} worked out in numbers."
    latex = parse(found.chain.get(find[0], "0")).to_latex()
    if not many and len(latex) < LONGEST_RESULT and typeset(latex):
        return f"The gradient of {of} is {marked(f'${latex}$', 'target')}."
    rules = marked(f"{spelled(len(find)).capitalize()} formula{'s' * many}", "target")
    what = "the Jacobian of a softmax and what comes back" if "J" in find else "what comes back"
    return f"{rules} give{'s' * (not many)} {what} to {of}, for all sizes."


def _assumed(problem: GradientProblem) -> str:
    given = problem.given
    what = ", ".join(
        f"${name} = {parse(text).to_latex()}$" for name, text in definitions(given).items()
    )
    if given.loss in TO_TARGETS:
        of = "half the squared distance from" if given.loss == "squared" else "the cross-entropy of"
        return f"{what}; the loss is {of} targets."
    back = (
        r"$g = \partial L / \partial a$"
        if given.forward == "softmax"
        else (
            "the loss is the sum of all outputs"
            if given.loss == "sum"
            else "$G$ is the gradient of the output"
        )
    )
    return f"{what}; {back}."


def _named(found: Vanishing) -> str:
    left = {
        "leak": "r", "jacobian": r"\lVert J \rVert_2", "query": r"\lVert dq \rVert",
    }[found.of]  # fmt: skip
    return rf"{left} \le {parse(found.formula).to_latex()}"


def _headline(problem: GradientProblem, found: Backward) -> str:
    parts = []
    for name in problem.goal.find:
        if name not in found.chain:  # of all heads at once, in numbers
            continue
        latex = parse(found.chain[name]).to_latex()
        parts.append(f"{parse(name).to_latex()} = {latex}")
    text = r",\quad ".join(parts)
    return text if typeset(text) else parse(problem.goal.find[0]).to_latex()


def _steps(problem: GradientProblem, found: Backward) -> Steps:
    steps: list[tuple[str, str]] = []
    forward = definitions(problem.given)
    latex = r",\quad ".join(f"{n} = {parse(t).to_latex()}" for n, t in forward.items())
    steps.append(("**Forward.** The forward pass:", latex))
    latex = f"L = {parse(loss(problem.given)).to_latex()}"
    steps.append(("**Loss.** The loss, as far as it matters here:", latex))
    needed = _needed(problem.goal.find, found.chain)
    for name, text in found.chain.items():
        if name in needed and not (name == "dY" and text == "G"):
            why = _why(problem.given, name, text)
            steps.append((why, f"{parse(name).to_latex()} = {parse(text).to_latex()}"))
    if len(steps) < 3:
        steps.append(("**Nothing else.** Nothing else depends on it.", ""))
    return tuple((sentence, one if typeset(one) else "") for sentence, one in steps[:12])


def _why(given: GradientGiven, name: str, text: str) -> str:
    """Say what makes a step, by the name that it has with one head."""
    if name == "ds" and given.loss == "cross-entropy":
        return CROSS_ENTROPY
    if name.startswith("dY") and "W_O" not in text:
        return WHY["dZ"] if text != "G" else "**Heads.** What comes back to $Y$."
    base = name if name in WHY else name.rstrip("0123456789").removesuffix("_")
    return WHY[base] if "+" not in text or base == "dX" else f"{WHY[base]} {_SHARED}"


_SHARED = "Every head that uses it sends something back."


def _needed(find: list[str], chain: dict[str, str]) -> set[str]:
    found, waiting = (
        set[str](),
        [one for name in find for one in chain if one == name or one.startswith(f"{name}_")],
    )
    while waiting:
        name = waiting.pop()
        if name in chain and name not in found:
            found.add(name)
            waiting += parse(chain[name]).names
    return found


def _tables(problem: GradientProblem, found: Backward) -> list[Block]:
    blocks: list[Block] = []
    if not found.numbers:
        return [Text("The formulas hold for all inputs of all sizes.")]
    for name in problem.goal.find:
        array = np.atleast_2d(found.numbers[name])
        rows = tuple(tuple(number(float(x), 8) for x in row) for row in array)
        blocks += [Heading(name, 3), Table(tuple(f"{j + 1}" for j in range(array.shape[1])), rows)]
    return blocks


def _curve(found: Vanishing) -> list[Block]:
    gaps = tuple(float(x) for x in np.linspace(0.5, 12, 24))
    bound = tuple(
        float(
            parse(found.formula).evaluate(
                {"n": 10.0, "gamma": g, "kappa": 1.0, "D_K": 1.0, "D_V": 1.0}
            )
        )
        for g in gaps
    )
    return [
        Plot("lines", "The bound for n = 10", "gap", "bound", (Series("bound", gaps, bound),)),
    ]

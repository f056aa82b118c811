"""Tell of a head: its matrices and why they do it, or why none do."""

from __future__ import annotations

from fractions import Fraction

from regard.design.results import HeadDesign
from regard.errors import InfeasibleDesign
from regard.kinds.self_attention.explain.formula_steps import formula_steps
from regard.kinds.self_attention.explain.tables import formula_details, number_details
from regard.kinds.self_attention.solve import (
    Contradicted,
    Impossible,
    OfFormulas,
    OfNumbers,
    Undecided,
)
from regard.kinds.self_attention.solve.contradiction import Contradiction
from regard.kinds.self_attention.spec import SelfAttentionProblem
from regard.language import parse
from regard.language.bounds import lower_bound
from regard.report import number
from regard.report.headline import marked
from regard.report.numbers import listing, short, spelled
from regard.solving.finding import Explanation, Steps
from regard.solving.latex_numbers import equal, tex, tex_lower_bound, tex_upper_bound
from regard.solving.refusals import in_words
from regard.solving.token_names import token_symbol

__all__ = ["explain"]

MOST_NAMED = 3  # outputs that a sentence holds
_DISTANCE = r"\max_{j,k} \lVert V x_j - V x_k \rVert \le "

_REASONS = {
    "outputs_out_of_reach": "Outputs are averages of $V x_j$: rows with the same token have "
    "the same output, and all outputs together have no more dimensions than the tokens.",
    "pattern_ceiling": "Scores $x_j^\\top A x_i$ are linear in $A$. Some of the inequalities "
    "that the pattern needs add up to $0 > 0$.",
    "pattern_apart": "Two sets of weights have the same moments, so that no matrix tells them "
    "apart, and the one that is wanted has less entropy.",
    "pattern_beyond": "Weights of heads satisfy equations; those that are asked for do not.",
    "outputs_beyond": "No weights of a head have these outputs.",
    "apart_from_hull": "Outputs are averages of $V x_j$, and one that is asked for is none.",
    "d_k_at_least": "The scores that are wanted need a matrix of higher rank.",
}


def explain(
    problem: SelfAttentionProblem,
    found: OfFormulas | OfNumbers | Impossible | Contradicted | Undecided,
) -> Explanation:
    """Return the matrices in words, or what is in their way."""
    if isinstance(found, OfFormulas):
        steps, details = tuple(formula_steps(found)), formula_details(found)
        done = _done(problem)
        return Explanation(_headline(found), steps, details, result=done)
    if isinstance(found, OfNumbers):
        design = found.design
        headline = rf"d_k = {design.d_k}, \qquad \text{{error}} \le {tex_upper_bound(design.error)}"
        steps, details = _number_steps(design), number_details(design)
        return Explanation(headline, steps, details, result=_done(problem))
    if isinstance(found, Impossible):
        steps, details = _refusal_steps(found.refusal), number_details(found.refusal.best)
        none = f"{marked('No head', 'bad')} does it, whatever its matrices are."
        return Explanation(r"\text{no} \; K, Q, V", steps, details, result=none)
    if isinstance(found, Contradicted):
        return _contradicted(found.against, problem.goal.tolerance)
    open_steps = (("Neither a head nor a proof that there is none was found.", ""),)
    details = () if found.best is None else number_details(found.best)
    return Explanation(r"\text{not known}", open_steps, details)


def _done(problem: SelfAttentionProblem) -> str:
    """Say what the head brings, or how many tokens look where they should."""
    goal = problem.goal
    within = f", to within {marked(number(goal.tolerance), 'target')}"
    if goal.outputs and len(goal.outputs) <= MOST_NAMED and not goal.attend:
        brought = [
            f"${token_symbol(problem.given.token('goal.outputs', label, 'c'), 'c')} \\approx "
            f"{_wanted(text)}$"
            for label, text in goal.outputs.items()
        ]
        return f"One head makes {listing(brought)}{within}."
    rows = {label[2:] for label in (*goal.outputs, *goal.attend)}
    tokens = f"{spelled(len(rows))} token{'s' * (len(rows) > 1)}"
    if not goal.outputs:
        return f"With one head {tokens} look{'s' * (len(rows) == 1)} where they should{within}."
    return f"One head brings {tokens} what is wanted{within}."


def _wanted(text: str) -> str:
    """Return a wanted output as LaTeX; 0 times a vector is 0."""
    return "0" if text.split()[:1] == ["0"] else parse(text).to_latex()


def _headline(found: OfFormulas) -> str:
    Q = parse(found.answer["Q"]).to_latex()
    V = parse(found.answer["V"]).to_latex() if found.head.at.outputs else "I"
    return rf"K = I, \qquad Q = {Q}, \qquad V = {V}"


def _number_steps(design: HeadDesign) -> Steps:
    """Return how a head of numbers is found."""
    return (
        (
            "Scores are linear in $A = K^\\top Q$: the rows that are asked for are inequalities "
            "for its entries.",
            r"s_{ij} = x_j^\top A x_i",
        ),
        (
            "The matrix with the widest margin is the nearest point of a hull; it is then made as "
            "large as the tolerance needs.",
            rf"\text{{error}} \le {tex_upper_bound(design.error)} \le {tex(design.tolerance)}",
        ),
        (
            f"Its rank is the number of columns of W_Q and W_K: {design.d_k}, and at least "
            f"{design.d_k_lower_bound} is needed.",
            r"A = W_K W_Q^\top",
        ),
    )


def _refusal_steps(refusal: InfeasibleDesign) -> Steps:
    """Return why no head does it."""
    claim = refusal.certificate.claims[0]
    bound = claim.fields.get("bound", claim.fields.get("tolerance"))
    shown = rf"\text{{bound}} {equal(bound)}" if isinstance(bound, float) else ""
    return (
        (_REASONS.get(claim.kind, "No head does it."), ""),
        (in_words(refusal), shown),
    )


def _contradicted(against: Contradiction, tolerance: float) -> Explanation:
    """Tell why the weights and the outputs that are asked for contradict each other."""
    rows = listing([f"${token_symbol(row, 'c')}$" for row in against.combination])
    moved = " + ".join(
        f"{_coefficient(weight)} {token_symbol(row, 'c')}"
        for row, weight in against.combination.items()
    ).replace("+ -", "- ")
    steps = (
        (
            f"With the weights that are asked for, {rows} are $V$ times averages of tokens, and "
            "these averages depend on each other. So do the outputs, whatever $V$ is.",
            f"{moved} = 0",
        ),
        (
            "The outputs that are asked for do not: one of them is missed by at least",
            rf"\max_i \lVert c_i - o_i \rVert \ge {tex_lower_bound(against.exactly)}",
        ),
        (
            f"Weights that are only within {short(tolerance)} leave a little for other tokens. "
            "Where the values $V x_j$ are not far apart, this does not help: one output is still "
            f"missed by more than {short(tolerance)}",
            rf"\text{{if}} \; {_DISTANCE}{tex_lower_bound(against.spread)}",
        ),
    )
    assumes = (
        f"the values $V x_j$ are at most {lower_bound(against.spread, 3)} apart; with values "
        "further apart, what the tolerance leaves to other tokens may make up the difference."
    )
    headline = (
        rf"\text{{no}} \; K, Q, V \; \text{{with}} \; {_DISTANCE}{tex_lower_bound(against.spread)}"
    )
    return Explanation(headline, steps, assumes=(assumes,))


def _coefficient(weight: Fraction) -> str:
    if weight.denominator == 1:
        size = "" if abs(weight) == 1 else str(abs(weight))
    else:
        size = rf"\frac{{{abs(weight.numerator)}}}{{{weight.denominator}}}"
    return f"{'-' if weight < 0 else ''}{size}"

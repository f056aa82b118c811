"""Tell of several heads: their queries and why they work, or why no heads do."""

from __future__ import annotations

from collections.abc import Iterator

from regard.kinds.heads.explain.proved_bounds import random_assumes
from regard.kinds.heads.explain.steps import explain_steps
from regard.kinds.heads.explain.tables import details
from regard.kinds.heads.solve.head_queries import HeadQueries, WeightCeiling
from regard.kinds.heads.spec import HeadsProblem
from regard.report import number
from regard.solving.finding import Explanation
from regard.solving.key_tables import (
    KNOWN,
    averaged,
    error_in_digits,
    key_name,
    symbol,
    tex,
    tex_vector,
    variance_in_digits,
    weights_table,
)

__all__ = ["explain"]


def explain(problem: HeadsProblem, found: HeadQueries | WeightCeiling) -> Explanation:
    """Return the queries of all heads in words, or the key that no head can give its share."""
    if isinstance(found, WeightCeiling):
        return _impossible(problem, found)
    return Explanation(
        _headline(found),
        tuple(explain_steps(problem, found)),
        tuple(details(problem, found)),
        tuple(_beliefs(problem, found)),
        random_assumes(problem) if found.heads.keys.random else (),
    )


def _beliefs(problem: HeadsProblem, found: HeadQueries) -> Iterator[str]:
    heads, whole = found.heads, found.heads.whole
    # Where noise stays and each head has a key, that is a wrong answer, and told as such.
    believed = bool(problem.given.limits) or not heads.pure
    if believed and heads.keys.random and whole.m > 1 and found.factor is not None:
        single = whole.query(found.factor, heads.instance.symbols)
        alike, apart = float(heads.keys.variance(single[None])), found.error_and_variance[1]
        if alike > max(apart, KNOWN**2):
            yield (
                "The same mixed query in every head: all of them see the same keys and put out the "
                "same, so averaging removes no noise. The variance stays "
                f"{variance_in_digits(alike)}; with the queries above it is "
                f"{variance_in_digits(apart)}."
            )
    if found.noisy is not None:
        yield (
            "That the noise does not matter because it is small. Small against what: with the "
            f"noise given the error is {error_in_digits(found.error_with_noise)}, without it "
            f"{number(found.error)}."
        )


def _headline(found: HeadQueries) -> str:
    parts = []
    for h, (pattern, query) in enumerate(zip(found.heads.patterns, found.queries, strict=True)):
        shown = tex_vector(query) if found.factor is None else pattern.latex()
        parts.append(f"q_{{{h + 1}}} = {shown}")
        if h == 3 and len(found.queries) > 5:
            parts.append(r"\ldots")
            break
    if found.factor is not None:
        parts.append(rf"{found.heads.whole.factor} = {tex(found.factor)}")
    limit = "" if found.noisy is None else r" \quad \text{as the noise vanishes}"
    return r",\quad ".join(parts) + limit


def _impossible(problem: HeadsProblem, found: WeightCeiling) -> Explanation:
    given, most = problem.given, found.ceiling.fields["bound"]
    key, weight = symbol(key_name(given, found.row)), found.whole.target[found.row]
    steps = (
        (
            "This key is an average of others:",
            rf"{key} = {averaged(given, found.ceiling.witness['combination'])}",
        ),
        (
            "So no query gives it more than this, and no average of heads does.",
            r"\alpha \le \frac{1}{1 + e^{H(\lambda)}} = " + tex(most),
        ),
        ("It was to have more.", rf"{tex(weight)} - {tex(problem.goal.tolerance)} > {tex(most)}"),
    )
    caption = "the most it can get"
    table = weights_table(given, found.whole.wanted, found.closest.weights, caption=caption)
    belief = (
        f"That more heads help. Each of {problem.goal.heads} heads gives the key at most "
        f"{number(most)}, so their average does too."
    )
    headline = rf"\text{{impossible: every head gives }} {key} \text{{ at most }} {tex(most)}"
    return Explanation(headline, steps, (table,), (belief,))

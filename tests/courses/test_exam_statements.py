"""Statements about attention that quizzes ask about: which are true. Every other choice is refused."""

from __future__ import annotations

from itertools import product

import pytest

from regard import problems
from regard.checking import check
from regard.solving import Status, solve

# A name, the question, and which of its statements are true.
CASES: list[tuple[str, str, str]] = [
    (
        "entropy-at-most-log-n",
        r"""
        kind="choice"
        statement="a is a softmax of four scores. Which are true? (a) Its entropy is at most log 4. (b) Its entropy is never 0. (c) Its entropy is at least 1/10 always."
        [given]
        shapes={s=[4]}
        define={a="softmax(s)"}
        [goal]
        statements=[
        {label="a",words="Its entropy is at most $\\log 4$.",says="-a' log(a) <= log(4)"},
        {label="b",words="Its entropy is above 0.",says="-a' log(a) > 0"},
        {label="c",words="Its entropy is at least 1/10.",says="-a' log(a) >= 1/10"},
        ]
        """,
        "ab",
    ),
    (
        "shared-query-key",
        r"""
        kind="choice"
        statement="Queries and keys are the same, $S = (X W)(X W)^T$. Which are true? (a) Scores are symmetric. (b) Weights are symmetric. (c) The diagonal of $S$ is never negative. (d) each token gets its largest weight from itself."
        [given]
        shapes={X=[3,2],W=[2,2]}
        define={S="(X W) (X W)'"}
        [goal]
        statements=[
        {label="a",words="Scores are symmetric.",says="S = S'"},
        {label="b",words="Weights are symmetric.",says="softmax(S) = softmax(S)'"},
        {label="c",words="The diagonal is never negative.",says="diag(S) >= 0"},
        {label="d",words="Every token gets its largest weight from itself.",says="rowmax(softmax(S)) = diag(softmax(S))"},
        ]
        """,
        "ac",
    ),
    (
        "ranks-of-scores-and-weights",
        r"""
        kind="choice"
        statement="Six tokens, heads of width 2. Which are true? (a) Scores have rank at most 2. (b) Weights have rank at most 2. (c) The output has rank at most 2."
        [given]
        shapes={Q=[6,2],K=[6,2],V=[6,2]}
        [goal]
        statements=[
        {label="a",words="Scores have rank at most 2.",says="rank(Q K') <= 2"},
        {label="b",words="Weights have rank at most 2.",says="rank(softmax(Q K')) <= 2"},
        {label="c",words="The output has rank at most 2.",says="rank(softmax(Q K') V) <= 2"},
        ]
        """,
        "ac",
    ),
    (
        "mask-before-or-after",
        r"""
        kind="choice"
        statement="M is a mask of ones and zeros. Which are true? (a) It is the same to multiply by M after the softmax as to mask before. (b) masking and then dividing by the row sums is the same as masking before."
        [given]
        shapes={S=[3,3]}
        define={M="causal(3)",A="softmax(S)",B="A ⊙ M"}
        [goal]
        statements=[
        {label="a",words="It is the same to multiply by $M$ after the softmax.",says="A ⊙ M = softmax(S, M)"},
        {label="b",words="Multiplied by $M$ and divided by the row sums it is the same.",says="diag(rowsum(B))^-1 B = softmax(S, M)"},
        {label="c",words="Rows of weights multiplied by $M$ sum to at most 1.",says="rowsum(A ⊙ M) <= 1"},
        ]
        """,
        "bc",
    ),
    (
        "key-bias-does-nothing",
        r"""
        kind="choice"
        statement="Biases are added to queries ($b$), keys ($c$) or values ($d$). Which are true? (a) A bias of the keys leaves the weights alone. (b) One of the queries does. (c) One of the values only shifts the output."
        [given]
        shapes={Q=["N","D"],K=["M","D"],V=["M","D_V"],b=["D"],c=["D"],d=["D_V"]}
        [goal]
        statements=[
        {label="a",words="A bias of the keys leaves the weights alone.",says="softmax(Q (K + ones(M) c')') = softmax(Q K')"},
        {label="b",words="A bias of the queries leaves the weights alone.",says="softmax((Q + ones(N) b') K') = softmax(Q K')"},
        {label="c",words="A bias of the values is added to every output.",says="softmax(Q K') (V + ones(M) d') = softmax(Q K') V + ones(N) d'"},
        ]
        """,
        "ac",
    ),
    (
        "sharper-softmax",
        r"""
        kind="choice"
        statement="Which are true of a softmax $a$ of three scores? (a) Multiplying all scores by 2 keeps the order of the weights. (b) The largest weight does not fall when scores are doubled. (c) Adding 1 to all scores changes the weights. (d) Doubling scores changes nothing. (e) The largest weight is at least 1/3."
        [given]
        shapes={s=[3]}
        [goal]
        statements=[
        {label="b",words="The largest weight does not fall when scores are doubled.",says="max(softmax(2 s)) >= max(softmax(s))"},
        {label="c",words="Adding 1 to all scores changes the weights.",says="softmax(s + ones(3)) != softmax(s)"},
        {label="d",words="Doubling scores changes nothing.",says="softmax(2 s) = softmax(s)"},
        {label="e",words="The largest weight is at least 1/3.",says="max(softmax(s)) >= 1/3"},
        ]
        """,
        "be",
    ),
    (
        "output-no-longer-than-values",
        r"""
        kind="choice"
        statement="Which are true? (a) An output is no longer than the longest value. (b) Entries of the output lie between the least and the largest of the values. (c) An output is as long as some value."
        [given]
        shapes={s=[3],V=[3,2]}
        define={a="softmax(s)"}
        [goal]
        statements=[
        {label="a",words="The squared length of the output is at most the largest of the values.",says="norm(V' a)^2 <= max(diag(V V'))"},
        {label="b",words="Entries of the output are at least the least entry of the values.",says="V' a >= min(V)"},
        {label="c",words="The output is never shorter than the shortest value.",says="norm(V' a)^2 >= min(diag(V V'))"},
        ]
        """,
        "ab",
    ),
]


@pytest.mark.parametrize(("name", "text", "true"), CASES, ids=[one[0] for one in CASES])
def test_the_true_statements_and_no_others_are_right(name: str, text: str, true: str) -> None:
    problem = problems.loads(f'schema = 1\nid = "{name}"\ntitle = "{name}"\n{text}')
    found = solve(problem)
    labels = [one.label for one in problem.goal.statements]
    assert found.verdict is Status.PROVED
    assert {one for one in labels if found.answer[one]} == set(true)
    for called in product((True, False), repeat=len(labels)):
        answer = dict(zip(labels, called, strict=True))
        verdict = check(problem, answer)
        assert verdict.right is ({one for one in labels if answer[one]} == set(true)), answer
        assert verdict.decided

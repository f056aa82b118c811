"""Is the claim right that no keys, queries and values will do?"""

from __future__ import annotations

from itertools import islice, product

import numpy as np

from regard.checking.answers import Answer
from regard.checking.matrices import Float64
from regard.checking.misconceptions import misconception
from regard.checking.self_attention.heads import Scene, scene
from regard.checking.verdict import Counterexample, GoalResult, Verdict
from regard.errors import InvalidAnswer
from regard.problems.kinds.tokens import SelfAttentionProblem

_MOST = 200  # ways to choose a token for each row that are tried


def judge_claim(problem: SelfAttentionProblem, answer: Answer) -> Verdict:
    """Judge an answer that says whether there are such matrices at all."""
    from regard.checking.self_attention import judge

    claim = answer.fields["possible"]
    if not isinstance(claim, bool):
        raise InvalidAnswer("answer: possible must be true or false.")
    rest = {name: field for name, field in answer.fields.items() if name != "possible"}
    if claim:
        return judge(problem, Answer(rest, answer.problem))
    if rest:
        raise InvalidAnswer(f"answer: {next(iter(rest))} is given, although possible is false.")
    name = "whether there are such matrices"
    at = scene(problem)
    why = _possible(problem, at)
    if why is None:
        sentence = "none were found"
        remark = "Matrices were looked for and not found, which is no proof that there are none."
        return Verdict(problem, (GoalResult(name, "this", True, sentence),), remarks=(remark,))
    example = Counterexample({"tokens": at.tokens.tolist()}, f"There are such matrices: {why}.")
    goals = (GoalResult(name, "this", False, f"there are: {why}"),)
    return Verdict(problem, goals, example, misconception("claims-impossible"))


def impossible(problem: SelfAttentionProblem) -> bool:
    """Whether it is certain that no matrices will do.

    That is so where each token is to look at one token alone and no A separates them.
    """
    goal = problem.goal
    if goal.outputs or not all(isinstance(there, str) for there in goal.attend.values()):
        return False
    return _possible(problem, scene(problem)) is None


def _possible(problem: SelfAttentionProblem, at: Scene) -> str | None:
    """Say why it can be done, or return None where no way was found."""
    n = len(at.tokens)
    if np.linalg.matrix_rank(at.tokens) == n:
        return "the tokens are independent, so that keys, queries and values can be chosen freely"
    given, goal = problem.given, problem.goal
    fixed: dict[int, int] = {}
    for label, there in goal.attend.items():
        if not isinstance(there, str) and len(there) > 1:
            return None
        fixed[given.token("", label)] = given.token(
            "", there if isinstance(there, str) else next(iter(there))
        )
    rows, outputs = list(at.outputs), np.array(list(at.outputs.values()))
    free = [row for row in rows if row not in fixed]
    for choice in islice(product(range(n), repeat=len(free)), _MOST):
        pattern = {**fixed, **dict(zip(free, choice, strict=True))}
        if rows:
            seen = at.tokens[[pattern[row] for row in rows]]
            made = seen @ (np.linalg.pinv(seen) @ outputs)
            if np.max(np.abs(made - outputs)) > 1e-9 * at.norm:
                continue
        if _separable(at.tokens, pattern):
            looks = ", ".join(f"x_{row + 1} at x_{j + 1}" for row, j in sorted(pattern.items()))
            return f"they can make {looks} look alone"
    return None


def _separable(tokens: Float64, pattern: dict[int, int]) -> bool:
    """Whether some A gives each row its own token as the one with the largest score."""
    from scipy.optimize import linprog  # imported where used: it is slow to load

    d = tokens.shape[1]
    rows = [
        np.outer(tokens[j] - tokens[target], tokens[row]).ravel()
        for row, target in pattern.items()
        for j in range(len(tokens))
        if j != target
    ]
    # The largest margin t with <A, (x_target - x_j) x_row'> >= t and entries of A up to 1.
    bounds = [(-1.0, 1.0)] * (d * d) + [(0.0, 1.0)]
    table = np.hstack([np.array(rows), np.ones((len(rows), 1))])
    cost = np.zeros(d * d + 1)
    cost[-1] = -1.0
    found = linprog(cost, A_ub=table, b_ub=np.zeros(len(rows)), bounds=bounds)
    return bool(found.success and -found.fun > 1e-7)

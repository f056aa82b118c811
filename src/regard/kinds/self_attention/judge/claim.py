"""Is the claim right that no keys, queries and values will do?"""

from __future__ import annotations

from regard.checking.answers import Answer
from regard.checking.mistakes import named
from regard.checking.verdict import Counterexample, GoalResult, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.self_attention.instance import FAR, instance_of
from regard.kinds.self_attention.judge.existence import Existence, existence
from regard.kinds.self_attention.misconceptions import MISTAKES
from regard.kinds.self_attention.spec import SelfAttentionProblem

NAME = "whether there are such matrices"


def judge_claim(problem: SelfAttentionProblem, answer: Answer) -> Verdict:
    """Judge an answer that says whether there are such matrices at all."""
    from regard.kinds.self_attention.judge import judge

    claim = answer.fields["possible"]
    if not isinstance(claim, bool):
        raise InvalidAnswer("answer: possible must be true or false.")
    rest = {name: field for name, field in answer.fields.items() if name != "possible"}
    if claim:
        return judge(problem, Answer(rest, answer.problem))
    if rest:
        raise InvalidAnswer(f"answer: {next(iter(rest))} is given, although possible is false.")
    found = existence(problem)
    if found.possible is None:
        goal = GoalResult(NAME, "this", False, f"not decided: {found.why}", decided=False)
        return Verdict(problem, (goal,))
    if not found.possible:
        return Verdict(problem, (GoalResult(NAME, "this", True, f"there are none: {found.why}"),))
    goals = (GoalResult(NAME, "this", False, f"there are: {found.why}"),)
    return Verdict(problem, goals, _example(problem, found), named(MISTAKES, "claims-impossible"))


def _example(problem: SelfAttentionProblem, found: Existence) -> Counterexample:
    """Show matrices that do it, with K = I."""
    assert found.A is not None
    at = instance_of(problem, FAR[0] if problem.given.limits else 1.0)
    A = found.A / problem.given.scale
    arrays = {"tokens": at.tokens.tolist(), "Q": A.tolist()}
    said = "There are such matrices: K = I and Q"
    if found.V is not None:
        arrays["V"] = found.V.tolist()
        said = "There are such matrices: K = I, Q and V"
    return Counterexample(arrays, f"{said} as follows do it.")

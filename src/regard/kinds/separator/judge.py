"""Does this matrix take one of two values out of their sum or average?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from regard.checking.answers import Answer
from regard.checking.matrices import Float64, shape_words
from regard.checking.misconceptions import misconception
from regard.checking.mistakes import recognise
from regard.checking.numbers.stated_numbers import left_open
from regard.checking.sampling import Trial, compare, goal, sampled
from regard.checking.verdict import Counterexample, GoalResult, Misconception, Verdict
from regard.errors import InvalidAnswer
from regard.kinds.separator.instance import Bases, bases_of, separator_instance
from regard.kinds.separator.misconceptions import MISTAKES, case_of
from regard.kinds.separator.reading import Asked, possible, read
from regard.kinds.separator.spec import SeparatorProblem
from regard.language import Formula
from regard.problems.instances import frame
from regard.report import number, vector
from regard.report.numbers import spelled

ROOM = 3  # dimensions beyond those that the problem needs


def judge(problem: SeparatorProblem, answer: Answer) -> Verdict:
    """Judge the matrix of an answer, or its claim that there is none."""
    claim = answer.fields.get("possible", True)
    if not isinstance(claim, bool):
        raise InvalidAnswer("answer: possible must be true or false.")
    rest = Answer({name: answer.fields[name] for name in answer.beside("possible")})
    if not claim:
        return _denied(problem, rest)
    asked = read(problem, rest)
    plain = asked.plain
    if asked.raw(plain).shape != (len(plain.S),) * 2:
        idea = recognise(MISTAKES, case_of(asked))
        if idea is not None:
            return _of_coordinates(asked, idea)
    this = Trial(plain, asked.error(plain), asked.allowed)
    goals = [goal(_wanted(asked), "this", [this], say=partial(_margin, asked))]
    trials = [this]
    if not asked.in_numbers and not all(problem.given.fixed):
        drawn = sampled(partial(bases_of, problem), asked.error, asked.tolerance)
        goals.append(goal("the same for any bases of this law", "sampled", drawn))
        hard = [Trial(b, asked.error(b), asked.tolerance) for b in _hard(asked)]
        if hard:
            name = "the same for bases that are nearly dependent, and in more dimensions"
            goals.append(goal(name, "adversarial", hard))
        trials += drawn + hard
    failing = [trial for trial in trials if not trial.right]
    return Verdict(
        problem,
        tuple(goals),
        _counterexample(asked, failing[0]) if failing else None,
        recognise(MISTAKES, case_of(asked, failing[0].instance)) if failing else None,
        _remarks(asked),
    )


def _wanted(asked: Asked) -> str:
    return f"{asked.side} is the value in the span of {asked.problem.goal.recover}"


def _denied(problem: SeparatorProblem, answer: Answer) -> Verdict:
    """Judge an answer that says that there is no such matrix."""
    if answer.has("M"):
        raise InvalidAnswer("answer: M is given, although possible is false.")
    answer.only("side")
    name = "whether there is such a matrix"
    if not possible(problem):
        sentence = "there is none: the two subspaces have a direction in common"
        return Verdict(problem, (GoalResult(name, "this", True, sentence),))
    S, T = separator_instance(problem.given)
    sentence = (
        f"there is one: the {S.shape[1] + T.shape[1]} basis vectors are independent, so that the "
        "two values can be told apart"
    )
    example = Counterexample({"S": S.tolist(), "T": T.tolist()}, f"Here {sentence}.")
    goals = (GoalResult(name, "this", False, sentence),)
    return Verdict(problem, goals, example, misconception("claims-impossible"))


def _of_coordinates(asked: Asked, idea: Misconception) -> Verdict:
    """Judge a matrix that gives as many numbers as there are basis vectors."""
    bases, d = asked.plain, asked.problem.given.d
    found = np.atleast_2d(asked.raw(bases))
    v = bases.kept @ np.arange(2.0, 2 + bases.kept.shape[1])
    w = 7 * bases.dropped[:, 0]
    c = asked.share * (v + w)
    result = (found if found.shape[1] == len(c) else found.T) @ c
    has = f"{spelled(len(result))} entr{'y' if len(result) == 1 else 'ies'}"
    goal_sentence = (
        f"M is {shape_words(asked.raw(bases))}, and {d} × {d} is needed: the result has "
        f"{has}, and the value has {spelled(d or len(c))}"
    )
    sentence = (
        f"With v = {vector(v)} and w = {vector(w)}, M makes {vector(result)} of c = {vector(c)}: "
        f"{has}, and not the vector v."
    )
    shown = {"S": bases.S, "T": bases.T, "M": found, "v": v, "w": w, "c": c, "M c": result}
    example = Counterexample(
        {name: x.tolist() for name, x in shown.items()},
        sentence,
        shows=f"M c has {has}, and the value v has {spelled(d or len(c))}.",
        main=("M c", "v"),
    )
    goals = (GoalResult(_wanted(asked), "this", False, goal_sentence),)
    return Verdict(asked.problem, goals, example, idea, ())


def _hard(asked: Asked) -> list[Bases]:
    """Return bases whose vectors are nearly dependent, and bases with more room around them."""
    given = asked.problem.given
    if any(given.fixed):
        return []
    wide = asked.problem.model_copy(
        update={"given": given.model_copy(update={"d": given.d + ROOM})}
    )
    cases = [bases_of(wide, np.random.default_rng(seed)) for seed in range(3)]
    if _any_count(asked):
        more = {
            name: basis.model_copy(update={"count": basis.count + 1})
            for name, basis in (("S", given.S), ("T", given.T))
        }
        several = wide.given.model_copy(update=more)
        cases.append(
            Bases(
                *separator_instance(several, np.random.default_rng(3)), asked.problem.goal.recover
            )
        )
        # Other counts in as many dimensions: numbers beside the formula may fit no others.
        for seed, p in enumerate(range(1, given.d) if _has_numbers(asked) else ()):
            other = given.model_copy(
                update={
                    "S": given.S.model_copy(update={"count": p}),
                    "T": given.T.model_copy(update={"count": given.d - p}),
                }
            )
            cases.append(
                Bases(
                    *separator_instance(other, np.random.default_rng(10 + seed)),
                    asked.problem.goal.recover,
                )
            )
    if given.orthogonal and "unit" in (given.S.law, given.T.law):
        axes = frame(given.d, given.d, np.random.default_rng(4)).T
        rooms = axes[:, : given.S.count], axes[:, given.S.count :][:, : given.T.count]
        narrow = [
            _narrow(room) if basis.law == "unit" else room
            for room, basis in zip(rooms, (given.S, given.T), strict=True)
        ]
        cases.append(Bases(narrow[0], narrow[1], asked.problem.goal.recover))
    return [case for case in cases if asked.fits(case)]


def _any_count(asked: Asked) -> bool:
    """Whether the statement speaks of s_1 to s_p and t_1 to t_r, and the answer of none of them."""
    open_ends = {"s_p", "t_r"}
    columns = asked.plain.symbols.keys() - {"S", "T", "d", "p", "r"}
    named = columns & asked.answer.used
    return not named and left_open(asked.problem.statement, *open_ends) == open_ends


def _has_numbers(asked: Asked) -> bool:
    """Whether arrays of numbers stand in the formula, such as 0 [[1, 0], [0, 1]]."""
    fields = [asked.answer.fields[name] for name in ("M", *asked.own)]
    trees = [field.tree for field in fields if isinstance(field, Formula)]
    return any(node.op in ("matrix", "column") for tree in trees for node in tree)


def _narrow(room: Float64) -> Float64:
    """Return unit vectors in the span of `room` that are all close to its first."""
    leaning = 0.05 * room + room[:, :1]
    return np.asarray(leaning / np.linalg.norm(leaning, axis=0))


def _margin(asked: Asked, trial: Trial[Bases]) -> str:
    factor = asked.missing_factor(asked.acting(trial.instance), trial.instance)
    advice = "" if factor is None else f": M must be multiplied by {number(factor)}"
    return compare(trial.error, trial.tolerance) + advice


def _remarks(asked: Asked) -> tuple[str, ...]:
    said = []
    given = asked.problem.given
    if asked.in_numbers and not all(given.fixed):
        said.append(
            f"The numbers were read as coordinates, with S along the first {given.S.count} of the "
            f"axes and T along the next {given.T.count}."
        )
    if asked.side != asked.problem.goal.side:
        said.append(f"The answer says that M stands as in {asked.side}, and was judged so.")
    return tuple(said)


def _counterexample(asked: Asked, trial: Trial[Bases]) -> Counterexample:
    """Look for the fewest and plainest numbers on which the answer is wrong."""
    for bases in _smaller(asked):
        found = _values(asked, bases)
        if found is not None:
            return _worked(asked, bases, found, None)
    found = _values(asked, trial.instance)
    if found is None:  # the error shows only between basis vectors that are nearly the same
        x = np.zeros(trial.instance.kept.shape[1])
        x[:2] = (1, -1)[: len(x[:2])]
        found = trial.instance.kept @ x, np.zeros(len(trial.instance.kept))
    return _worked(asked, trial.instance, found, trial.seed)


def _smaller(asked: Asked) -> Iterator[Bases]:
    """Return plain bases with few vectors first, in as few dimensions as they need."""
    given = asked.problem.given
    if not asked.in_numbers and not any(given.fixed):
        for p, r in product(range(1, given.S.count + 1), range(1, given.T.count + 1)):
            S, T = (
                basis.model_copy(update={"count": count})
                for basis, count in ((given.S, p), (given.T, r))
            )
            small = given.model_copy(update={"d": p + r, "S": S, "T": T})
            bases = Bases(*separator_instance(small), asked.problem.goal.recover)
            if asked.fits(bases):  # it may speak of s_2, say, or of I(3)
                yield bases
    yield asked.plain


def _values(asked: Asked, bases: Bases) -> tuple[Float64, Float64] | None:
    """Return values v and w with small whole coordinates for which M c is not v."""
    M = asked.acting(bases)
    for x, y in product(_small_points(bases.kept.shape[1]), _small_points(bases.dropped.shape[1])):
        v, w = bases.kept @ x, bases.dropped @ y
        size = float(np.linalg.norm(v) + np.linalg.norm(w))
        with np.errstate(all="ignore"):
            wrong = np.linalg.norm(asked.share * (M @ (v + w)) - v)
        if size and not wrong <= asked.tolerance * size:
            return v, w
    return None


def _small_points(count: int) -> list[Float64]:
    """Return small whole coordinates: 0, single basis vectors, 1 of each, and 1, 2, 3 and on."""
    return [np.zeros(count), *np.eye(count), np.ones(count), np.arange(1.0, count + 1)]


def _worked(
    asked: Asked, bases: Bases, values: tuple[Float64, Float64], seed: int | None
) -> Counterexample:
    """Show what M makes of the mix of two values."""
    v, w = values
    M, c = asked.acting(bases), asked.share * (v + w)
    with np.errstate(all="ignore"):
        result = M @ c
        off = result - v
    on_left = asked.side == "M c"
    made = "M c" if on_left else "c' M"
    shown = {"S": bases.S, "T": bases.T, "M": M if on_left else M.T, "v": v, "w": w, "c": c}
    arrays = {name: x.tolist() for name, x in (shown | {made: result}).items()}
    mixed = "v + w" if asked.share == 1 else f"{number(asked.share)} (v + w)"
    sentence = f"With v = {vector(v)} and w = {vector(w)}, {made} is {vector(result)} and not v."
    steps = (
        (f"The value wanted is v = {vector(v)}, the other one is w = {vector(w)}.", ""),
        (f"What is known of them is c = {mixed} = {vector(c)}.", ""),
        (f"The matrix makes {vector(result)} of it.", ""),
        (f"That is off by {vector(off)}.", ""),
    )
    shows = f"{made} is off by {number(float(np.linalg.norm(off)), 3)} from the value v."
    if not np.any(v):
        shows = f"With v = 0 nothing should be left, and {made} has the length "
        shows += f"{number(float(np.linalg.norm(off)), 3)}."
    return Counterexample(
        arrays, sentence, seed, steps,
        shows if np.all(np.isfinite(off)) else f"{made} has numbers that are not finite.",
        f"v and w in {spelled(len(v))} dimensions", (made, "v"),
    )  # fmt: skip

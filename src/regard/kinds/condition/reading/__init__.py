"""A condition out of an answer, and whether it holds on an instance.

It is meant for every other key; if it speaks of a query where only keys are given, for some query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from regard.certify.balls import BALLS, Outcome, every, settle
from regard.certify.certificate import Unusable
from regard.certify.formulas.evaluation import evaluate as evaluate_in_balls
from regard.certify.formulas.evaluation import scalar, table
from regard.certify.formulas.functions import in_balls
from regard.certify.formulas.number_tables import Table
from regard.checking.answers import Answer, evaluate
from regard.checking.factors.open_factor import FACTOR
from regard.checking.numbers.stated_numbers import left_open
from regard.checking.sampling import softmax
from regard.checking.typed.running_index import Over
from regard.errors import FormulaError, InvalidAnswer
from regard.kinds.condition.instance import Float64, Instance
from regard.kinds.condition.spec import ConditionProblem
from regard.language import Formula, parse
from regard.language.formula.evaluation.large_numbers import Large

Names = dict[str, Any]  # what they stand for
UNIT = np.full(4, 0.5)  # of length 1, exactly


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem and the condition of an answer.

    Attributes:
        problem: what is asked.
        condition: the inequality.
        own: further names of the answer: formulas or numbers, in their order.
        factor: what an open C stands for, or None if there is none.
        change: what is done to the names before the condition is tried: a repair.
        negated: whether the opposite is tried, for each other key.
    """

    problem: ConditionProblem
    condition: Formula
    own: dict[str, Any] = field(default_factory=dict)
    factor: float | None = None
    change: Callable[[Names], Names] | None = None
    negated: bool = False

    @property
    def about_keys(self) -> bool:
        """Whether keys are given, and scores are not."""
        return self.problem.goal.effect in ("dominable", "aligned")

    @cached_property
    def left_open(self) -> frozenset[str]:
        """Which of n, epsilon and R the statement speaks of without a number for them."""
        return left_open(self.problem.statement, "n", "epsilon", "R")

    @property
    def fixed_threshold(self) -> str | None:
        """What the statement leaves open and the condition has a number for; None: nothing.

        However large a lead is, some epsilon asks for a larger one, and so does some R: what does
        not depend on them is about one of them at most, unless it has an open factor.
        """
        needed = "R" if self.problem.goal.effect == "pairwise" else "epsilon"
        depends = self.about_keys or self.factor is not None or needed in self.names
        return None if depends or needed not in self.left_open else needed

    @cached_property
    def names(self) -> frozenset[str]:
        """All names that it depends on."""
        formulas = [one.names for one in self.own.values() if isinstance(one, Formula)]
        over = [one for one in self.own.values() if isinstance(one, Over)]
        inside = [one.body.names - {f"s_{one.index}"} for one in over]
        return self.condition.names.union(*formulas, *inside)

    def holds(self, instance: Instance) -> bool:
        """Whether the condition holds: for every other key, and for some query if it needs one."""
        if not (self.about_keys and "q" in self.names):
            return all(self.truth(case) for case in self.cases(instance))
        return self.query(instance) is not None

    def query(self, instance: Instance) -> Float64 | None:
        """Return a query with which the condition holds for every other key, or None."""
        for query in instance.queries:
            if all(self.truth(case) for case in self.cases(instance, query)):
                return query
        return None

    def surely(self, instance: Instance) -> bool | None:
        """Whether it holds, in arithmetic that neither overflows nor rounds; None: too close."""
        if self.about_keys and "q" in self.names:
            return self.holds(instance)
        return every(*(self._certain(case) for case in self.cases(instance)))

    def cases(self, instance: Instance, query: Float64 | None = None) -> Iterator[Names]:
        """Return what the names stand for, once for every other key that is different."""
        goal = self.problem.goal
        shared = self._shared(instance, query)
        each = {f"s_{goal.other}", f"k_{goal.other}", f"alpha_{goal.other}"}
        rows = list(range(1, instance.n))
        if not each & self.names:
            rows = [1]
        elif not self.about_keys:
            rows = (np.unique(instance.scores[1:], return_index=True)[1] + 1).tolist()
        for row in rows:
            case = dict(shared)
            if self.about_keys:
                assert instance.keys is not None
                case[f"k_{goal.other}"] = instance.keys[row]
            else:
                case[f"s_{goal.other}"] = float(instance.scores[row])
                case[f"k_{goal.other}"] = _key(instance.scores[row] / self.problem.given.scale, row)
                if goal.effect == "output":
                    case[f"alpha_{goal.other}"] = float(shared["alpha"][row])
            yield case if self.change is None else self.change(case)

    def _shared(self, instance: Instance, query: Float64 | None) -> Names:
        goal = self.problem.goal
        case: Names = {"n": float(instance.n)}
        if self.factor is not None:
            case[FACTOR] = self.factor
        if self.about_keys:
            assert instance.keys is not None
            case[f"k_{goal.of}"] = instance.keys[0]
            if goal.effect == "dominable":
                case |= {"q": np.zeros(instance.keys.shape[1]) if query is None else query}
                case["epsilon"] = instance.epsilon
            return case
        case |= {"s": instance.scores, f"s_{goal.of}": float(instance.scores[0]), "q": UNIT}
        case[f"k_{goal.of}"] = _key(instance.scores[0] / self.problem.given.scale, 0)
        case |= (
            {"R": instance.ratio} if goal.effect == "pairwise" else {"epsilon": instance.epsilon}
        )
        if goal.effect == "output":
            weights = softmax(instance.scores)
            case |= {"alpha": weights, f"alpha_{goal.of}": float(weights[0])}
        return case

    def truth(self, case: Names) -> bool:
        """Whether the inequality holds for these numbers; InvalidAnswer where it cannot be read."""
        names = self._with_own(case)
        if not self.condition.names <= names.keys():
            self._undeclared(names)
        try:
            return bool(self.condition.evaluate(names)) != self.negated
        except FormulaError as error:
            raise InvalidAnswer(f"answer: condition: {error}") from None

    def _undeclared(self, names: Names) -> None:
        """Raise InvalidAnswer that says what is declared, and what to write instead of weights."""
        goal = self.problem.goal
        weights = {"alpha", f"alpha_{goal.of}", f"alpha_{goal.other}"} & self.condition.names
        if weights and not self.about_keys:
            raise InvalidAnswer(
                f"answer: condition: {min(weights)} is what is asked about: say it of the scores, "
                f"of which alpha_{goal.of} is exp(s_{goal.of})/sum(exp(s))."
            )
        evaluate("condition", self.condition, names)

    def _with_own(self, case: Names) -> Names:
        names = dict(case)
        for name, one in self.own.items():
            if name in case:
                raise InvalidAnswer(f"answer: {name} has a meaning already: use another name.")
            names[name] = (
                self._over(one, names) if isinstance(one, Over) else evaluate(name, one, names)
            )
        return names

    def _over(self, one: Over, names: Names) -> float:
        """Return a sum or an extreme over the keys, the first of which is the one asked about."""
        of = self.problem.goal.of
        if self.about_keys or one.without not in (None, of):
            raise InvalidAnswer(
                f"answer: condition: {one.what} can run over the scores of all keys, or of all but "
                f"{of}, as in {one.what}_{{i≠{of}}} s_i. What stands without it is meant for every "
                "other key."
            )
        scores = names["s"][1 if one.without else 0 :]
        each = [
            float(evaluate("condition", one.body, {**names, f"s_{one.index}": float(score)}))
            for score in scores
        ]
        if one.what == "sum":
            return sum(each)  # which may overflow: then balls decide
        return max(each) if one.what == "max" else min(each)

    def _certain(self, case: Names) -> bool | None:
        plain = self.truth(case)
        names = self._with_own(case)

        def test() -> Outcome:
            over = {name: one for name, one in self.own.items() if isinstance(one, Over)}
            used = self.names & names.keys() - over.keys()
            values = {name: _table(names[name], name) for name in used}
            sums = {name: _over_in_balls(one, names["s"], values) for name, one in over.items()}
            values |= sums
            found = evaluate_in_balls(self.condition.tree, values, BALLS, in_balls)
            return Outcome(found if isinstance(found, bool) else None, "")

        try:
            truth = settle(test).truth
        except (Unusable, ZeroDivisionError, ValueError):
            return plain
        return None if truth is None else truth != self.negated


def _over_in_balls(one: Over, scores: Float64, values: dict[str, Table]) -> Any:
    """Return a sum or an extreme over the keys; scores that are equal are taken together."""
    found = []
    alike, counts = np.unique(scores[1 if one.without else 0 :], return_counts=True)
    for score, count in zip(alike.tolist(), counts.tolist(), strict=True):
        inside = {**values, f"s_{one.index}": table(score, "s", BALLS)}
        value = scalar(evaluate_in_balls(one.body.tree, inside, BALLS, in_balls), one.what)
        found.append(value * count if one.what == "sum" else value)
    column = {"x": Table((len(found),), tuple(found))}
    return evaluate_in_balls(parse(f"{one.what}(x)").tree, column, BALLS, in_balls)


def _table(value: Any, name: str) -> Table:
    if isinstance(value, Large):
        return Table((), (value.exact,))
    data = value.tolist() if isinstance(value, np.ndarray) else float(value)
    return table(data, name, BALLS)


def _key(score: float, row: int) -> Float64:
    """Return a key with this score for the query UNIT, and something at right angles to it."""
    aside = np.array([row % 3, -(row % 3), row % 2, -(row % 2)], float)
    return np.asarray(score * UNIT + aside)


def read(problem: ConditionProblem, answer: Answer) -> Asked:
    """Return the condition of an answer; InvalidAnswer where there is none."""
    condition = answer.need("condition")
    if not isinstance(condition, Formula) or not condition.is_condition:
        raise InvalidAnswer("answer: condition must be an inequality, such as a - b >= 1.")
    own = {name: one for name, one in answer.fields.items() if name != "condition"}
    used = Asked(problem, condition, own).names
    for name, one in own.items():
        if name not in used:
            raise InvalidAnswer(
                f"answer: {name} is no field of this kind of problem: use condition."
            )
        if not isinstance(one, Formula | float | Over) or (
            isinstance(one, Formula) and one.is_condition
        ):
            raise InvalidAnswer(f"answer: {name} must be a number or a formula.")
    free = FACTOR in used and FACTOR not in own
    return Asked(problem, condition, own, 1.0 if free else None)

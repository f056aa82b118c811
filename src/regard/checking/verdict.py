"""Verdicts: goal by goal, with the margin, the smallest counterexample and the misconception."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from regard.checking.points import GoalPoints, share
from regard.checking.verdict_json import finite, plain
from regard.problems import Problem
from regard.report import Report
from regard.report.reported import Reported

Scope = Literal["this", "sampled", "adversarial", "all"]
MOST_SHOWN = 12  # rows or entries of an array


@dataclass(frozen=True)
class GoalResult:
    """What was found about one goal.

    Attributes:
        name: what was wanted, such as "c is near (v_a + v_b)/2".
        scope: "this" instance, instances "sampled" from the law, "adversarial" ones, or "all": it
            is proved.
        passed: whether every instance tried was right.
        error: the largest error found, or None where there is no number; NaN never passes.
        tolerance: the largest error allowed, or None.
        sentence: what was found, with the margin.
        trials: how many instances were tried.
        weight: how much it counts in the score.
        decided: whether the goal was settled at all. A goal that was not is not passed, and the
            answer gets no score: the sentence says what is known, for a person to decide.
        part: which of the goals that `points` of a problem name it belongs to; "" for what is said
            of the whole answer, which belongs to each of them.
        reached: on how many of the instances tried it is right; None where that was not counted.
        brief: what was found, in a few words to stand below the name; "" for the sentence.
    """

    name: str
    scope: Scope
    passed: bool
    sentence: str
    error: float | None = None
    tolerance: float | None = None
    trials: int = 1
    weight: float = 1.0
    decided: bool = True
    part: str = ""
    reached: int | None = None
    brief: str = ""

    def __post_init__(self) -> None:
        assert self.decided or not self.passed, "what was not settled did not pass"

    @property
    def confidence(self) -> str | None:
        """For sampled goals: how sure one can be after so many trials without a failure."""
        if self.scope != "sampled" or not self.passed:
            return None
        share = 1 - 0.05 ** (1 / self.trials)
        return f"with 95 % confidence at most {share:.2%} of instances fail"


@dataclass(frozen=True)
class Counterexample:
    """The smallest instance found on which the answer is wrong.

    Attributes:
        arrays: the numbers of the instance, as nested lists.
        sentence: what goes wrong on it.
        seed: draws it again, or None where it was constructed.
        steps: worked out: sentences, each with a formula as LaTeX or "".
        shows: what to see in it, in one short sentence; "" for the sentence as it is.
        about: what instance it is, in a few words, such as "three keys at right angles".
        main: the names of the arrays to look at: the answer's, and the right one. The others are
            what they come from.
        table: the numbers to look at, side by side, where they are not those of `main`.
    """

    arrays: Mapping[str, Any]
    sentence: str
    seed: int | None = None
    steps: tuple[tuple[str, str], ...] = ()
    shows: str = ""
    about: str = ""
    main: tuple[str, ...] = ()
    table: SideBySide | None = None


@dataclass(frozen=True)
class SideBySide:
    """Numbers of an answer beside those that are right, one of each for every name.

    Attributes:
        names: what the numbers are of, such as keys, with formulas between dollars.
        yours: the numbers of the answer.
        wanted: those that are right; none where there is nothing to compare with.
        what: what these numbers are, such as "weights".
        before: what they come from, such as scores: a name, and a number or words for each name.
    """

    names: tuple[str, ...]
    yours: tuple[float, ...]
    wanted: tuple[float, ...]
    what: str = "weights"
    before: tuple[tuple[str, tuple[float | str, ...]], ...] = ()


@dataclass(frozen=True)
class Misconception:
    """What a wrong answer looks like.

    Attributes:
        tag: stable, such as "no-large-scale".
        sentence: what went wrong, in a sentence or two.
        hint: what to look at next, or "".
        short: the beginning of the sentence, which says what is wrong in a few words.
        why: the rest of it, or "".
        numbers: what the numbers of this very answer say about it, or "".
    """

    tag: str
    sentence: str
    hint: str = ""
    short: str = ""
    why: str = ""
    numbers: str = ""

    @classmethod
    def said(cls, tag: str, text: str, hint: str = "", numbers: str = "") -> Misconception:
        r"""Return a misconception whose text says on its first line what is wrong, then why.

        >>> Misconception.said("wrong-sign", "The sign is wrong:\nturn it round.").why
        'Turn it round.'
        """
        first, _, rest = text.partition("\n")
        short = f"{first[:-1]}." if first.endswith(":") else first
        word = rest.partition(" ")[0].rstrip(",.:")
        begins = word.isalpha() and word.islower() and (len(word) > 1 or word == "a")
        why = rest[:1].upper() + rest[1:] if begins else rest
        return cls(tag, text.replace("\n", " "), hint, short, why, numbers)


@dataclass(frozen=True, eq=False)
class Verdict(Reported):
    """Whether an answer is right, and if not, why not.

    Attributes:
        problem: what was asked.
        goals: what was wanted, and what was found about each.
        counterexample: the smallest instance found on which the answer is wrong, or None.
        misconception: what a wrong answer looks like, where that is recognised.
        remarks: what else there is to say.
        answer: what was answered, written out.
    """

    problem: Problem
    goals: tuple[GoalResult, ...]
    counterexample: Counterexample | None = None
    misconception: Misconception | None = None
    remarks: tuple[str, ...] = field(default=())
    answer: Mapping[str, str] = field(default_factory=dict)

    @property
    def decided(self) -> bool:
        """Whether every goal was settled. If not, a person has to look at the answer."""
        return all(goal.decided for goal in self.goals)

    @property
    def score(self) -> float | None:
        """The share of the goals that are reached, from 0 to 1; None if one was not decided.

        It is the share of the points where the problem gives points, or else of the weights.
        """
        if not self.decided:
            return None
        if self.problem.points is not None:
            return sum(one.earned for one in self.points) / sum(self.problem.points.values())
        return share(self.goals)

    @property
    def points(self) -> tuple[GoalPoints, ...]:
        """What was earned for each goal that the problem gives points for; empty without points.

        Within a goal, what holds on some instances only earns its share. What the judge had
        nothing to say about, such as a reason for what is wrong already, earns nothing.
        """
        if self.problem.points is None or not self.decided:
            return ()
        return tuple(
            GoalPoints(name, worth if self.right else worth * share(self._about_part(name)), worth)
            for name, worth in self.problem.points.items()
        )

    def _about_part(self, name: str) -> tuple[GoalResult, ...]:
        return tuple(goal for goal in self.goals if goal.part in (name, ""))

    @property
    def right(self) -> bool:
        """Whether every goal is reached."""
        return all(goal.passed for goal in self.goals)

    @property
    def percent(self) -> str:
        """The score as a person reads it: such as "75%", or "?" where it was not decided."""
        score = self.score
        return "?" if score is None else f"{score:.0%}"

    @property
    def words(self) -> str:
        """The verdict in words: right, not decided, or how many of the goals are reached."""
        if self.right:
            return "right"
        return f"{self.percent} of the goals reached" if self.decided else "not decided"

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON data."""
        example, idea = self.counterexample, self.misconception
        return {
            "problem": self.problem.id,
            "score": self.score,
            "decided": self.decided,
            "goals": [
                {
                    "name": goal.name,
                    "scope": goal.scope,
                    "passed": goal.passed,
                    "decided": goal.decided,
                    "error": finite(goal.error),
                    "tolerance": finite(goal.tolerance),
                    "trials": goal.trials,
                    "sentence": goal.sentence,
                    "confidence": goal.confidence,
                    "weight": goal.weight,
                    "part": goal.part,
                }
                for goal in self.goals
            ],
            "counterexample": None
            if example is None
            else {
                "arrays": plain(dict(example.arrays)),
                "sentence": example.sentence,
                "seed": example.seed,
                "steps": [sentence for sentence, _ in example.steps],
            },
            "misconception": None
            if idea is None
            else {
                "tag": idea.tag,
                "sentence": idea.sentence,
                "hint": idea.hint,
                "numbers": idea.numbers,
            },
            "remarks": list(self.remarks),
            "points": [
                {"goal": one.goal, "earned": one.earned, "of": one.of} for one in self.points
            ],
        }

    @property
    def headline(self) -> str:
        """The verdict as the first sentence that a person reads."""
        if self.right:
            return "The answer is right."
        if not self.decided:
            return f"The answer is not decided: {self.count}, and a person has to look at it."
        return f"Not right yet: {self.count}."

    @property
    def count(self) -> str:
        """How many of the goals are reached, in words."""
        reached, count = sum(goal.passed for goal in self.goals), len(self.goals)
        return f"{reached} of {count} goal{'s' if count > 1 else ''}"

    def report(self) -> Report:
        """Return the verdict as a report: what went wrong first, then goal by goal."""
        from regard.checking.verdict_report import report  # reads verdicts, and is needed last

        return report(self)


def shown(value: Any) -> str:
    """Write numbers of an instance; of long lists the beginning."""
    if isinstance(value, list | tuple):
        items = [shown(item) for item in value[:MOST_SHOWN]]
        if len(value) > MOST_SHOWN:
            items.append(f"… ({len(value)} in all)")
        return "[" + ", ".join(items) + "]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)

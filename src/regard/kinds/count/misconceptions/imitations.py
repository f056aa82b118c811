"""Mistakes in counts, made on purpose: another setting, a factor, or another quantity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from regard.certify.certificate import Unusable
from regard.certify.formulas.rational_functions import Ratio
from regard.checking.mistakes import Mistake
from regard.kinds.count.instance.closed_forms import count
from regard.kinds.count.instance.sizes import Setting
from regard.kinds.count.misconceptions.case import Case, spoiled, written
from regard.kinds.count.reading import Side
from regard.kinds.count.spec import CountProblem
from regard.kinds.count.task import Task

Wrong = Callable[[Task, str, Mapping[str, Ratio]], Iterator[Ratio]]


def shows(wrong: Wrong) -> Callable[[Case], bool]:
    """Return whether a mistake explains every wrong side of a field."""

    def shows(case: Case) -> bool:
        if not case.is_count:
            return False
        task, name = case.task, case.name

        def explained(side: Side) -> bool:
            return any(
                task.same(side, other)
                for fixed in task.readings(side)
                for other in wrong(task, name, fixed)
            )

        return all(map(explained, case.sides))

    return shows


def answers(wrong: Wrong) -> Callable[[CountProblem], dict[str, Any] | None]:
    """Return the answer with the mistake in every field that leaves room for it."""

    def field(task: Task, name: str) -> Any:
        right = task.right(name)
        other = next(wrong(task, name, {}), right)
        return None if other == right else written(task, other, task.problem.goal.form)

    return spoiled(field, shapes=False)


def changed(change: Callable[[Setting], Setting | None]) -> Wrong:
    """A mistake that counts something else: another setting."""

    def wrong(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
        def apply(at: Setting) -> Setting:
            return change(at) or at

        try:
            found = task.right(name, fixed, apply)
        except Unusable:  # what is defined divides by a count that is 0 there
            return
        if found != task.right(name, fixed):
            yield found

    return wrong


def times(*factors: Fraction | int, only: Callable[[str], bool] = lambda name: True) -> Wrong:
    """A mistake that is off by a factor."""

    def wrong(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
        if only(quantities(task, name)):
            for factor in factors:
                yield task.right(name, fixed) * task.symbols.number(factor)

    return wrong


def quantities(task: Task, name: str) -> str:
    """Return the quantity of a field, or the formula that defines it."""
    return task.problem.definitions.get(name, task.problem.split(name)[0])


def mistake(tag: str, wrong: Wrong, idea: str, sentence: str) -> Mistake[CountProblem, Case]:
    """Return a mistake that is recognised by what comes out of it."""
    return Mistake(tag, sentence, shows(wrong), answers(wrong), idea)


def one(at: Setting, *sizes: str) -> Setting | None:
    """Return a setting in which some sizes are 1."""
    known = [name for name in sizes if at.has(name)]
    one = at.symbols.number(1)
    return at.with_sizes(**dict.fromkeys(known, one)) if known else None


def all_heads(at: Setting) -> Setting | None:
    """Give keys and values as many heads as queries have."""
    return at.with_sizes(key_heads=at["heads"]) if at.has("heads") else None


def whole_width(at: Setting) -> Setting | None:
    """Give every head the width of the model."""
    if not (at.has("heads") and at.has("d_model")):
        return None
    return at.with_sizes(d_k=at["d_model"], d_v=at["d_model"])


def core_left_out(share: int) -> Wrong:
    """Leave out the products Q Kᵀ and A V, or one of the two."""

    def wrong(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
        quantity, other = task.problem.split(name)
        if name in task.problem.goal.define or quantity not in ("multiplications", "flops"):
            return
        at = task._at(other, fixed, None)
        if at.of not in ("attention", "block", "model") and share == 1:
            return
        if at.of in ("product", "feed_forward") or at.conventions.flops == "exact":
            return
        core = count(at, "score_multiplications") + count(at, "average_multiplications")
        core = core * (at.get("layers") if at.of != "head" else at.symbols.number(1))
        each = at.conventions.flops if quantity == "flops" else 1
        yield task.right(name, fixed) - core * task.symbols.number(Fraction(each, share))

    return wrong


def other_masks(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
    """Count all pairs, half of them, or those without the query's own key."""
    quantity, other = task.problem.split(name)
    at = task._at(other, fixed, None)
    if at.has("window"):
        return
    now = at.conventions.causal
    for causal in (not now, *(("half",) if now is True else ())):
        yield from changed(_with_mask(causal))(task, name, fixed)
    if now is True and quantity == "pairs":
        yield task.right(name, fixed) - at["n"]


def _with_mask(causal: bool | str) -> Callable[[Setting], Setting]:
    return lambda at: at.with_conventions(causal=causal)


def one_cached(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
    """Keep keys alone, or values alone."""
    if "kv_cache" in quantities(task, name):
        yield task.right(name, fixed) / task.symbols.number(2)


def prefixes(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
    """Take a power of 1000 for one of 1024, or the other way round, where bytes are asked for."""
    if not task.names(name).of_bytes:
        return
    for power in (1, 2, 3, 4):
        for up, down in ((1000, 1024), (1024, 1000)):
            factor = Fraction(up, down) ** power
            yield task.right(name, fixed) * task.symbols.number(factor)


def swap_operations(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
    """Multiplications in place of additions."""
    quantity, other = task.problem.split(name)
    if quantity == "additions":
        whole = "multiplications" + (f"_{other}" if other else "")
        yield task.right(whole, fixed)


def no_gate(at: Setting) -> Setting:
    """Take a gated layer for a plain one, or the other way round."""
    other = "plain" if at.conventions.feed_forward == "gated" else "gated"
    return at.with_conventions(feed_forward=other)


def product(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
    """d_model · heads in place of d_model / heads."""
    if task.problem.split(name)[0] in ("d_k", "d_v") and {"d_model", "heads"} <= set(task.sizes):
        at = task._at(task.problem.split(name)[1], fixed, None)
        yield at["d_model"] * at["heads"]


def is_flops(quantity: str) -> bool:
    """Whether a quantity is in FLOPs."""
    return "flops" in quantity or "intensity" in quantity

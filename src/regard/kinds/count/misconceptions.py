"""What wrong counts come from: each mistake is made on purpose, and the results compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from regard.certify.formulas.rational_functions import Ratio
from regard.checking.answers import Answer
from regard.checking.mistakes import Mistake
from regard.kinds.count.instance.sizes import Setting
from regard.kinds.count.reading import Side, is_shape
from regard.kinds.count.spec import CountProblem
from regard.kinds.count.task import Task

Wrong = Callable[[Task, str, Mapping[str, Ratio]], Iterator[Ratio]]
Axes = Callable[[Task, str, Mapping[str, Ratio]], Iterator[list[Ratio]]]
BYTES = ("bytes",)


@dataclass(frozen=True, eq=False)
class Case:
    """A wrong field that one mistake has to explain.

    Attributes:
        task: the problem beside the answer.
        name: of the field.
        sides: those that are wrong, or the axes of a shape.
        claimed: what is said of whether counts are the same; None for anything else.
        powers: for an order: the power that is said, and the one that it is.
    """

    task: Task
    name: str
    sides: tuple[Side, ...]
    claimed: bool | None = None
    powers: tuple[int | None, int | None] | None = None

    @property
    def is_count(self) -> bool:
        """Whether the field is a number or a formula."""
        return (
            bool(self.sides) and self.powers is None and not is_shape(self.task.problem, self.name)
        )

    @property
    def is_shape(self) -> bool:
        """Whether the field is a shape."""
        return self.claimed is None and is_shape(self.task.problem, self.name)


def _shows(wrong: Wrong) -> Callable[[Case], bool]:
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


def _answers(wrong: Wrong) -> Callable[[CountProblem], dict[str, Any] | None]:
    """Return the answer with the mistake in every field that leaves room for it."""

    def answer(problem: CountProblem) -> dict[str, Any] | None:
        task = Task(problem, Answer({}))
        found = right_fields(task)
        changed = False
        for name in problem.goal.find:
            if not is_shape(problem, name):
                right = task.right(name)
                other = next(wrong(task, name, {}), right)
                changed = changed or not other == right
                found[name] = _written(task, other, problem.goal.form)
        return found if changed else None

    return answer


def right_fields(task: Task) -> dict[str, Any]:
    """Return the right answer in every field."""
    problem, found = task.problem, dict[str, Any]()
    form = problem.goal.form
    for name in problem.goal.find:
        if is_shape(problem, name):
            found[name] = [_written(task, axis, form) for axis in task.shape(name)]
        else:
            found[name] = _written(task, task.right(name), form)
    for name in problem.goal.same:
        found[f"same_{name}"] = alike(task, name)
    for name, order in problem.goal.orders.items():
        power = degree(task, task.right(order.of), order.symbol)
        found[name] = f"{order.symbol}^{power}"
    return found


def alike(task: Task, quantity: str) -> bool:
    """Whether all configurations have the same count."""
    others = task.problem.given.others
    every = [task.right(quantity), *(task.right(f"{quantity}_{other}") for other in others)]
    values = [task.symbols.here(one) for one in every]
    if None in values:
        return all(one == every[0] for one in every)
    return len(set(values)) == 1


def degree(task: Task, ratio: Ratio | None, symbol: str) -> int | None:
    """Return how fast a function grows in a symbol; None where it is not rational."""
    if ratio is None:
        return None
    place = task.symbols.names.index(symbol)
    above, below = (
        max((powers[place] for powers in poly.to_dict()), default=0)
        for poly in (ratio.above, ratio.below)
    )
    return int(above - below)


def _written(task: Task, ratio: Ratio, form: str) -> Any:
    value = task.symbols.here(ratio)
    if value is None or form == "formula":
        return task.symbols.text(ratio)
    return int(value) if value.denominator == 1 else str(value)


def _changed(change: Callable[[Setting], Setting | None]) -> Wrong:
    """A mistake that counts something else: another setting."""

    def wrong(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
        def apply(at: Setting) -> Setting:
            return change(at) or at

        found = task.right(name, fixed, apply)
        if not found == task.right(name, fixed):
            yield found

    return wrong


def _times(*factors: Fraction | int, only: Callable[[str], bool] = lambda name: True) -> Wrong:
    """A mistake that is off by a factor."""

    def wrong(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
        if only(_quantities(task, name)):
            for factor in factors:
                yield task.right(name, fixed) * task.symbols.number(factor)

    return wrong


def _quantities(task: Task, name: str) -> str:
    """Return the quantity of a field, or the formula that defines it."""
    return task.problem.goal.define.get(name, task.problem.split(name)[0])


def _mistake(tag: str, wrong: Wrong, idea: str, sentence: str) -> Mistake[CountProblem, Case]:
    return Mistake(tag, sentence, _shows(wrong), _answers(wrong), idea)


def _one(at: Setting, *sizes: str) -> Setting | None:
    """Return a setting in which some sizes are 1."""
    known = [name for name in sizes if at.has(name)]
    one = at.symbols.number(1)
    return at.with_sizes(**dict.fromkeys(known, one)) if known else None


def _all_heads(at: Setting) -> Setting | None:
    return at.with_sizes(key_heads=at["heads"]) if at.has("heads") else None


def _whole_width(at: Setting) -> Setting | None:
    if not (at.has("heads") and at.has("d_model")):
        return None
    return at.with_sizes(d_k=at["d_model"], d_v=at["d_model"])


def _one_cached(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
    if "kv_cache" in _quantities(task, name):
        yield task.right(name, fixed) / task.symbols.number(2)


def _prefixes(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
    for power in (1, 2, 3, 4):
        for up, down in ((1000, 1024), (1024, 1000)):
            factor = Fraction(up, down) ** power
            yield task.right(name, fixed) * task.symbols.number(factor)


def _swap_operations(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
    """Multiplications in place of additions."""
    quantity, other = task.problem.split(name)
    if quantity == "additions":
        whole = "multiplications" + (f"_{other}" if other else "")
        yield task.right(whole, fixed)


def _no_gate(at: Setting) -> Setting:
    other = "plain" if at.conventions.feed_forward == "gated" else "gated"
    return at.with_conventions(feed_forward=other)


def _product(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[Ratio]:
    """d_model · heads in place of d_model / heads."""
    if task.problem.split(name)[0] in ("d_k", "d_v") and {"d_model", "heads"} <= set(task.sizes):
        at = task._at(task.problem.split(name)[1], fixed, None)
        yield at["d_model"] * at["heads"]


# ------------------------------------------------------------------ shapes


def _shape_shows(wrong: Axes) -> Callable[[Case], bool]:
    def shows(case: Case) -> bool:
        if not case.is_shape:
            return False
        task, said = case.task, case.sides
        for other in wrong(task, case.name, {}):
            if len(other) == len(said) and all(
                any(
                    task.same(side, [*wrong(task, case.name, fixed)][0][place])
                    for fixed in task.readings(side)
                    if [*wrong(task, case.name, fixed)]
                )
                or task.same(side, other[place])
                or _number_is(task, side, other[place])
                for place, side in enumerate(said)
            ):
                return True
        return False

    return shows


def _number_is(task: Task, side: Side, axis: Ratio) -> bool:
    value = task.symbols.here(axis)
    return value is not None and side.ratio is not None and side.ratio == task.symbols.number(value)


def _shape_answers(wrong: Axes) -> Callable[[CountProblem], dict[str, Any] | None]:
    def answer(problem: CountProblem) -> dict[str, Any] | None:
        task = Task(problem, Answer({}))
        found = right_fields(task)
        changed = False
        for name in problem.goal.find:
            axes = next(wrong(task, name, {}), None) if is_shape(problem, name) else None
            if axes is not None:
                changed = True
                found[name] = [_written(task, axis, problem.goal.form) for axis in axes]
        return found if changed else None

    return answer


def _differs(task: Task, name: str, axes: list[Ratio]) -> bool:
    right = task.shape(name)
    same = len(axes) == len(right) and all(a == b for a, b in zip(axes, right, strict=True))
    return not same


def _unmerged(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[list[Ratio]]:
    quantity, other = task.problem.split(name)
    mark = f"_{other}" if other else ""
    if quantity in ("shape_output", "shape_concat"):
        yield task.shape(f"shape_heads{mark}", fixed)


def _not_split(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[list[Ratio]]:
    quantity, _ = task.problem.split(name)
    if quantity in ("shape_Q", "shape_K", "shape_V", "shape_heads") and "heads" in task.sizes:
        *batch, heads, length, width = task.shape(name, fixed)
        yield [*batch, heads, length, heads * width]
        yield [*batch, length, heads * width]


def _permuted(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[list[Ratio]]:
    axes = task.shape(name, fixed)
    for i in range(len(axes) - 1):
        for j in range(i + 1, len(axes)):
            other = list(axes)
            other[i], other[j] = other[j], other[i]
            if _differs(task, name, other):
                yield other


def _no_batch(task: Task, name: str, fixed: Mapping[str, Ratio]) -> Iterator[list[Ratio]]:
    axes = task.shape(name, fixed)
    if "batch" in task.sizes and len(axes) > 2:
        yield axes[1:]


def _shape_mistake(tag: str, wrong: Axes, idea: str, sentence: str) -> Mistake[CountProblem, Case]:
    return Mistake(tag, sentence, _shape_shows(wrong), _shape_answers(wrong), idea)


def _is_flops(quantity: str) -> bool:
    return "flops" in quantity or "intensity" in quantity


MISTAKES: tuple[Mistake[CountProblem, Case], ...] = (
    _mistake(
        "one-of-keys-and-values",
        _one_cached,
        "The cache for keys alone",
        "Keys and values are both kept: the count is half of what it must be, as if only one of "
        "the two were.",
    ),
    _mistake(
        "query-heads-for-key-heads",
        _changed(_all_heads),
        "As many key heads as query heads",
        "Keys and values were given as many heads as the queries have: here several query heads "
        "share one.",
    ),
    _mistake(
        "every-head-as-wide-as-the-model",
        _changed(_whole_width),
        "Every head as wide as the model",
        "Every head was counted with the full width d_model: heads share it, each has d_k columns, "
        "and more heads do not mean more parameters.",
    ),
    _mistake(
        "output-projection-forgotten",
        _changed(lambda at: at.with_conventions(output_projection=False)),
        "Without $W_O$",
        "The matrix W_O, which mixes the heads at the end, was left out.",
    ),
    _mistake(
        "feed-forward-forgotten",
        _changed(lambda at: at.with_sizes(d_ff=at.symbols.number(0)) if at.has("d_ff") else None),
        "Attention without the feed-forward layer",
        "The feed-forward layer was left out: this is the count without it.",
    ),
    _mistake(
        "wrong-number-of-feed-forward-matrices",
        _changed(_no_gate),
        "Another number of feed-forward matrices",
        "A plain feed-forward layer has two matrices and a gated one three: this is the count with "
        "the other number.",
    ),
    _mistake(
        "layers-forgotten",
        _changed(lambda at: _one(at, "layers")),
        "One layer instead of all",
        "This is the count for one layer: it has to be multiplied by the number of layers.",
    ),
    _mistake(
        "batch-forgotten",
        _changed(lambda at: _one(at, "batch")),
        "One sequence instead of the whole batch",
        "This is the count for one sequence: it has to be multiplied by the batch.",
    ),
    _mistake(
        "one-head-counted",
        _changed(lambda at: _one(at, "heads", "key_heads")),
        "One head instead of all",
        "This is the count for one head: it has to be done for every head.",
    ),
    _mistake(
        "numbers-for-bytes",
        _changed(lambda at: _one(at, "bytes")),
        "Numbers instead of bytes",
        "These are numbers and not bytes: each takes several bytes.",
    ),
    _mistake(
        "biases-wrong",
        _changed(lambda at: at.with_conventions(biases=not at.conventions.biases)),
        "Biases counted the other way",
        "This is the count with the other convention for biases: look at whether there are any.",
    ),
    _mistake(
        "norms-forgotten",
        _changed(lambda at: at.with_conventions(norms="none")),
        "Without the parameters of the norms",
        "The parameters of the norms were left out.",
    ),
    _mistake(
        "norms-counted",
        _changed(
            lambda at: (
                at.with_conventions(norms="layer") if at.conventions.norms == "none" else None
            )
        ),
        "With norm parameters that are not asked for",
        "The parameters of layer norms were counted, and here they are left out.",
    ),
    _mistake(
        "tied-wrong",
        _changed(lambda at: at.with_conventions(tied=not at.conventions.tied)),
        "Another number of embedding tables",
        "Embedding and unembedding are one table if they are tied and two if not: this is the "
        "other count.",
    ),
    _mistake(
        "embedding-forgotten",
        _changed(
            lambda at: (
                at.with_sizes(vocabulary=at.symbols.number(0)) if at.has("vocabulary") else None
            )
        ),
        "Without the embedding",
        "The tables of embeddings were left out: this is the count of the blocks alone.",
    ),
    _mistake(
        "position-table-forgotten",
        _changed(
            lambda at: (
                at.with_sizes(positions=at.symbols.number(0)) if at.has("positions") else None
            )
        ),
        "Without the table of positions",
        "The learned table of positions was left out.",
    ),
    _mistake(
        "multiplications-for-flops",
        _times(Fraction(1, 2), only=_is_flops),
        "Multiplications instead of FLOPs",
        "It is half of what it must be: a multiplication and an addition are two FLOPs.",
    ),
    _mistake(
        "flops-for-multiplications",
        _times(2, only=lambda quantity: "multiplications" in quantity),
        "FLOPs instead of multiplications",
        "It is twice what it must be: only multiplications are asked for, not additions too.",
    ),
    _mistake(
        "backward-pass-forgotten",
        _times(Fraction(1, 3), only=lambda quantity: "training" in quantity),
        "The forward pass alone",
        "It is a third of what it must be: the backward pass costs twice the forward pass.",
    ),
    _mistake(
        "multiplications-for-additions",
        _swap_operations,
        "As many additions as multiplications",
        "These are the multiplications: a sum of k terms takes k - 1 additions.",
    ),
    _mistake(
        "causal-mask-wrong",
        _changed(
            lambda at: (
                at.with_conventions(causal=not at.conventions.causal)
                if not at.has("window")
                else None
            )
        ),
        "All pairs, or only half of them",
        "This is the count with the other convention for the causal mask: look at which pairs of a "
        "query and a key are there.",
    ),
    _mistake(
        "linear-in-the-length",
        _changed(lambda at: _one(at, "n_k")),
        "One key for every query",
        "Every query meets every key: the length of the keys is missing.",
    ),
    _mistake(
        "bits-for-bytes",
        _times(
            8, Fraction(1, 8), only=lambda quantity: "bytes" in quantity and "/" not in quantity
        ),
        "Bits taken for bytes",
        "It is off by a factor of 8: a byte has eight bits.",
    ),
    _mistake(
        "multiplied-instead-of-divided",
        _product,
        "The width times the heads",
        "The width of the model was multiplied by the number of heads, and it is divided among "
        "them.",
    ),
    _mistake(
        "decimal-for-binary-prefix",
        _prefixes,
        "",
        "It is off by a power of 1024/1000: KB, MB and GB are powers of 1000, and KiB, MiB and GiB "
        "powers of 1024.",
    ),
    _shape_mistake(
        "heads-not-merged",
        _unmerged,
        "The heads not put side by side again",
        "The heads were not put side by side again: their outputs are concatenated along the width.",
    ),
    _shape_mistake(
        "width-not-split",
        _not_split,
        "The full width for every head",
        "The width was not divided among the heads: each has d_model/heads columns.",
    ),
    _shape_mistake(
        "batch-axis-forgotten",
        _no_batch,
        "The batch left out",
        "The axis of the batch was left out.",
    ),
    _shape_mistake(
        "axes-in-another-order",
        _permuted,
        "Two axes exchanged",
        "The sizes are right, and two of the axes have changed places.",
    ),
    Mistake(
        "more-heads-more-parameters",
        "The number of heads does not change the count while all heads together are as wide: each "
        "then has as many fewer columns.",
        lambda case: case.claimed is False,
        lambda problem: _denied(problem, True),
        "More heads, more parameters",
    ),
    Mistake(
        "different-counts-taken-for-equal",
        "The counts of the configurations differ, and are said to be the same.",
        lambda case: case.claimed is True,
        lambda problem: _denied(problem, False),
        "The configurations taken for equal",
    ),
    Mistake(
        "order-too-small",
        "It grows faster than that: one more size of the same length is a factor.",
        lambda case: (
            case.powers is not None
            and None not in case.powers
            and (case.powers[0] or 0) < (case.powers[1] or 0)
        ),
        lambda problem: _orders(problem, -1),
        "A factor of the length left out",
    ),
    Mistake(
        "order-too-large",
        "It does not grow as fast as that.",
        lambda case: (
            case.powers is not None
            and None not in case.powers
            and (case.powers[0] or 0) > (case.powers[1] or 0)
        ),
        lambda problem: _orders(problem, 1),
        "A factor of the length too many",
    ),
)


def _denied(problem: CountProblem, same: bool) -> dict[str, Any] | None:
    """Return the right counts with the opposite verdict, where all are the same (or not)."""
    task = Task(problem, Answer({}))
    chosen = [name for name in problem.goal.same if alike(task, name) is same]
    if not chosen:
        return None
    return {**right_fields(task), f"same_{chosen[0]}": not same}


def _orders(problem: CountProblem, more: int) -> dict[str, Any] | None:
    """Return the right answer with another power."""
    task = Task(problem, Answer({}))
    for name, order in problem.goal.orders.items():
        power = (degree(task, task.right(order.of), order.symbol) or 0) + more
        if power >= 0:
            return {**right_fields(task), name: f"{order.symbol}^{power}"}
    return None


OFTEN = (
    "one-of-keys-and-values",
    "query-heads-for-key-heads",
    "every-head-as-wide-as-the-model",
    "output-projection-forgotten",
    "feed-forward-forgotten",
    "layers-forgotten",
    "biases-wrong",
    "multiplications-for-flops",
    "flops-for-multiplications",
    "backward-pass-forgotten",
    "multiplications-for-additions",
    "linear-in-the-length",
    "numbers-for-bytes",
    "embedding-forgotten",
    "tied-wrong",
    "multiplied-instead-of-divided",
    "position-table-forgotten",
    "heads-not-merged",
    "axes-in-another-order",
    "more-heads-more-parameters",
    "different-counts-taken-for-equal",
    "order-too-small",
    "order-too-large",
    "bits-for-bytes",
)

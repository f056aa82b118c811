"""A Python file to be completed, function by function."""

from __future__ import annotations

import ast
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from regard.problems.fields import Name, Part, Share
from regard.problems.head import Problem

Behaviour = Literal[
    "softmax",
    "attention",
    "causal_attention",
    "masked_attention",
    "multi_head_attention",
    "sinusoidal_positions",
    "self_attention",
    "cross_attention",
    "padding_attention",
    "causal_padding_attention",
    "split_head_attention",
    "rotary",
    "copy_query",
]

# What a function of each behaviour takes, in this order and under any names. Shapes:
# x of softmax (..., n); query (..., n_q, d_k), key (..., n_k, d_k), value (..., n_k, d_v);
# mask (n_q, n_k), True where a query may attend; x of self-attention (n, d_model), W_Q and W_K
# (d_model, d_k), W_V (d_model, d_v); of several heads W_Q, W_K, W_V have an axis of heads in
# front and W_O is (n_heads · d_v, d_model). Of heads that are split, W_Q and W_K are
# (d_model, n_heads · d_k), W_V (d_model, n_heads · d_v), head 0 in the first columns. Of padding,
# query, key and value are (batch, n, …) and lengths (batch,). Context is (n_k, d_model). Rotary
# takes x (..., n, d) and positions (n,). copy_query takes keys (n_k, d_k) of length 1 at right
# angles and the index of one, and returns a query (d_k,) whose weight is all but on that one.
PARAMETERS: dict[str, tuple[str, ...]] = {
    "softmax": ("x",),
    "attention": ("query", "key", "value"),
    "causal_attention": ("query", "key", "value"),
    "masked_attention": ("query", "key", "value", "mask"),
    "multi_head_attention": ("x", "W_Q", "W_K", "W_V", "W_O"),
    "sinusoidal_positions": ("n", "d_model"),
    "self_attention": ("x", "W_Q", "W_K", "W_V"),
    "cross_attention": ("x", "context", "W_Q", "W_K", "W_V"),
    "padding_attention": ("query", "key", "value", "lengths"),
    "causal_padding_attention": ("query", "key", "value", "lengths"),
    "split_head_attention": ("x", "W_Q", "W_K", "W_V", "W_O", "n_heads"),
    "rotary": ("x", "positions"),
    "copy_query": ("key", "index"),
}
# Names that a completed file needs for itself.
RESERVED = frozenset(["np", "numpy", "zip"])


def python_error(text: str) -> str | None:
    """Return why a text is not Python, or None if it is."""
    try:
        ast.parse(text)
    except SyntaxError as error:
        place = f"line {error.lineno}: " if error.lineno else ""
        return f"is not Python: {place}{error.msg}"
    except (ValueError, RecursionError, MemoryError):
        return "is not Python: it cannot be read"
    return None


def _python(text: str) -> str:
    wrong = python_error(text)
    if wrong is not None:
        raise ValueError(wrong)
    return text


def numpy_name(tree: ast.Module) -> str | None:
    """Return what a file calls NumPy, or None if it does not import it."""
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "numpy":
                    return alias.asname or "numpy"
    return None


def parameters_of(function: ast.FunctionDef) -> tuple[str, ...]:
    """Return the names of the arguments that a function takes by position."""
    return tuple(one.arg for one in (*function.args.posonlyargs, *function.args.args))


class CodeGiven(Part):
    """The file that a student starts from: Python, with a function for each thing asked for."""

    skeleton: Annotated[str, Field(min_length=1, max_length=50_000), AfterValidator(_python)]


class CodeGoal(Part):
    """What each function has to do: `scaled_attention = "attention"`.

    Scores are divided by √d_k. Positions have sines in even columns and cosines in odd ones, of
    the frequencies 10000^(-2i/d_model). A query that may attend to nothing gives zeros.

    Attributes:
        functions: the behaviour of each function of the skeleton that is to be completed.
        tolerance: how near what it returns has to come, entry by entry.
    """

    functions: Annotated[dict[Name, Behaviour], Field(min_length=1, max_length=20)]
    tolerance: Share = 1e-6


class CodeProblem(Problem):
    """A file with the functions of the skeleton."""

    kind: Literal["code"]
    given: CodeGiven
    goal: CodeGoal

    def refuse(self) -> None:
        """Refuse names that the skeleton does not define, or defines with other arguments."""
        tree = ast.parse(self.given.skeleton)
        defined = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        for name, behaviour in self.goal.functions.items():
            found = [node for node in defined if node.name == name]
            if not found:
                raise ValueError(f"given.skeleton: has no function {name}")
            if len(found) > 1:
                raise ValueError(f"given.skeleton: defines {name} {len(found)} times")
            self._takes(found[0], PARAMETERS[behaviour], numpy_name(tree) or "np")

    def _takes(self, function: ast.FunctionDef, wanted: tuple[str, ...], numpy: str) -> None:
        arguments = function.args
        names = parameters_of(function)
        others = arguments.vararg or arguments.kwarg or arguments.kwonlyargs
        if len(names) != len(wanted) or others:
            raise ValueError(
                f"given.skeleton: {function.name} must take {len(wanted)} "
                f"{'argument' if len(wanted) == 1 else 'arguments'}, under any names: "
                f"{function.name}({', '.join(wanted)})"
            )
        reserved = RESERVED | {numpy}
        taken = reserved | set(self.goal.functions)
        used = [name for name in names if name in taken] + [*(reserved & {function.name})]
        if used:
            raise ValueError(
                f"given.skeleton: {function.name}: {used[0]} is the name of something else"
            )


PROBLEM = CodeProblem

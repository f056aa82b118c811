"""Labs under other names: functions and arguments are called something else."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from regard.kinds.code.spec import CodeProblem, parameters_of
from regard.problems import to_dict

FUNCTIONS = {
    "softmax": ("softmax", "row_softmax", "to_weights"),
    "attention": ("attention", "attend", "dot_product_attention"),
    "masked_attention": ("masked_attention", "attend_where", "attention_with_mask"),
    "causal_attention": ("causal_attention", "attend_back", "attention_to_the_past"),
    "self_attention": ("self_attention", "one_head", "attend_among"),
    "multi_head_attention": ("multi_head_attention", "several_heads", "all_heads"),
    "sinusoidal_positions": ("sinusoidal_positions", "position_vectors", "waves"),
    "cross_attention": ("cross_attention", "attend_across", "decoder_attention"),
    "padding_attention": ("padding_attention", "attend_to_real", "attention_without_padding"),
    "causal_padding_attention": ("causal_padding_attention", "attend_back_to_real", "decoder_step"),
    "split_head_attention": ("split_head_attention", "heads_of_one_matrix", "multi_head"),
    "rotary": ("rotary", "turn_pairs", "rotate_by_position"),
    "copy_query": ("copy_query", "query_for", "pointing_query"),
}
ARGUMENTS = {
    "query": ("query", "q", "queries"),
    "key": ("key", "k", "keys"),
    "value": ("value", "v", "values"),
    "mask": ("mask", "allowed", "visible"),
    "x": ("x", "tokens", "inputs"),
    "n": ("n", "length", "count"),
    "d_model": ("d_model", "width", "size"),
    "context": ("context", "memory", "encoded"),
    "lengths": ("lengths", "real_tokens", "sizes"),
    "positions": ("positions", "t", "places"),
    "index": ("index", "i", "which"),
}
TOLERANCES = (1e-6, 1e-7, 1e-8)


def vary(problem: CodeProblem, rng: np.random.Generator) -> dict[str, Any]:
    """Return the same functions under other names, with another tolerance."""
    skeleton, functions = problem.given.skeleton, problem.goal.functions
    style = int(rng.integers(3))  # one way of naming arguments throughout
    taken = {node.id for node in ast.walk(ast.parse(skeleton)) if isinstance(node, ast.Name)}
    names: dict[str, str] = {}
    for name, behaviour in functions.items():
        choice = str(rng.choice(FUNCTIONS[behaviour]))
        free = choice not in taken and choice not in functions and choice not in names.values()
        names[name] = choice if free else name
    for name in functions:
        skeleton = _with_arguments(skeleton, name, style, set(functions) | set(names.values()))
    for old, new in names.items():
        skeleton = re.sub(rf"\b{old}\b", new, skeleton)
    goal = to_dict(problem)["goal"]
    goal["functions"] = {names[name]: behaviour for name, behaviour in functions.items()}
    goal["tolerance"] = float(rng.choice(TOLERANCES))
    return {"given": {"skeleton": skeleton}, "goal": goal}


def _with_arguments(skeleton: str, function: str, style: int, taken: set[str]) -> str:
    """Rename the arguments of a function, in its first lines and where its docstring lists them."""
    node = next(
        node
        for node in ast.parse(skeleton).body
        if isinstance(node, ast.FunctionDef) and node.name == function
    )
    old = parameters_of(node)
    new = [ARGUMENTS[name][style] if name in ARGUMENTS else name for name in old]
    if len(set(new)) < len(new) or set(new) & taken:
        return skeleton
    lines = skeleton.split("\n")
    first, last = node.lineno - 1, node.end_lineno or node.lineno
    body = node.body[0].lineno - 1
    for before, after in zip(old, new, strict=True):
        for at in range(first, last):
            if at < max(body, first + 1):
                lines[at] = re.sub(rf"\b{before}\b", after, lines[at])
            else:
                lines[at] = re.sub(rf"^(\s+){before}:", rf"\g<1>{after}:", lines[at])
    return "\n".join(lines)

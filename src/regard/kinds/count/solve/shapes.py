"""The axes of every array of attention, made step by step from what is given."""

from __future__ import annotations

from typing import Any

from regard.kinds.count.solve.inventory import Inventory, times

Step = list[Any]


def shape_steps(book: Inventory, name: str) -> tuple[list[Step], str]:
    """Return the steps that lead to an array, and what the last of them is called."""
    every = _all_steps(book)
    made = {step[0]: step for step in every}
    wanted, order = [name], []
    while wanted:  # only the steps that it comes from
        one = wanted.pop()
        order.append(one)
        step = made[one]
        arrays = {"given": [], "split": step[2:3], "merge": step[2:3]}.get(step[1], step[2:4])
        wanted += [part for part in arrays if part not in order]
    return [step for step in every if step[0] in set(order)], name


def _all_steps(book: Inventory) -> list[Step]:
    batch = [book.size("batch")] if book.has("batch") else []
    parted = book.has("heads")
    d_k, d_v = book.size("d_k"), book.size("d_v")
    if not book.has("d_model"):
        heads, keys = ([book.heads], [book.key_heads]) if parted else ([], [])
        steps: list[Step] = [
            ["Q", "given", [*batch, *heads, book.size("n"), d_k]],
            ["K", "given", [*batch, *keys, book.size("n_k"), d_k]],
            ["V", "given", [*batch, *keys, book.size("n_k"), d_v]],
        ]
    else:
        steps = [["X", "given", [*batch, book.size("n"), book.size("d_model")]]]
        source = "X"
        context = book.size("d_context")
        if book.size("n_k") != book.size("n") or context != book.size("d_model"):
            source = "context"
            steps.append([source, "given", [*batch, book.size("n_k"), context]])
        widths = {
            "Q": (book.heads, d_k, "X"),
            "K": (book.key_heads, d_k, source),
            "V": (book.key_heads, d_v, source),
        }
        for letter, (heads_of, width, tokens) in widths.items():
            wide = book.size("d_model") if letter == "Q" else context
            both = [wide, times(heads_of, width)]
            steps.append([f"W_{letter}", "given", both])
            if parted:
                steps.append([f"all_{letter}", "times", tokens, f"W_{letter}"])
                steps.append([letter, "split", f"all_{letter}", heads_of])
            else:
                steps.append([letter, "times", tokens, f"W_{letter}"])
    steps.append(["scores", "times transposed", "Q", "K"])
    # Softmax keeps the axes.
    steps.append(["weights", "times transposed", "Q", "K"])
    steps.append(["heads", "times", "weights", "V"])
    if parted:
        steps.append(["concat", "merge", "heads"])
    else:
        steps.append(["concat", "times", "weights", "V"])
    if book.has("d_model") and book.given.conventions.output_projection:
        steps.append(["W_O", "given", [times(book.heads, d_v), book.size("d_model")]])
        steps.append(["output", "times", "concat", "W_O"])
    elif parted:
        steps.append(["output", "merge", "heads"])
    else:
        steps.append(["output", "times", "weights", "V"])
    return steps

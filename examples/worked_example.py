"""The worked example of 002_3bdb44851b502ebf: three tokens through one attention layer, by hand.

Run it with `make run`. Every number is computed here; the matrices are small whole
numbers, so everything up to the softmax is exact.
"""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

import regard

X = np.array([[2, 3], [-1, 0], [1, -2]])
W_Q = np.array([[1, 0, 2], [0, 1, -3]])
W_K = np.array([[0, 0, -1], [-2, 0, 1]])
W_V = np.array([[8, 0], [0, 9]])

console = Console(highlight=False, width=min(Console().width, 96))


def number(value: float, digits: int = 5) -> str:
    """Write whole numbers as such, and others with a few digits."""
    return f"{value:.0f}" if value == round(value) else f"{value:.{digits}g}"


def vector(values: np.ndarray) -> str:
    """Write a row of numbers."""
    return "(" + ", ".join(number(v) for v in values) + ")"


def dot(left: np.ndarray, right: np.ndarray) -> str:
    """Write a dot product out in full."""
    factors = [[f"({number(x)})" if x < 0 else number(x) for x in side] for side in (left, right)]
    terms = " + ".join(f"{a}·{b}" for a, b in zip(*factors, strict=True))
    return f"{terms} = {number(left @ right)}"


def matrix(name: str, rows: np.ndarray) -> Table:
    """Draw a matrix with its name and shape."""
    table = Table(title=f"{name}  {rows.shape[0]}×{rows.shape[1]}", show_header=False)
    for _ in rows[0]:
        table.add_column(justify="right")
    for row in rows:
        table.add_row(*(number(v, digits=4) for v in row))
    return table


def beside(*tables: Table) -> None:
    """Print tables side by side."""
    grid = Table.grid(padding=(0, 2))
    grid.add_row(*tables)
    console.print(grid)


def heading(part: str, text: str) -> None:
    """Print what a part does."""
    console.print()
    console.print(Text(f"{part}  {text}", style="bold"))


def main() -> None:
    """Go through the parts (a) to (f)."""
    query, key, value = X @ W_Q, X @ W_K, X @ W_V
    scores = regard.attention_scores(query, key, scale=1)
    output, weights = regard.attention_with_weights(query, key, value, scale=1)

    console.print(Text("Attention by hand: the worked example of 002_3bdb44851b502ebf", "bold"))
    console.print("Three tokens, the rows of X, and the matrices of one attention layer:\n")
    beside(matrix("X", X), matrix("W_Q", W_Q), matrix("W_K", W_K), matrix("W_V", W_V))

    heading("(a)", "Each token x has a query x W_Q, a key x W_K and a value x W_V.")
    for i, x in enumerate(X):
        console.print(f"  q_{i + 1}:  " + ",   ".join(dot(x, column) for column in W_Q.T))
    console.print()
    table = Table("token", "query", "key", "value")
    for i, rows in enumerate(zip(X, query, key, value, strict=True)):
        x, *others = rows
        table.add_row(f"x_{i + 1} = {vector(x)}", *(vector(row) for row in others))
    console.print(table)
    console.print("  The document prints q_2 = (-1, 0, 2). The last sign is wrong, as (a) shows.")

    heading("(b)", "Token 3 scores every token: z_3j = q_3 · k_j.")
    for j in range(3):
        console.print(f"  z_3{j + 1} = {dot(query[2], key[j])}")

    heading("(c)", "The softmax turns scores into weights, and the output averages the values.")
    exponentials = " + ".join(f"e^{number(z)}" for z in scores[2])
    for j in range(3):
        share = f"e^{number(scores[2, j])} / ({exponentials})"
        console.print(f"  a_3{j + 1} = {share} = {weights[2, j]:.6g}")
    console.print(f"  c_3 = a_31 v_1 + a_32 v_2 + a_33 v_3 = {vector(output[2])}")

    heading("(d)", "The same for all tokens at once: Q = X W_Q, K = X W_K, V = X W_V.")
    beside(matrix("Q", query), matrix("K", key), matrix("V", value))

    heading("(e)", "Entry (i, j) of Q Kᵀ is row i of Q times row j of K: the score z_ij.")
    heading("(f)", "A is the softmax of each row, and row i of A V is Σ_j a_ij v_j.")
    beside(matrix("Q Kᵀ", scores), matrix("A", weights), matrix("A V", output))

    console.print("\nThe same in Python:\n")
    console.print("  head = regard.Head(W_Q, W_K, W_V, scale=1)")
    console.print("  head(X)")
    again = regard.Head(W_Q, W_K, W_V, scale=1)(X)
    console.print("  " + str(again).replace("\n", "\n  "), markup=False)


if __name__ == "__main__":
    main()

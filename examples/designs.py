"""Queries and heads that do what is wanted, a proof that one cannot, and what noise does.

Run it with `make run`, after the worked example. The tokens are those of 001_725e95d9063a7e6c (e).
"""

from __future__ import annotations

import numpy as np

import regard


def main() -> None:
    """Ask four questions and print the answers."""
    print("Which query averages values 0 and 1 of six orthonormal keys?\n")
    design = regard.design.query(np.eye(6), {0: 0.5, 1: 0.5})
    print(design, "\n")
    print(regard.certify.verify(design.certificate), "\n")

    print("Which query copies the value of a key in the middle of the others?\n")
    try:
        regard.design.query([[0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1]], 0)
    except regard.InfeasibleDesign as refusal:
        print(refusal, "\n")

    print("Which head puts out u_b - u_c for the first token and u_b for the second?\n")
    a, b, c, d = 2 * np.eye(4)
    tokens = np.array([d + b, a, c + b])
    print(regard.design.self_attention(tokens, outputs={0: b - c, 1: b}), "\n")

    print("Key 0 varies along its own mean. One head for two values, or one for each?\n")
    noise = np.zeros((6, 6, 6))
    noise[0, 0, 0] = 0.5
    designs = {"one head": 10 * np.eye(6)[:2].sum(axis=0), "two heads": 10 * np.eye(6)[:2]}
    target = {0: 0.5, 1: 0.5}
    print(regard.analysis.stability(designs, np.eye(6), noise, np.eye(6), target=target))


if __name__ == "__main__":
    main()

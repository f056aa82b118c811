"""How long a check takes, beside one evaluation of the answer it judges.

A check evaluates an answer on some hundred instances, draws them, and looks for what is wrong. The
ratio says how many evaluations that is worth; a second is the most a check may take.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from regard import problems
from regard.checking import check
from regard.checking.answer_reading import read
from regard.kinds.heads.reading import read_queries

LIMIT = 1.0
REPEATS = 5
ANSWERS: list[tuple[str, dict[str, Any]]] = [
    ("average-two-values", {"q": "C (k_a + k_b)"}),
    ("average-two-values", {"q": "k_a + k_b"}),
    ("average-two-of-many", {"q": "C (k_a + k_b)", "C": 10}),
    ("average-under-small-noise", {"q": "C (mu_a + mu_b)"}),
    ("average-under-small-noise", {"q": "C (mu_a + mu_b)", "C": 50}),
    ("two-heads-average", {"q_1": "C mu_a", "q_2": "C mu_b"}),
    ("one-head-per-value", {"q_1": "mu_a", "q_2": "mu_b"}),
]
OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("one-key-dominates", {"condition": "s_j >= 100 s_i"}),
    ("take-a-value-out-of-an-average", {"M": "2 S pinv(S)"}),
    ("weights-are-a-distribution", {"alpha": "softmax(K q)", "total": "1"}),
    ("dot-product-variance", {"variance": "D_k"}),
]


def fastest(call: Callable[[], object]) -> float:
    """Return the shortest of a few times."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
    return min(times)


def evaluation(name: str, answer: dict[str, Any]) -> float:
    """Return how long it takes to evaluate the queries of an answer once."""
    problem = problems.load(name)
    asked = read_queries(problem, read(answer))
    instance = problems.key_instance(problem.given)
    return fastest(lambda: [asked.evaluate(instance) for _ in range(100)]) / 100


def main() -> None:
    print(f"{'problem':<32}{'answer':<36}{'check':>9}{'to one evaluation':>19}  verdict")
    slowest = 0.0
    for name, answer in (*ANSWERS, *OTHERS):
        verdict = check(name, answer)
        seconds = fastest(lambda name=name, answer=answer: check(name, answer))
        slowest = max(slowest, seconds)
        is_query = (name, answer) in ANSWERS
        ratio = f"{seconds / evaluation(name, answer):.0f}" if is_query else ""
        said = ", ".join(map(str, answer.values()))
        result = "right" if verdict.right else getattr(verdict.misconception, "tag", "wrong")
        print(f"{name:<32}{said:<36}{1000 * seconds:>6.0f} ms{ratio:>19}  {result}")
    print(f"slowest: {slowest:.2f} s (at most {LIMIT:.0f})")


if __name__ == "__main__":
    main()

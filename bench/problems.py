"""How long it takes to solve and verify every bundled problem, and problems with 4096 keys.

All bundled problems together take 60 seconds at most. A problem with 4096 keys takes as long to
solve, verify and report as at most 5 times `design.query` plus one `verify` on the same keys, and
an answer to it is checked within 2 seconds, both of processor time. Where a formula serves (keys at
right angles) there is less to do than a design has, and the ratio is far below 1.

    python bench/problems.py        both
    python bench/problems.py large  the second only
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import regard
from regard import problems, solving
from regard.certify import verify
from regard.problems.instances import key_instance

LIMIT = 60.0
RATIO, CHECK = 5.0, 2.0
HEAD = """
schema = 1
id = "large"
title = "Large"
kind = "query"
statement = "Find it."
[given]
n = 4096
d = {d}
names = {{ a = 0, b = 1 }}
keys = {{ law = "{law}" }}
[goal]
weights = {weights}
tolerance = 1e-3
"""
LARGE = {  # law, d, weights, an answer
    "copy, d = 64": ("arbitrary", 64, "{ a = 1.0 }", "C k_a"),
    "mix, d = 64": ("arbitrary", 64, "{ a = 0.5, b = 0.5 }", "C (k_a + k_b)"),
    "copy, orthonormal": ("orthonormal", 4096, "{ a = 1.0 }", "C k_a"),
    "mix, orthonormal": ("orthonormal", 4096, "{ a = 0.5, b = 0.5 }", "C (k_a + k_b)"),
    "mix, too short": ("orthonormal", 4096, "{ a = 0.5, b = 0.5 }", "k_a + k_b"),
}


def bundled() -> None:
    started = time.perf_counter()
    rows = []
    for name in problems.names():
        begun = time.perf_counter()
        solution = solving.solve(name)
        solved = time.perf_counter()
        verdict = solution.verdict.value
        verified = time.perf_counter()
        solution.report()
        reported = time.perf_counter()
        rows.append((name, solved - begun, verified - solved, reported - verified, verdict))
    total = time.perf_counter() - started
    print(f"{'problem':<34}{'solve':>8}{'verify':>8}{'report':>8}  result")
    for name, solve, verify_, report, verdict in rows:
        print(f"{name:<34}{solve:>8.2f}{verify_:>8.2f}{report:>8.2f}  {verdict}")
    print(f"all {len(rows)} problems: {total:.1f} s (at most {LIMIT:.0f})")


def timed(call: Callable[[], object], times: int = 2) -> float:
    """Return the least processor time of a few calls, which others on the machine move less."""
    best = float("inf")
    for _ in range(times):
        started = time.process_time()
        call()
        best = min(best, time.process_time() - started)
    return best


def solved(problem: problems.Problem) -> None:
    """Solve, verify and tell."""
    solution = solving.solve(problem)
    assert solution.verification.holds
    solution.report()


def designed(keys: np.ndarray, target: object) -> None:
    """Design a query for the same keys, and verify it once."""
    try:
        certificate = regard.design.query(keys, target).certificate
    except (regard.InfeasibleDesign, regard.UndecidedDesign) as refusal:
        certificate = refusal.certificate
    if certificate is not None:
        verify(certificate)


def large() -> None:
    print(f"\n{'4096 keys':<24}{'solve to design':>16}{'check, s':>10}  right")
    for name, (law, d, weights, answer) in LARGE.items():
        problem = problems.loads(HEAD.format(law=law, d=d, weights=weights))
        keys = key_instance(problem.given).keys
        target = {problem.given.names[a]: w for a, w in problem.goal.weights.items()}
        ratio = timed(lambda p=problem: solved(p)) / timed(
            lambda k=keys, t=target: designed(k, t), 1 if d > 64 else 2
        )
        seconds = timed(lambda p=problem, a=answer: regard.check(p, {"q": a}))
        right = regard.check(problem, {"q": answer}).right
        mark = " " if ratio <= RATIO and seconds <= CHECK else "!"
        print(f"{name:<24}{ratio:>16.2f}{seconds:>10.2f}  {right} {mark}", flush=True)


if __name__ == "__main__":
    if "large" not in sys.argv[1:]:
        bundled()
    large()

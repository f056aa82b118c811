"""How long it takes to solve and verify every bundled problem: 60 seconds at most."""

from __future__ import annotations

import time

from regard import problems, solving

LIMIT = 60.0


def main() -> None:
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
    for name, solve, verify, report, verdict in rows:
        print(f"{name:<34}{solve:>8.2f}{verify:>8.2f}{report:>8.2f}  {verdict}")
    print(f"all {len(rows)} problems: {total:.1f} s (at most {LIMIT:.0f})")


if __name__ == "__main__":
    main()

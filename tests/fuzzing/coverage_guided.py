"""Fuzzing that follows which lines run, with atheris.

Run as `python tests/fuzzing/coverage_guided.py formula FOLDER -max_total_time=60`, with `formula`,
`problem` or `answer`. What is found is written into the folder; without it nothing is.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["regard.language", "regard.problems", "regard.checking"]):
    from regard import problems
    from regard.checking.answer_reading import loads
    from regard.errors import FormulaError, InvalidAnswer, InvalidProblem
    from regard.language import parse

SEEDS = {
    "formula": ["C (k_a + k_b)", r"\frac{1}{2}(v_a+v_b)", "2 S (S' S)^-1 S'", "s_j - s_i >= log(n/epsilon)"],
    "answer": ['problem = "x"\n[answer]\nq = "C (k_a + k_b)"\nC = 20\n', "[answer]\nq = [1, 2]\n"],
    "problem": [problems.to_toml(problems.load(name)) for name in problems.names()],
}  # fmt: skip


def formula(text: str) -> None:
    """Read, print and evaluate a formula."""
    with suppress(FormulaError):
        read = parse(text)
        assert parse(str(read)) == read
        read.evaluate(dict.fromkeys(read.names, 2.0))


def problem(text: str) -> None:
    """Read a problem."""
    with suppress(InvalidProblem):
        problems.loads(text, "fuzzed")


def answer(text: str) -> None:
    """Read an answer."""
    with suppress(InvalidAnswer):
        loads(text)


def main() -> None:
    """Fuzz one of the readers until the limits given are reached."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    target = {"formula": formula, "problem": problem, "answer": answer}[name]
    for i, seed in enumerate(SEEDS[name]):
        (folder / f"seed-{i}").write_text(seed, encoding="utf-8")

    def one(data: bytes) -> None:
        target(data.decode("utf-8", "replace"))

    atheris.Setup([sys.argv[0], *sys.argv[3:], str(folder)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

"""Compare what it takes to start: `import regard`, the command, a plain problem checked and solved.

Seconds of the processor, so that a busy machine does not count; the least of many runs.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 15
RUN = "import sys; from regard.cli import main; sys.argv[0] = 'regard'; main()"
PLAIN = "average-two-values"


def seconds(arguments: list[str]) -> float:
    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    start = used()
    # Bytecode is kept, as it is where regard is installed.
    kept = {name: x for name, x in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=kept)
    return used() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.toml"
        answer.write_text('q = "C (k_a + k_b)"\n', encoding="utf-8")
        runs = {
            "pass": ["pass"],
            "import numpy": ["import numpy"],
            "import regard": ["import regard"],
            "regard --help": [RUN, "--help"],
            f"regard check {PLAIN}": [RUN, "check", PLAIN, str(answer)],
            f"regard solve {PLAIN}": [RUN, "solve", PLAIN],
            "regard list": [RUN, "list"],
        }
        best = dict.fromkeys(runs, float("inf"))
        for _ in range(ROUNDS):  # taking turns, so that a busy moment hits all of them
            for name, arguments in runs.items():
                best[name] = min(best[name], seconds(arguments))
    numpy, regard = (best[name] - best["pass"] for name in ("import numpy", "import regard"))
    print(f"import regard / import numpy: {regard / numpy:.2f} (at most 2)")
    for name, most in zip(list(runs)[3:], (2, 4, 4, None), strict=True):
        bar = f" (at most {most})" if most else ""
        print(f"{name} / import regard: {best[name] / best['import regard']:.2f}{bar}")


if __name__ == "__main__":
    main()

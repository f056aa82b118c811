"""Memory that a call takes, as the system counts it: the allocations of the kernel in C too."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
import numpy as np, regard

def peak():
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used * (1 if sys.platform == "darwin" else 1024)

n = 6000  # a table of all scores would take 144 MB
query, key, value = np.random.default_rng(0).standard_normal((3, n, 4)).astype(np.float32)
value[{damaged}] = np.nan
rules = {rules}
regard.attention(query[:50], key[:50], value[:50])  # what is loaded once
before = peak()
regard.attention(query, key, value, **rules)
print(peak() - before)
"""


@pytest.mark.parametrize("kernel", ["native", "numpy"])
@pytest.mark.parametrize(
    ("rules", "damaged"),
    [
        ("{}", "7:7"),
        ("{'is_causal': True}", "7:7"),
        ("{}", "7:8"),
        ("{'is_causal': True}", "5990:"),
        ("{'mask': np.broadcast_to(np.arange(n) != 7, (n, n))}", "7:7"),
        ("{'window': (9, 9)}", "7:7"),
    ],
    ids=[
        "all keys",
        "causal",
        "a value that is NaN",
        "causal with NaN at the end",
        "a mask",
        "a window",
    ],
)
def test_a_call_takes_far_less_than_a_table_of_scores(
    rules: str, damaged: str, kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REGARD_KERNEL", kernel)
    program = PROGRAM.format(rules=rules, damaged=damaged)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert int(run.stdout) < 48e6

"""The table of claims in docs/theory.md lists every kind of claim, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from regard.certify.verification import claim_types

THEORY = Path(__file__).parents[2] / "docs" / "theory.md"


def test_the_table_has_each_kind_of_claim_once_with_its_proof_and_assumptions() -> None:
    text = THEORY.read_text("utf-8").split("## What is claimed")[1]
    rows = [
        re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith("|")
    ]
    assert [cell.strip() for cell in rows[0]] == ["claim", "says", "proved by", "assumes"]
    listed = [name for row in rows[2:] for name in re.findall(r"`(\w+)`", row[0])]
    assert sorted(listed) == sorted(claim_types())
    assert all(len(row) == 4 and all(cell.strip() for cell in row) for row in rows[2:])

"""What answers rest on beyond what statements say, where several kinds do."""

from __future__ import annotations

ONLY_POSITIONS = (
    "only positions are scored: what the tokens hold adds nothing, and scores are not divided.",
)

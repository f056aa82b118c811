"""Read one head of a model: its map, its weight by distance, and what its label rests on."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from regard.errors import ParameterError
from regard.lab.questions import model_heads
from regard.lab.table import Answer

SECONDS = model_heads.SECONDS
HeadName = Annotated[str, Field(max_length=9, pattern=r"^(clearest|\d{1,4}\.\d{1,4})$")]


class Asked(model_heads.Asked):
    """The model as for `model_heads`; `head` is layer and head, such as "1.0", or "clearest"."""

    head: HeadName = "clearest"


def answer(asked: Asked) -> Answer:
    """Return the weights (rows are queries), by shift, and where the label says that they are."""
    from regard.lab.models.offered_models import drawn_tokens, inspected, opened
    from regard.models.gallery import by_shift
    from regard.models.scores.composition import random_level

    on_tokens = asked.read == "tokens"
    found = inspected(asked.model, on_tokens)
    names = {one.name: one for one in found.striking}
    one = found.striking[0] if asked.head == "clearest" else names.get(asked.head)
    if one is None:
        raise ParameterError(
            f"There is no head {asked.head} here: the last is {found.heads[-1].name}."
        )
    weights = one.pattern if one.seen_pattern is None else one.seen_pattern
    model = opened(asked.model)
    ids = drawn_tokens(model) if on_tokens else None
    shifts, weight, inside = (
        by_shift(one, found.n) if ids is None else _diagonals(one, weights, found.repeated)
    )
    read_as_given = one.layer == 0  # deeper layers are handed embeddings: their shares mean little
    data: dict[str, Any] = {
        "name": one.name,
        "label": one.label,
        "kind": one.verdict.name,
        "T": one.verdict.T,
        "strength": one.strength,
        "evidence": one.evidence,
        "sink_column": one.sink_column,
        "map": weights,
        "aims": _aims(one, weights, ids),
        "ids": None if ids is None else ids[: len(weights)],
        "shifts": shifts,
        "weight": weight,
        "window": sorted(inside),
        "extrapolated": one.extrapolated and not on_tokens,
        "position_share": one.position_share if read_as_given else None,
        "content_share": one.content_share if read_as_given else None,
        "composition": {kind: list(pair) for kind, pair in one.composition.items()},
        "random_composition": random_level(model.architecture.d_model),
    }
    return Answer(data, one)


def _diagonals(one: Any, weights: Any, period: int) -> tuple[Any, Any, set[int]]:
    """The mean weight at each shift among these tokens, and where the label says it is."""
    import numpy as np

    n = len(weights)
    first = 0 if not np.triu(weights, 1).any() else 1 - n
    shifts = np.arange(first, n)
    mean = np.array([np.diagonal(weights, -shift).mean() for shift in shifts])
    repeats = {"induction": {period - 1}, "duplicate": {period}}.get(one.verdict.name, set())
    return shifts, mean, repeats if one.verdict.T is None else {one.verdict.T}


def _aims(one: Any, weights: Any, ids: Any) -> list[list[int]]:
    """For each row, the keys that the label speaks of; none where it names no place."""
    import numpy as np

    n = len(weights)
    rows, keys = np.arange(n)[:, None], np.arange(n)[None]
    kind = one.verdict.name
    marked = np.zeros((n, n), dtype=bool)
    if one.verdict.T is not None:
        marked = rows - keys == one.verdict.T
    elif kind == "sink":
        marked = np.broadcast_to(keys == one.sink_column, (n, n))
    elif kind == "duplicate":
        marked = (ids[:n, None] == ids[None, :n]) & (keys < rows)
    elif kind == "induction":
        after = np.roll(ids[:n], 1)
        marked = (ids[:n, None] == after[None]) & (keys > 0) & (keys <= rows)
    return [np.flatnonzero(row).tolist() for row in marked]

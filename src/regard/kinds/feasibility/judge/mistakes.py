"""Which wrong idea of what attention puts out an answer shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from regard.errors import InvalidAnswer
from regard.kinds.feasibility.judge.judge import Asked
from regard.kinds.feasibility.judge.scene import Float64, Scene, farthest, scene

DRAWN = 5  # frames, beside the axes, on which a misconception has to show
Idea = Callable[[Scene], Float64]


def of_output(asked: Asked) -> str:
    """Return the tag of the first wrong construction that the answer equals everywhere."""
    scenes = _scenes(asked)
    said = [asked.vector(asked.label, at) for at in scenes]
    if not np.all(np.isfinite(said[0])):
        return "not-finite"
    if _right_at_one_length(asked):
        return "one-length-only"
    for tag, idea in _ideas(scenes[0]):
        if all(_same(one, idea(at), asked, at) for one, at in zip(said, scenes, strict=True)):
            return tag
    return "wrong-limit-vector"


def _right_at_one_length(asked: Asked) -> bool:
    """It is right for the number in the problem, and not near to the limit."""
    here, there = scene(asked.problem), scene(asked.problem, farthest(asked.problem))
    return asked.error(here) <= asked.tolerance < asked.error(there)


def _scenes(asked: Asked) -> list[Scene]:
    times = farthest(asked.problem)
    plain = scene(asked.problem)
    if asked.in_coordinates:
        return [plain]
    scenes = [plain]
    for seed in range(DRAWN):
        at = scene(asked.problem, times, seed)
        try:
            asked.vector(asked.label, at)
        except InvalidAnswer:
            continue
        scenes.append(at)
    return scenes


def _same(said: Float64, idea: Float64, asked: Asked, at: Scene) -> bool:
    size = max(at.size, float(np.linalg.norm(idea)))
    return bool(np.linalg.norm(said - idea) <= asked.tolerance * size)


def _ideas(at: Scene) -> Iterator[tuple[str, Idea]]:
    """Return wrong constructions, the most telling first."""
    n, row = len(at.tokens), at.row
    others = [j for j in range(n) if j != row]
    for j in np.flatnonzero(at.scores >= np.max(at.scores) - 1e-9).tolist():
        yield "copy-instead-of-average", _mean([j])
    yield "average-instead-of-copy", _mean(list(range(n)))
    if others:
        yield "average-instead-of-copy", _mean(others)
    for j in others:
        yield "average-instead-of-copy", _mean([row, j])
    yield "summed-instead-of-averaged", lambda s: np.sum(s.tokens, axis=0)
    if others:
        yield "summed-instead-of-averaged", lambda s: np.sum(s.tokens[others], axis=0)
    yield "scores-instead-of-weights", lambda s: s.scores @ s.tokens
    yield "scores-divided-by-their-sum", _scores_over_their_sum
    yield "goal-instead-of-output", lambda s: s.goal
    for name in at.added:
        yield "output-after-the-change", _after(name)
    for j in others:
        yield "looks-at-another-token", _mean([j])


def _mean(rows: list[int]) -> Idea:
    return lambda s: np.mean(s.tokens[rows], axis=0)


def _after(name: str) -> Idea:
    return lambda s: s.changed_outputs(np.ones(1), s.added[name])[1][0]


def _scores_over_their_sum(at: Scene) -> Float64:
    total = float(np.sum(at.scores))
    if abs(total) < 1e-12:
        return np.full(at.tokens.shape[1], np.inf)
    return np.asarray(at.scores @ at.tokens / total)

"""Ranges that a number is drawn from: "5..12", "0.1..0.5", "2 | 3 | 5", "simplex(2, 0.1)"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

_NUMBER: Final = r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
_WHOLE: Final = re.compile(r"\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*")
_REAL: Final = re.compile(rf"\s*({_NUMBER})\s*\.\.\s*({_NUMBER})\s*")
_NEARLY: Final = re.compile(rf"[\[(\s]*({_NUMBER})\s*(?:-|–|,|\.\.\.|…|:|to)\s*({_NUMBER})[\])\s]*")
_SIMPLEX: Final = re.compile(r"\s*simplex\(\s*(\d+)\s*,\s*(0?\.\d+)\s*\)\s*")
_STEPS: Final = 100  # of a range of numbers that are not whole
_STEP: Final = 20  # weights are multiples of 1/20
_ANY: Final = 'write "5..12", "0.1..0.5", "2 | 3 | 5" or "simplex(2, 0.1)"'


@dataclass(frozen=True)
class Between:
    """Numbers from `low` to `high`: whole ones, or in steps of a hundredth of the way."""

    low: float
    high: float
    is_whole: bool

    def draw(self, rng: np.random.Generator) -> float:
        """Return one of them."""
        if self.is_whole:
            return int(rng.integers(int(self.low), int(self.high) + 1))
        share = int(rng.integers(0, _STEPS + 1)) / _STEPS
        return float(f"{self.low + share * (self.high - self.low):.6g}")

    def ends(self) -> list[Any]:
        """Return the smallest and the largest."""
        return [self.low, self.high] if self.low < self.high else [self.low]


@dataclass(frozen=True)
class Choices:
    """Values of which one is chosen, each as likely as the others."""

    among: tuple[Any, ...]

    def draw(self, rng: np.random.Generator) -> Any:
        """Return one of them."""
        return self.among[int(rng.choice(len(self.among)))]

    def ends(self) -> list[Any]:
        """Return all of them."""
        return list(self.among)


@dataclass(frozen=True)
class Simplex:
    """Weights in steps of 1/20, `count` of them, none below `lowest` steps, that sum to 1."""

    count: int
    lowest: int

    def draw(self, rng: np.random.Generator) -> list[float]:
        """Return such weights."""
        spare = _STEP - self.count * self.lowest
        cuts = np.sort(rng.integers(0, spare + 1, self.count - 1))
        parts = np.diff(np.concatenate([[0], cuts, [spare]])) + self.lowest
        return [int(part) / _STEP for part in parts]

    def ends(self) -> list[Any]:
        """Return the weights of which the first or the last is the largest."""
        most = _STEP - (self.count - 1) * self.lowest
        steps = [most] + [self.lowest] * (self.count - 1)
        return [[s / _STEP for s in one] for one in {tuple(steps): 0, tuple(steps[::-1]): 0}]


def read(text: str) -> Between | Choices | Simplex:
    """Return the range that a text says.

    >>> read("5..12").ends()
    [5, 12]

    Raises:
        ValueError: it says none; the message has one that might be meant.
    """
    between = _REAL.fullmatch(text)
    if between:
        low, high = map(float, between.groups())
        if low > high:
            raise _none(text, f'write "{between[2]}..{between[1]}", the smaller number first')
        whole = _WHOLE.fullmatch(text)
        if whole:
            return Between(int(whole[1]), int(whole[2]), True)
        return Between(low, high, False)
    if "|" in text:
        among = [one.strip() for one in text.split("|")]
        if not all(among):
            raise _none(text, 'write "2 | 3 | 5", with a value on both sides of each |')
        return Choices(tuple(map(_number, among)))
    simplex = _SIMPLEX.fullmatch(text)
    if simplex:
        count, lowest = int(simplex[1]), int(np.ceil(float(simplex[2]) * _STEP - 1e-9))
        if not 1 <= count <= _STEP or count * lowest > _STEP:
            raise _none(
                text, f"{count} weights of at least {simplex[2]} cannot sum to 1 in steps of 0.05"
            )
        return Simplex(count, lowest)
    nearly = _NEARLY.fullmatch(text)
    raise _none(text, f'write "{nearly[1]}..{nearly[2]}"' if nearly else _ANY)


def _none(text: str, fix: str) -> ValueError:
    return ValueError(f"{text[:60]!r} is no range: {fix}.")


def draw(text: str, rng: np.random.Generator) -> Any:
    """Return what a range draws: a number, or a list of weights."""
    return read(text).draw(rng)


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text

"""Why no queries lift the targets above the other keys, or give them the weights asked for."""

from __future__ import annotations

from dataclasses import dataclass

from regard.design.reasons import PROVED, WithNearest
from regard.language.bounds import lower_bound, upper_bound
from regard.report import number

__all__ = ["GapOutOfReach", "NoQueriesFound", "WeightsOfMeans"]


class _OfRobust(WithNearest):
    """A reason of `design.robust`, with the closest queries there are."""

    function = "design.robust"


@dataclass(frozen=True)
class GapOutOfReach(_OfRobust):
    """No query lifts some of the targets above all other keys.

    Attributes:
        keys: those targets.
        bound: the most by which a query does.
        radius: the length of queries up to which this and all the rest is proved.
        deviations: how many standard deviations come off the gap.
        shared: whether other ways to share the targets among heads are excluded as well.
    """

    keys: tuple[int, ...]
    bound: float
    radius: float
    deviations: float
    shared: bool

    proved = True
    best = "The closest found is .best, with a gap of {}."

    @property
    def sentence(self) -> str:
        """By how much queries lift the targets at most."""
        several = len(self.keys) > 1
        named = f"key{'s' * several} {', '.join(map(str, self.keys))}"
        lifts = (
            f"gives {named} the weights asked for and lifts them" if several else f"lifts {named}"
        )
        less = f", less {number(self.deviations)} standard deviations" if self.deviations else ""
        more = " Nor can the targets be shared in any other way." * self.shared
        return (
            f"no query of length up to {lower_bound(self.radius, 3)} {lifts} above every other "
            f"key by more than {upper_bound(self.bound)} in the mean{less}.{more}"
        )


@dataclass(frozen=True)
class NoQueriesFound(_OfRobust):
    """Neither queries nor a proof were found."""

    proved = False
    best = "The closest found are those of .best, with a gap of {}."

    @property
    def sentence(self) -> str:
        """What was not found."""
        return "no queries for this were found, nor a proof that there are none."


@dataclass(frozen=True)
class WeightsOfMeans(_OfRobust):
    """All keys are wanted, and no query gives keys at their means the weights asked for.

    Attributes:
        proved: of keys that are the means; else none was found.
    """

    proved: bool

    best = "The closest found is .best."

    @property
    def sentence(self) -> str:
        """What no query gives."""
        if not self.proved:
            return "no query with these weights was found, nor a proof that there is none."
        return "no query gives keys at their means the weights asked for."

    @property
    def ending(self) -> str:
        """The proof if there is one, of keys that do not vary."""
        return super().ending.replace(PROVED, f"{PROVED[:-1]}, of keys that are the means.")

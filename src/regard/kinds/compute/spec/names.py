"""The names of what can be asked for: Q, A_h2 (of head 2), z_3 (a row), a_2_1 (an entry)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from regard.kinds.compute.spec.given import ComputeGiven

# In the order of the computation, each with its noun. `_h2` behind it means head 2, where there
# are several; `_t2` means after tile 2.
SYMBOLS = {
    "P": "rows of positions",
    "XP": "tokens with positions",
    "N": "normed tokens",
    "Q": "queries",
    "K": "keys",
    "V": "values",
    "QR": "turned queries",
    "KR": "turned keys",
    "QF": "features of queries",
    "KF": "features of keys",
    "KV": "sum of features times values",
    "G": "raw scores",
    "B": "biases of scores",
    "Z": "scores",
    "M": "mask",
    "E": "powers of e",
    "S": "sums",
    "LSE": "log-sum-exp",
    "A": "weights",
    "H": "entropies",
    "RM": "running maxima",
    "RS": "running sums",
    "RU": "running outputs",
    "C": "outputs of heads",
    "O": "outputs",
    "R": "sums with the input",
    "L": "normed sums",
    "F": "outputs of the feed-forward net",
    "T": "sums after the feed-forward net",
    "Y": "outputs of the block",
}
ORDER = tuple(SYMBOLS)
WORDS = {
    "queries": "Q", "keys": "K", "values": "V", "scores": "Z", "weights": "A", "mask": "M",
    "entropy": "H", "logsumexp": "LSE", "positions": "P", "products": "G",
}  # fmt: skip
_NAME = re.compile(r"([A-Za-z]+)(_[ht][1-9][0-9]?)?(?:_([1-9][0-9]?))?(?:_([1-9][0-9]?))?")


class Quantity(NamedTuple):
    """What an answer may give numbers for.

    Attributes:
        name: of the whole of it, such as Q or A_h2.
        row: which row, counted from 1; None for all of them.
        column: which entry of the row, counted from 1; None for all of them.
    """

    name: str
    row: int | None = None
    column: int | None = None

    @property
    def symbol(self) -> str:
        """Without the head or tile."""
        return self.name.partition("_")[0]

    @property
    def part(self) -> int | None:
        """Of which head or tile it is, counted from 1; None where there is one only."""
        part = self.name.partition("_")[2]
        return int(part[1:]) if part else None

    def other(self, symbol: str) -> str:
        """Return the name of another quantity of the same head or tile: A_h2 beside Z_h2."""
        return f"{symbol}{self.name[len(self.symbol) :]}"

    def rows(self, count: int) -> Sequence[int]:
        """Return whose rows these are, counted from 1, where there are so many."""
        return range(1, count + 1) if self.row is None else (self.row,)


def sizes(given: ComputeGiven) -> dict[str, tuple[int, ...]]:
    """Return all that can be computed, by name in the order of the computation, with its shape."""
    found: dict[str, tuple[int, ...]] = {}
    n_q, n_k, d_k, d_v = given.n_q, given.n_k, given.d_k, given.d_v
    wide = given.d_model if given.tokens is None else len(given.tokens[0])
    heads = [f"_h{h}" for h in range(1, given.heads + 1)] if given.heads > 1 else [""]
    if given.adds and wide:
        found["P"] = (given.added_rows, wide)
        if given.tokens is not None:
            found["XP"] = (n_q, wide)
    if given.norm is not None and given.norm.place == "pre" and wide:
        found["N"] = (n_q, wide)
    if given.n is None and given.scores is None and given.weights is None:
        assert d_k is not None
        keys = given.K or given.W_K or given.context or given.tokens
        assert keys is not None
        found |= {"Q": (n_q, d_k * given.heads), "K": (n_k, len(keys[0]))}
        if given.turns:
            found |= {"QR": found["Q"], "KR": found["K"]}
        if given.feature_map is not None:
            found |= {"QF": found["Q"], "KF": found["K"]}
            if d_v is not None and not given.hides:
                found["KV"] = (d_k, d_v)
    if d_v is not None:
        found["V"] = (n_k, d_v * given.groups)
    if given.biased:
        found |= {f"B{h}": (n_q, n_k) for h in heads}
    if given.hides:
        found["M"] = (n_q, n_k)
    if given.n is None and given.weights is None:
        for letter in ("G", "Z"):
            found |= {f"{letter}{h}": (n_q, n_k) for h in heads}
        for h in heads:
            found |= {} if given.divides else {f"E{h}": (n_q, n_k)}
            found[f"S{h}"] = (n_q,)
            found |= {} if given.divides else {f"LSE{h}": (n_q,)}
    if given.n is None:
        found |= {f"A{h}": (n_q, n_k) for h in heads}
        found |= {f"H{h}": (n_q,) for h in heads}
        _after(given, found)
    place = {symbol: i for i, symbol in enumerate(ORDER)}
    return {name: found[name] for name in sorted(found, key=lambda n: place[Quantity(n).symbol])}


def _after(given: ComputeGiven, found: dict[str, tuple[int, ...]]) -> None:
    """Add what comes after the weights."""
    n_q, d_v = given.n_q, given.d_v
    if given.tiles is not None:
        tiles = -(-given.n_k // given.tiles)
        found |= {"RM": (n_q, tiles), "RS": (n_q, tiles)}
        if d_v is not None:
            found |= {f"RU_t{t}": (n_q, d_v) for t in range(1, tiles + 1)}
    if d_v is None:
        return
    found["C"] = (n_q, d_v * given.heads)
    if given.W_O is not None:
        found["O"] = (n_q, len(given.W_O[0]))
    last = found.get("O", found["C"])
    if given.residual:
        found["R"] = last
    post = given.norm is not None and given.norm.place == "post"
    if given.feed_forward is not None:
        found |= {"F": last, "Y": last}
        found |= {"L": last} if given.norm is not None else {}
        found |= {"T": last} if post else {}
    elif post:
        found["Y"] = last


def last_of(given: ComputeGiven) -> str | None:
    """Return what comes out at the end."""
    known = sizes(given)
    return next((name for name in ("Y", "R", "O", "C") if name in known), None)


def quantity(name: str, given: ComputeGiven | None = None) -> Quantity:
    """Return what a name stands for: q_2 for the query of token 2, Q for all queries.

    Words such as weights_2 stand for the same as a_2, and `output` for what comes out at the end;
    without `given` that is C.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return Quantity(name)
    word, part, row, column = found.groups()
    if word == "output":
        symbol = (last_of(given) if given is not None else None) or "C"
    else:
        symbol = WORDS.get(word, word.upper())
    return Quantity(
        f"{symbol}{part or ''}", int(row) if row else None, int(column) if column else None
    )


def is_quantity(name: str, given: ComputeGiven) -> bool:
    """Whether a name is that of something that can be computed here."""
    found = _NAME.fullmatch(name)
    if found is None:
        return False
    word, row = found[1], found[3]
    if word != "output" and word not in WORDS and word != (word.lower() if row else word.upper()):
        return False
    asked = quantity(name, given)
    shape = sizes(given).get(asked.name)
    if shape is None:
        return False
    if asked.row is not None and asked.row > shape[0]:
        return False
    return asked.column is None or (len(shape) == 2 and asked.column <= shape[1])


def shape_of(asked: Quantity, whole: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of what is asked for, out of that of the whole."""
    if asked.row is None:
        return whole
    return whole[1:] if asked.column is None else ()

"""Pieces of a page, and those of them that stand side by side where there is room."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["words", "short", "table", "beside"]


@dataclass(frozen=True)
class Piece:
    """A block in LaTeX.

    One that goes "beside" others is a narrow table or a picture; a "short" one is a few words that
    stay on the page of the table or picture after them.
    """

    latex: str
    kind: Kind = "words"


def flow(pieces: Iterable[Piece]) -> str:
    """Return pieces in their order, those next to each other side by side."""
    parts: list[str] = []
    last: Piece | None = None
    shown = [piece for piece in pieces if piece.latex]
    for beside, group in groupby(shown, lambda piece: piece.kind == "beside"):
        found = list(group)
        for piece in found[:1] if beside else found:
            if last is not None and last.kind == "short" and piece.kind in ("beside", "table"):
                parts[-1] += r"\par\nopagebreak"
            parts.append(piece.latex)
            last = piece
        if beside:
            inside = [piece.latex for piece in found]
            parts[-1] = "\n".join([r"\begin{regardflow}", *inside, r"\end{regardflow}"])
    return "\n\n".join(parts)

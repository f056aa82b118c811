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
    shown = [piece for piece in pieces if piece.latex]
    stays = False
    for beside, group in groupby(shown, lambda piece: piece.kind == "beside"):
        found = list(group)
        if stays and (beside or found[0].kind == "table"):
            parts[-1] += r"\par\nopagebreak"
        if beside:
            inside = [piece.latex for piece in found]
            parts.append("\n".join([r"\begin{regardflow}", *inside, r"\end{regardflow}"]))
        else:
            parts += [piece.latex for piece in found]
        stays = found[-1].kind == "short"
    return "\n\n".join(parts)

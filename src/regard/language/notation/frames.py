"""What a parser of LaTeX has begun and not yet ended, and what TeX makes of nodes."""

from __future__ import annotations

from dataclasses import dataclass, field

from regard.language.notation.tree import NONE, Node

# What amsmath's accents can stand over.
_SIMPLE = frozenset(
    ["row", "name", "number", "operator", "punctuation", "prime", "none", "scripts", "font"]
)


@dataclass
class Row:
    """A row begun and not yet ended."""

    ends: str  # "}", "\right", "\end", or "" for the whole formula
    column: int
    spaced: bool = False
    items: list[Node] = field(default_factory=list)
    left: Node = NONE  # the delimiter after \left
    name: str = ""  # of an environment
    cells: list[Node] = field(default_factory=list)
    rows: list[Node] = field(default_factory=list)
    tables: int = 0
    costly: int = 0


@dataclass
class Waiting:
    """A command, or a sign for a script, that waits for arguments."""

    kind: str
    text: str
    count: int
    column: int
    spaced: bool
    arguments: list[Node] = field(default_factory=list)
    index: Node = NONE


def scripts_of(node: Node) -> tuple[Node, Node]:
    """Return what TeX sees below and above a node before another script is added."""
    below = above = NONE
    inner = node
    while inner.kind == "scripts" or (inner.kind in ("row", "font") and len(inner.children) == 1):
        if inner.kind == "scripts":
            below = inner.children[1] if below is NONE else below
            above = inner.children[2] if above is NONE else above
        inner = inner.children[0]
    # TeX drops the braces around a single letter with an accent, whatever its scripts.
    if inner.kind != "accent":
        return (node.children[1], node.children[2]) if node.kind == "scripts" else (NONE, NONE)
    return below, above


def is_simple(node: Node, children: list[bool]) -> bool:
    """Whether a node holds letters, numbers, signs and their scripts only; for `fold`."""
    return node.kind in _SIMPLE and all(children)

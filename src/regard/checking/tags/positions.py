"""Wrong blocks of heads that look back by a number of steps."""

from __future__ import annotations

TAGS = {
    # band
    "frequencies-swapped": (
        "Fast and slow blocks have changed places: w_i falls with i, so small i are fast. A fast "
        "block makes the head exact and has to go; a slow one is nearly the same all over the "
        "window."
    ),
    "half-width-forgotten": (
        "The window reaches B/2 to each side of T, not B: at its edge a block has turned by w_i "
        "B/2."
    ),
    "offset-for-width": (
        "How far back the window lies does not matter: T turns the blocks, and which of them are "
        "too fast depends on the width B alone."
    ),
    "entries-for-blocks": (
        "These are rows and columns of A. Each block has two of them, so the numbers of the "
        "blocks are half of that."
    ),
    "zeroes-everything": (
        "With every block zeroed all keys have the same score: the head looks at nothing in "
        "particular."
    ),
    "zeroes-nothing": (
        "With no block zeroed the head is as exact as before, and the window is not wider."
    ),
    "not-the-fastest": (
        "A block is zeroed and a faster one is kept: whenever a block turns too far within the "
        "window, so do all faster ones."
    ),
    "zeroes-too-much": (
        "The fast blocks are zeroed, but so are blocks that hardly turn within the window: keep "
        "a block whose cosine is still near its top at the edge."
    ),
    "zeroes-too-little": (
        "Some blocks are zeroed, but blocks stay that turn too far within the window: their cosine "
        "has fallen deep before the edge."
    ),
}

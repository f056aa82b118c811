"""Wrong blocks of heads that look back by a number of steps."""

from __future__ import annotations

TAGS = {
    # offset
    "off-diagonal-not-zero": (
        "The blocks on the diagonal are right, but those off it must be zero: they join two "
        "frequencies, and then the score depends on more than t − τ."
    ),
    "identity-block": (
        "Every query looks at its own position: the block does not turn at all, and it should "
        "turn by w_i T."
    ),
    "frequency-missing": (
        "The blocks would be right if all frequencies were 1. Each block has its own, and must "
        "turn by w_i T."
    ),
    "sin-cos-exchanged": (
        "Sines and cosines have changed places: position t has the sine first, and at T = 0 the "
        "block must be the identity."
    ),
    "sign-in-block": (
        "The entries are right but for their signs: of the two sines in a rotation exactly one "
        "has a minus, and the cosines have none."
    ),
    "half-of-the-block": (
        "Two of the four entries of the block are missing: a rotation has cosines on the "
        "diagonal and sines beside it."
    ),
    "other-offset": (
        "Every query looks the same number of steps back, but that number is not T: look at the "
        "angle of the blocks."
    ),
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
        "Too few blocks are zeroed: blocks stay that turn too far within the window, and their "
        "cosine has fallen deep before the edge."
    ),
}

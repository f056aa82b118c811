"""What a design function says when it refuses, for a reader who sees the solution only."""

from __future__ import annotations

import re

_REWORDED = (
    (r"The certificate (?:proves|shows) it(,[^.]*)?\.", r"That is proved below\1."),
    (r"\.best comes closest, with", "The closest that was found has"),
    (r"is (?:those of )?\.best, with", "has"),
    (r"are (?:those of )?\.best, with", "have"),
    (r"The closest found is \.best\.", "The closest that was found is given as the answer."),
    (r"\.best has d_k =", "The smallest that was found has d_k ="),
    (r"\.best has", "The smallest that was found has"),
    (r"finer than a float64 query can meet", "finer than a query of 64-bit numbers can meet"),
    (r"The target lies", "The wanted weights lie"),
)


def in_words(refusal: Exception) -> str:
    """Return the message without the names of functions and attributes.

    >>> in_words(ValueError("design.query: no query does this. The certificate proves it."))
    'No query does this. That is proved below.'
    """
    text = re.sub(r"^design\.\w+: ", "", str(refusal))
    for pattern, words in _REWORDED:
        text = re.sub(pattern, words, text)
    kept = [part for part in re.split(r"(?<=\.) ", text) if ".best" not in part]
    text = " ".join(kept)
    return text[:1].upper() + text[1:]

r"""LaTeX that lost its backslashes: in double quotes `\beta` is a backspace and `eta`.

TOML, JSON and Python read \a \b \t \n \v \f \r between double quotes as one character
each. What they make of a command is no part of any formula, so that it can be put back.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["with_backslashes"]

_LETTERS: Final = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r"}
_COMMANDS: Final = frozenset(
    {
        *("alpha", "approx", "ast", "abs", "bar", "begin", "beta", "big", "bigl", "bigr", "bm"),
        *("boldsymbol", "binom", "bullet", "tau", "text", "textbf", "textrm", "theta", "tfrac"),
        *("tilde", "times", "top", "tanh", "neq", "nabla", "norm", "varepsilon", "vartheta"),
        *("varphi", "vec", "vert", "vee", "forall", "frac", "rho", "right", "rightarrow"),
        *("rangle", "rvert", "rVert"),
    }
)
_COMMAND: Final = re.compile(r"([\a\b\t\n\v\f\r])([A-Za-z]+)")


def with_backslashes(text: str) -> str:
    r"""Return a text with the commands whose \ was lost; any other text as it is.

    >>> with_backslashes("\beta (k_a + k_b)"), with_backslashes("k_a\n+ k_b")
    ('\\beta (k_a + k_b)', 'k_a\n+ k_b')
    """
    return _COMMAND.sub(_command, text)


def _command(found: re.Match[str]) -> str:
    word = _LETTERS[found[1]] + found[2]
    return f"\\{word}" if word in _COMMANDS else found[0]

r"""The words of the formula language: functions, Greek letters, and how names are spelled.

`\mu_{a}`, `μ_a` and `mu_a` are one name, and so are `z_{3,1}` and `z_3_1`.
"""

from __future__ import annotations

import re
from typing import Final

# Functions, with how many arguments they take (0: one or more) and what to write.
FUNCTIONS: Final = {
    "dot": (2, "dot(u, v)"),
    "outer": (2, "outer(u, v)"),
    "norm": (1, "norm(u)"),
    "exp": (1, "exp(x)"),
    "log": (1, "log(x)"),
    "sqrt": (1, "sqrt(x)"),
    "cos": (1, "cos(x)"),
    "sin": (1, "sin(x)"),
    "sum": (1, "sum(x)"),
    "pinv": (1, "pinv(M)"),
    "transpose": (1, "transpose(M)"),
    "tr": (1, "tr(M)"),
    "abs": (1, "abs(x)"),
    "max": (0, "max(x)"),
    "min": (0, "min(x)"),
    "softmax": (0, "softmax(s)"),
    "erf": (1, "erf(x)"),
    "Phi": (1, "Phi(x)"),
    "relu": (1, "relu(x)"),
    "elu": (1, "elu(x)"),
    "tanh": (1, "tanh(x)"),
    "sigmoid": (1, "sigmoid(x)"),
    "layernorm": (1, "layernorm(X)"),
    "hadamard": (2, "hadamard(A, B)"),
    "ones": (0, "ones(n)"),
    "zeros": (0, "zeros(m, n)"),
    "causal": (1, "causal(n)"),
    "diag": (1, "diag(v)"),
    "rowsum": (1, "rowsum(A)"),
    "rowmax": (1, "rowmax(A)"),
    "row": (2, "row(A, 1)"),
    "rows": (3, "rows(A, 1, 2)"),
    "hstack": (0, "hstack(A, B)"),
    "vstack": (0, "vstack(A, B)"),
    "entries": (1, "entries(A)"),
    "rank": (1, "rank(A)"),
}
# Whose arguments are sizes: the shape follows from them.
OF_SIZES: Final = frozenset({"I", "ones", "zeros", "causal"})
ONES: Final = "ones_vector"  # what \mathbf{1} is called, whose size the place tells
INVERSE: Final = "inv"  # inv(M) is read as M^-1
OTHER_SPELLINGS: Final = {"ln": "log", "trace": "tr", "Φ": "Phi"}
CONSTANTS: Final = frozenset({"I", "pi", "inf"})
RESERVED: Final = frozenset({*FUNCTIONS, INVERSE, *OTHER_SPELLINGS, *CONSTANTS, "and", "or", "not"})

GREEK: Final = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon",
    "ζ": "zeta", "η": "eta", "θ": "theta", "ϑ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda",
    "μ": "mu", "\N{MICRO SIGN}": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "ϱ": "rho",
    "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi",
    "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
_VARIANTS: Final = {
    "varepsilon": "epsilon",
    "vartheta": "theta",
    "varphi": "phi",
    "varrho": "rho",
    "varsigma": "sigma",
    "infty": "inf",
}
GREEK_WORDS: Final = frozenset(GREEK.values()) | (frozenset(_VARIANTS) - {"infty"})
_CHARACTERS: Final = "".join(GREEK)

SUBSCRIPTS: Final = "₀₁₂₃₄₅₆₇₈₉"
_LOWERED: Final = str.maketrans(SUBSCRIPTS, "0123456789")

_FONT = (
    r"\\(?:mathbf|mathrm|mathit|mathsf|mathcal|mathbb|boldsymbol|bm|vec|text|textbf|textrm|textit"
    r"|operatorname)(?![A-Za-z])"
)
_COMMAND = rf"\\(?:{'|'.join(sorted((*GREEK_WORDS, 'infty', 'ell'), reverse=True))})(?![A-Za-z])"
_WORD = rf"(?:[A-Za-z][A-Za-z0-9]*|[{_CHARACTERS}∞]|{_COMMAND})"
_PIECE = rf"(?:{_FONT}\s*\{{\s*{{0}}\s*\}}|{_FONT}\s+[A-Za-z](?![A-Za-z])|{{0}})"
_BASE = _PIECE.replace("{0}", _WORD)
_SUB = _PIECE.replace("{0}", rf"(?:[A-Za-z0-9]+|[{_CHARACTERS}]|{_COMMAND})")
_BRACED = rf"\{{\s*{_SUB}(?:\s*[,_]\s*{_SUB})*\s*\}}"
_BOLD = r"\\(?:mathbf|mathbb|boldsymbol|bm|textbf|vec)(?![A-Za-z])"
_ONES = rf"{_BOLD}(?:\s*\{{\s*1\s*\}}|\s+1(?![0-9.]))"  # a bold 1: the vector of ones
NAME_PATTERN: Final = rf"(?:{_BASE}|{_ONES})(?:\s*_\s*(?:{_BRACED}|{_SUB})|[{SUBSCRIPTS}]+)*"

_ANY = "|".join(sorted((*FUNCTIONS, INVERSE, *OTHER_SPELLINGS, "I"), key=len, reverse=True))
_WORDS = "|".join(sorted((*FUNCTIONS, INVERSE, *OTHER_SPELLINGS), key=len, reverse=True))
_OPEN = r"(?=\s*(?:\\(?:left|[bB]igg?l?)\s*)?\()"


def _function_pattern(words: str) -> str:
    return (
        rf"(?:{_FONT}\s*\{{\s*(?:{words})\s*\}}|\\(?:{words})(?![A-Za-z])|(?:{words})(?![A-Za-z0-9]))"
        rf"(?!\s*_)"
    )


CALL_PATTERN: Final = _function_pattern(_ANY) + _OPEN
FUNCTION_PATTERN: Final = _function_pattern(_WORDS)

_LETTERS = re.compile(rf"{_FONT}|\\([A-Za-z]+)|([A-Za-z0-9]+|[{SUBSCRIPTS}]+)|([{_CHARACTERS}∞])")


def normalised(token: str) -> str:
    r"""Return the one spelling of a name.

    >>> normalised(r"\mathbf{W}_{Q}"), normalised("z_{3,1}"), normalised("μ_a")
    ('W_Q', 'z_3_1', 'mu_a')
    """
    parts = []
    for command, word, letter in _LETTERS.findall(token):
        plain = command or word or ("inf" if letter == "∞" else GREEK.get(letter, ""))
        if plain:
            parts.append(_VARIANTS.get(plain, plain).translate(_LOWERED))
    if parts[:1] == ["1"]:  # \mathbf{1}, and \mathbf{1}_N
        return ONES if len(parts) == 1 else "_".join(["ones", *parts[1:]])
    return "_".join(parts)


def function(token: str) -> str:
    """Return the one spelling of a function."""
    plain = normalised(token)
    return OTHER_SPELLINGS.get(plain, plain)

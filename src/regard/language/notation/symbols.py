r"""The commands of the LaTeX subset and what each shows.

Everything that may occur in a formula is in one of these tables; nothing else passes. All of it
is in LaTeX with amsmath and amssymb, so that what passes also compiles.
"""

from __future__ import annotations

# Letters and other things that stand for a quantity.
NAMES = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ϵ",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "iota": "ι",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "upsilon": "υ",
    "phi": "ϕ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Upsilon": "Υ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
    "varepsilon": "ε",
    "vartheta": "ϑ",
    "varpi": "ϖ",
    "varrho": "ϱ",
    "varsigma": "ς",
    "varphi": "φ",
    "infty": "∞",
    "partial": "∂",
    "nabla": "∇",
    "top": "⊤",
    "emptyset": "∅",
    "ell": "ℓ",
}

# Operators and relations, with spaces on both sides.
OPERATORS = {
    "le": "≤",
    "leq": "≤",
    "ge": "≥",
    "geq": "≥",
    "ne": "≠",
    "neq": "≠",
    "approx": "≈",
    "sim": "∼",
    "equiv": "≡",
    "propto": "∝",
    "to": "→",
    "mapsto": "↦",
    "in": "∈",
    "notin": "∉",
    "subset": "⊂",
    "subseteq": "⊆",
    "cap": "∩",
    "cup": "∪",
    "cdot": "·",
    "times": "×",
    "otimes": "⊗",
    "odot": "⊙",
    "circ": "∘",
    "ast": "∗",
    "star": "⋆",
    "pm": "±",
    "mp": "∓",
    "perp": "⊥",
    "parallel": "∥",
    "mid": "∣",
    "iff": "⟺",
    "implies": "⟹",
    "Rightarrow": "⇒",
    "Leftrightarrow": "⇔",
    "gg": "≫",
    "ll": "≪",
}
# The same among the characters; a hyphen is a minus sign.
CHARACTER_OPERATORS = {"+": "+", "-": "−", "*": "∗", "=": "=", "<": "<", ">": ">", "/": "/"}
PUNCTUATION = frozenset(",;:.!?")
# Those of the operators that join terms: what holds one needs brackets in a product.
LOOSE = frozenset("+−±∓=<>≤≥≠≈∼≡∝→↦∈∉⊂⊆∩∪⊥∥∣⟺⟹⇒⇔≫≪")

DOTS = {"ldots": "…", "dots": "…", "cdots": "⋯"}
QUANTIFIERS = {"forall": "∀", "exists": "∃"}

# Operators with bounds; those in the first table have them above and below.
BIG = {"sum": "∑", "prod": "∏"}
INTEGRALS = {"int": "∫"}
LIMITS = frozenset(["lim", "max", "min", "sup", "inf"])
FUNCTIONS = frozenset(["arg", "log", "ln", "exp", "cos", "sin", "tanh", "det"]) | LIMITS

# Delimiters, of which \left and \right take all, and . for none.
OPENING = {
    "(": "(",
    "[": "[",
    r"\{": "{",
    r"\lvert": "|",
    r"\lVert": "‖",
    r"\langle": "⟨",
    r"\lfloor": "⌊",
    r"\lceil": "⌈",
}
CLOSING = {
    ")": ")",
    "]": "]",
    r"\}": "}",
    r"\rvert": "|",
    r"\rVert": "‖",
    r"\rangle": "⟩",
    r"\rfloor": "⌋",
    r"\rceil": "⌉",
}
EITHER = {"|": "|", r"\|": "‖"}
DELIMITERS = {**OPENING, **CLOSING, **EITHER, ".": ""}

SPACES = {r"\,": 0.1667, r"\;": 0.2778, r"\!": -0.1667, r"\quad": 1.0, r"\qquad": 2.0}
FRACTIONS = frozenset(["frac", "dfrac", "tfrac"])
FONTS = frozenset(["mathrm", "mathbf", "mathbb", "mathcal", "boldsymbol"])
CAPITALS_ONLY = frozenset(["mathbb", "mathcal"])

# Accents: the mark that follows a letter, and the sign that stands above. The signs are the
# letters' own accents (ˉ, not ¯): in fonts for formulas they are higher, and clear of the letter.
ACCENTS = {
    "bar": ("\u0304", "\u02c9"),
    "hat": ("\u0302", "\u02c6"),
    "tilde": ("\u0303", "\u02dc"),
    "vec": ("\u20d7", "→"),
    "overline": ("\u0305", ""),
}

ENVIRONMENTS = {
    "bmatrix": ("[", "]"),
    "pmatrix": ("(", ")"),
    "matrix": (" ", " "),
    "cases": ("{", " "),
    "aligned": (" ", " "),
}

_BLACKBOARD = dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True))
_SCRIPT = dict(zip("BEFHILMR", "ℬℰℱℋℐℒℳℛ", strict=True))


def blackboard(letter: str) -> str:
    """Return a capital with a doubled stroke."""
    return _BLACKBOARD.get(letter) or chr(0x1D538 + ord(letter) - ord("A"))


def script(letter: str) -> str:
    """Return a capital of handwriting."""
    return _SCRIPT.get(letter) or chr(0x1D49C + ord(letter) - ord("A"))

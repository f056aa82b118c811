r"""What people type, in the formula language: NumPy's words, bold letters, small indices, lists.

A text that is no formula is tried again as this says, where what is meant is beyond doubt.
"""

from __future__ import annotations

import re

from regard.checking.typed.array_calls import arguments, without_array_calls
from regard.checking.typed.inline import unquoted
from regard.checking.typed.spellings import without_habits

_BOLD = re.compile(r"\\(?:mathbf|mathbb|mathit|boldsymbol|bm|vec|textbf)\s*\{([^{}]*)\}")
_BOLD_BEFORE = re.compile(_BOLD.pattern + r"(?=[A-Za-z\\])")  # \mathbf{Q}\mathbf{K}
_SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"
_PLAIN = str.maketrans(_SUBSCRIPTS, "0123456789aehijklmnoprstuvx")
_INDEX = re.compile(f"[{_SUBSCRIPTS}]+")
_MODULE = re.compile(
    r"(?<![\w.])(?:(?:np|numpy|jnp|jax|torch|scipy|nn|F)\.)(?:(?:nn|functional|linalg|special)\.)*"
    r"(?=[a-z])"
)
_TRANSPOSE = re.compile(r"\.(?:transpose\(\s*(?:-\d\s*,\s*-\d\s*)?\)|t\(\s*\)|mT\b)")
_UPRIGHT_T = re.compile(  # K^{\mathsf T}, K^{\text{T}}, K^\intercal
    r"\^\s*(?:\\intercal\b|\{\s*\\intercal\s*\}|\{\s*\\(?:mathsf|mathrm|mathbf|text|rm|sf)"
    r"\s*(?:\{\s*T\s*\}|\s+T)\s*\}|\\(?:mathsf|mathrm|text)\s*\{\s*T\s*\})"
)
# \text{ where } among formulas.
_TEXT = re.compile(r"\\(?:text|mbox|textrm|textit)\s*\{([^{}\\$]*\s[^{}\\$]*)\}")
_COMMENT = re.compile(r"\s+#[^\n]*\Z")
# "…, C >> 0": that a factor is large is what a factor without a number means.
_LARGE = re.compile(
    r"[,;]\s*(?:\\?[A-Za-zα-ω]+\s*(?:\\gg|>>|≫|\\to|\\rightarrow|->|→)\s*"
    r"(?:0|1|\+?(?:\\infty|∞|inf(?:inity|ty)?))|\\?[A-Za-z]+\s+(?:is\s+)?(?:very\s+)?large(?:\s+enough)?)\s*$"
)
# A 1 that is transposed, or stands behind a product, is the vector of ones.
_ONES_TURNED = re.compile(r"(?<![\w.^)\]])1\s*(?='|ᵀ|⊤|\^\s*\{?\s*(?:T\b|\\top))")
_ONES_BEHIND = re.compile(r"(?<=[\w'ᵀ⊤)\]}])\s+1(?=\s*(?:$|[)+−-]|\\mathbf\{1\}))")
# "… for large C", "…, where C is large": the same in words.
_IN_WORDS = re.compile(
    r"[,;]?\s+(?:for|where|with|when|if|as|and)\s+(?:an?\s+)?(?:"
    r"(?:very\s+|sufficiently\s+)?(?:large|big)\s+\\?[A-Za-zα-ω]+|"
    r"\\?[A-Za-zα-ω]+\s+(?:is\s+)?(?:an?\s+)?(?:very\s+|sufficiently\s+)?(?:large|big)"
    r"(?:\s+(?:enough|number|constant|scalar|factor))?|"
    r"\\?[A-Za-zα-ω]+\s*(?:->|→|\\to\b|\\rightarrow\b|(?:goes|tends)\s+to|to|approaches)\s*"
    r"\+?(?:\\infty|∞|inf(?:inity|ty)?))\s*$"
)
_NUMBER = r"[-+−]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_LIST = re.compile(rf"\s*[(\[]?\s*({_NUMBER}(?:(?:\s*[,;]\s+|\s+){_NUMBER})+)\s*[)\]]?\s*")
_ROW = rf"\s*{_NUMBER}(?:(?:\s*,\s*|\s+){_NUMBER})+\s*"
_ROWS = re.compile(rf"\s*\[?{_ROW}(?:;{_ROW})+;?\]?\s*")
_BARE_LIST = re.compile(rf"\s*{_NUMBER}(?:\s*,\s*{_NUMBER})+\s*")  # 2,8,-20; no 1,048,576
_GROUPS = re.compile(r"\s*[-+−]?\d{1,3}(?:,\d{3})+\s*")
_LIST_ENDS = {"(": ")", "[": "]"}
_DELIMITED = re.compile(r"\s*(?:\\\((.*)\\\)|\\\[(.*)\\\])\s*", re.DOTALL)  # as LaTeX has it
# What each call is, of as many arguments as there are places.
_CALLS = {
    "inv": "({})^-1",
    "matmul": "({}) ({})",
    "bmm": "({}) ({})",
    "mm": "({}) ({})",
    "array": "{}",
    "tensor": "{}",
    "add": "({} + {})",
}


def as_typed(text: str) -> str:
    r"""Return a text with what people type written in the formula language.

    >>> as_typed(r"\mathbf{k_a} + kₐ"), as_typed("np.dot(k_a, q)"), as_typed("inv(S' S) S'")
    ('k_a + k_a', 'dot(k_a, q)', "(S' S)^-1 S'")
    >>> as_typed(r"\beta (k_a + k_b), \beta \gg 0"), as_typed("0.33 0.12 0.55")
    ('\\beta (k_a + k_b)', '[0.33, 0.12, 0.55]')
    """
    text = _TEXT.sub(r" \1 ", unquoted(text))
    delimited = _DELIMITED.fullmatch(text)
    plain = text if delimited is None else delimited[1] or delimited[2] or ""
    plain = _BOLD_BEFORE.sub(r"\1 ", plain)
    text = _BOLD.sub(lambda bold: bold[0] if bold[1].strip() == "1" else bold[1], plain)
    text = _INDEX.sub(lambda found: f"_{found[0].translate(_PLAIN)}", text)
    text = without_array_calls(_TRANSPOSE.sub(".T", text))
    text = _MODULE.sub("", text)
    text = without_habits(_UPRIGHT_T.sub("^T", _COMMENT.sub("", text)))
    text = _LARGE.sub("", _IN_WORDS.sub("", text))
    for name, meaning in _CALLS.items():
        text = _without_call(text, name, meaning)
    if _BARE_LIST.fullmatch(text) and not _GROUPS.fullmatch(text):
        return f"[{text.strip()}]"
    if ";" in text and _ROWS.fullmatch(text):  # 1 0; 0 1
        return _rows(text)
    numbers = _LIST.fullmatch(text)
    if numbers is not None and _LIST_ENDS.get(text.strip()[0]) in (None, text.strip()[-1]):
        return f"[{', '.join(re.findall(_NUMBER, numbers[1]))}]"
    return _ONES_BEHIND.sub(r" \\mathbf{1}", _ONES_TURNED.sub(r"\\mathbf{1}", text))


def _rows(text: str) -> str:
    """Return rows of numbers between semicolons, each number with a comma behind it."""
    rows = (", ".join(re.findall(_NUMBER, row)) for row in text.strip(" \n[];").split(";"))
    return f"[{'; '.join(rows)}]"


def _without_call(text: str, name: str, meaning: str) -> str:
    """Return a text in which inv(x) is (x)^-1, and matmul(a, b) is (a) (b)."""
    while (found := re.search(rf"(?<![\w.]){name}\(", text)) is not None:
        parts, end = arguments(text, found.end())
        if end < 0 or len(parts) != meaning.count("{}"):
            return text
        text = text[: found.start()] + meaning.format(*parts) + text[end:]
    return text

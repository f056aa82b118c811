"""Names that a problem does not have: which of its own may be meant, asked as a question.

A name that is not certain is never read as another one. The answer is refused with the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Final

from regard.language.formula.vocabulary import FUNCTIONS, GREEK_WORDS, OTHER_SPELLINGS

__all__ = ["SENTENCE", "field_meant", "fields_meant", "instead_of", "meant"]

_AVERAGE: Final = "The average of two is written 1/2 (x + y)."
_WITHOUT_WORDS: Final = "A field holds a formula, without words."
SENTENCE: Final = frozenset(
    {
        *("a", "an", "is", "for", "where", "with", "times", "large", "big", "number", "the"),
        *("as", "to", "goes", "tends", "infinity", "very", "some", "any", "equals", "of", "plus"),
        *("zero", "vector"),
    }
)
_WORDS_FOR: Final = {
    "O": "An order of growth is no number: write the formula itself.",
    "sigma": "The softmax is written softmax(x), and the logistic function sigmoid(x).",
    **dict.fromkeys(
        ("Var", "Cov", "Std", "Pr", "var", "std"),
        "Write what it comes to, without a name before it.",
    ),
    "add": "A sum is written x + y.",
    "softplus": "It is written log(1 + exp(x)).",
    "logsumexp": "It is written log(sum(exp(x))).",
    "tril": "A matrix of ones up to the diagonal is written causal(n).",
    **dict.fromkeys(
        ("eye", "identity", "Identity"), "The identity is written I, or I(n) with its size."
    ),
    "cosh": "It is written (exp(x) + exp(-x))/2.",
    "sinh": "It is written (exp(x) - exp(-x))/2.",
    **dict.fromkeys(("mean", "avg", "average"), _AVERAGE),
    **dict.fromkeys(("normalize", "normalise", "unit"), "x with length 1 is x/norm(x)."),
    **dict.fromkeys(
        ("Attention", "attention", "scaled_dot_product_attention"),
        "Write it out, with softmax and products of matrices.",
    ),
    "matmul": "A product of matrices is written A B.",
    "einsum": "A product of matrices is written A B, and A B' with the second transposed.",
    **dict.fromkeys(SENTENCE, _WITHOUT_WORDS),
    **dict.fromkeys(("all", "every", "each"), "A condition is meant for all: leave the word out."),
    **dict.fromkeys(("True", "False"), "In a matrix write 1 for true and 0 for false."),
    **dict.fromkeys(
        ("bit", "bits", "nats", "columns", "column", "rows", "dimensions", "dims"),
        "Write the number without the word behind it.",
    ),
}
_LIKE_FACTORS: Final = frozenset("ABLMNTabcmtx")  # letters that stand for a large number
_ALIKE: Final = 0.74  # of difflib: k_aa and k_a are, k_c and k_a are not


def meant(unknown: str, known: Collection[str], others: Iterable[str] = ()) -> str:
    """Say what an undeclared name may stand for, where that can be told; "" where not.

    Args:
        unknown: the name.
        known: what the problem declares.
        others: the names beside it that are not declared either.

    >>> meant("ka", ["k_a", "k_b"]), meant("k_i", ["k_a", "k_b", "n"])
    (' Is k_a meant?', ' Names with k are k_a and k_b.')
    """
    names = sorted(known)
    plain = _plain(unknown)
    for one in names:
        if _plain(one) == plain or (len(unknown) > 2 and one.startswith(unknown)):  # ka, eps
            return f" Is {one} meant?"
    for at in range(1, len(unknown)):
        if unknown[:at] in known and unknown[at:] in known:
            return f" For the product write {unknown[:at]} {unknown[at:]}, with a space."
    if unknown in SENTENCE and not SENTENCE & {*others} - {unknown}:
        with_index = _of_index(unknown, names)  # C (a + b)
        if with_index:
            return _question(with_index)
    if unknown in _WORDS_FOR and not (unknown == "sigma" and "C" in names):
        return f" {_WORDS_FOR[unknown]}"
    function = {one.casefold(): one for one in (*FUNCTIONS, *OTHER_SPELLINGS)}.get(plain)
    if function is not None and function != unknown:
        return f" Is {function} meant?"
    return _near(unknown, names)


def _near(unknown: str, names: list[str]) -> str:
    """Say which names are near to one, by its letter, its index, or its spelling."""
    base, _, index = unknown.partition("_")
    stem = base.rstrip("0123456789")
    with_stem = [one for one in names if one.startswith(f"{stem}_")]
    if stem != base and stem and with_stem:
        return f" An index follows an underscore, as in {with_stem[0]}."
    if index and with_stem and len(index) <= 2:
        alike = _alike(unknown, names)
        if alike and len(index) == 2:  # k_aa
            return f" Is {alike} meant?"
        return f" Names with {stem} are {_and(with_stem)}." if len(with_stem) < 5 else ""
    if index and base in names and not with_stem and len(index) <= 2:  # a_i, where a is a vector
        return f" Entries are not written out here: write {base}, the whole of it."
    with_index = _of_index(index or unknown, names)
    if with_index and (index or len(unknown) == 1):  # key_a, m_a; a and Q alone
        return _question(with_index)
    starting = [one for one in names if len(one) > 2 and one.isalpha() and one[0] == unknown]
    if len(starting) == 1 and unknown not in ("C", "c"):  # h, where heads are declared
        return f" Is {starting[0]} meant?"
    if "C" in names and (unknown in _LIKE_FACTORS or unknown in GREEK_WORDS):
        return " A factor that may be as large as one likes is called C."
    if base == "C" and index.isdigit():
        return " A factor that may be as large as one likes is called C, in all formulas."
    if len(unknown) > 3 and unknown.isalpha() and unknown not in GREEK_WORDS:
        alike = _alike(unknown, names)
        return f" Is {alike} meant?" if alike else " A field holds a formula, without words."
    return ""


def _of_index(index: str, names: list[str]) -> list[str]:
    """Return the names with this index, as k_a and v_a for a; none where there are many."""
    found = [one for one in names if one.partition("_")[2] == index]
    return found if 0 < len(found) <= 3 else []


def _alike(unknown: str, names: list[str]) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(unknown, names, 1, _ALIKE)), "")


def _question(names: list[str]) -> str:
    return f" Is {', '.join(names[:-1])}{' or ' if len(names) > 1 else ''}{names[-1]} meant?"


def _and(names: list[str]) -> str:
    return f"{', '.join(names[:-1])}{' and ' if len(names) > 1 else ''}{names[-1]}"


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


_WORDS_OF_FIELDS: Final = {
    "query": "q", "key": "k", "expectation": "mean", "output": "c", "weights": "a", "scores": "z",
}  # fmt: skip


def field_meant(given: str, wanted: Collection[str]) -> str:
    """Return the field that is surely meant by a name that is none; "" where that is not sure.

    >>> field_meant("z3", ["z_3"]), field_meant("var", ["mean", "variance"])
    ('z_3', 'variance')
    """
    plain = _plain(given)
    said = _WORDS_OF_FIELDS.get(plain, "")
    shorter = plain[:-1] if plain.endswith("s") and len(plain) > 3 else plain  # mults, adds
    found = [one for one in wanted if _plain(one) == plain or one == said]
    if not found and len(shorter) > 2:  # var; not parameters for parameters_single
        found = [one for one in wanted if re.match(rf"{re.escape(shorter)}[a-z]", one)]
    return found[0] if len(found) == 1 else ""


def fields_meant(given: Collection[str], wanted: Collection[str]) -> dict[str, str]:
    """Return the field that each name stands for; those that are sure, unless two stand for one.

    >>> fields_meant(["q1", "q2"], ["q_1", "q_2"]), fields_meant(["z", "a"], ["z_1", "a_1"])
    ({'q1': 'q_1', 'q2': 'q_2'}, {'z': 'z_1', 'a': 'a_1'})
    """
    found: dict[str, str] = {}
    for one in given:
        stem = [name for name in wanted if name.partition("_")[0] == one]
        sure = field_meant(one, wanted) or (stem[0] if len(stem) == 1 else "")
        if sure:
            found[one] = sure
    return found if len({*found.values()}) == len(found) else {}


def instead_of(given: str, wanted: Collection[str]) -> str:
    """Say which field to write, or ask whether one is meant, for a name that no field has.

    >>> instead_of("z3", ["z_3"]), instead_of("alpha_3", ["a_3", "c_3"])
    (' Write z_3 for z3.', ' Is a_3 meant?')
    """
    sure = field_meant(given, wanted)
    if sure:
        return f" Write {sure} for {given}."
    index = given.partition("_")[2]
    tests: tuple[Callable[[str], bool], ...] = (
        lambda one: len(given) > 2 and one.endswith(f"_{given}"),  # output: shape_output
        lambda one: re.fullmatch(rf"{re.escape(one)}_\w{{1,2}}", given) is not None,  # k_c: k
        lambda one: index != "" and one.partition("_")[2] == index and one[0] == given[0],
        lambda one: index != "" and one.partition("_")[2] == index,
    )
    for test in tests:
        found = [one for one in wanted if test(one)]
        if len(found) == 1:
            return f" Is {found[0]} meant?"
    return ""

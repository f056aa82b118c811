"""Find bundled problems by words: of a title, of a handout, or a sentence out of it.

A problem is as near to words as the sum of log(N / n_w) over the words w that are in its text,
where n_w of N texts have them; a word counts twice in a title.

>>> [problem.id for problem in search("average of two values")][0]
'average-two-values'
"""

from __future__ import annotations

import re
from functools import cache
from math import log

from regard.problems.head import Problem
from regard.problems.loading import load
from regard.problems.problem_sets import collection, collections, names

_WORD = re.compile(r"[a-z]+_[a-z0-9]+|[a-z]+|[0-9]+")  # k_a is a word
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_GREEK = frozenset(("alpha", "beta", "gamma", "epsilon", "mu", "sigma", "Sigma", "tau"))
_SAME = {  # what handouts say, and the word that statements have for it
    "perpendicular": "orthogonal",
    "angle": "orthogonal",
    "orthonormal": "orthogonal",
    "norm": "length",
    "sample": "random",
    "drawn": "random",
    "var": "variance",
    "aligns": "direction",
    "along": "direction",
    "stack": "rows",
    "gaussian": "normal",
    "embedding": "position",
    "positional": "position",
    "derivative": "gradient",
    "backpropagation": "gradient",
    "probability": "distribution",
    "matrices": "matrix",
    "largest": "larger",
}
_NO_HELP = frozenset(
    re.findall(
        r"\w+",
        """a an and are as at be by can do does each find for from give given has have how if in is
        it its let now of on one or our so such than that the their them then there these they this
        to two use used using we what when where which will with would you your question problem""",
    )
)


def search(words: str, most: int = 8) -> tuple[Problem, ...]:
    """Return the bundled problems nearest to words; () where no word is known."""
    texts = _texts()
    asked = {word for word in _stems(words) if any(word in text for text, _ in texts.values())}
    worth = {w: log(len(texts) / sum(w in text for text, _ in texts.values())) for w in asked}
    found = {
        name: sum((worth[w] * (2 if w in title else 1) for w in asked & text), start=0.0)
        for name, (text, title) in texts.items()
    }
    enough = 0.5 * max(found.values(), default=0.0)
    near = [name for name in found if found[name] > 0 and found[name] >= enough]
    return tuple(load(name) for name in sorted(near, key=lambda one: -found[one])[:most])


@cache
def _texts() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """Return, for each bundled problem, the words that it is found by, and those of its title."""
    shelves: dict[str, list[str]] = {}
    for name in collections():
        found = collection(name)
        said = f"{found.name} {found.title} {found.heading} {found.source or ''}"
        for part in found.parts:
            shelves.setdefault(part.problem, []).append(said)
        for theme in found.themes:
            for part in theme.parts:
                shelves[part.problem].append(f"{theme.title} {theme.about}")
    texts = {}
    for name in names():
        problem = load(name)
        title = frozenset(_stems(f"{problem.title} {name}"))
        rest = _stems(f"{problem.statement} {problem.kind} {' '.join(shelves.get(name, []))}")
        texts[name] = (title | frozenset(rest), title)
    return texts


def _stems(text: str) -> list[str]:
    """Return the stems of a text, without commands of LaTeX and words that are everywhere."""
    plain = _COMMAND.sub(lambda found: f" {found[1]} " if found[1] in _GREEK else "", text)
    plain = re.sub(r"[{}^]|\s+(?=_)", "", plain).casefold()
    words = (_stem(word) for word in _WORD.findall(plain) if word not in _NO_HELP)
    return [word for word in words if len(word) > 1]


def _stem(word: str) -> str:
    word = _SAME.get(word, word)
    for ending, instead in (
        ("ies", "y"),
        ("ing", ""),
        ("ed", ""),
        ("es", "e"),
        ("s", ""),
        ("e", ""),
    ):
        if word.endswith(ending) and not word.endswith("ss") and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending) + instead
            break
    return _SAME.get(word, word).removesuffix("e")

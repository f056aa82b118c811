"""Collections: bundled problems under a title, in an order, with the labels of their parts.

>>> collection("cs114b-hw4").title
'CS 114B, written assignment 4: attention exploration'
>>> collection("cs114b-hw4").parts[1]
Part(label='(b)', problem='average-two-values')
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import count

from regard.errors import InvalidProblem
from regard.problems.head import Problem
from regard.problems.loading import bundled_ids, load


@dataclass(frozen=True)
class Part:
    """One part of a collection.

    Attributes:
        label: what the handout calls it, such as "(b)", or its number in the collection.
        problem: the id of its problem.
    """

    label: str
    problem: str


@dataclass(frozen=True)
class Theme:
    """Parts of a collection that are about one thing.

    Attributes:
        title: in a word or three.
        about: in a line.
        parts: in their order.
    """

    title: str
    about: str
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Collection:
    """Problems that belong together.

    Attributes:
        name: how commands call it, such as "cs114b-hw4".
        title: what a person reads.
        about: a sentence that says what its problems are about.
        parts: in their order.
        source: the name of the file that a document came in; None where it is no document.
        heading: what stands at the top of the document, for a search; "" where it is none.
        themes: the same parts by what they are about; () where nobody has sorted them.
        looser: sentences that are looser than they sound, each with what is so.
    """

    name: str
    title: str
    about: str
    parts: tuple[Part, ...]
    source: str | None = None
    heading: str = ""
    themes: tuple[Theme, ...] = ()
    looser: tuple[tuple[str, str], ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems, in the order of the parts."""
        return tuple(load(part.problem) for part in self.parts)

    def part(self, name: str) -> Part | None:
        """Return the part with this label or this problem, or None.

        Labels are compared without their brackets: "b", "(b)" and "(B)" are the same part.
        """
        wanted = _bare(name)
        for part in self.parts:
            if name == part.problem or wanted == _bare(part.label):
                return part
        return None


def collections() -> tuple[str, ...]:
    """Return the names of the collections.

    >>> collections()[:2]
    ('ece537-ps9', 'cs114b-hw4')
    """
    return tuple(_all())


def collection(name: str) -> Collection:
    """Return a collection by its name, or by the name of the file that the document came in.

    Raises:
        InvalidProblem: there is none; the message names the nearest.
    """
    found = find_collection(name)
    if found is None:
        near = difflib.get_close_matches(name, collections(), n=1)
        hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(collections())}."
        raise InvalidProblem(f"{name[:80]}: there is no collection of this name. {hint}")
    return found


def find_collection(name: str) -> Collection | None:
    """Return the collection that a name means, or None."""
    return _all().get(name) or next((c for c in _all().values() if c.source == name), None)


def names() -> tuple[str, ...]:
    """Return the ids of the bundled problems, in the order of their collections."""
    listed = [part.problem for found in _all().values() for part in found.parts]
    return tuple(dict.fromkeys([*listed, *bundled_ids()]))


def part_labels(ids: Sequence[str]) -> dict[str, str]:
    """Return the labels of problems that one collection holds, in its order; else "" for each.

    >>> part_labels(["two-heads-average", "average-two-values"])
    {'average-two-values': '(b)', 'two-heads-average': '(d-i)'}
    """
    if len(ids) > 1:
        for one in map(collection, collections()):
            labels = {part.problem: part.label for part in one.parts if part.problem in ids}
            if len(labels) == len(set(ids)):
                return labels
    return dict.fromkeys(ids, "")


def place(problem: Problem) -> str:
    """Return where a bundled problem stands, for a person: the first collection and the part.

    The source of a problem that is in no collection, which may be nobody's, is given as it is.

    >>> place(load("average-two-values"))
    'CS 114B, written assignment 4: attention exploration, (b)'
    """
    found = home(problem.id) if problem.id in bundled_ids() else None
    if found is None:
        return problem.source or ""
    if found[0].source is None:
        return problem.source or found[0].title
    return f"{found[0].title}, {found[1].label}"


def short_places(problem: Problem) -> tuple[str, ...]:
    """Return where a bundled problem stands, in a few words and in fewer; () where it is nowhere.

    >>> short_places(load("average-two-values"))
    ('CS 114B, written assignment 4 (b)', 'cs114b-hw4 (b)')
    """
    found = home(problem.id) if problem.id in bundled_ids() else None
    if found is None:
        return ()
    collection, part = found
    label = "" if collection.source is None else f" {part.label}"
    return f"{collection.title.partition(':')[0]}{label}", f"{collection.name}{label}"


def home(name: str) -> tuple[Collection, Part] | None:
    """Return the first collection that has this problem, and the part that it is."""
    for found in _all().values():
        for part in found.parts:
            if part.problem == name:
                return found, part
    return None


def _bare(label: str) -> str:
    return label.replace("(", "").replace(")", "").replace(" ", "").casefold()


@cache
def _all() -> dict[str, Collection]:
    text = (resources.files("regard.problems") / "collections.toml").read_text("utf-8")
    found = {}
    for entry in tomllib.loads(text)["collection"]:
        entry["looser"] = tuple((words, so) for words, so in entry.get("looser", ()))
        numbers = count(1)
        themes = tuple(
            Theme(theme["title"], theme["about"], _parts(theme["parts"], numbers))
            for theme in entry.get("themes", ())
        )
        alone = _parts(entry.get("parts", ()), numbers)
        entry["themes"] = themes
        entry["parts"] = (*(part for theme in themes for part in theme.parts), *alone)
        found[entry["name"]] = Collection(**entry)
    return found


def _parts(listed: Iterable[tuple[str, str]], numbers: Iterator[int]) -> tuple[Part, ...]:
    """Return parts; one without a label is called by its number in the collection."""
    numbered = zip(listed, numbers, strict=False)
    return tuple(Part(label or str(number), name) for (label, name), number in numbered)

"""The blocks of written mathematics: prose, formulas, steps, code."""

from __future__ import annotations

from dataclasses import dataclass

from regard.errors import ParameterError
from regard.report import checks


@dataclass(frozen=True)
class Prose:
    """Paragraphs, lists, emphasis, code and formulas, in Markdown.

    CommonMark without HTML, with formulas between `$` or, on lines of their own, `$$`. Of an
    image its description is shown, of a link that is not http or https its words.
    """

    markdown: str

    def __post_init__(self) -> None:
        checks.string("Prose: markdown", self.markdown)


@dataclass(frozen=True)
class Math:
    """A formula on a line of its own, in the LaTeX of `regard.language.notation`."""

    latex: str

    def __post_init__(self) -> None:
        checks.formula("Math: latex", self.latex)


@dataclass(frozen=True)
class Steps:
    """A derivation: numbered sentences, each with the formula it arrives at, or "" for none.

    Args:
        items: sentences and formulas.
        names: what each step is about, in a word or two, shown before its sentence; of those
            without a name "", and nothing at all where none has one.
    """

    items: tuple[tuple[str, str], ...]
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        items = checks.pairs("Steps: items", self.items, "a sentence and a formula")
        for i, (_, formula) in enumerate(items):
            if formula:
                checks.formula(f"Steps: items[{i}][1]", formula)
        object.__setattr__(self, "items", items)
        names = checks.strings("Steps: names", self.names)
        if names and len(names) != len(items):
            raise ParameterError(
                f"Steps: names must be one for each step ({len(items)}). Got {len(names)}."
            )
        object.__setattr__(self, "names", names)

    @property
    def named(self) -> tuple[tuple[str, str, str], ...]:
        """Each step with its name, which may be ""."""
        names = self.names or ("",) * len(self.items)
        return tuple((name, *item) for name, item in zip(names, self.items, strict=True))


@dataclass(frozen=True)
class Code:
    """Lines shown as they are, in a fixed width."""

    text: str
    language: str = ""

    def __post_init__(self) -> None:
        checks.string("Code: text", self.text)
        checks.string("Code: language", self.language)

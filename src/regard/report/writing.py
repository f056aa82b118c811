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
    """A derivation: numbered sentences, each with the formula it arrives at, or "" for none."""

    items: tuple[tuple[str, str], ...]

    def __post_init__(self) -> None:
        items = tuple(
            checks.strings(f"Steps: items[{i}]", item)
            for i, item in enumerate(checks.sequence("Steps: items", self.items))
        )
        for i, item in enumerate(items):
            if len(item) != 2:
                raise ParameterError(
                    f"Steps: items[{i}] must be a sentence and a formula. Got {len(item)} strings."
                )
            if item[1]:
                checks.formula(f"Steps: items[{i}][1]", item[1])
        object.__setattr__(self, "items", items)


@dataclass(frozen=True)
class Code:
    """Lines shown as they are, in a fixed width."""

    text: str
    language: str = ""

    def __post_init__(self) -> None:
        checks.string("Code: text", self.text)
        checks.string("Code: language", self.language)

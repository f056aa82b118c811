"""The blocks of a report in their order of headings: chapters, and the sections in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from regard.report.blocks import Heading, Text
from regard.report.document import Block
from regard.report.slider import Slider


@dataclass(frozen=True)
class Section:
    """A heading of level 2 and the blocks below it, up to the next of its level."""

    heading: Heading
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Chapter:
    """A heading of level 1 and what is below it.

    Attributes:
        heading: None for what comes before the first.
        eyebrow: where it belongs, or "".
        headline: what came out, as a sentence whose words may stand out, or "".
        lead: the blocks before the first section.
        sections: in their order.
    """

    heading: Heading | None
    eyebrow: str
    headline: str
    lead: tuple[Block, ...]
    sections: tuple[Section, ...]


def chapters(blocks: Iterable[Block]) -> list[Chapter]:
    """Return the chapters; the first has no heading, and may be empty."""
    split: list[tuple[Heading | None, list[Block]]] = [(None, [])]
    for block in blocks:
        if isinstance(block, Heading) and block.level == 1:
            split.append((block, []))
        else:
            split[-1][1].append(block)
    return [_chapter(heading, found) for heading, found in split]


def _chapter(heading: Heading | None, blocks: list[Block]) -> Chapter:
    above = {"eyebrow": "", "headline": ""}
    lead: list[Block] = []
    sections: list[tuple[Heading, list[Block]]] = []
    for block in blocks:
        if isinstance(block, Heading) and block.level == 2:
            sections.append((block, []))
        elif isinstance(block, Text) and block.role in above and not sections:
            above[block.role] = block.text
        else:
            (sections[-1][1] if sections else lead).append(block)
    found = tuple(Section(top, tuple(below)) for top, below in sections)
    return Chapter(heading, above["eyebrow"], above["headline"], tuple(lead), found)


def without_first_slider(
    sections: Iterable[Section],
) -> tuple[list[Section], tuple[Block, ...]]:
    """Take the first slider out, which stands below the answer, over the whole width."""
    found: list[Section] = []
    moving: tuple[Block, ...] = ()
    for section in sections:
        sliders = [block for block in section.blocks if isinstance(block, Slider)]
        if sliders and not moving:
            moving = (sliders[0],)
            kept = tuple(block for block in section.blocks if block is not sliders[0])
            section = Section(section.heading, kept)
        found.append(section)
    return found, moving

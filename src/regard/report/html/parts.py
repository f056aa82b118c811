"""A page of many chapters as an index: a row for each, which opens to the whole chapter.

A row says which part it is, its title, what came out, and shows a small picture. The place that a
link leads to lies inside of the fold, so that browsers open it by themselves; `parts.js` does it
for those that do not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from regard.report.blocks import Heading
from regard.report.html.contents import MARKS, place
from regard.report.html.prose import coloured, words
from regard.report.html.thumbnail import thumbnail
from regard.report.outline import Chapter

MOST_AT_ONCE = 40  # rows; themes with more than these together are folded as well
LONG_LABEL = 7  # letters of a label that has no room in a narrow column
ASIDE = ("callouts", "cards")  # chapters that are no parts


@dataclass(frozen=True)
class Group:
    """Chapters under a theme, which may be none, each with its number in the page."""

    theme: Chapter | None
    parts: tuple[tuple[int, Chapter], ...]


def has_parts(chapters: Sequence[Chapter]) -> bool:
    """Whether chapters are parts of a whole: several, with answers or under themes."""
    answers = sum(_answer(chapter) is not None for chapter in chapters)
    return len(chapters) > 1 and (answers > 0 or any(_role(one) == "theme" for one in chapters))


def groups(chapters: Sequence[Chapter]) -> list[Group]:
    """Return the parts under their themes."""
    found: list[tuple[Chapter | None, list[tuple[int, Chapter]]]] = [(None, [])]
    for number, chapter in enumerate(chapters, 1):
        if _role(chapter) == "theme":
            found.append((chapter, []))
        elif _role(chapter) not in ASIDE:
            found[-1][1].append((number, chapter))
    return [Group(theme, tuple(parts)) for theme, parts in found if parts or theme is not None]


def asides(chapters: Sequence[Chapter]) -> Iterator[Chapter]:
    """Return the chapters that are no parts, which come last."""
    return (chapter for chapter in chapters if _role(chapter) in ASIDE)


def index(
    chapters: Sequence[Chapter], lead: Callable[[Chapter, int], str],
    opened: Callable[[Chapter, int], str], level: int = 2,
) -> str:  # fmt: skip
    """Return the parts as rows.

    Args:
        chapters: of the page.
        lead: from a theme and a level of headings to what is said of it.
        opened: from a part and a level to what its row opens to, or to the address that it leads
            to (`#...`, or another page); "" where there is nothing more.
        level: of the headings of themes.
    """
    found = groups(chapters)
    look = _look([chapter for group in found for _, chapter in group.parts])
    rows = sum(len(group.parts) for group in found)
    shelved = rows > MOST_AT_ONCE
    return "\n".join(_group(group, look, shelved, lead, opened, level) for group in found)


def _look(chapters: Sequence[Chapter]) -> str:
    """Return the classes of the lists: how wide the labels are, if there are any."""
    longest = max((len(one.heading.label) for one in chapters if one.heading), default=0)
    labelled = " regard-labelled" * (longest > 0) + " regard-long-labels" * (longest > LONG_LABEL)
    return f"regard-parts{labelled}"


def _group(
    group: Group, look: str, shelved: bool, lead: Callable[[Chapter, int], str],
    opened: Callable[[Chapter, int], str], level: int,
) -> str:  # fmt: skip
    theme = None if group.theme is None else group.theme.heading
    rows = [_row(part, i, opened, level + (theme is not None)) for i, part in group.parts]
    listed = "\n".join([f'<ul class="{look}">', *rows, "</ul>"])
    if group.theme is None or theme is None:
        return listed
    title = f"<h{level}>{words(theme.text)}</h{level}>"
    said = lead(group.theme, level + 1)
    anchor = f' id="{theme.anchor}"' if theme.anchor else ""
    if shelved:
        return f"""<details class="regard-shelf">
<summary>{title}{_counts(group)}</summary>
<div{anchor}>
{said}
{listed}
</div>
</details>"""
    return f"""<section class="regard-theme"{anchor}>
<div>
{title}
{said}
</div>
{listed}
</section>"""


def _counts(group: Group) -> str:
    """Return how many parts there are, and how they came out, the usual first."""
    headings = [chapter.heading for _, chapter in group.parts if chapter.heading is not None]
    counts = Counter((heading.status, heading.tone) for heading in headings if heading.status)
    order = list(MARKS)
    said = [
        _outcome(f"{count} {_small(status)}", tone)
        for (status, tone), count in sorted(
            counts.items(), key=lambda item: (order.index(item[0][1]), -item[1])
        )
    ]
    number = f"{len(group.parts)} part{'s' * (len(group.parts) != 1)}"
    counted = f'<span class="regard-counts">{"".join(said)}</span>'
    return f'<span class="regard-count">{number}</span>{counted}'


def _row(chapter: Chapter, number: int, opened: Callable[[Chapter, int], str], level: int) -> str:
    heading = chapter.heading
    assert heading is not None
    answer = _answer(chapter)
    said = heading if heading.status else answer
    status = _outcome(capital(said.status), said.tone) if said is not None and said.status else ""
    label = f'<span class="regard-part-label">{words(heading.label)}</span>'
    small = thumbnail([*chapter.lead, *(b for one in chapter.sections for b in one.blocks)])
    title = f"<h{level}>{words(heading.text)}</h{level}>"
    result = f'<span class="regard-result">{coloured(chapter.headline)}</span>'
    row = (
        f"{label if heading.label else ''}{title}{result if chapter.headline else ''}"
        f'<span class="regard-small" aria-hidden="true">{small}</span>{status}'
    )
    inside = opened(chapter, level + 1)
    if inside.startswith("<"):
        return (
            f'<li class="regard-part"><details>\n<summary class="regard-index-row">{row}</summary>'
            f'\n<article id="{place(chapter, number)}">\n{inside}\n</article>\n</details></li>'
        )
    if inside:
        link = f'<a href="{inside}">{words(heading.text)}</a>'
        row = row.replace(title, f"<h{level}>{link}</h{level}>", 1)
    return f'<li class="regard-part"><div class="regard-index-row">{row}</div></li>'


def _outcome(said: str, tone: str) -> str:
    return (
        f'<span class="regard-outcome regard-{tone or "open"}">'
        f'<span aria-hidden="true">{MARKS[tone]}</span> {words(said)}</span>'
    )


def _answer(chapter: Chapter) -> Heading | None:
    found = (s.heading for s in chapter.sections if s.heading.role == "answer")
    return next(found, None)


def _role(chapter: Chapter) -> str:
    return "" if chapter.heading is None else chapter.heading.role


def capital(text: str) -> str:
    """Return words that begin with a capital letter."""
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]

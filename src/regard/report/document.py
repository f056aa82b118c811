"""A report as plain data: a title and blocks.

Everything but the numbers of a plot is a string by the time it is here, so that every renderer
shows the same digits. White space means what it means in HTML: a run of it is one space. Strings
may hold formulas between dollars.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from regard.errors import ParameterError
from regard.report import checks
from regard.report.blocks import Facts, Heading, Table, Text
from regard.report.compared import Checklist, Comparison
from regard.report.plot import Plot, Series
from regard.report.slider import Slider, Way
from regard.report.writing import Code, Math, Prose, Steps

__all__ = [
    "BLOCKS",
    "Block",
    "Checklist",
    "Code",
    "Comparison",
    "Facts",
    "Heading",
    "Math",
    "Plot",
    "Prose",
    "Report",
    "Series",
    "Slider",
    "Steps",
    "Table",
    "Text",
    "Way",
]

Block: TypeAlias = (
    Text
    | Heading
    | Table
    | Facts
    | Prose
    | Math
    | Steps
    | Code
    | Plot
    | Slider
    | Checklist
    | Comparison
)

BLOCKS: dict[str, type[Block]] = {
    kind.__name__.lower(): kind
    for kind in (
        Text,
        Heading,
        Table,
        Facts,
        Prose,
        Math,
        Steps,
        Code,
        Plot,
        Slider,
        Checklist,
        Comparison,
    )
}


@dataclass(frozen=True)
class Report:
    """A title and the blocks below it, in order.

    Prints as terminal text and shows as HTML in a notebook. Lists given for tuples are
    stored as tuples, so reports compare by content and cannot change.
    """

    title: str
    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        checks.words("Report: title", self.title)
        blocks = checks.sequence("Report: blocks", self.blocks)
        for i, block in enumerate(blocks):
            if not isinstance(block, Block):
                names = ", ".join(kind.__name__ for kind in BLOCKS.values())
                raise ParameterError(
                    f"Report: blocks[{i}] must be one of {names}. Got {type(block).__name__}."
                )
        object.__setattr__(self, "blocks", blocks)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON has it: dicts, lists and strings.

        >>> Report("Two keys", (Facts((("error", "0"),)),)).to_dict()
        {'title': 'Two keys', 'blocks': [{'type': 'facts', 'pairs': [['error', '0']]}]}
        """
        return {"title": self.title, "blocks": [_block_to_dict(block) for block in self.blocks]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Report:
        """Return the report that `to_dict` wrote, equal to the original.

        Raises:
            ParameterError: the data is no report; the message says where.
        """
        try:
            fields = _fields_of(cls, data)
            blocks = checks.sequence("blocks", fields["blocks"])
            return cls(fields["title"], tuple(_block_from_dict(i, b) for i, b in enumerate(blocks)))
        except ParameterError as error:
            raise ParameterError(f"Report.from_dict: {error}") from None

    @classmethod
    def join(cls, title: str, reports: Iterable[Report], blocks: Iterable[Block] = ()) -> Report:
        """Return one report of several: `blocks`, then each report under its title.

        Titles become headings of level 1; a report that has such headings itself is moved down.
        """
        joined = list(blocks)
        for i, report in enumerate(reports):
            if not isinstance(report, Report):
                raise ParameterError(
                    f"Report.join: reports[{i}] must be a Report. Got {type(report).__name__}."
                )
            joined.append(Heading(report.title, 1))
            joined += _below(report.blocks)
        return cls(title, tuple(joined))

    # The renderers import this module, so they can be imported only once it exists.
    def __str__(self) -> str:
        from regard.report.text.plain import to_text

        return to_text(self)

    def _repr_html_(self) -> str:
        from regard.report.html.page import to_html_fragment

        return to_html_fragment(self)


def _below(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """Return blocks with every heading below level 1."""
    chapters = any(isinstance(block, Heading) and block.level == 1 for block in blocks)
    for block in blocks:
        if chapters and isinstance(block, Heading):
            block = dataclasses.replace(block, level=min(block.level + 1, 3))
        yield block


def _block_to_dict(block: Block) -> dict[str, Any]:
    data: dict[str, Any] = {"type": type(block).__name__.lower()}
    for field in dataclasses.fields(block):
        data[field.name] = _plain_data(getattr(block, field.name))
    if isinstance(block, Heading) and block.level == 2:
        del data["level"]
    for name in ("role", "status", "tone", "label", "anchor", "y_unit"):
        if data.get(name) == "":
            del data[name]
    if data.get("names") == () or data.get("names") == []:
        del data["names"]
    if data.get("y_scale") == "linear":
        del data["y_scale"]
    for name in ("limit", "enough", "output"):
        if name in data and data[name] is None:
            del data[name]
    if data.get("mean") is False:
        del data["mean"]
    return data


def _plain_data(value: Any) -> Any:
    if isinstance(value, Series):
        return {"name": value.name, "x": list(value.x), "y": list(value.y)}
    if isinstance(value, Way):
        return {name: _plain_data(x) for name, x in vars(value).items()}
    if isinstance(value, Plot):
        return {name: x for name, x in _block_to_dict(value).items() if name != "type"}
    return [_plain_data(item) for item in value] if isinstance(value, tuple) else value


def _block_from_dict(i: int, data: Any) -> Block:
    kind = data.get("type") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in BLOCKS:
        got = f"type {kind!r}" if isinstance(data, Mapping) else type(data).__name__
        raise ParameterError(
            f"blocks[{i}] must be a dict with a type out of {', '.join(BLOCKS)}. Got {got}."
        )
    block = BLOCKS[kind]
    try:
        fields = _fields_of(block, {k: v for k, v in data.items() if k != "type"})
        if block is Slider and isinstance(fields.get("plot"), Mapping):
            fields["plot"] = _plot(_fields_of(Plot, fields["plot"]))
        if block is Slider and isinstance(fields.get("output"), Mapping):
            fields["output"] = Way(**_fields_of(Way, fields["output"]))
        return _plot(fields) if block is Plot else block(**fields)
    except ParameterError as error:
        raise ParameterError(f"blocks[{i}]: {error}") from None


def _plot(fields: dict[str, Any]) -> Plot:
    if isinstance(fields.get("series"), list | tuple):
        fields["series"] = tuple(Series(**_fields_of(Series, s)) for s in fields["series"])
    return Plot(**fields)


def _fields_of(cls: type, data: Any) -> dict[str, Any]:
    """Return data, if it is a dict with the fields of a dataclass and no others."""
    if not isinstance(data, Mapping):
        raise ParameterError(f"data must be a dict. Got {type(data).__name__}.")
    names = [field.name for field in dataclasses.fields(cls)]
    needed = {f.name for f in dataclasses.fields(cls) if f.default is dataclasses.MISSING}
    if not needed <= set(data) <= set(names):
        got = ", ".join(str(name) for name in data) or "nothing"
        raise ParameterError(f"{cls.__name__} has the fields {', '.join(names)}. Got {got}.")
    return dict(data)

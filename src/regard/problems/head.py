"""What every problem begins with, whatever it asks for."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, PrivateAttr, model_validator

from regard.problems.fields import Number, Part
from regard.problems.ranges import filled_texts
from regard.problems.statement import check_statement

Id = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=80)]
Points = Annotated[Number, Field(ge=0, le=1000)]
Statement = Annotated[str, Field(min_length=1, max_length=20_000), AfterValidator(check_statement)]


class Problem(Part):
    """What every problem has; a kind narrows `kind`, `given` and `goal`.

    Attributes:
        version: of the format, written `schema = 1`.
        id: how the problem is called in commands, such as "average-two-values".
        title: what a list of problems shows.
        source: the document and part it comes from.
        statement: the question in words: Markdown with $math$.
        kind: which of `regard.problems.KINDS`.
        given: what is known: arrays, laws, names.
        goal: what is asked for, and how near it has to come.
        points: how many points each goal is worth; every goal is named, and 0 is allowed. None:
            goals count as their judge weighs them.
        vary: which numbers of given and goal a variant draws, and from which range; statement and
            title then name them in double braces (`regard.problems.ranges`).
    """

    model_config = ConfigDict(populate_by_name=True, protected_namespaces=())

    version: Literal[1] = Field(alias="schema")
    id: Id
    title: Annotated[str, Field(min_length=1, max_length=200)]
    source: Annotated[str, Field(max_length=200)] | None = None
    statement: Statement
    kind: str
    given: Part
    goal: Part
    points: Annotated[dict[str, Points], Field(min_length=1)] | None = None
    vary: dict[str, Annotated[str, Field(max_length=80)]] | None = None
    _template: str = PrivateAttr(default="")
    _title_template: str = PrivateAttr(default="")

    @property
    def template(self) -> str:
        """The statement as its file has it, with the names of what varies."""
        return self._template or self.statement

    @property
    def title_template(self) -> str:
        """The title as its file has it, with the names of what varies."""
        return self._title_template or self.title

    @model_validator(mode="after")
    def _can_be_meant(self) -> Self:
        self.refuse()
        if self.points is not None:
            self._refuse_points(self.points)
        if self.vary:
            self._vary_as_declared(self.vary)
        return self

    def _vary_as_declared(self, ranges: dict[str, str]) -> None:
        """Fill the text with the numbers of the file; refuse ranges that are none."""
        from regard.problems.range_checks import refuse_ranges  # which imports this module

        data = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        self._template = self.statement
        self._title_template = self.title
        for name, text in filled_texts(data, data).items():
            self.__dict__[name] = check_statement(text)
        refuse_ranges(type(self), data, ranges)

    def _refuse_points(self, points: dict[str, float]) -> None:
        """Refuse points that do not name each goal once, or are all 0: nothing may be hidden."""
        from regard.problems.answer_fields import goal_names  # which imports this module

        goals = goal_names(self)
        listed = ", ".join(goals)
        for name in points:
            if name not in goals:
                raise ValueError(f"points: {name[:80]!r} is no goal of this problem: {listed}")
        for name in goals:
            if name not in points:
                raise ValueError(
                    f"points: {name} is missing: say what each of {listed} is worth, if only 0"
                )
        if not any(points.values()):
            raise ValueError("points: one goal at least must be worth more than 0")

    def refuse(self) -> None:
        """Raise a ValueError with what is wrong, if this cannot be meant; kinds override it."""

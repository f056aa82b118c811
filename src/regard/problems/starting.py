"""A problem file to start from: `template.toml` of a kind, with what every file begins with."""

from __future__ import annotations

from importlib import resources

from regard.errors import InvalidProblem
from regard.problems.answer_fields import goal_names
from regard.problems.loading import loads
from regard.problems.registry import kinds, packages
from regard.problems.writing import inline

_TEMPLATE = "template.toml"
_WHAT_NEXT = """\
# regard validate FILE            what is wrong with it, and on which line
# regard solve FILE               its solution, with the proof
# regard rubric FILE              what points are for, and mistakes that would be named
# regard variant FILE --seed 7    the same with other numbers
"""


def starting_file(kind: str, name: str | None = None) -> str:
    """Return a commented problem file of a kind, which is right as it is.

    Args:
        kind: such as "query".
        name: the id of the problem; by default "my-" and the kind.

    Raises:
        InvalidProblem: there is no such kind, or it brings no file to start from.
    """
    if kind not in kinds():
        raise InvalidProblem(f"{kind[:80]!r} is no kind. Use one of {', '.join(kinds())}.")
    template = resources.files(packages()[kind]) / _TEMPLATE
    if not template.is_file():
        raise InvalidProblem(f"kind {kind}: {packages()[kind]} has no {_TEMPLATE} to start from.")
    about, _, rest = template.read_text("utf-8").partition("\n")
    head = f'schema = 1\nid = "{name or "my-" + kind.replace("_", "-")}"'
    head = f"{about}\n#\n{_WHAT_NEXT}\n{head}   # small letters, digits and -\n"
    top, mark, tables = rest.partition("\n[given]\n")
    plain = f'{head}kind = "{kind}"\n{top}\n{mark}{tables}'
    goals = goal_names(loads(plain, f"{kind} template"))
    points = inline(dict.fromkeys(goals, 2))
    note = f"# points = {points}   # per goal; without it goals count as the judge weighs them\n"
    return f'{head}kind = "{kind}"\n{top}{note}{mark}{tables}'

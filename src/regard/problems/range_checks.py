"""Whether every number that `vary` may draw makes a problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from regard.problems.ranges import corners, filled_texts

if TYPE_CHECKING:
    from regard.problems.head import Problem


def refuse_ranges(kind: type[Problem], data: dict[str, Any], ranges: dict[str, str]) -> None:
    """Refuse ranges that are none, and those with an end that makes no problem.

    Raises:
        ValueError: the range and the number in it, and what is wrong with that.
    """
    for name, end, numbers in corners(ranges, data["given"], data["goal"]):
        fixed = {key: value for key, value in data.items() if key != "vary"}
        try:
            kind.model_validate({**fixed, **numbers, **filled_texts(data, numbers)})
        except ValidationError as error:
            from regard.problems.loading.messages import sentences

            reason = sentences(error, "", "", data["kind"])[0].removeprefix(": ")
            raise ValueError(
                f"vary.{name}: draws {_shown(end)}, with which this is no problem "
                f"({reason.rstrip('.')}): narrow the range"
            ) from None


def _shown(end: Any) -> str:
    return ", ".join(map(str, end)) if isinstance(end, list) else str(end)

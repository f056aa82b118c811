"""Which file of a hand-in answers which problem, and what it says.

An answer names its problem (`problem = "…"`), or its file is named by it, or only one problem is
asked. A file may also be a sheet: a table for each problem, under its id or its label in a
collection.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from regard.errors import InvalidAnswer, InvalidProblem
from regard.grading.hand_ins import CODE_ENDINGS, File
from regard.grading.npz import read_npz
from regard.problems.loading import bundled_ids, parse

MOST_DOTS = 50  # in one key: reading dotted keys takes time that grows with their square
_BESIDE = {"collection", "name", "schema", "seed"}
_BESIDE_ANSWER = {"problem", "answer", "name", "schema", "seed"}
_SAYS_WHICH = {"problem", "seed"}
_KEY_PART = re.compile(r"""\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')\s*""")


@dataclass(frozen=True)
class Asked:
    """A problem that answers are sorted by.

    Attributes:
        id: of the problem.
        names: what else it may be called: its label in a collection, the id of a variant.
        is_code: whether a file of Python answers it.
    """

    id: str
    names: tuple[str, ...] = ()
    is_code: bool = False

    def is_called(self, name: str) -> bool:
        """Whether a name means this problem; labels are compared without their brackets."""
        return name == self.id or _bare(name) in {_bare(one) for one in self.names}


@dataclass(frozen=True)
class Given:
    """What was handed in to one problem.

    Attributes:
        fields: of the answer; None where there is none, or it is a file of code.
        code: the file of code that is the answer, or None.
        refused: why nothing can be judged, or "".
        remarks: what else there is to say, such as that another file could not be read.
    """

    fields: Mapping[str, Any] | None = None
    code: File | None = None
    refused: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def is_missing(self) -> bool:
        """Whether nothing was handed in."""
        return self.fields is None and self.code is None and not self.refused


@dataclass(frozen=True)
class _Found:
    """An answer in a file, or what is wrong there.

    Attributes:
        file: where it is.
        target: the problem that it answers; None where it may be any.
        fields: of the answer, or None.
        refused: what is wrong, or "".
        is_named: whether the file says that it answers this problem, by its name or within.
        seed: of the variant that it says it answers, or None.
    """

    file: File
    target: Asked | None
    fields: Mapping[str, Any] | None = None
    refused: str = ""
    is_named: bool = False
    seed: Any = None

    @property
    def where(self) -> str:
        return self.file.name or "the file"


def answer_to(
    asked: Asked, files: Sequence[File], every: Sequence[Asked], seed: int | None = None
) -> Given:
    """Return what the files of a student say to one of the problems that are asked.

    An answer may say the seed of its variant, which has to be the one that is asked.
    """
    found = [_of_variant(one, seed) for file in files for one in _in_file(file, every)]
    answers = [one for one in found if one.target is asked and not one.refused]
    answers = [one for one in answers if one.is_named] or answers
    refused = [one for one in found if one.refused and one.target in (asked, None)]
    notes = tuple(f"{one.where}: {one.refused}" for one in refused)
    if len(answers) > 1:
        return Given(refused=f"It is answered twice: in {answers[0].where} and {answers[1].where}.")
    if not answers:
        return Given(refused=notes[0] if notes else "")
    one = answers[0]
    return Given(one.fields, one.file if one.fields is None else None, remarks=notes)


def _of_variant(one: _Found, seed: int | None) -> _Found:
    """Refuse an answer to other numbers than those that are asked."""
    if one.refused or one.seed is None or one.seed == seed:
        return one
    asked = "the problem as it is" if seed is None else f"that with the seed {seed}"
    said = str(one.seed)[:40]
    reason = f"is an answer to the variant with the seed {said}, and asked is {asked}."
    return replace(one, refused=reason)


def _in_file(file: File, every: Sequence[Asked]) -> list[_Found]:
    named = next((asked for asked in every if file.stem and asked.is_called(file.stem)), None)
    if named is None and file.stem in bundled_ids():
        return [_not_asked(file, file.stem)]
    if file.refused:
        return [_Found(file, named or _only(every), refused=f"{file.refused}.")]
    if file.ending in CODE_ENDINGS:
        wanted = [asked for asked in every if asked.is_code]
        if not wanted:
            reason = "is code, and no problem that is asked here wants code."
            return [_Found(file, named or _only(every), refused=reason)]
        return [_aimed(file, named or _only(wanted), None, is_named=named is not None)]
    try:
        data = read_npz(file.data) if file.ending == ".npz" else read_text(file)
    except InvalidAnswer as error:
        return [_Found(file, named or _only(every), refused=str(error))]
    if file.ending == ".npz":
        return [_aimed(file, named or _only(every), data, is_named=named is not None)]
    tables = {name: table for name, table in data.items() if name not in _BESIDE}
    if "problem" not in data and "answer" not in data and _is_sheet(tables, every):
        parts = [_part(file, name, table, every) for name, table in tables.items()]
        return [replace(one, seed=one.seed or data.get("seed")) for one in parts]
    extra = sorted(set(data) - _BESIDE_ANSWER) if "answer" in data else []
    if extra:  # as `regard check` says it
        reason = f"answer: {extra[0][:80]!r} does not belong beside [answer]."
        return [_Found(file, named or _only(every), refused=reason)]
    said = data.get("problem")
    fields = data.get("answer", {name: data[name] for name in data if name not in _SAYS_WHICH})
    seed = data.get("seed")
    if said is None:
        found = _aimed(file, named or _only(every), fields, is_named=named is not None)
        return [replace(found, seed=seed)]
    target = next(
        (asked for asked in every if isinstance(said, str) and asked.is_called(said)), None
    )
    if target is None:
        return [_not_asked(file, str(said)[:80])]
    return [replace(_aimed(file, target, fields, is_named=True), seed=seed)]


def _not_asked(file: File, name: str) -> _Found:
    return _Found(file, None, refused=f"is an answer to {name!r}, which is not asked here.")


def _aimed(file: File, target: Asked | None, fields: Any, *, is_named: bool) -> _Found:
    if target is None:
        reason = 'does not say which problem it answers: write problem = "…", or name it so.'
        return _Found(file, None, refused=reason)
    if file.ending in CODE_ENDINGS:
        return _Found(file, target, is_named=is_named)
    if not isinstance(fields, Mapping):
        return _Found(file, target, refused="its answer must be a table of fields.")
    return _Found(file, target, fields, is_named=is_named)


def _is_sheet(tables: Mapping[str, Any], every: Sequence[Asked]) -> bool:
    """Whether every key is a table, and one of them is named by a problem."""
    if not all(isinstance(table, Mapping) for table in tables.values()):
        return False
    return any(asked.is_called(name) for asked in every for name in tables)


def _part(file: File, name: str, table: Any, every: Sequence[Asked]) -> _Found:
    target = next((asked for asked in every if asked.is_called(name)), None)
    if target is None:
        return _Found(file, None, refused=f"[{name[:80]}] is no problem that is asked here.")
    inside = table.get("answer", table)
    seed = table.get("seed") if "answer" in table else None
    return replace(_aimed(file, target, inside, is_named=True), seed=seed)


def read_text(file: File) -> dict[str, Any]:
    """Return the data of a TOML or JSON file; InvalidAnswer where it cannot be read."""
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidAnswer(f"is not text in UTF-8 (byte {error.start}).") from None
    is_json = file.ending == ".json"
    if not is_json:
        _refuse_long_keys(text)
    try:
        return parse(text, "", is_json=is_json)
    except InvalidProblem as error:
        raise InvalidAnswer(str(error).removeprefix(": ")) from None


def _refuse_long_keys(text: str) -> None:
    for line in text.splitlines():
        if line.count(".") <= MOST_DOTS:
            continue
        for piece in re.split(r"[=,{}\[\]]", line):
            parts = piece.split(".")
            if len(parts) > MOST_DOTS and all(_KEY_PART.fullmatch(part) for part in parts):
                raise InvalidAnswer(f"has a key with more than {MOST_DOTS} dots.")


def _only(every: Sequence[Asked]) -> Asked | None:
    return every[0] if len(every) == 1 else None


def _bare(label: str) -> str:
    return label.replace("(", "").replace(")", "").replace(" ", "").casefold()

"""A file that was handed in: Python, or a notebook, of which the cells are run one by one."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.checking.answers import Answer
from regard.errors import InvalidAnswer, InvalidProblem
from regard.kinds.code.spec import CodeProblem, python_error
from regard.problems.loading import parse, read_bytes

MOST_CELLS = 500
MOST_NOTEBOOK = 10_000_000  # bytes: its pictures count
MISSING = "answer: file is missing: the text of a Python file."
_OTHER_ENCODINGS = ("iso-8859-1", "iso-8859-15", "cp1252", "windows-1252")
_FORMULA = re.compile(r"[ -~]*[()=*+][ -~]{,200}(?<!\.py)(?<!\.ipynb)")  # where a file is meant
# Lines that only a notebook understands: %magic, !command, ?name, name?, and name = %magic.
_MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
_ASSIGNED = re.compile(r"^([ \t]*[\w., ]+=)[ \t]*[%!].*$", re.MULTILINE)
_AROUND = ("%%time", "%%capture", "%%prun")  # these run the rest of their cell as Python


@dataclass(frozen=True)
class Submission:
    """What was handed in.

    Attributes:
        name: what the file is called.
        cells: names and texts of what is run, in order.
    """

    name: str
    cells: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return self.name

    @property
    def is_notebook(self) -> bool:
        """Whether it came as cells, of which one may fail without the others."""
        return self.name.endswith(".ipynb")

    @property
    def uses_torch(self) -> bool:
        """Whether it does anything with torch beyond importing it: then arrays are tensors."""
        return _uses([source for _, source in self.cells], "torch")

    def calls(self, function: str) -> frozenset[str]:
        """Return the names that a function of the file uses."""
        found: set[str] = set()
        for _, source in self.cells:
            try:
                tree = ast.parse(source)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            for node in tree.body:
                if isinstance(node, ast.FunctionDef) and node.name == function:
                    found = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        return frozenset(found)


def accept(problem: CodeProblem, answer: Any) -> Answer:
    """Return the answer that a file is, or a dict or answer file with its text as `file`.

    Raises:
        InvalidAnswer: it cannot be read as Python or as a notebook.
    """
    if isinstance(answer, Answer):
        if not isinstance(answer.fields.get("file"), Submission):
            raise InvalidAnswer(MISSING)
        return answer
    if isinstance(answer, Submission):
        return Answer({"file": answer})
    if isinstance(answer, Mapping):
        return _from_fields(answer, "answer.py")
    if not isinstance(answer, str | Path):
        raise InvalidAnswer(
            f"check: an answer to {problem.id} is a Python file or a notebook. "
            f"Got {type(answer).__name__}."
        )
    path = Path(answer)
    if isinstance(answer, str) and _FORMULA.fullmatch(answer) and not path.exists():
        raise InvalidAnswer(
            f"{answer!r}: an answer to {problem.id} is a file, .py or .ipynb. To begin: "
            f"regard start {problem.id} -o mine.py"
        )
    try:
        if path.suffix == ".ipynb":
            text = _text(path, read_bytes(path, MOST_NOTEBOOK))
            return Answer({"file": Submission(path.name, _cells(text, str(path)))})
        text = _text(path, read_bytes(path))
        if path.suffix in (".toml", ".json"):
            fields = parse(text, str(path), is_json=path.suffix == ".json")
            return _from_fields(fields, path.with_suffix(".py").name)
    except InvalidProblem as error:
        raise InvalidAnswer(str(error)) from None
    if path.suffix not in (".py", ".txt", ""):
        raise InvalidAnswer(f"{path}: an answer to {problem.id} ends in .py or .ipynb.")
    return Answer({"file": _python(path.name, text)})


def _text(path: Path, data: bytes) -> str:
    """Return the text of a file; Python may say in its first lines that it is not UTF-8."""
    encoding = "utf-8-sig"
    if path.suffix == ".py":
        with contextlib.suppress(SyntaxError):
            said = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
            encoding = said if said in _OTHER_ENCODINGS else encoding
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        reason = f"is not text in UTF-8 (byte {error.start})"
        raise InvalidAnswer(f"{path}: {reason}.") from None


def _from_fields(data: Mapping[Any, Any], name: str) -> Answer:
    fields = data.get("answer", data)
    problem = data.get("problem")
    if not isinstance(fields, Mapping) or not isinstance(fields.get("file"), str):
        raise InvalidAnswer(MISSING)
    others = sorted(str(key) for key in set(fields) - {"file", "problem"})
    if others:
        raise InvalidAnswer(f"answer: {others[0][:80]!r} is no field of this kind: use file.")
    if problem is not None and not isinstance(problem, str):
        raise InvalidAnswer("answer: problem must be the id of a problem.")
    return Answer({"file": _python(name, fields["file"])}, problem)


def _python(name: str, text: str) -> Submission:
    wrong = python_error(text)
    if wrong is not None:
        raise InvalidAnswer(f"{name}: {wrong}.")
    return Submission(name, ((name, text),))


def _cells(text: str, name: str) -> tuple[tuple[str, str], ...]:
    """Return the code cells of a notebook, without what only a notebook understands."""
    try:
        data = parse(text, name, is_json=True)
        found = data["cells"]
        sources = [
            cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
            for cell in found
            if cell["cell_type"] == "code"
        ]
    except InvalidProblem as error:
        raise InvalidAnswer(str(error)) from None
    except (KeyError, TypeError, json.JSONDecodeError):
        raise InvalidAnswer(f"{name}: is no notebook (nbformat 4).") from None
    if len(sources) > MOST_CELLS:
        raise InvalidAnswer(f"{name}: has more than {MOST_CELLS} cells.")
    kept = [_without_magic(source) for source in sources]
    return tuple((f"cell {i}", source) for i, source in enumerate(kept, 1) if source.strip())


def _without_magic(source: str) -> str:
    first, _, rest = source.lstrip().partition("\n")
    if first.startswith("%%") and first.split()[0] not in _AROUND:
        return ""  # the whole cell is for another program
    if first.startswith("%%"):
        source = f"\n{rest}"  # lines keep their numbers
    try:
        ast.parse(source)
        return source
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return _MAGIC.sub(r"\1pass", _ASSIGNED.sub(r"\1 None", source))


def _uses(sources: list[str], package: str) -> bool:
    """Whether names that come from a package are used."""
    nodes: list[ast.AST] = []
    for source in sources:
        try:
            nodes += ast.walk(ast.parse(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == package:
                    names.add(alias.asname or package)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == package:
            names |= {alias.asname or alias.name for alias in node.names}
    return any(isinstance(node, ast.Name) and node.id in names for node in nodes)

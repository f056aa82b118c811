"""The parser of the formula language, from tables that were worked out before.

To work the tables out of the grammar takes longer than everything else that a short command does.
So they are in `tables.json`, which `python -m regard.language.formula.parsing.tables` writes anew;
a test sees to it that they are those of the grammar. With another release of lark than they were
made by, or another grammar, the parser is built from the grammar.
"""

from __future__ import annotations

import hashlib
import json
from importlib import resources
from pathlib import Path
from typing import Any

from regard.language.formula.parsing.grammar import GRAMMAR

FILE = "tables.json"
# Not the contextual lexer: it compiles an expression per state, some 10 ms each.
_OPTIONS = {"parser": "lalr", "lexer": "basic"}


def parser(postlex: Any, transformer: Any) -> Any:
    """Return a lark parser of the grammar."""
    import lark

    text = (resources.files(__package__) / FILE).read_text("utf-8")
    tables = json.loads(text, object_pairs_hook=_with_numbers)
    if tables["made_of"] != _made_of():
        return lark.Lark(GRAMMAR, **_OPTIONS, postlex=postlex, transformer=transformer)
    # As the parsers do that lark generates.
    return lark.Lark._load_from_dict(  # type: ignore[no-untyped-call]
        tables["data"], tables["memo"], postlex=postlex, transformer=transformer
    )


def work_out() -> str:
    """Return the tables of the grammar as JSON."""
    from lark import Lark
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    from regard.language.formula.parsing.brackets import Places

    built = Lark(GRAMMAR, **_OPTIONS, postlex=Places())  # which says what tokens it wants to see
    data, memo = built.memo_serialize([TerminalDef, Rule])
    data["options"] |= {"postlex": None}
    return json.dumps({"made_of": _made_of(), "data": data, "memo": memo})


def _made_of() -> str:
    """Tell grammars and releases of lark apart."""
    import lark

    return f"lark {lark.__version__}, {hashlib.sha256(GRAMMAR.encode()).hexdigest()[:16]}"


def _with_numbers(pairs: list[tuple[str, Any]]) -> dict[Any, Any]:
    """States have numbers for names, which JSON turns into text."""
    return {int(name) if name.isdigit() else name: value for name, value in pairs}


if __name__ == "__main__":
    (Path(__file__).parent / FILE).write_text(work_out() + "\n", "utf-8")

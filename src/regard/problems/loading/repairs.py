"""How to mend a file that is no TOML or JSON: its line, and what to write there instead.

A repair is found from the line itself. What is shown of it is short and printable.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["of_json", "of_table", "of_toml"]

_MOST: Final = 60  # characters of a line that are shown
_PAIR: Final = re.compile(r"\s*([\w.-]+)\s*=\s*(.*?)\s*")
_COLON: Final = re.compile(r"\s*([\w-]+)\s*:=?\s*(.*?)\s*[,;]?\s*")
_NUMBER: Final = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_NUMBERS: Final = re.compile(rf"[\[(]\s*({_NUMBER}(?:\s*[,;\s]\s*{_NUMBER})*)\s*[\])]")
_BEHIND: Final = re.compile(r"""("[^"]*"|'[^']*'|[\]}]|[\d.]+|true|false)\s*([;,.])\s*(?:#.*)?""")
_SEVERAL: Final = re.compile(r"""(?:"[^"]*"|'[^']*'|[\w.-]+)\s*[,;]\s*[\w.-]+\s*=.*""")
_OTHER_LINE: Final = re.compile(r"\s*(?:(?:import|from|def|class|print)\b|[\w-]+\s*,)")
_MARKS: Final = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+")
_COMMA: Final = re.compile(r"[-+]?\d+,\d+(?:[eE][-+]?\d+)?")
_BARE: Final = re.compile(r"[^,}\]\n#]+")
_TRUTHS: Final = {"True": "true", "yes": "true", "Yes": "true", "TRUE": "true"} | dict.fromkeys(
    ("False", "no", "No", "FALSE"), "false"
)


def of_toml(text: str, line: int, column: int) -> str:
    """Return what to write in this line of a TOML text; "" where that cannot be told.

    >>> of_toml("q = C (k_a + k_b)", 1, 5)
    "Text stands in quotes: q = 'C (k_a + k_b)'."
    """
    lines = text.splitlines()
    if not 0 < line <= len(lines):
        return ""
    said = lines[line - 1]
    if "\N{LEFT DOUBLE QUOTATION MARK}" in said or "\N{RIGHT DOUBLE QUOTATION MARK}" in said:
        straight = said.replace("\N{LEFT DOUBLE QUOTATION MARK}", '"')
        straight = straight.replace("\N{RIGHT DOUBLE QUOTATION MARK}", '"').strip()
        return _shown("Quotes are straight: ", straight) or 'Quotes are straight: write ".'
    if said.lstrip().startswith(("//", "%", "--", "/*")):
        return "A comment begins with #."
    pair = _PAIR.fullmatch(said)
    if pair is None:
        return _without_equals(said)
    key, value = pair.groups()
    if not key.isascii():
        return "A name is written with a-z, digits and _, such as mu_a for μ_a."
    return _of_value(key, value, said, column)


def _without_equals(said: str) -> str:
    colon = _COLON.fullmatch(said)
    if colon is not None and "=" not in colon[2]:
        value = colon[2].strip("\"'")
        return _shown("Between a name and its value stands =: ", f"{colon[1]} = '{value}'")
    if not said.strip() or "=" in said:
        return ""
    if _OTHER_LINE.match(said):
        return "Each line names its field and gives its value, such as q = 'C k_a'."
    return _shown("Each line names its field, such as ", f"q = '{said.strip()}'")


def _of_value(key: str, value: str, said: str, column: int) -> str:
    if value in _TRUTHS:
        return f"Write {key} = {_TRUTHS[value]}."
    if _SEVERAL.fullmatch(value):
        return "Each name and its value stand in a line of their own."
    if _MARKS.fullmatch(value):
        return f"A number has no commas in it: write {key} = {value.replace(',', '')}."
    if _COMMA.fullmatch(value):
        return f"Decimals have a point: write {key} = {value.replace(',', '.')}."
    behind = _BEHIND.fullmatch(value)
    if behind is not None:
        return f"Nothing stands behind a value: leave the {behind[2]} out."
    if value[:1] == '"' and "\\" in value and "'" not in value:
        plain = value.strip('"')
        start = r"LaTeX stands in single quotes, in which \ is a \: "
        return _shown(start, f"{key} = '{plain}'")
    if value[:1] in "\"'" and value.count(value[0]) % 2:
        return f"The {value[0]} before this value is never closed: write another behind it."
    if value[:1] in ("[", "("):
        return _of_list(key, value)
    inner = re.search(r"([\w-]+)\s*=\s*\Z", said[: column - 1])
    bare = _BARE.match(said, column - 1)
    if inner is not None and bare is not None and inner[1] != key:  # { value = v_a }
        return _shown("Text stands in quotes: ", f"{inner[1]} = '{bare[0].strip()}'")
    if value and value[:1] not in "\"'{":
        return _shown("Text stands in quotes: ", f"{key} = '{value.partition('#')[0].strip()}'")
    return ""


def _of_list(key: str, value: str) -> str:
    if "−" in value or "–" in value:
        return "Write a minus as -."
    numbers = _NUMBERS.fullmatch(value)
    if numbers is not None:
        entries = [_with_digit(one) for one in re.findall(_NUMBER, numbers[1])]
        return _shown("A list of numbers is written ", f"{key} = [{', '.join(entries)}]")
    if value.count("[") > value.count("]"):
        return "The [ of this list is never closed: write ] behind it."
    if re.search(r"\d\s*/\s*\d|[A-Za-z(]", value) and "{" not in value:
        return "What is no number stands in quotes, each entry by itself: [0.5, '2/3']."
    if re.search(r"(?<!\d)\.\d", value):
        return "A number has a digit before its point: 0.25."
    return ""


def _with_digit(number: str) -> str:
    """Return a number as TOML has it: 0.25 for .25."""
    return re.sub(r"(?<!\d)\.(?=\d)", "0.", re.sub(r"\.(?!\d)", ".0", number)).lstrip("+")


def _shown(before: str, fix: str) -> str:
    """Return a sentence with a line to write, unless that is long or no text."""
    if len(fix) > _MOST or not fix.isprintable() or fix.count("'") > 2:
        return ""
    return f"{before}{fix}."


def of_table(text: str) -> str:
    r"""Return what to write for a CSV file of names and values.

    >>> of_table("field,answer\nq,C k_a")
    "a CSV table is not read. Write each field as name = value in a .toml file: q = 'C k_a'."
    """
    start = "a CSV table is not read. Write each field as name = value in a .toml file"
    pairs = [one.strip().partition(",") for one in text.splitlines() if "," in one]
    told = [
        (key.strip(), value.strip("\"' ")) for key, _, value in pairs if key.strip().isidentifier()
    ]
    titles = ("field", "name", "part", "question", "problem")
    fields = [f"{key} = '{value}'" for key, value in told if key.lower() not in titles]
    return (_shown(f"{start}: ", fields[0]) if fields else "") or f"{start}."


def of_json(text: str, at: int) -> str:
    """Return what to write instead at this place of a JSON text; "" where that cannot be told.

    >>> of_json("{'q': 'k_a'}", 1)
    'Names and text stand in double quotes: "q".'
    """
    here = text[at : at + 1]
    if re.search(r",\s*\Z", text[:at]) and here in ("}", "]"):
        return f"Leave the comma before {here} out."
    if here == "\\":
        return r"In JSON every \ is written twice: \\alpha."
    if here == "'" or (here.isalpha() and re.search(r"[{,]\s*\Z", text[:at])):
        return 'Names and text stand in double quotes: "q".'
    if re.search(r":\s*\Z", text[:at]) and here.isalpha():
        return 'Text stands in double quotes: "k_a".'
    if not text[at:].strip():
        return 'It ends too early: a }, ] or " is missing.'
    return ""

"""Looks of single elements, gathered into the style sheet of a page.

Blocks carry their looks in `style` attributes, which notebooks keep. A page says with hashes which
style sheet and script it has, and then a browser ignores `style` attributes: they become classes.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_STYLE = re.compile(r'\sstyle="([^"]*)"')
_CLASS = re.compile(r'\sclass="([^"]*)"')


def gathered(body: str) -> tuple[str, str]:
    """Return HTML without style attributes, and the rules that stand for them.

    >>> gathered('<p class="a" style="margin:0">x</p>')
    ('<p class="a look-1">x</p>', '.look-1 { margin:0 }')
    """
    looks: dict[str, str] = {}

    def without(tag: re.Match[str]) -> str:
        text = tag[0]
        found = _STYLE.search(text)
        if found is None:
            return text
        name = looks.setdefault(found[1], f"look-{len(looks) + 1}")
        text = text[: found.start()] + text[found.end() :]
        if (own := _CLASS.search(text)) is not None:
            return f'{text[: own.start()]} class="{own[1]} {name}"{text[own.end() :]}'
        end = len(text) - (2 if text.endswith("/>") else 1)
        return f'{text[:end].rstrip()} class="{name}"{" " * text.endswith("/>")}{text[end:]}'

    html = _TAG.sub(without, body)
    rules = [f".{name} {{ {_unescaped(look)} }}" for look, name in looks.items()]
    return html, "\n".join(rules)


def _unescaped(look: str) -> str:
    return look.replace("&quot;", '"').replace("&#x27;", "'").replace("&amp;", "&")

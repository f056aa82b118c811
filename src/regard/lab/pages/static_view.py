"""A scene where no script runs: its title, its state and what was found, as words and tables."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from regard.lab import scenes
from regard.lab.table import Refused

MOST = 12  # rows and columns of a table


def static_view(about: Mapping[str, Any], state: Mapping[str, Any]) -> str:
    """Return HTML that survives in an untrusted notebook: no style, no script, no ids."""
    parts = [f"<h3>{escape(about['title'])}</h3>", f"<p>{escape(about['sentence'])}</p>"]
    rows = [(name, _shown(value)) for name, value in state.items()]
    parts.append(_table("state", rows))
    for label, said in scenes.answered(about, state).items():
        if isinstance(said, Refused):
            parts.append(f"<p>{escape(str(said))}</p>")
        elif hasattr(said.found, "_repr_html_"):
            parts.append(said.found._repr_html_())
        else:
            parts.append(f"<p>{escape(label)}: {escape(str(said.found))}</p>")
    return '<div class="regard-saved">' + "".join(parts) + "</div>"


def _table(caption: str, rows: list[tuple[str, str]]) -> str:
    body = "".join(f"<tr><th>{escape(n)}</th><td>{escape(v)}</td></tr>" for n, v in rows)
    return f"<table><caption>{escape(caption)}</caption><tbody>{body}</tbody></table>"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        more = [f"… ({len(value)} in all)"] if len(value) > MOST else []
        return "[" + ", ".join([_shown(item) for item in value[:MOST]] + more) + "]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)

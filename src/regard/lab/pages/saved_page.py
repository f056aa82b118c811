"""Scenes as one HTML file, which opens without a server and shows what was saved.

The answers to every question that the saved state and the steps of the story ask are in the file;
for others the page says that they need the engine.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from html import escape
from typing import Any

from regard.lab import scenes
from regard.lab.pages.bundle import bundle
from regard.lab.pages.style import style_sheet


def saved_lab(changed: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """Return the whole lab as a file: every scene as it begins, with its story.

    Args:
        changed: by the name of a scene, parts of its state that differ from how it begins.
    """
    differs = changed or {}
    told = [
        saved(name, {**scenes.about(name)["state"], **differs.get(name, {})})
        for name in scenes.names()
    ]
    return _page("The lab of regard", told)


def saved_scene(name: str, state: Mapping[str, Any]) -> str:
    """Return one scene as a file, in a state."""
    told = saved(name, state)
    return _page(f"{told['about']['title']} · regard", [told])


def saved(name: str, state: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return what is about a scene, a state, and the answers that it and the story need."""
    about = scenes.about(name)
    now = dict(about["state"] if state is None else state)
    seen: dict[str, dict[str, Any]] = {}
    for shown in [now, about["state"], *scenes.story_states(about)]:
        for record in scenes.recorded(about, shown):
            seen[json.dumps([record["ask"], record["arguments"]])] = record
    return {"about": about, "state": now, "records": list(seen.values())}


def _page(title: str, told: Iterable[dict[str, Any]]) -> str:
    scenes_told = list(told)
    entries = [f"scenes/{one['about']['name']}.js" for one in scenes_told]
    script = bundle("file.js", *entries).replace("export default ", "const modules = ")
    script += 'modules["file.js"](modules);\n'
    style = style_sheet("inside")
    data = json.dumps(scenes_told, allow_nan=False).replace("<", "\\u003c")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "font-src data:; img-src data:; base-uri 'none'; form-action 'none'"
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body class="regard-page">
<div id="lab" class="regard"></div>
<noscript>This page draws with JavaScript, which is switched off.</noscript>
<script type="application/json" id="saved">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode("ascii")

"""The style sheet of the lab: the colours of the reports, the kit, and what scenes add."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from importlib import resources

from regard.lab import scenes
from regard.report.html.page import tokens

_FACE = (
    '@font-face { font-family: "Inter"; font-weight: 100 900; font-style: normal; '
    'src: url(SOURCE) format("woff2"); }\n'
)


@cache
def style_sheet(font: str = "file") -> str:
    """Return the style sheet; everything in it is below `.regard`.

    Args:
        font: "file" has it at an address of the page, "inside" in the text, "none" leaves it out,
            for notebooks, which save the text once per scene.
    """
    text = (scenes.STATIC / "lab.css").read_text("utf-8").replace("TOKENS", tokens())
    for entry in sorted((scenes.STATIC / "scenes").iterdir(), key=lambda entry: entry.name):
        text += entry.read_text("utf-8") if entry.name.endswith(".css") else ""
    if font == "none":
        return text
    source = "/inter-latin.woff2"
    if font == "inside":
        data = (resources.files("regard.report.html") / "inter-latin.woff2").read_bytes()
        source = f"data:font/woff2;base64,{b64encode(data).decode('ascii')}"
    return _FACE.replace("SOURCE", source) + text

"""The files of the page: a table of all that there are, so that no path leads anywhere else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

from regard.lab import scenes
from regard.lab.pages.style import style_sheet

_KINDS = {
    ".js": "text/javascript",
    ".html": "text/html",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True)
class File:
    """What is sent."""

    data: bytes
    kind: str


def static_file(path: str) -> File | None:
    """Return what is behind an address of the page, or None."""
    if path == "" or (path.startswith("scene/") and path.removeprefix("scene/") in scenes.names()):
        return _files()["static/index.html"]
    return _files().get(path)


@cache
def _files() -> dict[str, File]:
    font = resources.files("regard.report.html") / "inter-latin.woff2"
    found = {
        "lab.css": File(style_sheet().encode(), "text/css"),
        "inter-latin.woff2": File(font.read_bytes(), "font/woff2"),
    }
    folders = {"static": scenes.STATIC}
    while folders:
        name, folder = folders.popitem()
        for entry in folder.iterdir():
            ending = "." + entry.name.rpartition(".")[2]
            if entry.is_dir():
                folders[f"{name}/{entry.name}"] = entry
            elif ending in _KINDS:
                found[f"{name}/{entry.name}"] = File(entry.read_bytes(), _KINDS[ending])
    return found

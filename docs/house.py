"""Draw the house: who imports whom among the folders of regard, out of the import graph.

    python docs/house.py          writes docs/house.svg
    python docs/house.py --check  fails if that picture is no longer true

The rows are those of the contract "The house" in pyproject.toml. An arrow that follows from others
(a imports b, b imports c, so a may import c) is left out.
"""

from __future__ import annotations

import sys
import tomllib
from html import escape
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "house.svg"
WIDTH, MARGIN, ROW, BOX, GAP = 860, 120, 60, 34, 20
Place = tuple[float, int, float]  # left, top, width
SAYS = {
    "cli": "the command",
    "lab": "page, notebook, file",
    "cluster": "sweeps, key stores",
    "kinds": "a folder per kind of problem",
    "solving": "findings, solutions, variants",
    "checking": "answers, verdicts",
    "design": "constructions, with proofs",
    "problems": "what is given and asked",
    "analysis": "noise, positions, exact traces",
    "certify": "claims, verified",
    "report": "text, HTML, LaTeX",
    "sandbox": "programs, boxed",
    "grading": "classes, exports",
    "language": "formulas, notation",
    "core": "attention; kernels",
    "shapes": "arguments, checked",
    "arrays": "NumPy, torch, JAX",
    "errors": "the error tree",
}


def rows() -> list[list[str]]:
    """Return the folders of each row that there is, the highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one["name"] == "The house")
    named = [
        [part.strip(" ()").removeprefix("regard.") for part in row.split("|")] for row in layers
    ]
    there = [[name for name in row if _exists(name)] for row in named]
    return [row for row in there if row]


def _exists(name: str) -> bool:
    place = ROOT / "src" / "regard" / name
    return place.is_dir() or place.with_suffix(".py").exists()


def arrows(folders: list[str]) -> list[tuple[str, str]]:
    """Return who imports whom, without what follows from the rest."""
    graph = grimp.build_graph("regard", exclude_type_checking_imports=True)
    imports = {
        (a, b)
        for a in folders
        for b in folders
        if a != b and graph.find_shortest_chain(f"regard.{a}", f"regard.{b}", as_packages=True)
    }
    return sorted(
        (a, b)
        for a, b in imports
        if not any((a, c) in imports and (c, b) in imports for c in folders)
    )


def drawn() -> str:
    """Return the picture as SVG."""
    floors = rows()
    places: dict[str, Place] = {}
    for level, floor in enumerate(floors):
        width = (WIDTH - 2 * MARGIN - GAP * (len(floor) - 1)) / len(floor)
        for place, name in enumerate(floor):
            places[name] = (MARGIN + place * (width + GAP), 12 + level * ROW, width)
    left = [float(MARGIN - 14 - 9 * k) for k in range(11)]
    right = [WIDTH - lane for lane in left]
    parts = []
    for a, b in arrows(list(places)):
        lane = 0.0
        if places[b][1] - places[a][1] > ROW:
            leaning = sum(places[name][0] + places[name][2] / 2 - WIDTH / 2 for name in (a, b))
            fuller = left if len(left) >= len(right) else right
            lane = (fuller if abs(leaning) < 1 else left if leaning < 0 else right).pop(0)
        parts.append(_arrow(places[a], places[b], lane))
    parts += [_box(name, *place) for name, place in places.items()]
    height = 12 + len(floors) * ROW - (ROW - BOX) + 12
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        'font-family="system-ui, sans-serif" font-size="13">\n'
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#8a8f98"/></marker>'
        "</defs>\n"
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _box(name: str, x: float, y: int, width: float) -> str:
    middle = x + width / 2
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{BOX}" rx="6" fill="#f3f5f9" '
        f'stroke="#3b5b92"/><text x="{middle:.0f}" y="{y + BOX / 2 + 4.5:.0f}" '
        f'text-anchor="middle"><tspan font-weight="600" fill="#1d2b45">{escape(name)}</tspan>'
        f'<tspan fill="#5b6472">  {escape(SAYS.get(name, ""))}</tspan></text>'
    )


def _arrow(above: Place, below: Place, lane: float) -> str:
    """Draw from the bottom of one box to the top of another, or round the boxes in between."""
    x, y, to, down = above[0] + above[2] / 2, above[1] + BOX, below[0] + below[2] / 2, below[1]
    if down - y < ROW:
        bend = (y + down) / 2
        path = f"M{x:.0f} {y} C{x:.0f} {bend:.0f} {to:.0f} {bend:.0f} {to:.0f} {down - 1}"
    else:
        right = lane > WIDTH / 2
        start = above[0] + above[2] * right
        end = below[0] + below[2] * right + (1 if right else -1)
        path = f"M{start:.0f} {y - 10} H{lane:.0f} V{down + BOX / 2:.0f} H{end:.0f}"
    return (
        f'<path d="{path}" fill="none" stroke="#8a8f98" stroke-width="1.3" '
        'stroke-linejoin="round" marker-end="url(#head)"/>'
    )


def main() -> None:
    """Write the picture, or compare it with what is there."""
    picture = drawn()
    if "--check" not in sys.argv:
        PICTURE.write_text(picture, "utf-8")
    elif PICTURE.read_text("utf-8") != picture:
        sys.exit("docs/house.svg is no longer true: run python docs/house.py")


if __name__ == "__main__":
    main()

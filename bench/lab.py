"""The lab in a real browser: drag to paint, time to interactive, and when the address is printed.

A drag is 100 moves of a mark, one after the other; each counts from the event of the pointer to the
end of the frame that shows its answer. One of 32 keys is dragged in *Where to look*, a value in the
other scenes that have a plane. The bare call is the question that each move asked, answered in this
process. Times are those of a clock on the wall: discard runs on a busy machine.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any
from urllib.parse import quote

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # as in the processes that answer the page

KEYS, MOVES, LOADS, STARTS = 32, 100, 7, 9
# The others have radius 1 to 1.5: outside them a query exists, among them the proof of none.
PLACES = {"reached": [1.85, 0.0], "impossible": [0.6, 0.0]}
OTHERS = (  # scene, question, state
    ("noisy-keys", "noisy_keys", {}),
    ("noisy-keys", "noisy_keys", {"heads": "null_two", "n": 6}),
    ("split-subspaces", "separate", {}),
)
FRAME_LIMIT, INTERACTIVE_LIMIT, START_LIMIT = 0.050, 0.5, 1.5  # seconds, seconds, ratio

# When the first answer was shown, beside the first byte of the page.
WATCH = """new MutationObserver((_, watch) => {
  if (!document.querySelector("[data-answered]")) return;
  watch.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.shownAt = performance.now(); }));
}).observe(document, { subtree: true, childList: true, attributes: true });"""
INTERACTIVE = """() => window.shownAt
  ? window.shownAt - performance.getEntriesByType("navigation")[0].responseStart : null"""
DRAG = """async (moves) => {
  const scene = document.querySelector("[data-asked]");
  const key = document.querySelector(".regard-handle");
  key.setPointerCapture = () => {};  // there is no real pointer to capture
  const box = key.querySelector(".regard-point").getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const send = (name, dx, dy) => key.dispatchEvent(new PointerEvent(name, {
    bubbles: true, button: 0, pointerId: 1, clientX: x + dx, clientY: y + dy }));
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;  // comes after the frame
    port2.postMessage(0);
  }));
  const shown = () => new Promise((done) => {
    const same = () => scene.dataset.asked === scene.dataset.answered;
    const watch = new MutationObserver(() => { if (same()) { watch.disconnect(); done(); } });
    watch.observe(scene, { attributes: true });
    if (same()) { watch.disconnect(); done(); }
  });
  const took = [], states = [];
  send("pointerdown", 0, 0);
  for (let move = 1; move <= moves; move += 1) {
    const before = scene.dataset.asked;
    const start = performance.now();
    send("pointermove", 15 * Math.sin(move / 5), 5 + 60 * Math.cos(move / 7));
    if (scene.dataset.asked === before) continue;  // the same place, rounded
    await shown();
    await painted();
    took.push(performance.now() - start);
    states.push(scene.dataset.answered);
  }
  send("pointerup", 0, 0);
  return { took, states };
}"""


@contextmanager
def running_lab() -> Iterator[tuple[str, str, float]]:
    """Yield address, token and the seconds until they were printed."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "regard", "lab", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=(\S+)", process.stdout.readline())
        took = time.perf_counter() - start
        try:
            assert found
            yield found[1], found[2], took
        finally:
            process.terminate()


def starts() -> None:
    helped, printed = [], []
    for _ in range(STARTS):  # taking turns, so that a busy moment hits both
        start = time.perf_counter()
        command = [sys.executable, "-m", "regard", "--help"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        helped.append(time.perf_counter() - start)
        with running_lab() as (_, _, took):
            printed.append(took)
    ratio = min(printed) / min(helped)
    print(f"regard lab prints its address / regard --help: {ratio:.2f} (at most {START_LIMIT})")


def bare(question: str, states: list[str]) -> list[float]:
    """Seconds that each question takes without page, server and process."""
    from regard.lab.table import ask, questions

    took = []
    parts = questions()[question].asked.model_fields
    asked = [{k: v for k, v in json.loads(state).items() if k in parts} for state in states]
    for arguments in [asked[0], *asked]:  # the first once more: it loads what it needs
        start = time.perf_counter()
        ask(question, arguments)
        took.append(time.perf_counter() - start)
    return took[1:]


def query(place: list[float]) -> str:
    """32 keys, the wanted one at a place, as the part of the address that says the state."""
    angles = [2 * math.pi * i / KEYS for i in range(KEYS)]
    radii = [1.0 + i % 3 / 4 for i in range(KEYS)]
    pairs = zip(radii, angles, strict=True)
    keys = [[round(r * math.cos(a), 2), round(r * math.sin(a), 2)] for r, a in pairs]
    state = {"keys": [place, *keys[1:]], "target": [1] + [0] * (KEYS - 1)}
    return said(state)


def said(state: dict[str, Any]) -> str:
    """A state as the part of the address that says it."""
    return "".join(f"&{name}={quote(json.dumps(value))}" for name, value in state.items())


def drag(page: Any, address: str, name: str, question: str) -> None:
    """Open a scene, drag its first mark, and print how long it took."""
    page.goto(address)
    page.wait_for_function(INTERACTIVE, timeout=60_000)
    page.evaluate(DRAG, 10)  # warms up
    found = page.evaluate(DRAG, MOVES)
    assert len(found["took"]) > 0.9 * MOVES
    took, call = median(found["took"]) / 1000, median(bare(question, found["states"]))
    ratio = f"{FRAME_LIMIT * 1000:.0f} ms: {took / FRAME_LIMIT:.2f} (at most 1)"
    print(f"drag to paint, {name} / {ratio}; / the bare call: {took / call:.2f}")


def pages(chromium: str) -> None:
    from playwright.sync_api import sync_playwright

    with running_lab() as (base, token, _), sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium)
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.add_init_script(WATCH)
        loads = []
        for _ in range(LOADS + 1):  # the first waits for the engine to be loaded
            page.goto(f"{base}/scene/where-to-look?token={token}{query(PLACES['reached'])}")
            loads.append(page.wait_for_function(INTERACTIVE, timeout=60_000).json_value() / 1000)
        ratio = f"{median(loads[1:]) / INTERACTIVE_LIMIT:.2f} (at most 1)"
        first = f"{loads[0] / INTERACTIVE_LIMIT:.2f} right after the start"
        print(f"first answer on the screen / {INTERACTIVE_LIMIT} s: {ratio}, {first}")
        for case, place in PLACES.items():
            address = f"{base}/scene/where-to-look?token={token}{query(place)}"
            drag(page, address, f"{KEYS} keys, {case}", "design_query")
        for scene, question, state in OTHERS:
            address = f"{base}/scene/{scene}?token={token}{said(state)}"
            name = ", ".join([scene, *(f"{part} {value}" for part, value in state.items())])
            drag(page, address, name, question)
        browser.close()


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    starts()
    if chromium is None:
        print("The pages were not measured: there is no Chromium.")
        return
    pages(chromium)


if __name__ == "__main__":
    main()

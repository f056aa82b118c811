"""Take the pictures of the lab's scenes that the documents show, in Chromium.

    python docs/lab_pictures.py                  every scene
    python docs/lab_pictures.py where-to-look    this one

Each is docs/lab/NAME.png, light, as the scene begins.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from regard.lab import scenes

FOLDER = Path(__file__).parent / "lab"
SIZE = {"width": 1040, "height": 815}
MOST_BYTES = 150_000
SHOWN = """() => {
  const scene = document.querySelector("[data-asked]");
  return scene?.dataset.asked && scene.dataset.asked === scene.dataset.answered
    && document.fonts.status === "loaded";
}"""


def small(picture: bytes) -> bytes:
    """Return a PNG with 256 colours of its own: a third of the size, and the eye sees no other."""
    out = BytesIO()
    with Image.open(BytesIO(picture)) as shot:
        fewer = shot.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    fewer.save(out, "PNG", optimize=True)
    return out.getvalue()


def main() -> None:
    """Start the lab, and take a picture of each scene that is named."""
    FOLDER.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "regard", "lab", "--no-open"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as lab,
        sync_playwright() as play,
    ):
        try:
            assert lab.stdout is not None
            found = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=(\S+)", lab.stdout.readline())
            assert found
            browser = play.chromium.launch(executable_path=shutil.which("chromium"))
            for name in sys.argv[1:] or scenes.names():
                page = browser.new_page(
                    viewport=SIZE, color_scheme="light", reduced_motion="reduce"
                )
                page.goto(f"{found[1]}/scene/{name}?token={found[2]}")
                page.wait_for_function(SHOWN, timeout=60_000)
                picture = small(page.screenshot())
                assert len(picture) < MOST_BYTES, f"{name}: {len(picture)} bytes are too many"
                (FOLDER / f"{name}.png").write_bytes(picture)
                print(f"docs/lab/{name}.png: {len(picture)} bytes")
                page.close()
            browser.close()
        finally:
            lab.terminate()


if __name__ == "__main__":
    main()

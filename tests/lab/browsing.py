"""A browser, the lab's server, and a scene on the screen: what the tests of scenes are written with."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

ANSWERED = """() => {
  const scene = document.querySelector("[data-asked]");
  return scene && scene.dataset.asked === scene.dataset.answered;
}"""


# The squares of a map are looked at as one picture: thousands of them, without a word in them.
AXE = """async (only) => {
  const exclude = document.querySelector("svg .regard-cells") ? [["svg .regard-cells"]] : [];
  return (await axe.run({ exclude }, only)).violations;
}"""


def required(reason: str) -> None:
    """Skip the test by name, or fail where the tools have to be there."""
    if os.environ.get("REGARD_REQUIRE_TOOLS"):
        pytest.fail(f"required here: {reason}")
    pytest.skip(reason, allow_module_level=True)


def needs(*packages: str) -> None:
    """Skip where a package of the extras is missing."""
    for package in packages:
        if find_spec(package) is None:
            required(f"needs {package}: pip install 'regard[lab,notebook,browser]'")


@dataclass(frozen=True)
class Lab:
    """A running server."""

    base: str
    token: str
    process: subprocess.Popen[str]
    address: str  # as it was printed

    @property
    def port(self) -> int:
        return urlsplit(self.base).port or 0

    @property
    def cookie(self) -> dict[str, str]:
        return {"Cookie": f"regard-{self.port}={self.token}"}


@contextmanager
def running_lab(*models: str) -> Iterator[Lab]:
    """Start `regard lab` on a free port, with models that may be looked into, and end it."""
    needs("fastapi", "uvicorn", "websockets")
    process = subprocess.Popen(
        [sys.executable, "-m", "regard", "lab", "--no-open", *models],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"(http://127\.0\.0\.1:\d+)/\S*\btoken=(\S+)", line)
    assert found, line
    try:
        yield Lab(found[1], found[2], process, found[0])
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


@contextmanager
def running_browser() -> Iterator[Any]:
    """Start Debian's Chromium, which can reach this machine and nothing else."""
    needs("playwright", "axe_playwright_python")
    chromium = shutil.which("chromium")
    if chromium is None:
        required("needs chromium (Debian: chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=chromium,
            args=["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
        )
        yield browser
        browser.close()


@dataclass
class Screen:
    """A scene in a page of the browser. `end()` fails if anything was logged or fetched elsewhere."""

    page: Any
    context: Any
    logged: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    @property
    def state(self) -> dict[str, Any]:
        """The state that the numbers on the screen belong to."""
        found: dict[str, Any] = json.loads(
            self.page.locator("[data-answered]").get_attribute("data-answered")
        )
        return found

    @property
    def headline(self) -> str:
        return str(self.page.locator(".regard-headline").text_content())

    def settle(self) -> None:
        """Wait until what was asked last is answered and shown."""
        self.page.wait_for_function(ANSWERED, timeout=20_000)

    def press(self, name: str) -> None:
        """Press a button by its words, and wait for the answer."""
        self.page.get_by_role("button", name=name, exact=True).click()
        self.settle()

    def reload(self) -> None:
        """Load the page again, once the address, which lags behind a hand, is that of the state."""
        link = self.copied("Copy link")
        self.page.wait_for_function("(link) => location.href === link", arg=link)
        self.page.reload()
        self.settle()

    def copied(self, name: str) -> str:
        """Press a copy button; return what it copied."""
        button = self.page.get_by_role("button", name=name, exact=True)
        handle = button.element_handle()
        button.click()
        return str(handle.evaluate("(button) => button.regardCopied"))

    def table(self) -> list[list[str]]:
        """The rows of the table behind the picture, opened."""
        fold = self.page.locator(".regard-foot details")
        fold.evaluate("(fold) => { fold.open = true; }")
        self.page.wait_for_selector(".regard-foot tbody tr")
        rows = self.page.locator(".regard-foot tbody tr")
        return [
            [str(cell.inner_text()) for cell in row.locator("th, td").all()] for row in rows.all()
        ]

    def axe(self, *rules: str) -> list[str]:
        """The findings of level serious or critical, by all rules or by these."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(axe_source())
        only = {"runOnly": {"type": "rule", "values": list(rules)}} if rules else {}
        found = self.page.evaluate(AXE, only)
        return [
            f"{one['id']}: {node['html'][:200]}"
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]

    def end(self) -> None:
        self.context.close()
        assert self.logged == []
        assert self.hosts <= {"127.0.0.1"}


def run(code: str) -> dict[str, Any]:
    """Run what was copied as Python, without its prints; return its names."""
    names: dict[str, Any] = {}
    with redirect_stdout(io.StringIO()):
        exec(compile(code, "copied", "exec"), names)
    return names


def axe_source() -> str:
    import axe_playwright_python

    (found,) = Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")
    return found.read_text("utf-8")


def open_page(browser: Any, url: str, *, width: int = 1200, scheme: str = "light") -> Screen:
    """Open an address; what the console says and which hosts are asked is kept."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    screen = Screen(context.new_page(), context)
    screen.page.on("console", lambda message: screen.logged.append(message.text))
    screen.page.on("pageerror", lambda error: screen.logged.append(str(error)))
    screen.page.on(
        "request", lambda request: screen.hosts.add(urlsplit(request.url).hostname or "127.0.0.1")
    )
    screen.page.goto(url)
    return screen


def open_scene(
    browser: Any, lab: Lab, name: str, *, width: int = 1200, scheme: str = "light", **state: Any
) -> Screen:
    """Open a scene of the lab, in a state, and wait for its first answer."""
    parts = "".join(f"&{part}={quote(json.dumps(value))}" for part, value in state.items())
    screen = open_page(
        browser, f"{lab.base}/scene/{name}?token={lab.token}{parts}", width=width, scheme=scheme
    )
    screen.settle()
    return screen

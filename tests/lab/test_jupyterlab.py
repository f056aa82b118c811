"""A scene in a real JupyterLab: a control is moved in the browser, and Python knows."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lab.browsing import needs, open_page

needs("anywidget", "jupyterlab", "nbformat", "ipykernel")

PATIENCE = 120  # seconds: kernels start slowly on a busy machine
# To run cells before the kernel is connected is answered with a dialog that asks for one.
CONNECTED = """() => {
  const open = window.jupyterapp?.shell.currentWidget;
  return open?.sessionContext?.session?.kernel?.status === "idle";
}"""
# Numbers whose right edge lies beyond what their cell shows.
CUT_OFF = """() => {
  const values = [...document.querySelectorAll(".regard-bars .regard-value")];
  const place = values[0].closest(".jp-OutputArea-output").getBoundingClientRect();
  return values.filter((one) => one.getBoundingClientRect().right > place.right + 0.5 || one.scrollWidth > one.clientWidth + 1)
    .map((one) => `${one.textContent} ends at ${one.getBoundingClientRect().right}, its cell at ${place.right}`);
}"""
RUN_ALL = "() => { window.jupyterapp.commands.execute('notebook:run-all-cells'); }"  # not awaited
CELL = """
import json, pathlib, regard
told = pathlib.Path("told.json")
scene = regard.lab.Scene("where-to-look", factor=0.5)
scene.observe(lambda change: told.write_text(json.dumps(scene.state)), "state")
scene
"""


def wait_until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, f"{what}: not within {PATIENCE} s"
        time.sleep(0.2)


@contextmanager
def running_jupyterlab(folder: Path) -> Iterator[str]:
    """Start JupyterLab in a folder that is also its home, and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    base = f"http://127.0.0.1:{port}"
    with (folder / "log.txt").open("w") as log:  # a pipe would fill up and stop the server
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port", str(port),
             "--expose-app-in-browser", "--ServerApp.ip=127.0.0.1", "--IdentityProvider.token=known",
             f"--ServerApp.root_dir={folder}", f"--LabApp.workspaces_dir={folder / 'workspaces'}"],
            stdout=log, stderr=log,
        )  # fmt: skip

        def answers() -> bool:
            assert server.poll() is None, (folder / "log.txt").read_text()
            try:
                with urllib.request.urlopen(f"{base}/api?token=known", timeout=5):
                    return True
            except OSError:
                return False

        try:
            wait_until(answers, "JupyterLab answers")
            yield base
        finally:
            server.terminate()
            server.wait(30)


@pytest.mark.slow
def test_a_control_that_is_moved_in_jupyterlab_changes_the_state_in_the_kernel(
    browser: Any, tmp_path: Path
) -> None:
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL.strip())])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}  # or it asks
    nbformat.write(notebook, tmp_path / "scene.ipynb")
    with running_jupyterlab(tmp_path) as base:
        screen = open_page(browser, f"{base}/lab/tree/scene.ipynb?token=known")
        page = screen.page
        page.set_default_timeout(PATIENCE * 1000)
        page.wait_for_function(CONNECTED)
        page.evaluate(RUN_ALL)
        page.wait_for_selector("[data-answered]")
        screen.settle()
        assert screen.state["factor"] == 0.5
        page.get_by_label("Length of the query", exact=True).press("End")
        wait_until(lambda: screen.state["factor"] == 4, "the picture follows the slider")
        told = tmp_path / "told.json"
        wait_until(told.exists, "the kernel hears of it")
        wait_until(lambda: json.loads(told.read_text() or "{}") == screen.state, "and of all of it")
        assert json.loads(told.read_text())["factor"] == 4
        for width in (1200, 640):  # a notebook beside another window
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(CUT_OFF) == []
        screen.context.close()
    assert screen.hosts <= {"127.0.0.1"}

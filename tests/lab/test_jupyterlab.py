"""A scene in a real JupyterLab: a control is moved, and Python knows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from lab.browsing import needs, open_page

needs("anywidget", "jupyterlab", "nbformat")

RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"


@pytest.mark.slow
def test_a_control_that_is_moved_changes_the_state_in_the_kernel(browser: Any, tmp_path: Path) -> None:
    import nbformat

    told = tmp_path / "told.json"
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [
        nbformat.v4.new_code_cell(
            "import json, pathlib, regard\n"
            "scene = regard.lab.Scene('where-to-look')\n"
            f"scene.observe(lambda change: pathlib.Path({str(told)!r}).write_text(json.dumps(change.new)), 'state')\n"
            "scene"
        )
    ]
    nbformat.write(notebook, tmp_path / "scene.ipynb")
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0",
         "--expose-app-in-browser", "--ServerApp.ip=127.0.0.1", f"--ServerApp.root_dir={tmp_path}"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stderr is not None
        found = None
        while found is None:
            line = server.stderr.readline()
            assert line, "JupyterLab did not start"
            found = re.search(r"(http://127\.0\.0\.1:\d+)/lab\?token=(\w+)", line)
        screen = open_page(browser, f"{found[1]}/lab/tree/scene.ipynb?token={found[2]}")
        screen.page.wait_for_selector(".jp-Notebook-cell", timeout=60_000)
        screen.page.wait_for_function("() => window.jupyterapp")
        screen.page.evaluate(RUN_ALL)
        screen.page.wait_for_selector("[data-answered]", timeout=60_000)
        screen.settle()
        screen.page.get_by_label("Length of the query", exact=True).press("End")
        screen.settle()
        assert screen.state["factor"] == 4
        deadline = time.monotonic() + 20
        while not told.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert json.loads(told.read_text())["factor"] == 4
        screen.page.screenshot(path=str(tmp_path / "jupyterlab.png"))
        screen.context.close()
    finally:
        server.terminate()
        server.wait(20)
        server.stderr.close()  # type: ignore[union-attr]

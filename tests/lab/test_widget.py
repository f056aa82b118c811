"""A scene in a notebook: its state from Python, its results as objects, what is saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from lab.browsing import needs
from regard.lab import scenes

needs("anywidget")

KEYS = np.array(scenes.about("where-to-look")["state"]["keys"])


def test_results_are_the_objects_of_the_api() -> None:
    scene = regard.lab.Scene("where-to-look")
    np.testing.assert_array_equal(scene.results["design"].query, regard.design.query(KEYS, 0).query)
    scene.state = {**scene.state, "target": [0, 0, 0, 0, 0, 1]}
    assert isinstance(scene.results["design"], regard.InfeasibleDesign)


def test_an_unknown_scene_or_part_is_named_with_those_that_there_are() -> None:
    with pytest.raises(
        regard.ParameterError, match=r"there is no scene 'x'. Use one of .*where-to-look"
    ):
        regard.lab.Scene("x")
    with pytest.raises(
        regard.ParameterError,
        match=r"'keyz' is no part of the state of where-to-look. There are keys",
    ):
        regard.lab.Scene("where-to-look", keyz=[])


def test_a_question_of_the_front_end_is_answered_or_refused_with_a_sentence() -> None:
    scene = regard.lab.Scene("where-to-look")
    sent: list[Any] = []
    scene.send = lambda content, buffers=None: sent.append(content)
    good = {"keys": [[1.0], [0.0]], "target": [1.0, 0.0]}
    scene._asked(scene, {"id": 1, "ask": "design_query", "arguments": good}, [])
    scene._asked(scene, {"id": 2, "ask": "design_query", "arguments": {}}, [])
    scene._asked(scene, {"id": 1, "cancel": True}, [])
    assert [(one["id"], sorted(one)) for one in sent] == [
        (1, ["answer", "id"]),
        (2, ["id", "problem"]),
    ]


def test_what_a_notebook_saves_has_words_and_numbers_without_a_script() -> None:
    scene = regard.lab.Scene("where-to-look", factor=0.5)
    data, _ = scene._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    html = data["text/html"]
    assert "Where to look" in html
    assert "10.8" in html or "10.76" in html
    assert "<script" not in html


def test_a_scene_is_written_to_one_file(tmp_path: Path) -> None:
    scene = regard.lab.Scene("where-to-look", factor=0.5)
    scene.to_html(tmp_path / "scene.html")
    text = (tmp_path / "scene.html").read_text("utf-8")
    assert "http://www.w3.org" in text
    assert "https://" not in text
    assert "</script><" not in text.split('id="saved">')[1].split("</script>")[0]


def test_what_each_widget_saves_stays_small() -> None:
    scene = regard.lab.Scene("where-to-look")
    assert len(scene._esm) + len(scene._css) < 100_000


@pytest.mark.slow
def test_a_notebook_runs_and_its_page_shows_what_was_saved(tmp_path: Path) -> None:
    needs("nbclient", "nbconvert", "ipykernel")
    import nbformat
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    notebook = nbformat.v4.new_notebook()
    for name in scenes.names():
        notebook.cells.append(
            nbformat.v4.new_code_cell(f"import regard\nregard.lab.Scene({name!r})")
        )
    moved = 'regard.lab.Scene("where-to-look", factor=0.375, target=[0, 0, 0, 0, 0, 1])'
    notebook.cells.append(nbformat.v4.new_code_cell(moved))
    NotebookClient(notebook, timeout=120, store_widget_state=False).execute()
    page, _ = HTMLExporter().from_notebook_node(notebook)
    for name in scenes.names():
        assert scenes.about(name)["sentence"].split(".")[0] in page
    assert "<th>factor</th><td>0.375</td>" in page  # as it was saved, not as it begins
    assert "no query gives key 5 more than 0.166918" in page  # 0.1669173…, rounded up
    assert "application/vnd.jupyter.widget-state" not in page  # that would want a network

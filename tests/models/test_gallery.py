"""The page: a map of each head, the kernel with its window, nothing that has to be loaded."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import regard
from models import small_models
from regard.models.gallery import gallery
from regard.report.html.page import page_with


@pytest.fixture
def offset_head(tmp_path: Path) -> regard.models.Inspection:
    path = regard.models.export(regard.design.offset(2, 64, n=97), tmp_path / "head.safetensors")
    return regard.models.inspect(regard.models.load(path))


def test_an_offset_head_is_a_diagonal_and_one_orange_bar_two_to_the_right_of_0(
    offset_head: regard.models.Inspection,
) -> None:
    item = ElementTree.fromstring(gallery(offset_head)).find(".//li")
    assert item is not None
    squares, bars = item.findall("svg")
    full = [path for path in squares.iter("path") if path.get("stroke-opacity") == "1"]
    drawn = full[0].get("d", "")
    assert all(f"M{row - 2} {row + 0.5:g}h1" in drawn for row in range(2, 24))
    assert drawn.count("M") == 24  # and the first two rows, which have nothing two back
    orange = [
        path.get("d", "") for path in bars.iter("path") if path.get("stroke") == "var(--target)"
    ]
    assert [d.split(" ")[0] for d in orange] == ["M14.5"]  # 12 shifts lie left of 0, and 2 more


def test_every_head_has_a_map_and_the_striking_come_first(tmp_path: Path) -> None:
    folder = small_models.write(tmp_path, small_models.llama(), small_models.LLAMA_CONFIG)
    for tokens in (None, "repeated"):
        found = regard.models.inspect(regard.models.load(folder), tokens)
        items = ElementTree.fromstring(gallery(found)).findall(".//li")
        assert [item.findtext(".//b") for item in items] == [one.name for one in found.striking]
        strengths = [one.strength for one in found.striking]
        assert strengths == sorted(strengths, reverse=True)


def test_the_page_is_well_formed_and_loads_nothing(offset_head: regard.models.Inspection) -> None:
    page = page_with(offset_head.report(), gallery(offset_head))
    ElementTree.fromstring(page.removeprefix("<!DOCTYPE html>"))
    assert "A map of each head" in page
    assert not any(word in page for word in ("<img", "<script", "http://", "https://example"))


def test_a_causal_head_shows_no_shift_ahead(tmp_path: Path) -> None:
    folder = small_models.write(tmp_path, small_models.gpt2(), small_models.GPT2_CONFIG)
    found = regard.models.inspect(regard.models.load(folder))
    label = ElementTree.fromstring(gallery(found)).findall(".//svg")[1].get("aria-label", "")
    assert label.startswith("Weight at shifts 0 to 24")
    assert np.isnan(found.heads[0].kernel[: found.n - 1]).all()


def test_a_notebook_shows_where_the_striking_heads_look(tmp_path: Path) -> None:
    folder = small_models.write(tmp_path, small_models.gpt2(), small_models.GPT2_CONFIG)
    for tokens in (None, "repeated"):
        found = regard.models.inspect(regard.models.load(folder), tokens)
        drawn = found.plot().axes
        assert len(drawn) == min(8, len(found.heads))
        for axes, one in zip(drawn, found.striking, strict=False):
            assert axes.get_title(loc="left").startswith(f"{one.name} {one.label}")
            seen = one.pattern if tokens is None else one.seen_pattern
            assert seen is not None
            np.testing.assert_array_equal(axes.images[0].get_array(), seen[:24, :24])
    shown = found._repr_html_()
    assert shown.index("<svg") < shown.index("<details>") < shown.index("<table")

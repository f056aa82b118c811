"""`regard inspect` on small models."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.running import run
from models import small_models


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = small_models.write(
        tmp_path_factory.mktemp("bert"), small_models.bert(), small_models.BERT_CONFIG
    )
    return str(made)


def test_the_table_has_every_head_and_says_what_is_extrapolated(folder: str) -> None:
    done = run("inspect", folder)
    assert done.returncode == 0
    assert "bert from safetensors: 2 layers of 3 heads" in done.stdout
    assert all(f" {layer}.{head} " in done.stdout for layer in (0, 1) for head in range(3))
    assert "an extrapolation" in done.stdout
    assert "Formulas" not in done.stdout


def test_json_has_the_same_keys_with_and_without_tokens(folder: str) -> None:
    plain = json.loads(run("inspect", folder, "--json").stdout)
    on_tokens = json.loads(run("inspect", folder, "--json", "--tokens", "repeated").stdout)
    assert [set(one) for one in plain["heads"]] == [set(one) for one in on_tokens["heads"]]
    assert plain["heads"][0]["induction"] is None
    assert 0 <= on_tokens["heads"][0]["induction"] <= 1
    assert (plain["tokens"], on_tokens["tokens"], on_tokens["period"]) == (0, 28, 14)


def test_own_tokens_are_run_as_they_are(folder: str) -> None:
    data = json.loads(run("inspect", folder, "--json", "--tokens", "5,6,7,5,6,7,5").stdout)
    assert data["tokens"] == 7
    assert data["period"] is None or data["period"] == 3
    assert any("period 3" in note for note in data["notes"])


def test_only_the_layers_asked_for_are_shown(folder: str) -> None:
    data = json.loads(run("inspect", folder, "--json", "--layers", "1").stdout)
    assert [(one["layer"], one["head"]) for one in data["heads"]] == [(1, 0), (1, 1), (1, 2)]


def test_a_page_is_written(folder: str, tmp_path: Path) -> None:
    done = run("inspect", folder, "-o", str(tmp_path / "page.html"))
    assert done.returncode == 0
    page = (tmp_path / "page.html").read_text()
    assert "the striking ones first" in page
    assert "exp(−Σ p log p)" in page


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--tokens", "1,99"], "tokens must lie between 0 and 22"),
        (["--tokens", "a,b"], "--tokens a,b: must be whole numbers with commas between."),
        (["--tokens", "1"], "tokens must be 2 to 29 whole numbers"),
        (["--layers", "2"], "layers must be some of 0 to 1"),
        (["--window", "30"], "n must be at most 29"),
    ],
)
def test_wrong_options_are_said_with_exit_code_2(folder: str, more: list[str], said: str) -> None:
    done = run("inspect", folder, *more)
    assert done.returncode == 2
    assert said in done.stderr

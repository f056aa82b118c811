"""The command `regard`, run as a person runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import regard
from regard.cli import app, main
from regard.cli import doctor as doctor_module


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "regard", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "100", "NO_COLOR": "1"} | variables,
    )


def test_version_prints_the_version_of_the_package() -> None:
    result = run("--version")
    assert (result.returncode, result.stdout) == (0, f"regard {regard.__version__}\n")
    assert metadata.version("regard") == regard.__version__


def test_no_command_shows_the_help() -> None:
    result = run()
    assert "doctor" in result.stdout + result.stderr


def test_an_unknown_command_is_exit_code_2() -> None:
    result = run("frobnicate")
    assert result.returncode == 2
    assert "No such command 'frobnicate'" in result.stderr


def test_doctor_names_kernel_threads_and_packages() -> None:
    result = run("doctor", REGARD_THREADS="3")
    assert result.returncode == 0
    lines = dict(line.strip().split(maxsplit=1) for line in result.stdout.splitlines())
    assert lines["regard"] == regard.__version__
    assert lines["NumPy"].startswith(np.__version__)
    assert lines["kernel"].startswith(("C, for ", "NumPy tiles"))
    assert lines["threads"] == "3 (REGARD_THREADS=3)"
    assert lines["self-test"].startswith("agrees with the reference")


def test_doctor_says_when_the_kernel_is_that_of_numpy() -> None:
    result = run("doctor", REGARD_KERNEL="numpy")
    assert result.returncode == 0
    assert "NumPy tiles (" in result.stdout
    assert json.loads(run("doctor", "--json", REGARD_KERNEL="numpy").stdout)["kernel"] == "numpy"


def test_doctor_prints_one_json_object() -> None:
    found = json.loads(run("doctor", "--json").stdout)
    assert found["correct"] is True
    assert found["largest_error"] < 1e-14
    assert found["numpy"] == np.__version__
    assert set(found["optional"]) == {"torch", "jax", "ml_dtypes"}


def test_doctor_notices_a_kernel_that_computes_something_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = regard.attention_with_weights
    monkeypatch.setattr(
        regard, "attention_with_weights", lambda *a, **k: right(*a, **{**k, "softcap": None})
    )
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 3
    assert "DISAGREES with the reference" in result.stdout


def test_a_setting_that_cannot_be_used_is_exit_code_2_and_one_sentence() -> None:
    result = run("doctor", REGARD_THREADS="none")
    assert result.returncode == 2
    assert result.stderr == (
        "regard: the environment variable REGARD_THREADS must be a whole number ≥ 1. Got 'none'.\n"
    )


def test_a_fault_of_its_own_is_exit_code_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise RuntimeError("no such luck")

    monkeypatch.setattr(doctor_module, "examine", fail)
    monkeypatch.setattr(sys, "argv", ["regard", "doctor"])
    with pytest.raises(SystemExit) as leaving:
        main()
    assert leaving.value.code == 3
    assert "RuntimeError('no such luck')" in capsys.readouterr().err


def test_every_command_has_one_line_of_help() -> None:
    for command in typer.main.get_group(app).commands.values():  # type: ignore[attr-defined]
        assert command.help
        assert "\n" not in command.help.strip()

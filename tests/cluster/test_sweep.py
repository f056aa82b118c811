from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

import regard.cluster.sweeps.run as running
from cluster import cell_functions
from cluster.cell_functions import calls_in
from cluster.processes import COMMAND, finish, run, start, until
from regard.cluster import ClusterError, sweep
from regard.cluster.sweeps.checkpoint import Checkpoint
from regard.cluster.sweeps.settings import read_cells
from regard.errors import ParameterError


def test_the_table_has_the_same_bits_here_in_one_and_in_two_processes_and_in_any_order() -> None:
    grid = {"i": list(range(101)), "method": ["a", "b"]}
    here = sweep(cell_functions.draw, grid, seed=3, workers=0)
    for workers in (1, 2):
        assert sweep(cell_functions.draw, grid, seed=3, workers=workers).rows == here.rows
    backwards = [cell.settings for cell in reversed(read_cells("sweep", grid))]
    turned = sweep(cell_functions.draw, backwards, seed=3, workers=2)
    assert turned.rows[::-1] == here.rows
    assert len(set(here.column("first"))) == 202
    cell = read_cells("sweep", grid)[0]  # and they are the numbers of NumPy's own child stream
    rng = np.random.default_rng(np.random.SeedSequence(3, spawn_key=cell.stream))
    assert here.column("first")[0] == rng.standard_normal()


def test_a_setting_called_seed_draws_again_and_need_not_be_an_argument() -> None:
    table = sweep(cell_functions.draw, {"i": [4], "seed": range(5)}, workers=0)
    assert len(set(table.column("first"))) == 5
    told = sweep(lambda seed: seed * 2, {"seed": [3, 5]}, workers=0)
    assert told.column("result") == [6, 10]
    caught = sweep(lambda **given: given["seed"], {"seed": [3, 5]}, workers=0)
    assert caught.column("result") == [3, 5]


def test_a_cell_that_raises_is_a_row_and_not_the_end() -> None:
    table = sweep(cell_functions.fail_at, {"i": range(7), "at": 3}, workers=2)
    assert table.column("result") == [0.0, 1.5, 3.0, None, 6.0, 7.5, 9.0]
    assert table.column("status").count("failed") == 1
    assert table.column("message")[3] == "ZeroDivisionError: i is the wrong one"


@pytest.mark.parametrize("workers", [0, 1])
def test_a_cell_that_exits_or_raises_what_cannot_be_written_is_a_row(
    tmp_path: Path, workers: int
) -> None:
    table = sweep(cell_functions.go_wrong, {"i": range(3)}, workers=workers)
    assert table.column("status") == ["failed", "failed", "done"]
    assert table.column("message") == [
        "Unspeakable: what it says cannot be written",
        "SystemExit: 3",
        "",
    ]
    table.write(tmp_path / "table.csv")
    assert "half of a pair: \\ud800" in (tmp_path / "table.csv").read_text()


def test_a_cell_that_kills_its_process_is_a_row_and_no_other_is_blamed() -> None:
    table = sweep(cell_functions.kill_at, {"i": range(200), "at": 137}, workers=2)
    assert table.counts == {"done": 199, "killed": 1}
    assert table.column("result") == [None if i == 137 else i * i for i in range(200)]
    assert table.column("message")[137].startswith("ended its worker process when it ran alone")


def test_a_cell_that_takes_more_memory_than_it_may_is_a_row() -> None:
    grid = {"i": range(5), "at": 2, "megabytes": 700}
    table = sweep(cell_functions.take_memory, grid, workers=2, memory="300MiB")
    assert table.column("result") == [0, 1, None, 3, 4]
    assert table.column("message")[2].startswith("out of memory: Unable to allocate 700. MiB")
    enough = sweep(cell_functions.take_memory, grid, workers=2, memory="900MiB")
    assert enough.counts == {"done": 5}


def test_a_worker_killed_from_outside_changes_nothing(tmp_path: Path) -> None:
    grid = {"i": range(60), "folder": str(tmp_path), "pause": 0.02}
    killed = []

    def told(done: int, total: int) -> None:
        if done > 10 and not killed:
            killed.append(_children()[0])
            os.kill(killed[0], signal.SIGKILL)

    table = sweep(cell_functions.write_down, grid, workers=2, progress=told)
    assert killed
    assert table.counts == {"done": 60}
    assert table.rows == sweep(cell_functions.write_down, grid, workers=0).rows
    assert _children() == []  # nor is a process left


def _children() -> list[int]:
    """Return the worker processes that this one has started."""
    found = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [int(x) for x in found if b"sweeps.worker" in Path(f"/proc/{x}/cmdline").read_bytes()]


def test_workers_are_no_copies_of_a_process_whose_threads_hold_locks() -> None:
    with cell_functions.LOCK:
        table = sweep(cell_functions.take_lock, {"i": range(3)}, workers=2)
    assert table.column("result") == [True] * 3


def test_functions_of_a_script_run_in_processes_of_their_own_and_the_script_runs_once(
    tmp_path: Path,
) -> None:
    (tmp_path / "script.py").write_text(
        "import os\n"
        "import regard.cluster\n"
        "SQUARE = 2\n"
        "def power(i):\n"
        "    return {'power': i**SQUARE, 'pid': os.getpid()}\n"
        "table = regard.cluster.sweep(power, {'i': [2, 3, 5]}, workers=2)\n"
        "print(table.column('power'), os.getpid() in table.column('pid'))\n"
    )
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[4, 9, 25] False\n", "")


def test_a_function_that_cannot_be_sent_to_workers_is_a_sentence() -> None:
    lock = threading.Lock()
    with pytest.raises(ParameterError) as error:
        sweep(lambda i: lock.locked(), {"i": range(3)}, workers=2)
    assert str(error.value) == (
        "sweep: the function cannot be sent to worker processes: cannot pickle '_thread.lock' "
        "object. Let it make what it needs when it is called, or run with workers=0 (--workers 0)."
    )


def test_a_function_that_workers_cannot_load_is_a_sentence() -> None:
    with pytest.raises(ParameterError) as error:
        sweep(cell_functions.Unloadable(), {"i": range(3)}, workers=2)
    assert str(error.value) == (
        "sweep: worker processes cannot load the function: ZeroDivisionError: not here. Define it "
        "in a module that they can import, or run with workers=0 (--workers 0)."
    )
    assert _children() == []


def test_a_sweep_that_was_killed_goes_on_and_does_only_what_is_missing(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    program = """
import sys
from cluster import cell_functions
from regard.cluster import sweep
sweep(cell_functions.write_down, {"i": range(80), "folder": sys.argv[1], "pause": 0.03},
      workers=2, checkpoint=sys.argv[1] + "/kept")
"""
    process = start(program, tmp_path)
    until(lambda: kept.exists() and kept.read_bytes().count(b"\n") > 20)
    process.kill()
    finish(process)
    kept.write_bytes(kept.read_bytes() + b"0123456789abcdef {half a li")  # as a kill may leave it
    there = kept.read_bytes().count(b"\n") - 1
    assert 20 <= there < 80
    (tmp_path / "calls").unlink()
    grid = {"i": range(80), "folder": str(tmp_path), "pause": 0.03}
    table = sweep(cell_functions.write_down, grid, workers=2, checkpoint=kept)
    assert len(calls_in(tmp_path)) == 80 - there == 80 - table.resumed
    assert table.rows == sweep(cell_functions.write_down, grid, workers=0).rows


def test_the_processes_of_a_sweep_that_was_killed_end(tmp_path: Path) -> None:
    program = """
import sys
from cluster import cell_functions
from regard.cluster import sweep
sweep(cell_functions.write_down, {"i": range(9), "folder": sys.argv[1], "pause": 5.0}, workers=2)
"""
    process = start(program, tmp_path)
    until(lambda: len(calls_in(tmp_path)) >= 2)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) >= 2
    process.kill()
    finish(process)
    until(lambda: not any(_runs(child) for child in children), 20)


def _runs(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _grid(tmp_path: Path, n: int = 11) -> dict[str, object]:
    return {"i": range(n), "folder": str(tmp_path)}


def test_a_damaged_checkpoint_is_noticed_and_only_the_damaged_part_is_redone(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    first = sweep(cell_functions.write_down, _grid(tmp_path), workers=0, checkpoint=kept)
    lines = kept.read_bytes().splitlines(keepends=True)
    assert len(lines) == 12
    lines[4] = lines[4].replace(b'"result":0.', b'"result":1.', 1)  # one number is another
    lines[7] = b"\x00\xff" + lines[7][2:]
    kept.write_bytes(b"".join(lines)[:-3])  # and the last line is torn
    (tmp_path / "calls").unlink()
    again = sweep(cell_functions.write_down, _grid(tmp_path), workers=0, checkpoint=kept)
    assert again.rows == first.rows
    assert sorted(calls_in(tmp_path)) == [3, 6, 10]
    assert (again.resumed, again.damaged) == (8, 3)
    (tmp_path / "calls").unlink()
    third = sweep(cell_functions.write_down, _grid(tmp_path), workers=0, checkpoint=kept)
    assert calls_in(tmp_path) == []
    assert (third.rows, third.damaged) == (first.rows, 0)


def test_a_checkpoint_without_the_line_that_says_whose_it_is_is_not_believed(
    tmp_path: Path,
) -> None:
    kept = tmp_path / "kept"
    sweep(cell_functions.write_down, _grid(tmp_path), workers=0, checkpoint=kept)
    kept.write_bytes(b"".join(kept.read_bytes().splitlines(keepends=True)[1:]))
    table = sweep(cell_functions.write_down, _grid(tmp_path), workers=0, checkpoint=kept)
    assert (table.resumed, table.damaged) == (0, 11)
    assert len(calls_in(tmp_path)) == 22


def test_a_grid_that_grows_takes_over_what_is_there(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    small = sweep(cell_functions.write_down, _grid(tmp_path, 7), workers=0, checkpoint=kept)
    large = sweep(cell_functions.write_down, _grid(tmp_path, 13), workers=0, checkpoint=kept)
    assert large.resumed == 7
    assert large.rows[:7] == small.rows
    assert len(calls_in(tmp_path)) == 13


@pytest.mark.parametrize("change", ["seed", "function", "paired"])
def test_the_checkpoint_of_another_sweep_is_refused(tmp_path: Path, change: str) -> None:
    kept = tmp_path / "kept"
    sweep(cell_functions.draw, {"i": range(3)}, workers=0, checkpoint=kept)
    with pytest.raises(
        ClusterError, match=r"is the checkpoint of another sweep: .* was .*, and is"
    ):
        sweep(
            (lambda i: i) if change == "function" else cell_functions.draw,
            {"i": range(3)},
            seed=1 if change == "seed" else 0,
            paired=["i"] if change == "paired" else (),
            workers=0,
            checkpoint=kept,
        )


def test_what_failed_is_done_again_only_where_that_is_asked_for(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    grid = {"i": range(3), "at": 1}
    sweep(cell_functions.fail_at, grid, workers=0, checkpoint=kept)
    assert sweep(cell_functions.fail_at, grid, workers=0, checkpoint=kept).resumed == 3
    again = sweep(cell_functions.fail_at, grid, workers=0, checkpoint=kept, retry=True)
    assert (again.resumed, again.counts) == (2, {"done": 2, "failed": 1})


def test_two_sweeps_do_not_write_to_one_checkpoint(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    holder = Checkpoint.open(kept, {"sweep": "x"})
    with pytest.raises(ClusterError, match="another sweep is writing to it"):
        sweep(cell_functions.draw, {"i": [1]}, workers=0, checkpoint=kept)
    holder.close()


FULL = """
import sys
from cluster import cell_functions
from regard.cluster import ClusterError, sweep
folder, limited = sys.argv[1:]
if limited == "file":
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
with open(folder + "/table.csv", "w") as file:  # while there is room
    file.write("before")
try:
    table = sweep(cell_functions.draw, {"i": range(2000)}, workers=0, checkpoint=folder + "/kept")
except ClusterError as error:
    print(error)
table = sweep(cell_functions.draw, {"i": range(2000)}, workers=0)
try:
    table.write(folder + "/table.csv")
except ClusterError as error:
    print(error)
print(open(folder + "/table.csv").read())
"""


def _check_full(done: subprocess.CompletedProcess[str], folder: Path, reason: str) -> None:
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        f"{folder}/kept: cannot be written: {reason}. What was done before is kept: make room, "
        f"and run the same again.\n{folder}/table.csv: cannot be written: {reason}.\nbefore\n"
    )
    assert sorted(x.name for x in folder.iterdir()) == ["kept", "table.csv"]  # nothing half-written
    lines = (folder / "kept").read_bytes()
    assert lines.endswith(b"\n")
    assert lines.count(b"\n") > 50


def test_a_file_that_cannot_grow_is_a_clear_error_and_leaves_nothing_half_written(
    tmp_path: Path,
) -> None:
    _check_full(run(FULL, tmp_path, "file"), tmp_path, "file too large")
    table = sweep(cell_functions.draw, {"i": range(2000)}, workers=0, checkpoint=tmp_path / "kept")
    assert 0 < table.resumed < 2000
    assert table.damaged == 0


def test_a_full_disk_is_a_clear_error_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("a small disk cannot be mounted here: mount is refused")
    try:
        _check_full(run(FULL, tmp_path, "disk"), tmp_path, "no space left on device")
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_batches_grow_until_they_take_long_enough_and_all_slots_have_work() -> None:
    class Engine:
        slots, tries = 2, 1

        def __init__(self) -> None:
            self.sizes: list[int] = []
            self.waiting: list[object] = []

        def submit(self, cells: list[object]) -> None:
            self.sizes.append(len(cells))
            self.waiting.append(cells)

        def wait(self) -> object:
            from regard.cluster.sweeps.engines import Answer

            cells = self.waiting.pop(0)
            return Answer(cells, [None] * len(cells), 1e-3 * len(cells))  # type: ignore

        def close(self) -> None: ...

    engine, seen = Engine(), []
    running.run_cells(engine, list(range(1000)), seen.extend)  # type: ignore[arg-type]
    assert len(seen) == 1000
    assert engine.sizes[0] == 1
    assert 100 < max(engine.sizes) <= 250  # a quarter of a second, at a millisecond each
    assert len(engine.sizes) < 50


TOML = """
title = "Copying one key"
what = "design.query"
seed = 5
[grid]
n = [5, 11]
tolerance = [0.1, 0.001]
[settings]
d = 7
[plot]
x = "n"
y = "norm"
"""


def test_the_command_writes_the_table_and_the_picture_and_goes_on_from_the_checkpoint(
    tmp_path: Path,
) -> None:
    (tmp_path / "copy.toml").write_text(TOML)
    done = run("-m", "regard", "sweep", "copy.toml", "--plot", "--workers", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "4 cells, all done." in done.stdout
    assert "The same in every cell: d = 7, " in done.stdout  # not once more in each row
    assert "norm against n" in done.stdout
    assert "tolerance = 0.001" in (tmp_path / "copy.html").read_text()
    text = (tmp_path / "copy.csv").read_text().splitlines()
    assert text[0].startswith("d,n,tolerance,target,status,error,margin,scale,leak,norm")
    again = run("-m", "regard", "sweep", "copy.toml", "--json", "-o", "t.json", "--checkpoint",
                "copy.csv.checkpoint", cwd=tmp_path)  # fmt: skip
    said = json.loads(again.stdout)
    assert said["resumed"] == 4
    rows = (tmp_path / "copy.csv").read_text().splitlines()[1:]
    assert [repr(row["norm"]) for row in said["rows"]] == [row.split(",")[9] for row in rows]


def test_ctrl_c_stops_the_command_and_says_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(
        'what = "analysis.simulate_dot_product"\n[settings]\nsamples = 300000\n[grid]\nseed = { from = 0, to = 1999 }\n'
    )
    process = start(COMMAND, "sweep", "long.toml", "--workers", "2", cwd=tmp_path)
    kept = tmp_path / "long.csv.checkpoint"
    until(lambda: kept.exists() and kept.read_bytes().count(b"\n") > 2)
    process.send_signal(signal.SIGINT)
    done = finish(process)
    assert done.returncode == 130
    count = kept.read_bytes().count(b"\n") - 1
    assert done.stderr == (
        f"Stopped after {count} of 2000 cells. What is done is kept in long.csv.checkpoint: run the "
        "same again, and it goes on from there.\n"
    )
    assert not (tmp_path / "long.csv").exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("wat = 3", "bad.toml: there is no key 'wat'. Did you mean what?"),
        ("[grid]\nn = [1]", "bad.toml: say either what ="),
        ('what = "design.query"\n[draw]\nkeys = { law = "gausian", shape = ["n"] }', "there is no law 'gausian'. Did you mean gaussian?"),
        ('what = "design.query"\n[grid]\nn = [3, 3]', "bad.toml: cells 0 and 1 have the same settings"),
        ('what = "design.query"\n[draw]\nkys = { law = "gaussian", shape = ["n"] }', "has no argument 'kys' to draw. Did you mean keys?"),
        ("what = ", "bad.toml: is not TOML"),
        ('what = "design.query"\n[grid]', "bad.toml: grid is empty: there is nothing to do. Give"),
        ('what = "design.query"\n[grid]\nnorm = [nan]', "bad.toml: norm is NaN, not a number. Leave"),
        ('problem = "avrage-two-values"\n[grid]\nn = [4]', "bad.toml: problem = avrage-two-values: there is neither a bundled problem nor a file of this name. Did you mean average-two-values?"),
    ],
)  # fmt: skip
def test_files_that_cannot_be_used_are_refused_in_a_sentence(
    tmp_path: Path, text: str, sentence: str
) -> None:
    from cli.running import run as command

    (tmp_path / "bad.toml").write_text(text)
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        done = command("sweep", "bad.toml")
    finally:
        os.chdir(before)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert [x.name for x in tmp_path.iterdir()] == ["bad.toml"]


def test_tables_read_back_to_the_same_bits(tmp_path: Path) -> None:
    table = sweep(cell_functions.draw, {"i": range(23)}, workers=0)
    for name in ("t.csv", "t.json"):
        table.write(tmp_path / name)
    lines = [line.split(",") for line in (tmp_path / "t.csv").read_text().splitlines()]
    assert [float(line[lines[0].index("first")]) for line in lines[1:]] == table.column("first")
    assert json.loads((tmp_path / "t.json").read_text()) == table.to_dicts()
    table.write(tmp_path / "t.parquet")
    stored = pyarrow.parquet.read_table(tmp_path / "t.parquet")
    assert stored.column_names == list(table.columns)
    assert stored["first"].to_pylist() == table.column("first")
    assert stored["i"].to_pylist() == list(range(23))  # whole numbers, not words
    odd = sweep(lambda x: {"y": 2 * x, "z": x - x}, {"x": [1.5, math.inf, -math.inf]}, workers=0)
    odd.write(tmp_path / "odd.json")

    def refused(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    rows = json.loads((tmp_path / "odd.json").read_text(), parse_constant=refused)
    assert [(row["x"], row["y"], row["z"]) for row in rows] == [
        (1.5, 3.0, 0.0), ("inf", "inf", None), ("-inf", "-inf", None),
    ]  # fmt: skip
    with pytest.raises(ParameterError, match=r"t\.xls: a table ends in \.csv, \.json or \.parquet"):
        table.write(tmp_path / "t.xls")


def test_parts_of_dask_are_not_loaded_by_what_does_not_need_them() -> None:
    program = (
        "import sys, regard, regard.cluster\n"
        "regard.cluster.sweep(lambda i: i, {'i': [1]}, workers=0)\n"
        "regard.cluster.attention([[1.0]], [[1.0]], [[1.0]])\n"
        "print({'dask', 'distributed', 'zarr', 'pyarrow', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"

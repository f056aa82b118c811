"""On a real scheduler with real worker processes, and what happens when these are killed.

Tests share a scheduler: what one kills it replaces.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import regard
from cluster import cell_functions
from cluster.cell_functions import calls_in
from cluster.processes import COMMAND, finish, run, start, until
from cluster.real_cluster import RealCluster, dask_or_skip, real_cluster
from regard.cluster import sweep

dask_or_skip()

SWEEP = """
import sys
from cluster import cell_functions
from regard.cluster import ClusterError, sweep
address, folder, n, pause = sys.argv[1:]
try:
    table = sweep(cell_functions.write_down, {"i": range(int(n)), "folder": folder, "pause": float(pause)},
                  seed=11, cluster=address, checkpoint=folder + "/kept")
    print(table.column("result"), set(table.column("status")), table.resumed)
except ClusterError as error:
    print(error)
"""

ATTENTION = """
import os, sys, time
import numpy as np, regard.cluster
address, folder, memory = sys.argv[1:]
query = np.load(folder + "/query.npy")
def told(done, total):
    open(folder + "/progress", "w").write(str(done))
    while 0 < done < total and not os.path.exists(folder + "/killed"):
        time.sleep(0.01)
found = regard.cluster.attention(query, folder + "/key.npy", folder + "/value.npy", client=address,
                                 memory=memory, top=3, progress=told)
np.savez(folder + "/found.npz", output=found.output, lse=found.lse, keys=found.statistics.top_keys,
         entropy=found.statistics.entropy)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    with real_cluster(tmp_path_factory.mktemp("dask"), workers=2) as found:
        yield found


def _expected(folder: Path, n: int, pause: float) -> list[float]:
    grid = {"i": range(n), "folder": str(folder), "pause": pause}
    cells = regard.cluster.sweeps.settings.read_cells("sweep", grid)
    return [regard.cluster.sweeps.settings.generator(11, cell.stream).random() for cell in cells]


def test_the_doctor_describes_the_workers_and_finds_nothing_wrong(cluster: RealCluster) -> None:
    done = run("-m", "regard", "doctor", "--cluster", cluster.address, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["problems"] == []
    assert [(w["tasks"], w["threads"], w["threads_by"]) for w in found["workers"]] == [
        (1, 1, "regard")
    ] * 2
    assert {w["versions"]["regard"] for w in found["workers"]} == {regard.__version__}
    assert found["scheduler"]["numpy"] == np.__version__
    assert all(w["memory"] == 2_000_000_000 for w in found["workers"])


def test_a_sweep_of_the_command_has_the_same_bits_on_the_cluster(
    cluster: RealCluster, tmp_path: Path
) -> None:
    (tmp_path / "noise.toml").write_text(
        'what = "analysis.key_noise"\nseed = 3\n[grid]\nscale = [1, 7]\nheads = [1, 2]\nnoise = [0.1, 0.5]\n'
    )
    for arguments in (
        ["--cluster", cluster.address, "-o", "there.csv"],
        ["--workers", "1", "-o", "here.csv"],
    ):
        done = run("-m", "regard", "sweep", "noise.toml", *arguments, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    there, here = ((tmp_path / name).read_text() for name in ("there.csv", "here.csv"))
    assert there == here
    assert there.count("done") == 8


def test_a_worker_killed_in_the_middle_of_a_sweep_loses_nothing(
    cluster: RealCluster, tmp_path: Path
) -> None:
    process = start(SWEEP, cluster.address, tmp_path, 120, 0.03)
    until(lambda: len(calls_in(tmp_path)) > 30, by=process)
    cluster.kill_a_worker()
    done = finish(process)
    assert done.stdout == f"{_expected(tmp_path, 120, 0.03)} {{'done'}} 0\n", done.stderr
    assert (tmp_path / "kept").read_bytes().count(b"\n") == 121  # nothing twice
    cluster.add_worker()
    cluster.wait_for(2)


def _stores(folder: Path, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    query, key, value = (
        rng.standard_normal(s).astype(np.float32) for s in ((67, 16), (n, 16), (n, 11))
    )
    for name, array in (("query", query), ("key", key), ("value", value)):
        np.save(folder / f"{name}.npy", array)
    return query, key, value


def test_a_worker_killed_in_the_middle_of_attention_loses_nothing(
    cluster: RealCluster, tmp_path: Path
) -> None:
    n = 1_000_003
    query, key, value = _stores(tmp_path, n)
    process = start(ATTENTION, cluster.address, tmp_path, "20MiB")
    progress = tmp_path / "progress"
    until(lambda: progress.exists() and progress.read_text() not in ("", "0"), by=process)
    assert int(progress.read_text()) < n
    cluster.kill_a_worker()
    (tmp_path / "killed").touch()
    done = finish(process)
    assert done.returncode == 0, done.stderr
    assert int(progress.read_text()) == n
    found = np.load(tmp_path / "found.npz")
    wide = query[:5].astype(np.float64) @ key.T.astype(np.float64) / 4
    weights = np.exp(wide - wide.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found["output"][:5], weights @ value, atol=1e-6)
    np.testing.assert_allclose(
        found["entropy"][:5], -(weights * np.log(weights)).sum(axis=1), rtol=1e-6
    )
    np.testing.assert_array_equal(
        found["keys"][:5], np.argsort(-wide, axis=1, kind="stable")[:, :3]
    )
    cluster.add_worker()
    cluster.wait_for(2)


def test_a_path_that_workers_cannot_read_is_a_sentence(
    cluster: RealCluster, tmp_path: Path
) -> None:
    _stores(tmp_path, 97)
    (tmp_path / "gone").mkdir()
    program = f"""
import os, numpy as np, regard.cluster
from regard.cluster.key_stores.stores import NpyFile
import regard.cluster.key_stores.arguments as a
opened = a.open_store
a.open_store = lambda *x: __import__("dataclasses").replace(opened(*x), path={str(tmp_path)!r} + "/gone/x.npy")
try:
    regard.cluster.attention(np.load({str(tmp_path)!r} + "/query.npy"), {str(tmp_path)!r} + "/key.npy",
                             {str(tmp_path)!r} + "/value.npy", client={cluster.address!r})
except regard.cluster.ClusterError as error:
    print(error)
"""
    done = run(program)
    assert done.stdout == (
        f"cluster.attention: a worker cannot read {tmp_path}/gone/x.npy: no such file or directory. Stores "
        "must be at the same path on every worker, on a file system that they share.\n"
    ), done.stderr


def test_dask_arrays_are_attended_to_where_they_are(cluster: RealCluster) -> None:
    program = """
import sys
import dask.array, numpy as np, regard, regard.cluster
rng = np.random.default_rng(2)
query, key, value = (rng.standard_normal(s) for s in ((3, 5), (1009, 5), (1009, 7)))
stores = [dask.array.from_array(x, chunks=(101, x.shape[1])) for x in (key, value)]
for client in (None, sys.argv[1]):
    found = regard.cluster.attention(query, *stores, client=client, memory="12.2MiB", is_causal=True, causal_offset=900)
    np.testing.assert_allclose(found.output, regard.attention(query, key, value, is_causal=True, causal_offset=900), rtol=1e-12)
    print(found.rows % 101, found.keys_read)
"""
    done = run(program, cluster.address)
    assert done.stdout == "0 903\n0 903\n", done.stderr


def test_a_client_of_ones_own_is_as_it_was_after_attention_that_ended_or_was_stopped(
    cluster: RealCluster, tmp_path: Path
) -> None:
    _stores(tmp_path, 100_003)
    program = """
import sys, time
import dask.array, numpy as np, regard.cluster
from distributed import Client
address, folder = sys.argv[1:]
query, key, value = (np.load(f"{folder}/{name}.npy") for name in ("query", "key", "value"))
there = [dask.array.from_array(x, chunks=(5000, x.shape[1])) for x in (key, value)]
def stop(done, total):
    raise KeyboardInterrupt
with Client(address) as client:
    connection = client.scheduler_comm.comm
    for stores in (there, (f"{folder}/key.npy", f"{folder}/value.npy")):
        regard.cluster.attention(query, *stores, memory="20MiB", client=client)
        try:
            regard.cluster.attention(query, *stores, memory="20MiB", client=client, progress=stop)
        except KeyboardInterrupt:
            print("stopped")
    deadline = time.monotonic() + 30
    while client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
        assert time.monotonic() < deadline, "tasks are left"
        time.sleep(0.05)
    print(client.scheduler_comm.comm is connection)
"""
    done = run(program, cluster.address, tmp_path)
    assert done.stdout == "stopped\nstopped\nTrue\n", done.stderr


def test_the_scheduler_killed_is_a_clear_message_and_the_next_run_goes_on(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    with real_cluster(tmp_path, workers=1) as cluster:
        process = start(SWEEP, cluster.address, tmp_path, 150, 0.03)
        until(lambda: kept.exists() and kept.read_bytes().count(b"\n") > 20, by=process)
        cluster.scheduler.kill()
        done = finish(process)
        address = cluster.address
    assert done.stdout == (
        f"sweep: the connection to the scheduler at {address} is lost. What is done is kept in "
        f"{kept}: run the same again, and it goes on from there.\n"
    ), done.stderr
    assert done.stderr == ""  # nor does Dask log what was said in a sentence
    there = kept.read_bytes().count(b"\n") - 1
    (tmp_path / "calls").unlink()
    grid = {"i": range(150), "folder": str(tmp_path), "pause": 0.03}
    table = sweep(cell_functions.write_down, grid, seed=11, workers=2, checkpoint=kept)
    assert table.resumed == there
    assert len(calls_in(tmp_path)) == 150 - there
    assert table.column("result") == _expected(tmp_path, 150, 0.03)


def test_no_scheduler_is_a_clear_message() -> None:
    program = """
import sys
import regard.cluster.connection as connection
from regard.cli import main
connection._CONNECT = 1.0
sys.argv = ["regard", "doctor", "--cluster", "tcp://127.0.0.1:9"]
main()
"""
    done = run(program)
    assert done.returncode == 2
    assert done.stderr == (
        "doctor: no scheduler answers at tcp://127.0.0.1:9. `dask scheduler` starts one and prints its "
        "address; `dask worker ADDRESS` adds workers.\n"
    )


@pytest.mark.slow
def test_a_script_that_its_local_workers_would_run_again_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "from regard.cluster import sweep\nsweep(lambda x: x, [{'x': 1}], cluster='local', workers=1)\n"
    )
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "the workers of 'local' did not start" in last
    assert "under `if __name__ == '__main__':`" in last


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_stops_a_local_cluster_without_a_word_from_its_workers(
    tmp_path: Path,
) -> None:
    (tmp_path / "command.py").write_text(COMMAND)
    (tmp_path / "long.toml").write_text(
        'what = "analysis.simulate_dot_product"\n[settings]\nsamples = 300000\n[grid]\nseed = { from = 0, to = 1999 }\n'
    )
    process = subprocess.Popen(
        [sys.executable, "command.py", "sweep", "long.toml", "--cluster", "local"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True, env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    kept = tmp_path / "long.csv.checkpoint"
    until(lambda: kept.exists() and kept.read_bytes().count(b"\n") > 2, by=process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
    done = finish(process)
    assert done.returncode == 130
    count = kept.read_bytes().count(b"\n") - 1
    assert done.stderr == (
        f"Stopped after {count} of 2000 cells. What is done is kept in long.csv.checkpoint: run the "
        "same again, and it goes on from there.\n"
    )


KILLERS = """
import sys
from cluster import cell_functions
from regard.cluster import sweep
if __name__ == "__main__":  # workers of a local cluster import this again
    cluster, memory = sys.argv[1:]
    kills = sweep(cell_functions.kill_at, {"i": range(200), "at": 137}, cluster=cluster)
    print(kills.counts, kills.column("status")[137], kills.column("result") == [None if i == 137 else i * i for i in range(200)])
    takes = sweep(cell_functions.take_memory, {"i": range(9), "at": 4, "megabytes": 3000, "pause": 2.0}, cluster=cluster, memory=memory or None)
    print(takes.counts, takes.column("status")[4], takes.column("result") == [None if i == 4 else i for i in range(9)])
"""


@pytest.mark.slow
@pytest.mark.parametrize("started", ["by commands", "here"])
def test_a_cell_that_ends_every_worker_it_meets_is_a_row_and_no_other_is_blamed(
    tmp_path: Path, started: str
) -> None:
    """It kills its process, or takes more memory than a nanny allows: 2 GB."""
    if started == "here":
        done = run(KILLERS, "local", "2GB")
    else:
        with real_cluster(tmp_path, workers=2, nanny=True) as found:
            done = run(KILLERS, found.address, "")
    kills, takes = done.stdout.splitlines()
    assert kills == "{'done': 199, 'killed': 1} killed True", done.stderr
    assert takes == "{'done': 8, 'killed': 1} killed True", done.stderr

"""Reading the heads of a model, beside one pass of torch through the same model.

    python bench/inspection.py                   a model of MiniLM's sizes with drawn weights
    python bench/inspection.py FOLDER            a BERT of one's own, as Hugging Face lays it out

`inspect` from weights and on 96 tokens, after loading, as ratios to one forward pass of torch that
keeps its weights of attention; and how far the peak of memory rises over what the process had
before, beside the size of one layer and of the embeddings.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import regard

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from models import small_models, torch_forwards  # noqa: E402


def kilobytes(what: str) -> int:
    with open("/proc/self/status") as status:
        return int(re.search(what + r":\s+(\d+)", status.read())[1])


def drawn() -> Path:
    arrays = small_models.bert(layers=6, d=384, vocabulary=30522, longest=512)
    config = small_models.BERT_CONFIG | {"num_attention_heads": 12}
    return small_models.write(Path(tempfile.mkdtemp()), arrays, config)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else drawn()
    config = json.loads((folder / "config.json").read_text())
    model = regard.models.load(folder)
    a = model.architecture
    regard.models.inspect(model, "repeated", layers=[0])  # what is loaded once
    rows = []
    for name, tokens in (("weights alone", None), ("96 tokens", "repeated")):
        with open("/proc/self/clear_refs", "w") as peak:  # forget the peak so far
            peak.write("5")
        before = kilobytes("VmRSS")
        start = time.perf_counter()
        found = regard.models.inspect(model, tokens)
        seconds = time.perf_counter() - start
        rows.append((name, seconds, (kilobytes("VmHWM") - before) / 1024))
    state = {
        name if name.startswith("bert.") else f"bert.{name}": torch.tensor(model.tensors.read(name))
        for name, entry in model.tensors.entries.items()
        if entry.dtype.startswith("F")
    }
    ids = torch.from_numpy(np.arange(1000, 1096))
    torch_forwards.bert(state, config, ids)
    start = time.perf_counter()
    torch_forwards.bert(state, config, ids)
    passed = time.perf_counter() - start
    table = Table(title=f"{len(found.heads)} heads, d_model {a.d_model}")
    for column in ("read from", "passes of torch", "MiB at the peak"):
        table.add_column(column, justify="right")
    for name, seconds, extra in rows:
        table.add_row(name, f"{seconds / passed:.1f}", f"{extra:.0f}")
    Console().print(table)
    embeddings = 4 * np.prod(model.tensors.shape(a.name("token_embedding"))) / 2**20
    layer = sum(
        4 * np.prod(entry.shape)
        for name, entry in model.tensors.entries.items()
        if ".layer.1." in name
    )
    print(f"One layer has {layer / 2**20:.0f} MiB, the embeddings {embeddings:.0f} MiB.")


if __name__ == "__main__":
    main()

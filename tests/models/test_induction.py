"""An induction head that is built out of two designed heads is found as one.

d_model has a place for each token (A), the same again for what the first head writes (B), and the
positions (P). Head 0 of layer 0 looks one step back by position and copies A to B. Head 0 of layer
1 matches its own A with a key's B: it looks at the token after an earlier occurrence.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import regard
from regard.models.exporting import export

V, P = 24, 32  # tokens, positions
D = 2 * V + P
LONGEST = 96


def _model(folder: Path) -> Path:
    from safetensors.numpy import save_file

    A, B, positions = slice(0, V), slice(V, 2 * V), slice(2 * V, D)
    back = regard.design.offset(1, P, n=LONGEST)
    first = regard.design.self_attention(  # which token matches which: each its own
        np.eye(V), attend={t: t for t in range(V)}
    )
    d_k = P

    def placed(rows: slice, matrix: np.ndarray) -> np.ndarray:
        out = np.zeros((D, d_k))
        out[rows, : matrix.shape[1]] = matrix
        return out

    copy = np.zeros((D, d_k)), np.zeros((d_k, D))
    copy[0][A, :V], copy[1][:V, B] = np.eye(V), np.eye(V)
    heads = [
        regard.Head(
            placed(positions, back.W_Q), placed(positions, back.W_K), *copy, scale=back.scale
        ),
        regard.Head(placed(A, first.W_Q), placed(B, first.W_K), *copy, scale=first.scale),
    ]
    arrays = {
        "wte": np.hstack([np.eye(V), np.zeros((V, V + P))]),
        "wpe": np.hstack([np.zeros((LONGEST, 2 * V)), regard.sinusoidal(LONGEST, P)]),
    }
    for i, head in enumerate(heads):
        given = export(head, "numpy")
        for part, name in (("q", "W_Q"), ("k", "W_K"), ("v", "W_V"), ("o", "W_O")):
            arrays[f"{i}.{part}"] = given[name][0] * (
                given["scale"] * d_k**0.5 if part == "q" else 1
            )
        arrays |= {f"{i}.up": np.zeros((D, 1)), f"{i}.down": np.zeros((1, D))}
    save_file(
        {name: np.ascontiguousarray(x, dtype=np.float32) for name, x in arrays.items()},
        folder / "two.safetensors",
    )
    (folder / "mapping.toml").write_text(
        'heads = 1\ncausal = true\nnorm = "none"\ntransposed = true\n[tensors]\n'
        'token_embedding = "wte"\nposition_embedding = "wpe"\nquery = "{layer}.q"\nkey = "{layer}.k"\n'
        'value = "{layer}.v"\noutput = "{layer}.o"\nmlp_up = "{layer}.up"\nmlp_down = "{layer}.down"\n'
    )
    return folder / "two.safetensors"


def test_two_designed_heads_make_an_induction_head_that_is_found(tmp_path: Path) -> None:
    model = regard.models.load(_model(tmp_path), mapping=tmp_path / "mapping.toml")
    tokens = np.tile(np.random.default_rng(1).permutation(V), 2)
    found = regard.models.inspect(model, tokens)
    first, second = found.heads
    assert first.label == "previous"
    assert second.label == "induction"
    assert second.prefix_matching is not None
    assert second.prefix_matching > 0.9
    assert second.duplicate_token is not None
    assert second.duplicate_token < 0.1
    assert found.composition[0, 1]["K"][0, 0] > 5 * found.composition[0, 1]["Q"][0, 0]


def test_without_tokens_the_second_head_is_not_called_positional(tmp_path: Path) -> None:
    model = regard.models.load(_model(tmp_path), mapping=tmp_path / "mapping.toml")
    first, second = regard.models.inspect(model).heads
    assert (first.label, first.T, first.extrapolated) == ("previous", 1, False)
    assert second.extrapolated
    assert second.label not in ("previous", "next", "offset", "induction", "sink")

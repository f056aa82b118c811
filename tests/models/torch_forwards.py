"""Models written out with torch's own functions: layers' outputs and weights of attention."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.nn import functional as F

State = dict[str, torch.Tensor]


def _linear(x: torch.Tensor, state: State, name: str) -> torch.Tensor:
    return F.linear(x, state[f"{name}.weight"], state.get(f"{name}.bias"))


def _norm(x: torch.Tensor, state: State, name: str, eps: float) -> torch.Tensor:
    return F.layer_norm(x, x.shape[-1:], state[f"{name}.weight"], state[f"{name}.bias"], eps)


def _rms(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


def _heads(x: torch.Tensor, count: int) -> torch.Tensor:
    return x.view(x.shape[0], count, -1).transpose(0, 1)


def bert(
    state: State, config: dict[str, Any], ids: torch.Tensor
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    heads, eps = config["num_attention_heads"], config["layer_norm_eps"]
    e = "bert.embeddings."
    x = state[f"{e}word_embeddings.weight"][ids]
    x = x + state[f"{e}position_embeddings.weight"][: len(ids)]
    x = _norm(x + state[f"{e}token_type_embeddings.weight"][0], state, f"{e}LayerNorm", eps)
    found = []
    i = 0
    while (p := f"bert.encoder.layer.{i}.") + "output.dense.weight" in state:
        q, k, v = (
            _heads(_linear(x, state, f"{p}attention.self.{n}"), heads)
            for n in ("query", "key", "value")
        )
        weights = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(q.shape[-1]), -1)
        y = (weights @ v).transpose(0, 1).reshape(len(ids), -1)
        x = _norm(
            x + _linear(y, state, f"{p}attention.output.dense"),
            state,
            f"{p}attention.output.LayerNorm",
            eps,
        )
        y = _linear(F.gelu(_linear(x, state, f"{p}intermediate.dense")), state, f"{p}output.dense")
        x = _norm(x + y, state, f"{p}output.LayerNorm", eps)
        found.append((weights, x))
        i += 1
    return found


def gpt2(
    state: State, config: dict[str, Any], ids: torch.Tensor
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    heads, eps = config["n_head"], config["layer_norm_epsilon"]
    x = state["transformer.wte.weight"][ids] + state["transformer.wpe.weight"][: len(ids)]
    ahead = torch.ones(len(ids), len(ids), dtype=torch.bool).triu(1)
    found = []
    i = 0

    def conv(x: torch.Tensor, name: str) -> torch.Tensor:
        return x @ state[f"{name}.weight"] + state[f"{name}.bias"]

    while (p := f"transformer.h.{i}.") + "ln_1.weight" in state:
        q, k, v = (
            _heads(y, heads)
            for y in conv(_norm(x, state, f"{p}ln_1", eps), f"{p}attn.c_attn").chunk(3, -1)
        )
        scores = (q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])).masked_fill(ahead, -torch.inf)
        weights = torch.softmax(scores, -1)
        x = x + conv((weights @ v).transpose(0, 1).reshape(len(ids), -1), f"{p}attn.c_proj")
        y = F.gelu(conv(_norm(x, state, f"{p}ln_2", eps), f"{p}mlp.c_fc"), approximate="tanh")
        x = x + conv(y, f"{p}mlp.c_proj")
        found.append((weights, x))
        i += 1
    return found


def llama(
    state: State, config: dict[str, Any], ids: torch.Tensor, frequencies: torch.Tensor | None = None
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    heads, groups, eps = (
        config[n] for n in ("num_attention_heads", "num_key_value_heads", "rms_norm_eps")
    )
    x = state["model.embed_tokens.weight"][ids]
    n = len(ids)
    ahead = torch.ones(n, n, dtype=torch.bool).triu(1)
    found = []
    i = 0
    while (p := f"model.layers.{i}.") + "input_layernorm.weight" in state:
        y = _rms(x, state[f"{p}input_layernorm.weight"], eps)
        q = _heads(_linear(y, state, f"{p}self_attn.q_proj"), heads)
        k, v = (_heads(_linear(y, state, f"{p}self_attn.{m}_proj"), groups) for m in "kv")
        if f"{p}self_attn.q_norm.weight" in state:
            q, k = (
                _rms(z, state[f"{p}self_attn.{m}_norm.weight"], eps)
                for z, m in ((q, "q"), (k, "k"))
            )
        d = q.shape[-1]
        if frequencies is None:
            frequencies = 1 / config["rope_theta"] ** (torch.arange(0, d, 2).double() / d)
        angles = torch.outer(torch.arange(n).double(), frequencies)
        angles = torch.cat([angles, angles], -1)
        cos, sin = angles.cos().to(q.dtype), angles.sin().to(q.dtype)

        def turned(
            z: torch.Tensor, cos: torch.Tensor = cos, sin: torch.Tensor = sin, d: int = d
        ) -> torch.Tensor:
            half = torch.cat([-z[..., d // 2 :], z[..., : d // 2]], -1)
            return z * cos + half * sin

        q, k = turned(q), turned(k)
        k, v = (z.repeat_interleave(heads // groups, 0) for z in (k, v))
        weights = torch.softmax(
            (q @ k.transpose(1, 2) / math.sqrt(d)).masked_fill(ahead, -torch.inf), -1
        )
        x = x + _linear((weights @ v).transpose(0, 1).reshape(n, -1), state, f"{p}self_attn.o_proj")
        y = _rms(x, state[f"{p}post_attention_layernorm.weight"], eps)
        y = F.silu(_linear(y, state, f"{p}mlp.gate_proj")) * _linear(y, state, f"{p}mlp.up_proj")
        x = x + _linear(y, state, f"{p}mlp.down_proj")
        found.append((weights, x))
        i += 1
    return found


def t5(
    state: State, config: dict[str, Any], ids: torch.Tensor
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    heads, eps, n = config["num_heads"], config["layer_norm_epsilon"], len(ids)
    table = state["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    back = torch.arange(n)[:, None] - torch.arange(n)[None]  # query minus key
    far = 8 + (torch.log(back.abs().clamp(min=1).float() / 8) / math.log(16) * 8).long().clamp(
        max=7
    )
    bucket = torch.where(back.abs() < 8, back.abs(), far) + 16 * (back < 0)
    bias = table[bucket].permute(2, 0, 1)
    x = state["shared.weight"][ids]
    found = []
    i = 0
    while (p := f"encoder.block.{i}.layer.") + "0.layer_norm.weight" in state:
        y = _rms(x, state[f"{p}0.layer_norm.weight"], eps)
        q, k, v = (_heads(_linear(y, state, f"{p}0.SelfAttention.{m}"), heads) for m in "qkv")
        weights = torch.softmax(q @ k.transpose(1, 2) + bias, -1)
        x = x + _linear(
            (weights @ v).transpose(0, 1).reshape(n, -1), state, f"{p}0.SelfAttention.o"
        )
        y = _rms(x, state[f"{p}1.layer_norm.weight"], eps)
        x = x + _linear(
            F.relu(_linear(y, state, f"{p}1.DenseReluDense.wi")), state, f"{p}1.DenseReluDense.wo"
        )
        found.append((weights, x))
        i += 1
    return found

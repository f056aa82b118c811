"""Counts that courses and interviews ask for, of models as they were published: two spellings, and wrong answers.

The right numbers are multiplied out here, by hand; those of GPT-2, Llama 2 and Mixtral are what their weights hold.
"""

from __future__ import annotations

from typing import Any

import pytest

from regard import problems
from regard.checking import check
from regard.solving import Status, solve

# Multiplied out: parameters of tables, blocks and norms.
D, L, V = 768, 12, 50257
GPT2 = V * D + 1024 * D + L * (4 * (D * D + D) + 2 * 4 * D * D + 5 * D + 4 * D) + 2 * D
GPT2_BLOCKS = GPT2 - V * D - 1024 * D
D, L, F, V = 4096, 32, 11008, 32000
LLAMA = 2 * V * D + L * (4 * D * D + 3 * D * F + 2 * D) + D
D, L, F, V = 4096, 32, 14336, 32000
MIXTRAL_REST = 2 * V * D + D + L * (2 * D * D + 2 * D * 1024 + 2 * D + 8 * D)
MIXTRAL, ACTIVE = (MIXTRAL_REST + L * experts * 3 * D * F for experts in (8, 2))
D, L, F, V, N = 1600, 48, 6400, 50257, 1024
NETS = L * 2 * 3 * N * D * F
XL = NETS + L * (2 * 4 * N * D * D + 2 * 2 * N * N * D) + 2 * N * D * V
ENCODER = 4 * (512 * 512 + 512) + 2 * 512 * 2048 + 2048 + 512 + 2 * 2 * 512
DECODER = ENCODER + 4 * (512 * 512 + 512) + 2 * 512
KEYS = 2 * 128 * 128 * 60 * 2  # bytes for each token, with all keys and values
LATENT = 60 * (512 + 64) * 2

CASES: list[tuple[str, str, list[dict[str, Any]], list[dict[str, Any]]]] = [
    (
        "latent-cache",
        """
        kind="count"
        statement="DeepSeek-V2 has 60 layers, 128 heads of width 128; it caches a latent of width 512 and a rotary key of width 64 for each token, 16 bits each. How many bytes for each token, and how many times less than with all keys and values?"
        [given]
        of="model"
        d_model=5120
        heads=128
        d_k=128
        layers=60
        bytes=2
        n=1
        values={d_c=512,d_r=64}
        [goal]
        find=["latent_bytes","kv_cache_bytes_per_token","times"]
        define={latent_bytes="layers * (d_c + d_r) * bytes", times="kv_cache_bytes_per_token/latent_bytes"}
        """,
        [
            {"latent_bytes": LATENT, "kv_cache_bytes_per_token": "3.93 MB", "times": "56.9"},
            {"latent_bytes": "69.12 KB", "kv_cache_bytes_per_token": KEYS, "times": "512/9"},
        ],
        [
            {"latent_bytes": 2 * LATENT, "kv_cache_bytes_per_token": KEYS, "times": "28.4"},
            {"latent_bytes": LATENT, "kv_cache_bytes_per_token": KEYS // 2, "times": "28.4"},
        ],
    ),
    (
        "window-reach",
        """
        kind="count"
        statement="A sliding window holds $w$ keys, the query's own among them. How far back does a token of layer $L$ see, itself included, and how many pairs does one layer have for n = 16, w = 4?"
        [given]
        of="model"
        d_model=64
        n=16
        window=4
        layers=3
        conventions={causal=true}
        [goal]
        find=["pairs","reach"]
        define={reach="layers*(window - 1) + 1"}
        """,
        [{"pairs": 1 + 2 + 3 + 13 * 4, "reach": 10}, {"pairs": "16*4 - 6", "reach": "3*3 + 1"}],
        [{"pairs": 64, "reach": 12}, {"pairs": 136, "reach": 10}],
    ),
    (
        "gpt2-small",
        """
        kind="count"
        statement="GPT-2 small: 12 layers of width 768, 12 heads, feed-forward 3072, 50257 tokens, 1024 positions, biases, layer norms, tied. How many parameters, how many without tables?"
        [given]
        of="model"
        d_model=768
        heads=12
        d_ff=3072
        layers=12
        vocabulary=50257
        positions=1024
        conventions={biases=true,norms="layer",tied=true}
        [goal]
        find=["parameters","non_embedding_parameters"]
        """,
        [
            {"parameters": GPT2, "non_embedding_parameters": GPT2_BLOCKS},
            {"parameters": "124M", "non_embedding_parameters": "85.1M"},
        ],
        [
            {"parameters": GPT2 + 50257 * 768, "non_embedding_parameters": GPT2_BLOCKS},
            {"parameters": GPT2, "non_embedding_parameters": 12 * 12 * 768**2},
        ],
    ),
    (
        "llama-7b",
        """
        kind="count"
        statement="Llama-2 7B: 32 layers of width 4096, 32 heads, gated feed-forward of 11008, 32000 tokens, RMS norms, not tied, no biases. How many parameters, how many bytes in 16 bits?"
        [given]
        of="model"
        d_model=4096
        heads=32
        d_ff=11008
        layers=32
        vocabulary=32000
        bytes=2
        conventions={norms="rms",feed_forward="gated"}
        [goal]
        find=["parameters","parameter_bytes"]
        """,
        [
            {"parameters": LLAMA, "parameter_bytes": "13.5 GB"},
            {"parameters": "6.74B", "parameter_bytes": 2 * LLAMA},
        ],
        [
            {"parameters": LLAMA - 32 * 4096 * 11008, "parameter_bytes": "10.6 GB"},
            {"parameters": LLAMA - 32000 * 4096, "parameter_bytes": "13.5 GB"},
        ],
    ),
    (
        "gpt2-xl-accounting",
        """
        kind="count"
        statement="A model of the shape of GPT-2 XL with a gated feed-forward net (48 layers, width 1600, 25 heads, d_ff 6400, 50257 tokens, context 1024, RMS norms, not tied): FLOPs of one forward pass with its matrix products, and the share of the feed-forward nets."
        [given]
        of="model"
        d_model=1600
        heads=25
        d_ff=6400
        layers=48
        vocabulary=50257
        n=1024
        conventions={norms="rms",feed_forward="gated"}
        [goal]
        find=["flops","share"]
        define={share="2 layers * feed_forward_multiplications / flops"}
        """,
        [{"flops": XL, "share": round(NETS / XL, 4)}, {"flops": "4.51 TFLOPs", "share": "66.9%"}],
        [
            {"flops": XL // 2, "share": round(NETS / XL, 4)},
            {"flops": XL - 2 * N * D * V, "share": 0.6944},
        ],
    ),
    (
        "adam-memory",
        """
        kind="count"
        statement="Mixed-precision Adam keeps 2 bytes of weights, 2 of gradients and 12 of state for each of 1.3 billion parameters. How much memory?"
        [given]
        of="model"
        parameter_count=1_300_000_000
        [goal]
        find=["memory"]
        define={memory="(2 + 2 + 12) parameter_count"}
        """,
        [{"memory": 16 * 1_300_000_000}, {"memory": "20.8 GB"}],
        [{"memory": "5.2e9"}, {"memory": "2.6 GB"}],
    ),
    (
        "decoder-shapes",
        """
        kind="count"
        statement="A decoder of 5 tokens (batch 2) attends with 4 heads, width 64, to 9 encoder tokens. Shapes of scores, keys and output?"
        [given]
        batch=2
        n=5
        n_k=9
        d_model=64
        heads=4
        [goal]
        find=["shape_K","shape_scores","shape_output"]
        """,
        [
            {"shape_K": [2, 4, 9, 16], "shape_scores": "(2,4,5,9)", "shape_output": "2 x 5 x 64"},
            {"shape_K": "(2, 4, 9, 16)", "shape_scores": [2, 4, 5, 9], "shape_output": [2, 5, 64]},
        ],
        [
            {"shape_K": [2, 4, 9, 16], "shape_scores": [2, 4, 9, 5], "shape_output": [2, 5, 64]},
            {"shape_K": [2, 4, 5, 16], "shape_scores": [2, 4, 5, 5], "shape_output": [2, 9, 64]},
        ],
    ),
    (
        "tying-saves",
        """
        kind="count"
        statement="GPT-2 small with tied embeddings and without: how many parameters does tying save, which share of the untied model?"
        [given]
        of="model"
        d_model=768
        heads=12
        d_ff=3072
        layers=12
        vocabulary=50257
        positions=1024
        conventions={biases=true,norms="layer",tied=true}
        [given.others.untied]
        conventions={tied=false}
        [goal]
        find=["saved","share"]
        define={saved="parameters_untied - parameters",share="saved/parameters_untied"}
        """,
        [{"saved": 50257 * 768, "share": "23.7%"}, {"saved": "50257*768", "share": 0.2367}],
        [{"saved": 2 * 50257 * 768, "share": 0.47}, {"saved": 50257 * 768, "share": 0.3102}],
    ),
    (
        "longformer-pairs",
        """
        kind="count"
        statement="Each of $n = 4096$ tokens sees 512 neighbours, and 16 global tokens see and are seen by all others. About how many pairs are computed, and how many times less than all?"
        [given]
        of="head"
        n=4096
        d_k=64
        values={w=512,g=16}
        [goal]
        find=["sparse","pairs","times"]
        define={sparse="n*w + 2*g*n",times="pairs/sparse"}
        """,
        [
            {"sparse": 4096 * 512 + 2 * 16 * 4096, "pairs": "4096^2", "times": "7.53"},
            {"sparse": "2228224", "pairs": 16777216, "times": "128/17"},
        ],
        [
            {"sparse": 4096 * 528, "pairs": 4096**2, "times": 7.76},
            {"sparse": 4096 * 544, "pairs": 4096 * 4097 // 2, "times": 3.76},
        ],
    ),
    (
        "mixture-of-experts",
        """
        kind="count"
        statement="Mixtral: 32 layers of width 4096, 32 heads, 8 key heads, 8 gated experts of 14336 per layer of which 2 are active, 32000 tokens, untied. All parameters (with a router of 8 x 4096 per layer, norms RMS) and active ones?"
        [given]
        of="model"
        d_model=4096
        heads=32
        key_heads=8
        d_ff=14336
        layers=32
        vocabulary=32000
        values={E=8,k=2}
        conventions={norms="rms",feed_forward="gated"}
        [goal]
        find=["total","active"]
        define={total="parameters + layers*((E-1)*feed_forward_parameters + E*d_model)",active="parameters + layers*((k-1)*feed_forward_parameters + E*d_model)"}
        """,
        [{"total": MIXTRAL, "active": "12.9B"}, {"total": "46.7B", "active": ACTIVE}],
        [{"total": "56B", "active": "12.9B"}, {"total": "46.7B", "active": "14B"}],
    ),
    (
        "chinchilla",
        """
        kind="count"
        statement="70 billion parameters are trained on 20 tokens each. FLOPs, and days on 1024 GPUs of 400 TFLOP/s at 40 %?"
        [given]
        of="model"
        parameter_count=70_000_000_000
        tokens=1_400_000_000_000
        [goal]
        find=["training_flops","days"]
        define={days="training_flops/(1024 * 400 * 10^12 * 0.4 * 86400)"}
        """,
        [
            {"training_flops": "5.88e23", "days": 41.5},
            {"training_flops": "6*70e9*1.4e12", "days": "41.54"},
        ],
        [
            {"training_flops": "1.96e23", "days": 13.8},
            {"training_flops": "5.88e23", "days": 16.6},
        ],
    ),
    (
        "decoder-layer",
        """
        kind="count"
        statement="A decoder layer of the original transformer (width 512, 8 heads, feed-forward 2048, biases, layer norms) has self-attention, cross-attention and a feed-forward net, each with a norm. How many parameters?"
        [given]
        of="block"
        d_model=512
        heads=8
        d_ff=2048
        conventions={biases=true,norms="layer"}
        [goal]
        find=["decoder"]
        define={decoder="block_parameters + attention_parameters + 2 d_model"}
        """,
        [{"decoder": DECODER}, {"decoder": "4.2M"}],
        [{"decoder": ENCODER}, {"decoder": DECODER - 2 * 512}],
    ),
]


def test_the_numbers_are_those_of_the_published_weights() -> None:
    assert (GPT2, LLAMA, MIXTRAL) == (124_439_808, 6_738_415_616, 46_702_792_704)


@pytest.mark.parametrize(("name", "text", "right", "wrong"), CASES, ids=[one[0] for one in CASES])
def test_counts_are_told_apart(
    name: str, text: str, right: list[dict[str, Any]], wrong: list[dict[str, Any]]
) -> None:
    problem = problems.loads(f'schema = 1\nid = "{name}"\ntitle = "{name}"\n{text}')
    assert solve(problem).verdict in (Status.PROVED, Status.COMPUTED)
    for answer in right:
        assert check(problem, answer).right, answer
    for answer in wrong:
        verdict = check(problem, answer)
        assert not verdict.right, answer
        assert verdict.counterexample is not None

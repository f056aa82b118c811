"""Counts that come out wrong: something left out, counted twice, or taken for something else."""

from __future__ import annotations

from fractions import Fraction

from regard.checking.mistakes import Mistake
from regard.kinds.count.misconceptions.case import Case
from regard.kinds.count.misconceptions.imitations import (
    all_heads,
    changed,
    core_left_out,
    is_flops,
    mistake,
    no_gate,
    one,
    one_cached,
    other_masks,
    prefixes,
    product,
    swap_operations,
    times,
    whole_width,
)
from regard.kinds.count.spec import CountProblem

COUNT_MISTAKES: tuple[Mistake[CountProblem, Case], ...] = (
    mistake(
        "one-of-keys-and-values",
        one_cached,
        "The cache for keys alone",
        "The count is half of what it must be:\n"
        "keys and values are both kept, and each number takes all its bytes.",
    ),
    mistake(
        "query-heads-for-key-heads",
        changed(all_heads),
        "As many key heads as query heads",
        "Keys and values were given as many heads as the queries have:\n"
        "here several query heads share one.",
    ),
    mistake(
        "every-head-as-wide-as-the-model",
        changed(whole_width),
        "Every head as wide as the model",
        "Every head was counted with the full width d_model:\n"
        "heads share it, each has d_k columns, and more heads do not mean more parameters.",
    ),
    mistake(
        "output-projection-forgotten",
        changed(lambda at: at.with_conventions(output_projection=False)),
        "Without $W_O$",
        "The matrix W_O was left out:\nit mixes the heads at the end.",
    ),
    mistake(
        "feed-forward-forgotten",
        changed(lambda at: at.with_sizes(d_ff=at.symbols.number(0)) if at.has("d_ff") else None),
        "Attention without the feed-forward layer",
        "The feed-forward layer was left out:\nthis is the count without it.",
    ),
    mistake(
        "wrong-number-of-feed-forward-matrices",
        changed(no_gate),
        "Another number of feed-forward matrices",
        "A plain feed-forward layer has two matrices and a gated one three:\n"
        "this is the count with the other number.",
    ),
    mistake(
        "layers-forgotten",
        changed(lambda at: one(at, "layers")),
        "One layer instead of all",
        "This is the count for one layer:\nit has to be multiplied by the number of layers.",
    ),
    mistake(
        "batch-forgotten",
        changed(lambda at: one(at, "batch")),
        "One sequence instead of the whole batch",
        "This is the count for one sequence:\nit has to be multiplied by the batch.",
    ),
    mistake(
        "one-head-counted",
        changed(lambda at: one(at, "heads", "key_heads")),
        "One head instead of all",
        "This is the count for one head:\nit has to be done for every head.",
    ),
    mistake(
        "numbers-for-bytes",
        changed(lambda at: one(at, "bytes")),
        "Numbers instead of bytes",
        "These are numbers and not bytes:\neach takes several bytes.",
    ),
    mistake(
        "biases-wrong",
        changed(lambda at: at.with_conventions(biases=not at.conventions.biases)),
        "Biases counted the other way",
        "This is the count with the other convention for biases:\nlook at whether there are any.",
    ),
    mistake(
        "norms-forgotten",
        changed(lambda at: at.with_conventions(norms="none")),
        "Without the parameters of the norms",
        "The parameters of the norms were left out.\nHere they are counted.",
    ),
    mistake(
        "norms-counted",
        changed(
            lambda at: (
                at.with_conventions(norms="layer") if at.conventions.norms == "none" else None
            )
        ),
        "With norm parameters that are not asked for",
        "The parameters of layer norms were counted.\nHere they are left out.",
    ),
    mistake(
        "tied-wrong",
        changed(lambda at: at.with_conventions(tied=not at.conventions.tied)),
        "Another number of embedding tables",
        "This is the count with the other number of tables.\n"
        "Embedding and unembedding are one table if they are tied and two if not.",
    ),
    mistake(
        "embedding-forgotten",
        changed(
            lambda at: (
                at.with_sizes(vocabulary=at.symbols.number(0)) if at.has("vocabulary") else None
            )
        ),
        "Without the embedding",
        "The tables of embeddings were left out:\nthis is the count of the blocks alone.",
    ),
    mistake(
        "position-table-forgotten",
        changed(
            lambda at: (
                at.with_sizes(positions=at.symbols.number(0)) if at.has("positions") else None
            )
        ),
        "Without the table of positions",
        "The learned table of positions was left out.\nIt has a row for every position.",
    ),
    mistake(
        "multiplications-for-flops",
        times(Fraction(1, 2), only=is_flops),
        "Multiplications instead of FLOPs",
        "It is half of what it must be:\na multiplication and an addition are two FLOPs.",
    ),
    mistake(
        "flops-for-multiplications",
        times(2, only=lambda quantity: "multiplications" in quantity),
        "FLOPs instead of multiplications",
        "It is twice what it must be:\nonly multiplications are asked for, not additions too.",
    ),
    mistake(
        "backward-pass-forgotten",
        times(Fraction(1, 3), only=lambda quantity: "training" in quantity),
        "The forward pass alone",
        "It is a third of what it must be:\nthe backward pass costs twice the forward pass.",
    ),
    mistake(
        "multiplications-for-additions",
        swap_operations,
        "As many additions as multiplications",
        "These are the multiplications:\na sum of k terms takes k - 1 additions.",
    ),
    mistake(
        "causal-mask-wrong",
        other_masks,
        "All pairs, or only half of them",
        "This is the count with the other convention for the causal mask:\n"
        "look at which pairs of a query and a key are there.",
    ),
    mistake(
        "products-of-attention-forgotten",
        core_left_out(1),
        "The projections alone",
        "The two products of attention were left out:\n"
        "those of queries with keys and of weights with values. This is the count of the "
        "matrices of parameters alone.",
    ),
    mistake(
        "one-of-two-products",
        core_left_out(2),
        "The scores without the averages",
        "This is the count with one of two products.\n"
        "Two meet every pair of a query and a key: the scores, and the averages of the "
        "values.",
    ),
    mistake(
        "whole-cache-for-a-window",
        changed(
            lambda at: (
                at.with_conventions(rolling_cache=not at.conventions.rolling_cache)
                if at.has("window")
                else None
            )
        ),
        "A cache of every position, or of the window",
        "This is the other of two caches.\n"
        "A cache keeps every position, or those of the window alone.",
    ),
    mistake(
        "linear-in-the-length",
        changed(lambda at: one(at, "n_k")),
        "One key for every query",
        "Every query meets every key:\nthe length of the keys is missing.",
    ),
    mistake(
        "bits-for-bytes",
        times(8, Fraction(1, 8), only=lambda quantity: "bytes" in quantity and "/" not in quantity),
        "Bits taken for bytes",
        "It is off by a factor of 8:\na byte has eight bits.",
    ),
    mistake(
        "multiplied-instead-of-divided",
        product,
        "The width times the heads",
        "The width of the model was multiplied by the number of heads.\nIt is divided among them.",
    ),
    mistake(
        "decimal-for-binary-prefix",
        prefixes,
        "",
        "It is off by a power of 1024/1000:\n"
        "KB, MB and GB are powers of 1000, and KiB, MiB and GiB powers of 1024.",
    ),
)

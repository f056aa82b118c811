"""From tokens to queries, keys and values, and from averages back to tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.arrays import common_dtype, computing, give, numbers
from regard.core.call import Call, Rules
from regard.shapes.matrices import fit_context, fit_positions, fit_tokens

Array = NDArray[Any]


class Tokens:
    """The tokens of one call of a head, with their positions added."""

    def __init__(
        self, function: str, x: object, context: object, positions: object, head: Mapping[str, Any]
    ) -> None:
        self.function = function
        taken = [numbers(function, "x", x)]
        fit_tokens(function, "x", taken[0].array, "d_model", head["W_Q"])
        if context is not None:
            taken.append(numbers(function, "context", context))
        name = "x" if context is None else "context"
        fit_tokens(function, name, taken[-1].array, "d_context", head["W_K"])
        self.library = taken[0].library
        self.dtype = common_dtype(head["dtype"], *(one.dtype for one in taken))
        compute = computing(self.dtype)
        tokens: list[Array] = [one.array.astype(compute, copy=False) for one in taken]
        if positions is not None:
            table = numbers(function, "positions", positions).array.astype(compute, copy=False)
            fit_positions(function, tokens[0], tokens[-1], table)
            tokens = [array + table[..., : array.shape[-2], :] for array in tokens]
        self.x, self.context = tokens[0], tokens[-1]
        self.batch = fit_context(function, self.x, self.context)

    def attend(self, stacked: Mapping[str, Any], mask: object, rules: Rules) -> Array:
        """Return the averages of the values, (..., n_heads, n, d_v)."""
        return self._call(stacked, mask, rules).attend()

    def weigh(self, stacked: Mapping[str, Any], mask: object, rules: Rules) -> Any:
        """Return the weights, (..., n_heads, n, n_context), as what x was."""
        call = self._call(stacked, mask, rules, values=False)
        weights = call.per_pair()
        call.attend(weights=weights)
        return give(weights, self.library, self.dtype)

    def _call(
        self,
        stacked: Mapping[str, Any],
        mask: object,
        rules: Rules,
        *,
        values: bool = True,
    ) -> Call:
        arrays: dict[str, object] = {"query": _project(self.x, stacked["W_Q"], stacked["b_Q"])}
        arrays["key"] = _project(self.context, stacked["W_K"], stacked["b_K"])
        if values:
            arrays["value"] = _project(self.context, stacked["W_V"], stacked["b_V"])
        return Call(self.function, arrays, mask, rules, heads_settled=True)

    def write(self, averages: Array, matrix: Array | None, bias: Array | None) -> Any:
        """Apply W_O and b_O and give the result back as what x was."""
        output = (
            averages if matrix is None else averages @ matrix.astype(averages.dtype, copy=False)
        )
        if bias is not None:
            output = output + bias.astype(output.dtype, copy=False)
        return give(output, self.library, self.dtype)


def _project(tokens: Array, matrices: Array, bias: Array | None) -> Array:
    """Return tokens · matrix for each head: (..., n, width) to (..., n_heads, n, d)."""
    projected = tokens[..., None, :, :] @ matrices.astype(tokens.dtype, copy=False)
    if bias is not None:
        projected += bias.astype(tokens.dtype, copy=False)[:, None, :]
    return np.asarray(projected)

"""One call of attention: raw arguments in, a problem for the kernels out, results back."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import Parameter
from typing import Any, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Taken, cast, common_dtype, computing, empty, give, numbers, take
from regard.core import kernels, masks
from regard.core.kernels import numpy_tiles
from regard.core.kernels.problem import Problem
from regard.core.kernels.statistics import Asked, Found
from regard.errors import ParameterError
from regard.shapes import layout, real
from regard.shapes.other_words import refuse

Array = NDArray[Any]
F = TypeVar("F", bound=Callable[..., Any])


# Infinity and NaN come out where they belong; that they did is no news worth a warning.
quiet = np.errstate(all="ignore")


@dataclass(frozen=True)
class Rules:
    """What is done to scores, and which keys each query may attend to; as in `regard.attention`."""

    scale: object = None
    is_causal: object = False
    causal_offset: object = 0
    window: object = None
    key_lengths: object = None
    softcap: object = None

    @classmethod
    def named(cls, function: str, given: Mapping[str, Any], *own: str) -> Rules:
        """Return what was given by name; what has no such name is refused.

        Args:
            function: whose arguments they are.
            given: by name.
            own: what else the function can be told, for the message.
        """
        known = cls.__dataclass_fields__
        other = {name: x for name, x in given.items() if name not in known}
        if other:
            refuse(function, other, (*own, *known))
        return cls(**given)


class RuleWords(TypedDict, total=False):
    """`Rules` as keyword arguments: a function says `**rules: Unpack[RuleWords]` of all of them."""

    scale: float | None
    is_causal: bool
    causal_offset: Any
    window: tuple[int | None, int | None] | None
    key_lengths: Any
    softcap: float | None


def with_rules(function: F) -> F:
    """Spell out the rules in the signature of a function, for `help` and editors."""
    signature = inspect.signature(function)
    own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
    types = RuleWords.__annotations__
    rules = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=one.default, annotation=_text(types[name]))
        for name, one in Rules.__dataclass_fields__.items()
    ]
    function.__signature__ = signature.replace(parameters=own + rules)  # type: ignore[attr-defined]
    return function


def _text(annotation: Any) -> str:
    """Return a type as it is written in this file."""
    return str(annotation.__forward_arg__)


class Call:
    """The arguments of one call, checked and fitted to each other.

    Attributes:
        layout: which axes are batch, heads and lengths.
        problem: what the kernels compute.
        compute: float32 or float64, the type they compute in.
        library, dtype: what the results are given back as.
    """

    def __init__(
        self,
        function: str,
        arrays: dict[str, object],
        mask: object,
        rules: Rules,
        *,
        heads_settled: bool = False,
    ) -> None:
        taken = {name: numbers(function, name, x) for name, x in arrays.items()}
        self.library = taken["query"].library
        self.dtype = common_dtype(*(one.dtype for one in taken.values()))
        self.compute = computing(self.dtype)
        ready = {name: _ready(one, self.compute) for name, one in taken.items()}
        table = None if mask is None else mask_array(function, mask)
        if table is not None and table.dtype.kind == "f":
            with np.errstate(over="ignore"):  # what float32 cannot hold is as good as infinite
                table = table.astype(self.compute, copy=False)
        self.layout = fitted = layout.fit(
            function,
            ready["query"],
            ready["key"],
            ready.get("value"),
            table,
            heads_settled=heads_settled,
        )
        if table is not None:
            table = np.broadcast_to(table, (*table.shape[:-2], fitted.n_q, fitted.n_k))
            table = fitted.spread(table)
        allowed = masks.key_range(
            function,
            fitted.batch,
            fitted.n_q,
            fitted.n_k,
            is_causal=rules.is_causal,
            causal_offset=rules.causal_offset,
            window=rules.window,
            key_lengths=rules.key_lengths,
        )
        if allowed is not None:
            first, end = self._spread_rows(allowed.first), self._spread_rows(allowed.end)
            allowed = masks.KeyRange(first, end)
        scale, softcap = rules.scale, rules.softcap
        default = 1 / math.sqrt(fitted.d_k or 1)
        self.problem = Problem(
            query=fitted.spread(ready["query"]),
            key=fitted.spread(ready["key"]),
            value=fitted.spread(ready.get("value", ready["key"][..., :0])),
            scale=default if scale is None else self._number(function, "scale", scale),
            softcap=None if softcap is None else self._number(function, "softcap", softcap),
            mask=table,
            key_range=allowed,
        )

    def _number(self, function: str, name: str, given: object) -> float:
        positive = name == "softcap"
        number = real(function, name, given, positive=positive)
        with np.errstate(over="ignore", under="ignore"):
            rounded = self.compute(number)
        if not np.isfinite(rounded) or (positive and rounded == 0):
            raise ParameterError(
                f"{function}: {name} {number} does not fit {rounded.dtype}, "
                f"in which {self.dtype} input is computed. Pass float64 arrays."
            )
        return number

    def _spread_rows(self, x: Array) -> Array:
        """View numbers with axes (*batch, n_q) with the axes that the problem has."""
        heads_added = x[..., None, :] if len(self.layout.outer) > 1 else x
        return self.layout.spread(heads_added, heads_axis=-2)

    def _split(self, result: Any) -> Any:
        """View a result (*outer, ...), if there is one, with the axes that the problem has."""
        if result is None:
            return None
        return result.reshape(self.layout.split + result.shape[len(self.layout.outer) :])

    def per_query(self) -> Array:
        """Allocate a number for each query, (*outer, n_q)."""
        return empty((*self.layout.outer, self.layout.n_q), self.compute)

    def per_pair(self) -> Array:
        """Allocate a number for each pair of query and key, (*outer, n_q, n_k)."""
        return empty((*self.layout.outer, self.layout.n_q, self.layout.n_k), self.compute)

    def attend(self, *, lse: Array | None = None, weights: Array | None = None) -> Array:
        """Return the output, and fill lse (*outer, n_q) and weights where they are given."""
        output = empty((*self.layout.outer, self.layout.n_q, self.layout.d_v), self.compute)
        kernels.attend(self.problem, *(self._split(x) for x in (output, lse, weights)))
        return output

    def statistics(
        self, *, top: int, offsets: Array, columns: Array, positions: Array, received: bool
    ) -> Found:
        """Return statistics of the weights; positions (*batch, n_q) are those of the queries."""
        fitted = self.layout
        rows, whole = (*fitted.outer, fitted.n_q), np.int64
        found = Found(
            lse=self.per_query(),
            entropy=self.per_query(),
            peak=self.per_query(),
            argmax=empty(rows, whole),
            top_weights=empty((*rows, top), self.compute),
            top_keys=empty((*rows, top), whole),
            offset_mass=empty((*rows, offsets.size), self.compute),
            column_mass=empty((*rows, columns.size), self.compute),
            received=empty((*fitted.outer, fitted.n_k), self.compute) if received else None,
        )
        views = Found(*map(self._split, found.per_query))
        views = replace(views, received=self._split(found.received))
        kernels.statistics(
            self.problem, Asked(offsets, columns, self._spread_rows(positions)), views
        )
        return found

    def scores(self, stage: str) -> Array:
        """Return the scores of a stage, (*outer, n_q, n_k)."""
        scores = self.per_pair()
        numpy_tiles.fill_scores(self.problem, stage, self._split(scores))
        return scores

    def give(self, result: Array, *, wide: bool = False) -> Any:
        """Hand a result back as what the query was, in the dtype that came in.

        With `wide`, it keeps the dtype it was computed in: 16-bit input gives a float32 result.
        """
        dtype = result.dtype.name if wide else self.dtype
        return give(result, self.library, dtype)


def _ready(taken: Taken, compute: type[np.generic]) -> Array:
    """Return the array in the type it is computed in, copied if its rows do not lie as BLAS needs.

    Each row must be contiguous, and the next one must lie behind it, at any distance.
    """
    array = taken.array.astype(compute, copy=False)
    if array.ndim < 2 or not array.size:
        return array
    (n, width), (row, column) = array.shape[-2:], array.strides[-2:]
    contiguous = width == 1 or column == array.itemsize
    forward = n == 1 or row >= width * array.itemsize
    return array if contiguous and forward and array.flags.aligned else array.copy()


def mask_array(function: str, mask: object) -> Array:
    """Read a mask, which is made of booleans or of floats."""
    taken = take(function, "mask", mask)
    array = taken.array
    if array.dtype.kind not in "bf":
        fix = ""
        if array.dtype.kind in "iu":
            fix = f" For a mask of 0 and 1, pass mask.{cast(taken, 'bool')}."
        raise ParameterError(
            f"{function}: mask has dtype {array.dtype}. "
            f"Need bool (True = may attend) or float (added to the scores).{fix}"
        )
    return array

"""What attention looks like, row by row and key by key, without the matrix of weights."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from regard.arrays import take
from regard.core import masks
from regard.core.call import Call, Rules, RuleWords, with_rules
from regard.core.eager import eager
from regard.errors import ParameterError
from regard.figures import notebook_figure
from regard.shapes import allocatable, boolean, integer, show
from regard.shapes.other_words import KNOWN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "Statistics of attention weights"
_LIMIT = 2**62  # beyond every length and every causal_offset, and within int64 with them


@dataclass(frozen=True, eq=False, repr=False)
class AttentionStatistics:
    """Numbers about the weights of one attention call; `...` are the axes before the lengths.

    Attributes:
        lse: (..., n_q): log Σ_j exp(score), -inf where a query may attend to nothing.
        entropy: (..., n_q): -Σ_j w log w of the weights, in nats; 0 where there are none.
        peak: (..., n_q): the largest weight; 0 where there are none.
        argmax: (..., n_q): its key, the lowest among equals; -1 where there is none.
        top_weights: (..., n_q, top): the largest weights, falling; 0 where there are fewer.
        top_keys: (..., n_q, top): their keys, the lower first of equals; -1 where there are fewer.
        offset_mass: (..., n_q, offsets): the weight of the key at i + causal_offset - T.
        column_mass: (..., n_q, columns): the weight of the key in each column.
        received: (..., n_k): the weight that each key gets from all queries; None if not asked for.

    Floats have the dtype that came in (float32 where that has 16 bits); keys are int64. A row that
    attends to NaN or +inf has NaN in all its floats, but for keys that it does not attend to, and
    -1 in its keys.
    """

    lse: Any
    entropy: Any
    peak: Any
    argmax: Any
    top_weights: Any
    top_keys: Any
    offset_mass: Any
    column_mass: Any
    received: Any = None

    def _summary(self) -> Iterator[tuple[str, str, str]]:
        """Give the name, the shape and the range of each array that there is something in."""
        for name in self.__dataclass_fields__:
            x = getattr(self, name)
            if x is None or 0 in x.shape:
                continue
            numbers = np.asarray(take("AttentionStatistics", name, x).array)
            known = numbers[~np.isnan(numbers)]
            span = f"{known.min():.4g} to {known.max():.4g}" if known.size else "NaN"
            yield name, show(numbers.shape), span

    def __repr__(self) -> str:
        lines = [f"  {name:<12}{shape:<16}{span}" for name, shape, span in self._summary()]
        return "\n".join(["AttentionStatistics", *lines])

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._summary()
        )
        head = "<tr><th>statistic</th><th>shape</th><th>range</th></tr>"
        table = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
        try:
            picture = notebook_figure(self.plot(), NAME, f"<strong>{NAME}</strong>")
        except ParameterError:  # there is nothing to draw
            return table
        return f"{picture}<details><summary>In numbers</summary>{table}</details>"

    def plot(self) -> Figure:
        """Draw how many keys each query looks at, e^entropy, and its largest weight.

        And the weight that each key receives, where that was asked for. Many heads or batches are
        drawn as their mean and their range.
        """
        from regard.core.statistics_picture import statistics_figure  # brings Matplotlib

        return statistics_figure(self)


@eager
@with_rules
def attention_statistics(
    query: Any,
    key: Any,
    mask: Any = None,
    *,
    top: int = 0,
    offsets: Any = (),
    columns: Any = (),
    received: bool = False,
    **rules: Unpack[RuleWords],
) -> AttentionStatistics:
    """Describe the weights of every query, in memory that does not grow with n_q · n_k.

    Arguments are those of :func:`attention`, without value, and:

    Args:
        top: how many of the largest weights of each query to return, with their keys.
        offsets: whole numbers T: the weight that query i has on key i + causal_offset - T.
            1 is the token before, 0 the token itself.
        columns: whole numbers from 0 to n_k - 1: the weight that each query has on that key.
        received: whether to sum the weights that each key gets from all queries.

    Returns:
        An :class:`AttentionStatistics` of arrays of the query's library.

    Raises:
        ShapeError: the shapes do not fit.
        ParameterError: any other argument that cannot be used.

    Guarantee: the same bits whatever the batch size and the number of threads. The entropy is a sum
    of two numbers that are not negative and keeps its digits where a weight is close to 1.

    Example:
        Scores 0, log 3 and 0 give the weights 1/5, 3/5 and 1/5:

        >>> import numpy as np, regard
        >>> found = regard.attention_statistics([[np.log(3)]], [[0], [1], [0]], scale=1, top=2)
        >>> found.top_weights.round(12).tolist(), found.top_keys.tolist(), found.argmax.tolist()
        ([[0.6, 0.2]], [[1, 0]], [1])
        >>> bool(np.isclose(found.entropy[0], np.log(5) - 0.6 * np.log(3)))
        True
    """
    name = "attention_statistics"
    call = Call(
        name,
        {"query": query, "key": key},
        mask,
        Rules.named(name, rules, *KNOWN),
    )
    wanted = integer(name, "top", top, minimum=0)
    shifts = _whole_numbers("offsets", offsets)
    keys = _whole_numbers("columns", columns)
    _within("columns", keys, call.layout.n_k)
    outer, n_q = call.layout.outer, call.layout.n_q
    allocatable(name, *outer, n_q, max(wanted, shifts.size, keys.size))
    found = call.statistics(
        top=wanted,
        offsets=shifts,
        columns=keys,
        positions=masks.positions(name, call.layout.batch, n_q, rules.get("causal_offset", 0)),
        received=boolean(name, "received", received),
    )
    arrays = {field: getattr(found, field) for field in AttentionStatistics.__dataclass_fields__}
    return AttentionStatistics(
        **{field: None if x is None else call.give(x, wide=True) for field, x in arrays.items()}
    )


def _whole_numbers(name: str, value: object) -> NDArray[np.int64]:
    """Read a sequence of whole numbers."""
    rule = f"attention_statistics: {name} must be a sequence of whole numbers."
    if isinstance(value, (tuple, list, range)):
        whole = [integer("attention_statistics", f"each of {name}", one) for one in value]
        return np.array([max(-_LIMIT, min(one, _LIMIT)) for one in whole], dtype=np.int64)
    array = take("attention_statistics", name, value).array
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ParameterError(f"{rule} Got {value!r}.")
    low = 0 if array.dtype.kind == "u" else -_LIMIT
    return np.clip(array, low, _LIMIT).astype(np.int64)


def _within(name: str, keys: NDArray[np.int64], n_k: int) -> None:
    wrong = keys[(keys < 0) | (keys >= n_k)]
    if wrong.size:
        raise ParameterError(
            f"attention_statistics: {name} must lie between 0 and n_k - 1 = {n_k - 1}. "
            f"Got {wrong[0]}."
        )

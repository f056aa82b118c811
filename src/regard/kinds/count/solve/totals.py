"""Which parts make up a quantity: a total for a claim, as a formula in the names of parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from regard.kinds.count.solve.inventory import Inventory, Part, times
from regard.kinds.count.spec import SIZES


@dataclass(frozen=True)
class Total:
    """A quantity as a formula in parts.

    Attributes:
        parts: by name.
        text: the formula.
    """

    parts: dict[str, Part]
    text: str


def total(empty: Inventory, quantity: str) -> Total:
    """Return the parts of a quantity, and how they are put together."""
    book = Inventory(empty.given, empty.first, {}, f"{empty.mark}")
    text = _TOTALS[quantity](book) if quantity in _TOTALS else book.size(quantity)
    return Total(book.parts, text)


def _sum(names: list[str]) -> str:
    return " + ".join(names) if names else "0"


def _group(name: str) -> Callable[[Inventory], str]:
    def found(book: Inventory) -> str:
        every = book.projections()
        chosen = every.get(name, [])
        book.parts = {key: book.parts[key] for key in chosen}
        return _sum(chosen)

    return found


def _one_head(book: Inventory) -> str:
    d, d_k, d_v = book.size("d_model"), book.size("d_k"), book.size("d_v")
    context = book.size("d_context")
    found = [
        *book.matrix("W_Q", d, d_k, "b_Q"),
        *book.matrix("W_K", context, d_k, "b_K"),
        *book.matrix("W_V", context, d_v, "b_V"),
    ]
    return _sum(found)


def _output(book: Inventory) -> str:
    width = times(book.heads, book.size("d_v"))
    return _sum(book.matrix("W_O", width, book.size("d_model"), "b_O"))


def _attention(book: Inventory) -> str:
    return _sum([name for group in book.projections().values() for name in group])


def _block(book: Inventory) -> str:
    found = [name for group in book.projections().values() for name in group]
    return _sum([*found, *book.feed_forward(), *book.norms("2")])


def _beside_tables(book: Inventory) -> str:
    deep = book.size("layers")
    found = [name for group in book.projections(deep).values() for name in group]
    found += [*book.feed_forward(deep), *book.norms("2", deep)]
    return _sum(found + book.norms("1", name="final_norm"))


def _norms(book: Inventory) -> str:
    of = book.given.of
    count = {"model": ("2", book.size("layers")), "block": ("2",)}.get(of, ("1",))
    found = book.norms(*count)
    return _sum(found + (book.norms("1", name="final_norm") if of == "model" else []))


def _table(name: str, rows: str) -> Callable[[Inventory], str]:
    def found(book: Inventory) -> str:
        return book.add(name, "array", [book.size(rows), book.size("d_model")])

    return found


def _one(name: str, what: str) -> Callable[[Inventory], str]:
    def found(book: Inventory) -> str:
        chosen = book.core("multiplications")[what]
        book.parts = {chosen: book.parts[chosen]}
        return chosen

    return found


def _flops(book: Inventory) -> str:
    kind = book.given.conventions.flops
    if kind != "exact":
        names = book.operations("multiplications")
        return f"{kind} ({_sum(names)})"
    products = book.operations("multiplications")
    mark, parts = book.mark, book.parts
    book.parts, book.mark = {}, f"_added{mark}"
    sums = book.operations("additions")
    book.parts, book.mark = parts | book.parts, mark
    return _sum(products + sums)


def _per_pair(name: str) -> Callable[[Inventory], str]:
    def found(book: Inventory) -> str:
        return book.add(name, "array", [book.pairs()], book.size("batch"), book.heads)

    return found


def _softmax_additions(book: Inventory) -> str:
    rows = f"({book.pairs()} - {book.size('n')})"
    return book.add("sums", "array", [rows], book.size("batch"), book.heads)


def _forward(book: Inventory) -> str:
    return f"2 ({_trained(book)}) {book.size('tokens')}"


def _trained(book: Inventory) -> str:
    if book.has("parameter_count"):
        return book.size("parameter_count")
    return _sum(book.parameters())


def _training(book: Inventory) -> str:
    each = f"6 ({_trained(book)})"
    if book.given.conventions.training_attention:
        half = "6" if book.given.conventions.causal else "12"
        products = times(*(book.size(name) for name in ("layers", "d_model", "n")))
        each = f"({each} + {half} {products})"
    return f"{each} {book.size('tokens')}"


def _weights(book: Inventory) -> str:
    sizes = [book.size("n"), book.size("n_k")]
    return book.add("matrix", "array", sizes, book.size("batch"), book.heads)


def _streaming(book: Inventory) -> str:
    beside = (book.size("batch"), book.heads)
    running = [
        book.add("outputs", "array", [book.size("n"), book.size("d_v")], *beside),
        book.add("maxima", "array", [book.size("n")], *beside),
        book.add("sums", "array", [book.size("n")], *beside),
    ]
    return _sum(running)


def _cache(book: Inventory, length: bool = True) -> str:
    times = (book.size("layers"), *((book.size("batch"),) if length else ()))
    kept = "window" if book.given.conventions.rolling_cache else "n_k"
    keys = [book.size(kept)] if length else []
    found = [
        book.add("cached_keys", "array", [*keys, book.key_heads, book.size("d_k")], *times),
        book.add("cached_values", "array", [*keys, book.key_heads, book.size("d_v")], *times),
    ]
    return _sum(found)


def _moved(book: Inventory) -> str:
    n, n_k, d_k, d_v = (book.size(name) for name in ("n", "n_k", "d_k", "d_v"))
    b, heads, keys = book.size("batch"), book.heads, book.key_heads
    found = [
        book.add("read_queries", "array", [n, d_k], b, heads),
        book.add("read_keys", "array", [n_k, d_k], b, keys),
        book.add("read_values", "array", [n_k, d_v], b, keys),
        book.add("written_outputs", "array", [n, d_v], b, heads),
    ]
    if book.given.conventions.weights_in_memory:
        found.append(book.add("weights_written_and_read", "array", [n, n_k], "4", b, heads))
    return f"{book.size('bytes')} ({_sum(found)})"


def _intensity(book: Inventory) -> str:
    kind = book.given.conventions.flops
    names = list(book.core("multiplications").values())
    work = f"{kind} ({_sum(names)})" if kind != "exact" else _sum(names)
    if kind == "exact":
        mark, parts = book.mark, book.parts
        book.parts, book.mark = {}, f"_added{mark}"
        work = f"({work} + {_sum(list(book.core('additions').values()))})"
        book.parts, book.mark = parts | book.parts, mark
    return f"{work} / ({_moved(book)})"


def _in_bytes(count: Callable[[Inventory], str]) -> Callable[[Inventory], str]:
    return lambda book: f"{book.size('bytes')} ({count(book)})"


def _parameters(book: Inventory) -> str:
    return _sum(book.parameters())


_TOTALS: dict[str, Callable[[Inventory], str]] = {
    "parameters": _parameters,
    "parameter_bytes": _in_bytes(_trained),
    "query_parameters": _group("query"),
    "key_parameters": _group("key"),
    "value_parameters": _group("value"),
    "output_parameters": _output,
    "head_parameters": _one_head,
    "attention_parameters": _attention,
    "feed_forward_parameters": lambda book: _sum(book.feed_forward()),
    "norm_parameters": _norms,
    "block_parameters": _block,
    "non_embedding_parameters": _beside_tables,
    "embedding_parameters": _table("embedding", "vocabulary"),
    "position_parameters": _table("position_table", "positions"),
    "multiplications": lambda book: _sum(book.operations("multiplications")),
    "additions": lambda book: _sum(book.operations("additions")),
    "flops": _flops,
    "projection_multiplications": lambda book: _sum(book.projected("multiplications")),
    "score_multiplications": _one("scores", "scores"),
    "average_multiplications": _one("averages", "averages"),
    "output_multiplications": lambda book: book.merged("multiplications"),
    "feed_forward_multiplications": lambda book: _sum(book.widened("multiplications")),
    "pairs": lambda book: book.add("pairs_of_a_row_and_a_key", "array", [book.pairs()]),
    "scalings": _per_pair("scaled_scores"),
    "exponentials": _per_pair("powers"),
    "softmax_additions": _softmax_additions,
    "divisions": _per_pair("quotients"),
    "forward_flops": _forward,
    "training_flops": _training,
    "weights_entries": _weights,
    "weights_bytes": _in_bytes(_weights),
    "streaming_entries": _streaming,
    "kv_cache_entries": _cache,
    "kv_cache_bytes": _in_bytes(_cache),
    "kv_cache_bytes_per_token": _in_bytes(lambda book: _cache(book, length=False)),
    "bytes_moved": _moved,
    "intensity": _intensity,
    "group": lambda book: f"{book.size('heads')} / {book.size('key_heads')}",
}
assert not set(_TOTALS) & set(SIZES)

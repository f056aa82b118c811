"""What there is to count: arrays with their axes, and products of matrices, one by one.

Nothing is added up here. A total is a formula in the names of parts, and a claim multiplies it out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from regard.kinds.count.spec import CountGiven, CountProblem
from regard.language import parse
from regard.language.formula.tree import operands

Part = dict[str, Any]


@dataclass
class Inventory:
    """The parts of one configuration, gathered as they are asked for.

    Attributes:
        given: the configuration.
        first: that of the problem, whose sizes in numbers are symbols.
        parts: by name, as a claim has them.
        mark: what names of parts end in, where there are several configurations.
    """

    given: CountGiven
    first: CountGiven
    parts: dict[str, Part] = field(default_factory=dict)
    mark: str = ""

    # ------------------------------------------------------------ sizes as texts

    def size(self, name: str) -> str:
        """Return a size as a formula in the symbols."""
        own = getattr(self.given, name)
        if own is None:
            return self._default(name)
        if isinstance(own, str):
            return _grouped(own)
        return name if getattr(self.first, name) == own else f"({self.given.own_number(name)})"

    def _default(self, name: str) -> str:
        known = self.given.written()
        if name == "d_k" and "heads" in known:
            return f"({self.size('d_model')}/{self.size('heads')})"
        sources = {
            "d_k": "d_model", "d_v": "d_k", "key_heads": "heads", "n_k": "n",
            "d_context": "d_model",
        }  # fmt: skip
        if name in sources and (sources[name] in known or sources[name] == "d_k"):
            return self.size(sources[name])
        return "1"  # one head, one layer, a batch of one

    def has(self, name: str) -> bool:
        """Whether a size is given."""
        return getattr(self.given, name) is not None

    @property
    def heads(self) -> str:
        """How many query heads there are; a single head is alone."""
        return "1" if self.given.of == "head" else self.size("heads")

    @property
    def key_heads(self) -> str:
        """How many heads keys and values have."""
        return "1" if self.given.of == "head" else self.size("key_heads")

    # ------------------------------------------------------------ parts

    def add(self, name: str, kind: str, sizes: list[str], *factors: str) -> str:
        """Note a part, and return its name."""
        whole = f"{name}{self.mark}"
        self.parts[whole] = {"kind": kind, "sizes": sizes, "times": times(*factors)}
        return whole

    def matrix(self, name: str, rows: str, columns: str, bias: str, *often: str) -> list[str]:
        """Note a matrix of parameters and, by convention, the bias of its outputs."""
        found = [self.add(name, "array", [rows, columns], *often)]
        if self.given.conventions.biases:
            found.append(self.add(bias, "array", [columns], *often))
        return found

    def projections(self, *often: str) -> dict[str, list[str]]:
        """Note W_Q, W_K, W_V and W_O."""
        d, d_k, d_v = self.size("d_model"), self.size("d_k"), self.size("d_v")
        heads, keys, context = self.heads, self.key_heads, self.size("d_context")
        found = {
            "query": self.matrix("W_Q", d, times(heads, d_k), "b_Q", *often),
            "key": self.matrix("W_K", context, times(keys, d_k), "b_K", *often),
            "value": self.matrix("W_V", context, times(keys, d_v), "b_V", *often),
        }
        if self.given.conventions.output_projection and self.given.of != "head":
            found["output"] = self.matrix("W_O", times(heads, d_v), d, "b_O", *often)
        return found

    def feed_forward(self, *often: str) -> list[str]:
        """Note the matrices of a feed-forward layer."""
        d, wide = self.size("d_model"), self.size("d_ff")
        found = self.matrix("W_in", d, wide, "b_in", *often)
        if self.given.conventions.feed_forward == "gated":
            found += self.matrix("W_gate", d, wide, "b_gate", *often)
        return found + self.matrix("W_out", wide, d, "b_out", *often)

    def norms(self, *count: str, name: str = "norms") -> list[str]:
        """Note the numbers of so many norms."""
        kind = self.given.conventions.norms
        if kind == "none":
            return []
        each = "2" if kind == "layer" else "1"
        return [self.add(name, "array", [self.size("d_model")], each, *count)]

    # ------------------------------------------------------------ products

    def pairs(self) -> str:
        """Return how many pairs of a query and a key there are, as a formula."""
        n, causal = self.size("n"), self.given.conventions.causal
        if self.has("window"):
            w = self.size("window")
            return f"({w} ({w} + 1)/2 + ({n} - {w}) {w})"  # rows that fill up, then full ones
        if causal is True:
            return f"({n} ({n} + 1)/2)"
        whole = f"{n} {self.size('n_k')}"
        return f"({whole}/2)" if causal else f"({whole})"

    def linear(self, name: str, what: str, sizes: list[str], *often: str) -> str:
        """Note a product with a matrix of parameters: additions have those of the bias."""
        rows, inner, columns = sizes
        if what == "additions" and self.given.conventions.biases:
            return self.add(name, "array", [rows, inner, columns], *often)
        return self.add(name, what, [rows, inner, columns], *often)

    def core(self, what: str, *often: str) -> dict[str, str]:
        """Note the products Q Kᵀ and A V of every head."""
        beside = (self.size("batch"), self.heads, *often)
        n, n_k, d_k, d_v = (self.size(name) for name in ("n", "n_k", "d_k", "d_v"))
        if not self.given.conventions.causal:
            scores = self.add("scores", what, [n, d_k, n_k], *beside)
            return {
                "scores": scores,
                "averages": self.add("averages", what, [n, n_k, d_v], *beside),
            }
        pairs = self.pairs()
        if what == "additions":
            scores = self.add("scores", "array", [pairs, f"({d_k} - 1)"], *beside)
            averages = self.add("averages", "array", [f"({pairs} - {n})", d_v], *beside)
        else:
            scores = self.add("scores", "array", [pairs, d_k], *beside)
            averages = self.add("averages", "array", [pairs, d_v], *beside)
        return {"scores": scores, "averages": averages}

    def projected(self, what: str, *often: str) -> list[str]:
        """Note the products that make queries, keys and values."""
        d, d_k, d_v = self.size("d_model"), self.size("d_k"), self.size("d_v")
        b, context = self.size("batch"), self.size("d_context")
        n, n_k, heads, keys = self.size("n"), self.size("n_k"), self.heads, self.key_heads
        return [
            self.linear("queries", what, [n, d, times(heads, d_k)], b, *often),
            self.linear("keys", what, [n_k, context, times(keys, d_k)], b, *often),
            self.linear("values", what, [n_k, context, times(keys, d_v)], b, *often),
        ]

    def merged(self, what: str, *often: str) -> str:
        """Note the product with W_O."""
        width = times(self.heads, self.size("d_v"))
        sizes = [self.size("n"), width, self.size("d_model")]
        return self.linear("merge", what, sizes, self.size("batch"), *often)

    def widened(self, what: str, *often: str) -> list[str]:
        """Note the products of a feed-forward layer."""
        n, d, wide, b = (self.size(name) for name in ("n", "d_model", "d_ff", "batch"))
        into = "2" if self.given.conventions.feed_forward == "gated" else "1"
        return [
            self.linear("widen", what, [n, d, wide], into, b, *often),
            self.linear("narrow", what, [n, wide, d], b, *often),
        ]

    def operations(self, what: str) -> list[str]:
        """Note every product of what is counted."""
        of, deep = self.given.of, self.size("layers")
        if of == "product":
            sizes = [self.size(name) for name in ("left_rows", "inner", "right_columns")]
            return [self.add("product", what, sizes, self.size("batch"))]
        if of == "head":
            return list(self.core(what).values())
        found: list[str] = []
        if of != "feed_forward":
            found += self.projected(what, deep)
            found += self.core(what, deep).values()
            if self.given.conventions.output_projection:
                found.append(self.merged(what, deep))
        if of in ("feed_forward", "block", "model"):
            found += self.widened(what, deep)
        if of == "model":
            sizes = [self.size(name) for name in ("n", "d_model", "vocabulary")]
            found.append(self.add("unembedding", what, sizes, self.size("batch")))
        return found

    def parameters(self) -> list[str]:
        """Note every array of parameters of what is counted."""
        of, deep = self.given.of, self.size("layers")
        found: list[str] = []
        if of == "model":
            table = [self.size("vocabulary"), self.size("d_model")]
            found.append(self.add("embedding", "array", table))
            if self.has("positions"):
                sizes = [self.size("positions"), self.size("d_model")]
                found.append(self.add("position_table", "array", sizes))
        if of in ("head", "attention", "block", "model"):
            found += [name for group in self.projections(deep).values() for name in group]
        if of in ("feed_forward", "block", "model"):
            found += self.feed_forward(deep)
        if of in ("block", "model"):
            found += self.norms("2", deep)
        if of == "model":
            found += self.norms("1", name="final_norm")
            if not self.given.conventions.tied:
                table = [self.size("d_model"), self.size("vocabulary")]
                found.append(self.add("unembedding", "array", table))
        return found


def times(*factors: str) -> str:
    """Write a product: numbers first, multiplied, and without factors of 1."""
    whole = math.prod(int(one) for one in factors if one.isdigit())
    rest = [one for one in factors if not one.isdigit() and one != "(1)"]
    return " ".join([str(whole)] * (whole != 1) + rest) or "1"


def _grouped(text: str) -> str:
    """Return a formula that can stand as a factor."""
    formula = parse(text)
    plain = formula.tree[-1].op in ("name", "number", "^") or not operands(formula.tree)
    return str(formula) if plain else f"({formula})"


def inventories(problem: CountProblem) -> dict[str, Inventory]:
    """Return an empty inventory for each configuration, by its name."""
    found = {"": Inventory(problem.given, problem.given)}
    for name in problem.given.others:
        found[name] = Inventory(problem.given.other(name), problem.given, mark=f"_{name}")
    return found
